"""Sections, summary, revision: quotes with their citations, and nothing said twice."""

from __future__ import annotations

import re

from deeproot.asks import (
    FinalReviewAnswer,
    FinalReviewInputs,
    Kind,
    ReviseAnswer,
    ReviseInputs,
    SectionAnswer,
    SectionInputs,
    SynthesizeAnswer,
    SynthesizeInputs,
)
from deeproot.model import Document, Finding, Section, Source, Topic
from deeproot.report.numbering import Numbering
from offline.market import QUESTION, ask, document, finding, topic

PAYS = finding("F1-1", "Loyalty programs lifted sales by 12% in Boston.", "boston.md", 0.9)
GROWS = finding("F1-2", "The number of members doubled within a year.", "boston.md", 0.6, line=3)
DIFFERS = finding("F1-3", "Loyalty programs lifted sales by 4% in Boston.", "audit.md", 0.2)
OTHER = finding("F1-4", "Members ask for personal offers.", "survey.md", 0.5)


def write(*pairs: tuple[Topic, Document], words: int = 500) -> dict[str, str]:
    answer = ask(SectionAnswer, Kind.SECTION, SectionInputs(QUESTION, pairs, words))
    return {section.topic: section.text for section in answer.sections}


def markers(text: str) -> list[str]:
    return re.findall(r"\[(F[\d.]+-\d+)\]", text)


def test_every_finding_is_quoted_once_with_its_marker() -> None:
    pairs = ((topic("Loyalty"), document(PAYS, GROWS, OTHER)),)
    text = summarize(*pairs) + "\n" + write(*pairs)["1"]
    assert sorted(markers(text)) == ["F1-1", "F1-2", "F1-4"]
    for found in (PAYS, GROWS, OTHER):
        assert text.count(f"“{found.quote}” [{found.id}]") == 1


def test_what_one_file_says_stands_together_in_its_order() -> None:
    late = finding("F1-9", "The bonus is paid at once.", "boston.md", 0.95, line=8)
    text = write((topic("Bonus"), document(late, OTHER, GROWS)))["1"]
    assert markers(text) == ["F1-2", "F1-9", "F1-4"]


def test_sources_that_disagree_in_figures_stand_side_by_side() -> None:
    text = write((topic("Loyalty", "1.1"), document(PAYS, OTHER, DIFFERS)))["1.1"]
    assert markers(text) == ["F1-1", "F1-3", "F1-4"]
    assert "By comparison" in text


def test_there_are_no_headings() -> None:
    assert not re.search(r"^#", write((topic("Loyalty"), document(PAYS)))["1"], re.MULTILINE)


def test_every_topic_gets_a_text_and_an_empty_one_says_so_honestly() -> None:
    nothing = Document("Insufficient evidence: 3 passages were searched.", gaps=("Nothing.",))
    texts = write(
        (topic("Loyalty"), document()), (topic("Offers", "1.1"), document(PAYS)), (topic("Churn", "2"), nothing)
    )
    assert texts["1"] == "See the parts below."
    assert texts["2"].startswith("Insufficient evidence")


def test_a_section_keeps_to_its_words_by_leaving_out_the_lightest() -> None:
    text = write((topic("Loyalty"), document(GROWS, OTHER)), words=10)["1"]
    assert markers(text) == ["F1-2"]


def summarize(*pairs: tuple[Topic, Document]) -> str:
    """The summary over the sections that were written for the same topics."""
    sections = tuple(Section(id, text) for id, text in write(*pairs).items())
    return ask(SynthesizeAnswer, Kind.SYNTHESIZE, SynthesizeInputs(QUESTION, pairs, sections, 40)).summary


def test_no_sentence_stands_twice_and_none_is_lost() -> None:
    more = [
        finding(f"F1-{n}", f"Loyalty programs of kind {n} are paid in {n} parts.", "more.md", 0.3) for n in (5, 6, 7)
    ]
    pairs = ((topic("Loyalty"), document(PAYS, GROWS, *more)), (topic("Offers", "1.1"), document(OTHER)))
    cited = [*markers(summarize(*pairs)), *(id for text in write(*pairs).values() for id in markers(text))]
    assert sorted(cited) == ["F1-1", "F1-2", "F1-4", "F1-5", "F1-6", "F1-7"]
    assert markers(summarize(*pairs))[0] == "F1-1"


def test_figures_that_disagree_stay_side_by_side_and_do_not_lead() -> None:
    pairs = ((topic("Loyalty"), document(PAYS, DIFFERS, OTHER)),)
    assert "F1-1" not in markers(summarize(*pairs))
    assert markers(write(*pairs)["1"])[:2] == ["F1-1", "F1-3"]


def test_the_summary_holds_the_heaviest_findings() -> None:
    pairs = ((topic("Loyalty"), document(PAYS, GROWS, OTHER, gaps=("No passage mentions churn.",))),)
    answer = ask(SynthesizeAnswer, Kind.SYNTHESIZE, SynthesizeInputs(QUESTION, pairs, (), 40))
    assert markers(answer.summary)[0] == "F1-1"
    assert "No passage mentions churn." in answer.limitations
    assert answer.title


def test_without_findings_the_summary_says_insufficient_evidence() -> None:
    pairs = ((topic("Loyalty"), document(gaps=("Nothing was found.",))),)
    answer = ask(SynthesizeAnswer, Kind.SYNTHESIZE, SynthesizeInputs(QUESTION, pairs, (), 100))
    assert answer.summary.startswith("Insufficient evidence")
    assert answer.limitations == ("Nothing was found.",)


