"""Topics in the words of the question and of the files."""

from __future__ import annotations

from deeproot.asks import (
    ChildrenAnswer,
    ChildrenInputs,
    Kind,
    PickAnswer,
    PickInputs,
    PlanAnswer,
    PlanInputs,
    RecoverAnswer,
    RecoverInputs,
)
from deeproot.model import Passage
from offline.market import MARKET, QUESTION, ask, document, finding, passage, topic

GENERIC = {"background", "overview", "introduction", "conclusion", "summary"}


def plan(question: str, breadth: int = 3, passages: tuple[Passage, ...] = MARKET) -> list[str]:
    answer = ask(PlanAnswer, Kind.PLAN, PlanInputs(question, breadth, passages))
    return [proposed.title for proposed in answer.topics]


def test_aspects_the_question_lists_become_topics() -> None:
    assert plan("What are the benefits, risks and costs of remote work?", passages=()) == [
        "Benefits of remote work",
        "Risks of remote work",
        "Costs of remote work",
    ]


def test_a_question_with_two_clauses_is_divided_at_them() -> None:
    titles = plan("How do loyalty programs raise customer retention, and which personal offers do members redeem?", 2)
    assert len(titles) == 2
    assert "retention" in titles[0]
    assert "offers" in titles[1]


def test_further_topics_are_phrases_that_several_files_use() -> None:
    said = {
        "boston": "Loyalty programs raise customer retention by 12% with a welcome bonus of 7.",
        "lyon": "A welcome bonus of 5 raised the customer retention of loyalty programs by 9%.",
        "oslo": "Loyalty programs raise customer retention by 4% in small shops.",
        "turin": "Without loyalty programs customer retention fell by 3% in a year.",
        "bergen": "Loyalty programs keep customer retention above 60% where shops are few.",
    }
    files = tuple(passage(f"{name}.md", text) for name, text in said.items())
    assert "Welcome bonus" in plan(QUESTION, passages=files)


def test_topics_are_never_generic_and_never_more_than_the_breadth() -> None:
    for breadth in (1, 2, 5):
        titles = plan(QUESTION, breadth)
        assert 1 <= len(titles) <= breadth
        assert not GENERIC & {title.casefold() for title in titles}


def test_topics_are_names_for_things_not_torn_phrases_verbs_or_marks_of_code() -> None:
    said = {
        "boston": "Customer retention of loyalty programs is raised by the gift card in 12 shops.",
        "lyon": "The gift card lifted customer retention of loyalty programs by 9%.",
        "oslo": "XXX loyalty programs still fail at customer retention and return True for every shop.",
        "turin": "XXX loyalty programs still fail at customer retention and return True for every town.",
        "genoa": "MAX_SIZE of loyalty programs among all is 3 MB, customer retention is 4 MB.",
        "paris": "MAX_SIZE of loyalty programs among all is 5 MB, customer retention is 6 MB.",
    }
    titles = plan(QUESTION, 8, tuple(passage(f"{name}.md", text) for name, text in said.items()))[1:]
    assert "Gift card" in titles
    words = {word for title in titles for word in title.casefold().split()}
    assert not words & {"xxx", "true", "return", "max_size", "mb", "every", "among", "still", "all"}


def test_what_most_of_the_evidence_says_is_the_matter_and_no_part_of_it() -> None:
    text = "Loyalty programs raise customer retention with a welcome bonus of {}."
    files = tuple(passage(f"{n}.md", text.format(n)) for n in range(4))
    assert plan(QUESTION, passages=files) == ["How can loyalty programs increase customer retention"]


def test_without_passages_the_question_is_the_topic() -> None:
    assert plan("Where is the harbour?", passages=()) == ["Where is the harbour"]


def test_every_topic_has_criteria_and_says_what_it_serves() -> None:
    for proposed in ask(PlanAnswer, Kind.PLAN, PlanInputs(QUESTION, 3, MARKET)).topics:
        assert QUESTION in proposed.description
        assert proposed.criteria


