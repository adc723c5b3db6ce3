"""What the offline backend finds, and what it refuses to find."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deeproot
from deeproot.asks import (
    DocumentAnswer,
    DocumentInputs,
    Kind,
    QueriesAnswer,
    QueriesInputs,
    ReviewAnswer,
    ReviewInputs,
)
from deeproot.model import Passage
from offline.market import KITCHEN, MARKET, QUESTION, TABLE, ask, document, finding, passage, topic

FOCUS = topic("Loyalty programs and customer retention")


def research(question: str = QUESTION, passages: tuple[Passage, ...] = MARKET) -> DocumentAnswer:
    return ask(DocumentAnswer, Kind.DOCUMENT, DocumentInputs(question, topic(question), passages))


def heaviest(answer: DocumentAnswer) -> str:
    return max(answer.findings, key=lambda found: found.weight).quote


def test_every_quote_stands_in_the_passage_it_names() -> None:
    for found in research().findings:
        assert found.quote in MARKET[int(found.source[1:]) - 1].text


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=200), max_size=6), st.text(max_size=60))
def test_whatever_the_texts_nothing_is_invented(texts: list[str], question: str) -> None:
    passages = tuple(passage(f"{index}.md", text) for index, text in enumerate(texts))
    answer = research(question, passages)
    assert all(found.quote in texts[int(found.source[1:]) - 1] for found in answer.findings)
    assert answer.findings or answer.gaps


def test_the_sentence_that_answers_is_the_heaviest() -> None:
    assert heaviest(research()).startswith("In the second quarter of 2024 loyalty program members came back 62%")


def test_a_file_about_something_else_weighs_less_although_it_shares_words() -> None:
    weights = {found.quote: found.weight for found in research().findings}
    staff = weights.get("Employee retention was 85% in 2023.", 0.0)
    assert staff < weights["Personal offers were redeemed by 35% of the loyalty program members in 2024."]


def test_of_two_files_that_share_as_much_with_the_question_the_one_like_the_best_weighs_more() -> None:
    files = (
        passage(
            "a.md", "Loyalty programs raise customer retention: vouchers, points and birthday gifts bring buyers back."
        ),
        passage("b.md", "Vouchers, points and birthday gifts serve customer retention."),
        passage("c.md", "Cranes, trucks and pallets from the harbour serve customer retention."),
        passage("d.md", "The canteen serves soup to every visitor on Mondays."),
    )
    weights = {found.source: found.weight for found in research(passages=files).findings}
    assert weights["S1"] > weights["S2"] > weights["S3"]


def test_a_file_that_does_not_mention_the_matter_is_not_quoted() -> None:
    assert not any(found.quote in KITCHEN for found in research().findings)


def test_a_question_the_files_do_not_answer_gets_no_findings_but_what_is_missing() -> None:
    answer = research("What is the melting point of tungsten on Mondays?")
    assert answer.findings == ()
    assert answer.summary.startswith("Insufficient evidence")
    assert any("tungsten" in gap for gap in answer.gaps)


def test_code_in_a_document_is_never_quoted_although_it_holds_the_words_of_the_question() -> None:
    shown = passage("guide.md", "Loyalty programs increase customer retention here.", section="Guide > (code)")
    session = "$ raise customer retention loyalty programs --now please\n\n>>> loyalty programs customer retention = 3"
    answer = research(passages=(*MARKET, shown, passage("session.md", session)))
    assert answer.findings
    assert not any(found.source in ("S5", "S6") for found in answer.findings)


def test_a_short_question_whose_telling_word_stands_nowhere_is_not_answered_from_its_other_words() -> None:
    texts = [f"Handler number {n} of the logging package writes records to place {n}." for n in range(1, 30)]
    files = tuple(passage(f"{n}.md", text) for n, text in enumerate(texts))
    answer = research("How does logging avoid deadlocks between handlers?", files)
    assert answer.findings == ()
    assert answer.summary.startswith("Insufficient evidence")
    assert any("deadlocks" in gap for gap in answer.gaps)


def test_a_short_question_takes_only_sentences_that_name_its_matter() -> None:
    texts = [f"The event loop runs task {n} after the one before it." for n in range(1, 20)]
    told = "A task that is being cancelled gets an exception at its next wait."
    files = tuple(passage("loop.md", text, line=n) for n, text in enumerate([*texts, told], 1))
    assert [found.quote for found in research("How is a task cancelled?", files).findings] == [told]


def test_a_long_question_describes_a_situation_and_takes_what_stands_beside_its_words() -> None:
    question = (
        "How can Boston shops raise customer retention with loyalty programs, personal offers and birthday vouchers?"
    )
    text = "Loyalty programs and personal offers raise customer retention in Boston shops. Margins fell by 3% in 2024."
    quotes = [found.quote for found in research(question, (passage("a.md", text),)).findings]
    assert "Margins fell by 3% in 2024." in quotes


def test_another_form_of_a_verb_is_no_gap() -> None:
    answer = research(
        "How did the revenue of Acme grow?", (passage("a.md", "The revenue of Acme grew by 12% in 2024."),)
    )
    assert [found.quote for found in answer.findings] == ["The revenue of Acme grew by 12% in 2024."]
    assert not any("grow" in gap for gap in answer.gaps)


def test_two_words_that_never_stand_together_are_named_as_a_gap() -> None:
    files = (passage("a.md", "The server answers every request. A wide range of clients uses the server."),)
    answer = research("What does the server do about range requests?", files)
    assert "No passage that was found mentions “range requests” as such." in answer.gaps


def test_a_row_of_a_table_in_markdown_is_shown_with_its_columns() -> None:
    table = "| Loyalty programs | Customer retention |\n|---|---|\n| Boston loyalty program | retention 71% |"
    (found,) = research(passages=(passage("a.md", table),)).findings
    assert found.quote == "| Boston loyalty program | retention 71% |"
    assert found.claim == "Loyalty programs: Boston loyalty program; Customer retention: retention 71%"


def test_without_passages_it_says_so() -> None:
    answer = research(passages=())
    assert answer.summary.startswith("Insufficient evidence")
    assert answer.gaps


def test_a_figure_makes_a_sentence_heavier_where_figures_are_usual() -> None:
    plain = "Loyalty programs increase customer retention in every store we run."
    exact = "Loyalty programs increase customer retention by 12% in every store."
    answer = research(passages=(passage("a.md", f"{plain}\n\n{exact}"),))
    assert heaviest(answer) == exact


def test_a_figure_of_the_question_is_no_news() -> None:
    question = "Can loyalty programs raise customer retention by 15%?"
    echo = "Loyalty programs are expected to raise customer retention by 15%."
    news = "Loyalty programs are known to raise customer retention by 4%."
    assert heaviest(research(question, (passage("a.md", f"{echo}\n\n{news}"),))) == news


def test_the_newer_of_two_reports_is_heavier() -> None:
    old = "Customer retention of loyalty programs was 55% in 2019."
    new = "Customer retention of loyalty programs was 62% in 2024."
    assert heaviest(research(passages=(passage("a.md", f"{old}\n\n{new}"),))) == new


def test_what_a_text_says_about_itself_is_lighter() -> None:
    about = "This report explores how loyalty programs increase customer retention in stores."
    says = "Stores with loyalty programs increase customer retention by asking for feedback."
    assert heaviest(research(passages=(passage("a.md", f"{about}\n\n{says}"),))) == says


def test_a_row_of_a_table_is_quoted_whole_and_explained_by_its_columns() -> None:
    rows = passage("retention-rate.csv", TABLE.partition("\n")[2], section="Quarter, Retention rate", line=2)
    answer = research("What is the customer retention rate by quarter?", (rows,))
    claims = {found.quote: found.claim for found in answer.findings}
    assert claims["Q2 2024,0.62"] == "Quarter: Q2 2024; Retention rate: 0.62"


def test_a_program_is_quoted_by_its_comments_and_docstrings_not_by_its_code() -> None:
    code = (
        "def cancel(self, msg=None):\n"
        '    """Request that this task cancel itself.\n\n'
        "    The task is cancelled when the wrapped coroutine\n"
        "    terminates with a CancelledError exception.\n"
        '    """\n'
        "    if self.done():  # the task is cancelled already\n"
        "        return self._cancelled_task(msg, task=self)\n"
    )
    answer = research("How is a task cancelled?", (passage("tasks.py", code, section="Task.cancel"),))
    quotes = {" ".join(found.quote.split()) for found in answer.findings}
    assert quotes == {
        "Request that this task cancel itself.",
        "The task is cancelled when the wrapped coroutine terminates with a CancelledError exception.",
    }