def test_without_findings_the_summary_names_the_words_that_are_mentioned_nowhere() -> None:
    gap = "No passage that was found mentions deadlocks."
    pairs = ((topic("Loyalty"), document(gaps=("Nothing was found.", gap))),)
    answer = ask(SynthesizeAnswer, Kind.SYNTHESIZE, SynthesizeInputs(QUESTION, pairs, (), 100))
    assert answer.summary.startswith("Insufficient evidence")
    assert gap in answer.summary


def test_a_summary_of_very_little_warns_that_it_may_not_answer() -> None:
    few = ((topic("Loyalty"), document(PAYS)),)
    assert "may not answer the question" in summarize(*few)
    more = ((topic("Loyalty"), document(PAYS, GROWS, OTHER)),)
    assert "may not answer" not in summarize(*more)


def test_the_rarer_word_of_the_question_leads() -> None:
    common = [finding(f"F1-{n}", f"The loyalty programs of shop {n} are known.", "shops.md", 0.5) for n in (1, 2, 3, 4)]
    telling = finding("F1-9", "Customer retention rose in all of them.", "shops.md", 0.5)
    assert markers(summarize((topic("Loyalty"), document(*common, telling))))[0] == "F1-9"


def test_a_sound_report_passes_the_final_review() -> None:
    summary = "“Loyalty programs lifted sales by 12% in all of Boston.” [1]"
    report = f"# T\n\n## Executive Summary\n\n{summary}\n\n### Loyalty\n\nSee [1]."
    answer = ask(FinalReviewAnswer, Kind.FINAL_REVIEW, FinalReviewInputs(QUESTION, (topic("Loyalty"),), report))
    assert answer.completeness.ok
    assert answer.coherence.ok
    assert answer.quality.ok
    assert answer.professionalism.ok


def test_the_final_review_knows_the_question_and_the_titles_when_they_are_quoted() -> None:
    report = f"# T\n\nInsufficient evidence: nothing answers “{QUESTION}”.\n\n### {QUESTION}\n\nNot “{QUESTION}”."
    answer = ask(FinalReviewAnswer, Kind.FINAL_REVIEW, FinalReviewInputs(QUESTION, (topic(QUESTION),), report))
    assert answer.quality.ok


def test_the_final_review_names_missing_topics_bare_quotes_and_leftovers() -> None:
    report = "# T\n\n“Loyalty programs lifted sales by 12% in all of Boston.” And [F1-1] here."
    answer = ask(FinalReviewAnswer, Kind.FINAL_REVIEW, FinalReviewInputs(QUESTION, (topic("Loyalty"),), report))
    assert "Loyalty" in answer.completeness.issues[0]
    assert not answer.quality.ok
    assert not answer.professionalism.ok


def test_a_revision_takes_out_citations_of_nothing_and_leaves_the_rest() -> None:
    sections = (Section("1", "“Good.” [F1-1]\n\n“Bad.” [F9-9]"), Section("2", "“Fine.” [F2-1]"))
    inputs = ReviseInputs(QUESTION, "“Good.” [F1-1]", sections, ("[F9-9] cites no finding.",))
    answer = ask(ReviseAnswer, Kind.REVISE, inputs)
    assert answer.summary is None
    assert [(section.topic, markers(section.text)) for section in answer.sections] == [("1", ["F1-1"])]


def test_a_revision_with_nothing_to_mend_gives_the_summary_as_it_stands() -> None:
    inputs = ReviseInputs(QUESTION, "“Good.” [F1-1]", (Section("1", "“Good.” [F1-1]"),), ("The tone is dull.",))
    assert ask(ReviseAnswer, Kind.REVISE, inputs) == ReviseAnswer("“Good.” [F1-1]")


def test_a_program_is_called_by_its_file() -> None:
    found = Finding(
        "F1.1-1", "Members are counted.", "Members are counted.", Source("/files/members.py", "Who belongs")
    )
    assert write((topic("Counting", "1.1"), document(found, PAYS)))["1.1"].count("`members.py`") == 1


def test_what_is_said_of_a_symbol_stands_under_its_name() -> None:
    def said(number: int, symbol: str | None) -> Finding:
        text = f"It is done in {number} steps."
        return Finding(f"F1-{number}", text, text, Source("/files/members.py"), (number, number), 0.5, True, symbol)

    several = document(said(1, "Members.add"), said(2, "Members.add"), said(3, "Members.drop"))
    assert write((topic("Counting"), several))["1"].splitlines() == [
        "According to `members.py`:",
        "",
        "- `Members.add`: “It is done in 1 steps.” [F1-1] “It is done in 2 steps.” [F1-2]",
        "- `Members.drop`: “It is done in 3 steps.” [F1-3]",
    ]
    one = write((topic("Counting"), document(said(1, "Members.add"))))["1"]
    assert one == "According to `members.py`, `Members.add`: “It is done in 1 steps.” [F1-1]"
    bare = write((topic("Counting"), document(said(1, None))))["1"]
    assert bare == "According to `members.py`: “It is done in 1 steps.” [F1-1]"


def test_a_quote_with_doubled_ticks_keeps_its_citation() -> None:
    first = finding("F1-1", "Use ``a`` or ``b``.")
    second = finding("F1-2", "Use `c` for ``d``.")
    text = f"“{first.quote}” [F1-1] “{second.quote}” [F1-2]"
    assert Numbering({"F1-1": first, "F1-2": second}).number(text).count("[1]") == 2


def test_the_summary_does_not_lead_with_a_sentence_that_leans_on_another() -> None:
    leaning = finding("F1-1", "This lifted loyalty programs and customer retention to 71%.", weight=0.9)
    pairs = ((topic("Loyalty"), document(leaning, finding("F1-2", PAYS.quote, weight=0.5))),)
    assert markers(summarize(*pairs)) == ["F1-2"]
    assert markers(write(*pairs)["1"]) == ["F1-1"]