def test_subtopics_bring_words_that_are_not_told_yet() -> None:
    quotes = (
        ("boston.md", "The welcome bonus brought 900 members."),
        ("lyon.md", "A welcome bonus of five euros was enough for members."),
        ("boston.md", "Birthday vouchers brought 200 members."),
        ("oslo.md", "Most birthday vouchers were used by members."),
    )
    findings = [finding(f"F1-{number}", quote, file) for number, (file, quote) in enumerate(quotes, 1)]
    inputs = ChildrenInputs(QUESTION, topic("Loyalty programs"), document(*findings), 3, MARKET, ("Welcome bonus",))
    assert [child.title for child in ask(ChildrenAnswer, Kind.CHILDREN, inputs).children] == ["Birthday vouchers"]


def test_what_another_topic_reports_too_is_left_to_that_topic() -> None:
    quotes = (
        ("boston.md", "Gift cards are part of the welcome bonus."),
        ("lyon.md", "Members like gift cards."),
        ("oslo.md", "Birthday vouchers brought 200 members."),
        ("turin.md", "Most birthday vouchers were used by members."),
    )
    said = document(*(finding(f"F1-{number}", quote, file) for number, (file, quote) in enumerate(quotes, 1)))

    def titles(*others: str) -> list[str]:
        inputs = ChildrenInputs(QUESTION, topic("Loyalty programs"), said, 3, MARKET, others)
        return sorted(child.title for child in ask(ChildrenAnswer, Kind.CHILDREN, inputs).children)

    assert titles() == ["Birthday vouchers", "Gift cards"]
    assert titles("Welcome bonus") == ["Birthday vouchers"]


def test_what_people_wrote_over_several_findings_is_a_topic_as_they_wrote_it() -> None:
    text = "Loyalty programs kept customer retention at {}%. The customer retention of loyalty programs costs {} euros."
    said = {
        "Loyalty report > Paper coupons by post": text.format(7, 12),
        "Loyalty report > Overview": text.format(8, 14),
        "Loyalty report": text.format(9, 16),
    }
    files = tuple(passage("r.md", text, title="Loyalty report", section=section) for section, text in said.items())
    assert plan(QUESTION, passages=files)[1:] == ["Paper coupons by post"]


def test_a_symbol_of_a_program_is_a_topic_unless_it_is_an_inner_one() -> None:
    said = '"""Raise the customer retention of loyalty programs.  The retention of customers is counted once."""'
    files = tuple(
        passage(f"{symbol}.py", said.replace("once", symbol), section=symbol)
        for symbol in ("send_coupons", "Shop._count", "main")
    )
    assert plan(QUESTION, passages=files)[1:] == ["send_coupons"]


def test_a_topic_with_little_to_say_is_not_divided() -> None:
    inputs = ChildrenInputs(QUESTION, topic("Loyalty"), document(finding("F1-1", "Loyalty pays.")), 3)
    assert ask(ChildrenAnswer, Kind.CHILDREN, inputs).children == ()


def test_the_picker_takes_a_leaf_of_every_branch_before_a_second_of_any() -> None:
    leaves = ("a/one", "a/two", "b/one", "c/one", "d")
    answer = ask(PickAnswer, Kind.PICK, PickInputs(QUESTION, "", leaves, 4))
    assert answer.paths == ("d", "a/one", "b/one", "c/one")


def test_notes_for_recovery_name_what_failed() -> None:
    inputs = RecoverInputs("researcher", topic("Loyalty"), "the disk is full")
    assert "the disk is full" in ask(RecoverAnswer, Kind.RECOVER, inputs).notes


def test_of_two_topics_that_only_repeat_the_question_the_first_is_divided() -> None:
    quotes = ("The welcome bonus costs 7.", "A welcome bonus is paid.", "Shops sent 9 letters.", "Shops closed in May.")
    said = document(*(finding(f"F1-{n}", quote, f"{n}.md") for n, quote in enumerate(quotes, 1)))

    def titles(title: str, other: str) -> list[str]:
        inputs = ChildrenInputs(QUESTION, topic(title), said, 3, MARKET, (other,))
        return [child.title for child in ask(ChildrenAnswer, Kind.CHILDREN, inputs).children]

    assert titles("Loyalty programs", "Customer retention") == ["Welcome bonus"]
    assert titles("Customer retention", "Loyalty programs") == []