def test_other_languages_are_searched_by_their_words() -> None:
    text = "Solarstrom ist seit 2010 um 90 Prozent billiger geworden. Im Garten blühen die Rosen."
    answer = research("Was kostet Solarstrom?", (passage("solar.md", text, title="Kosten von Solarstrom"),))
    assert heaviest(answer) == "Solarstrom ist seit 2010 um 90 Prozent billiger geworden."


def test_a_question_of_one_word_works() -> None:
    assert "loyalty" in heaviest(research("loyalty"))


def test_a_topic_with_words_of_its_own_takes_only_what_speaks_about_them() -> None:
    inputs = DocumentInputs(QUESTION, topic("Personal offers"), MARKET)
    answer = ask(DocumentAnswer, Kind.DOCUMENT, inputs)
    assert answer.findings
    assert all(
        "offers" in (found.quote + MARKET[int(found.source[1:]) - 1].section).lower() for found in answer.findings
    )


def test_findings_stand_in_the_order_of_their_file() -> None:
    places = [
        (found.source, MARKET[int(found.source[1:]) - 1].text.index(found.quote))
        for found in research().findings
        if found.source == "S1"
    ]
    assert places == sorted(places)
    assert len(places) > 1


def test_answers_do_not_depend_on_the_hash_seed() -> None:
    path = os.pathsep.join([str(Path(__file__).parents[1]), str(Path(deeproot.__file__).parents[1])])
    script = "from offline.test_research import research; print(research())"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize("breadth", [1, 2, 5])
def test_queries_keep_to_the_breadth_and_hold_the_question(breadth: int) -> None:
    answer = ask(QueriesAnswer, Kind.QUERIES, QueriesInputs(QUESTION, FOCUS, breadth))
    assert 1 <= len(answer.queries) <= breadth
    assert QUESTION in answer.queries[0]


def test_what_a_reviewer_asks_for_is_searched() -> None:
    inputs = QueriesInputs(QUESTION, FOCUS, 3, actions=("churn by store",))
    assert "churn by store" in ask(QueriesAnswer, Kind.QUERIES, inputs).queries


def test_a_document_with_quotes_in_place_is_accepted() -> None:
    own = topic("Loyalty programs")
    inputs = ReviewInputs(QUESTION, own, document(finding("F1-1", "Loyalty programs pay.")))
    answer = ask(ReviewAnswer, Kind.REVIEW, inputs)
    assert [verdict.met for verdict in answer.criteria] == [True]


def test_an_empty_document_is_searched_for_once_more_and_then_accepted_with_its_gaps() -> None:
    own = topic("Churn by store")
    first = ask(ReviewAnswer, Kind.REVIEW, ReviewInputs(QUESTION, own, document(gaps=("Nothing.",))))
    assert first.actions
    assert not first.criteria[0].met
    again = ask(DocumentAnswer, Kind.DOCUMENT, DocumentInputs(QUESTION, own, (), first.actions))
    second = ask(ReviewAnswer, Kind.REVIEW, ReviewInputs(QUESTION, own, document(gaps=again.gaps)))
    assert second.actions == ()
    assert second.gaps


def test_the_name_of_the_folder_is_not_what_a_question_is_about() -> None:
    said = passage("acme/scopes.md", "While a scope is shielded, it receives no cancellation from outside.")
    others = tuple(passage(f"acme/{n}.md", f"Part {n} of the tool cancels the task.") for n in range(30))
    named = passage("acme/about.md", "The acme tool began as a toy.")
    answer = research("How does acme shield a task from cancellation?", (said, named, *others))
    assert heaviest(answer) == said.text


def test_each_thing_a_short_question_asks_is_answered() -> None:
    price = passage("heat.md", "Eine Wärmepumpe kostet mit Einbau etwa 84.000 Euro.")
    grant = passage("grant.md", "Die staatliche Förderung übernimmt 40 Prozent der Ausgaben.")
    answer = research("Was kostet eine Wärmepumpe und welche Förderung gibt es?", (price, grant))
    assert {found.quote for found in answer.findings} == {price.text, grant.text}
    assert answer.gaps == ()


def test_the_verb_of_a_yes_or_no_question_is_not_taken_for_part_of_a_name() -> None:
    said = passage("runs.md", "A resumed run takes the recorded answer. Nobody should pay for it again.")
    answer = research("Does a resumed run pay again?", (said,))
    assert not any("as such" in gap for gap in answer.gaps)


def test_a_row_without_its_header_is_shown_without_its_rules() -> None:
    row = "| `journal.py` | loyalty programs and customer retention, the truth |"
    (found,) = research(passages=(passage("rooms.md", row),)).findings
    assert found.quote == row
    assert found.claim == "`journal.py`; loyalty programs and customer retention, the truth"


def test_where_no_sentence_names_enough_of_a_short_question_two_words_that_tell_something_will_do() -> None:
    said = passage("tables.md", "The title of a table is rendered above it. Colors come later.")
    filler = tuple(passage(f"{n}.md", f"Some color for terminal {n}.") for n in range(30))
    rare = passage("mode.md", "The interactive mode is new.")
    answer = research("Can tables render without color on an interactive terminal?", (said, rare, *filler))
    assert "The title of a table is rendered above it." in {found.quote for found in answer.findings}


def test_all_but_one_of_the_words_of_a_short_question_name_its_matter_however_rare_the_last_one_is() -> None:
    texts = (
        "At the till a customer may redeem any voucher.",
        *("Customers get a voucher now and then.",) * 12,
        *("The canteen serves soup on Mondays.",) * 20,
    )
    files = tuple(passage(f"{n}.md", text) for n, text in enumerate(texts))
    quotes = [found.quote for found in research("Which customers redeem a voucher?", files).findings]
    assert "Customers get a voucher now and then." in quotes


def test_what_holds_only_under_a_condition_of_the_sentence_before_is_lighter() -> None:
    said = "Loyalty programs raise customer retention by {} vouchers."
    files = (passage("a.md", f"If we do so, {said.format('paper')}"), passage("b.md", said.format("paper")))
    weights = {found.source: found.weight for found in research(passages=files).findings}
    assert weights["S2"] > 2 * weights["S1"]
