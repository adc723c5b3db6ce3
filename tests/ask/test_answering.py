"""The writers: the brief, citations by finding id, one chance to mend the style, and what code adds."""

from __future__ import annotations

import json

import pytest
from inquiry import PASSAGE, PORT, SIMPLE, always, inquire, reading, scoped, searching, the_answer

from deeproot import asks as a
from deeproot.asks import Ask, Kind, QueryType
from deeproot.engine.engine import Ending
from deeproot.knowledge.sources import text_hash
from deeproot.model import Passage, Source
from deeproot.testing import ListSearcher, Scripted
from laboratory import Lab, document_about, first, topic_of

SCOPED = always(Kind.SCOPE, scoped("A", "B"))


def about_topic(ask: Ask) -> Scripted:
    return document_about(topic_of(ask).title, gaps=("The cost is unknown.",))


DOCUMENTS = always(Kind.DOCUMENT, about_topic)


def written(*texts: str) -> list[a.AnswerAnswer]:
    return [a.AnswerAnswer(text) for text in texts]


def held() -> dict[str, object]:
    """A searcher whose text can be kept: its hash is true."""
    source = Source(PASSAGE.source.location, "Server", text_hash(PASSAGE.text))
    return {"searcher": ListSearcher([Passage(source, PASSAGE.text, 10, 11)])}


def test_the_writer_gets_a_structured_brief_and_the_evidence_notes(lab: Lab) -> None:
    """001-46, 001-47."""
    done = inquire(lab, first(SCOPED, DOCUMENTS), query_type="comparison")
    [ask] = done.backend.asked(Kind.ANSWER)[:1]
    sent = ask.prompt.partition("The brief:\n")[2].partition("\n\nRules")[0]
    brief = json.loads(sent)
    assert list(brief) == ["query_type", "audience", "tone", "constraints", "ra_summary"]
    assert brief["query_type"] == "comparison"
    assert any("table" in line for line in brief["constraints"])
    assert done.of_kind("brief.written")[0].brief.query_type is QueryType.COMPARISON
    for heading in ("Summary", "Sources", "Key Claims", "Quotes & Data", "Assessment", "Notes for Writers"):
        assert f"## {heading}\n" in ask.prompt


def test_finding_ids_become_numbers_and_sources_are_listed_by_code(lab: Lab) -> None:
    done = inquire(
        lab, first(SCOPED, DOCUMENTS, always(Kind.ANSWER, written("A holds [F1-1] [F2-1]. B too [F2-1].")[0]))
    )
    assert the_answer(done) == "A holds [1][2]. B too [2].\n"
    assert "- [1] Page 1. https://example.org/A" in done.report
    assert "- [2] Page 1. https://example.org/B" in done.report
    rows = json.loads((done.researcher.reports / "citations.json").read_text(encoding="utf-8"))
    assert [(row["n"], row["finding"]) for row in rows] == [(1, "F1-1"), (2, "F2-1"), (2, "F2-1")]


def test_an_invented_citation_is_never_taken(lab: Lab) -> None:
    answers = iter(written("A holds [F9-9].", "A holds [F1-1]."))
    done = inquire(lab, first(SCOPED, DOCUMENTS, lambda ask: next(answers) if ask.kind is Kind.ANSWER else None))
    assert "[F9-9] is not one of the findings" in done.backend.asked(Kind.ANSWER)[1].prompt
    assert the_answer(done) == "A holds [1].\n"


def test_broken_style_rules_go_back_once_with_their_places(lab: Lab) -> None:
    answers = iter(written("# A\n\nIt seems A holds [F1-1].", "A holds [F1-1]."))
    done = inquire(lab, first(SCOPED, DOCUMENTS, lambda ask: next(answers) if ask.kind is Kind.ANSWER else None))
    again = done.backend.asked(Kind.ANSWER)[1].prompt
    assert "line 3, column 1: hedging: It seems" in again
    assert the_answer(done) == "A holds [1].\n"
    assert not done.state.draft.style
    assert "Style rules still broken" not in done.report


def test_what_is_still_broken_is_listed_and_nothing_is_asked_a_third_time(lab: Lab) -> None:
    bad = a.AnswerAnswer("Perhaps A holds [F1-1].")
    done = inquire(lab, first(SCOPED, DOCUMENTS, always(Kind.ANSWER, bad)))
    assert len(done.backend.asked(Kind.ANSWER)) == 2
    assert done.state.draft.style == ("line 1, column 1: hedging: Perhaps",)
    assert "Style rules still broken: line 1, column 1: hedging: Perhaps." in done.report
    assert done.outcome.ending is Ending.COMPLETE


def test_code_stays_as_it_is_among_numbered_text(lab: Lab) -> None:
    text = "```python\n# not a heading\nfirst = args[1]\n```\n\nThe name `args[2]` is a list [F1-1]."
    done = inquire(
        lab, first(SCOPED, DOCUMENTS, always(Kind.ANSWER, a.AnswerAnswer(text))), query_type="coding", tier="medium"
    )
    assert the_answer(done) == text.replace("[F1-1]", "[1]") + "\n"
    rows = json.loads((done.researcher.reports / "citations.json").read_text(encoding="utf-8"))
    assert rows[0]["sentence"] == "The name `args[2]` is a list"


def test_a_block_of_code_that_is_left_open_swallows_nothing(lab: Lab) -> None:
    parts = tuple(a.AnswerPart(h, "A holds [F1-1].") for h in ("One", "Two", "Three", "Four", "Conclusion"))
    answer = a.AnswerAnswer("B holds [F2-1].\n\n```python\nargs[1]", "What holds", parts)
    done = inquire(lab, first(SCOPED, DOCUMENTS, always(Kind.ANSWER, answer)), deep=True)
    assert "```python\nargs[1]\n```\n\n## One\n\nA holds [2]." in done.report


def test_the_deep_writer_gives_title_opening_parts_and_conclusion(lab: Lab) -> None:
    """001-57."""
    parts = tuple(a.AnswerPart(h, "A holds [F1-1].") for h in ("## One", "Two", "Three", "Four", "Conclusion"))
    answer = a.AnswerAnswer("B holds [F2-1].", "What holds", parts)
    done = inquire(lab, first(SCOPED, DOCUMENTS, always(Kind.ANSWER, answer)), deep=True)
    assert done.report.startswith("# What holds\n\nB holds [1].\n\n## One\n\nA holds [2].\n\n## Two")
    assert len(done.backend.asked(Kind.ANSWER)) == 1
    assert "## Methodology\n\n- A deep factual question" in done.report
    assert done.researcher.report.name == "report.md"


def test_a_deep_report_with_too_few_parts_is_sent_back(lab: Lab) -> None:
    answer = a.AnswerAnswer("B holds [F2-1].", "What holds", (a.AnswerPart("One", "A holds [F1-1]."),))
    done = inquire(lab, first(SCOPED, DOCUMENTS, always(Kind.ANSWER, answer)), deep=True)
    assert "few sections: 1 of at least 5 sections" in done.backend.asked(Kind.ANSWER)[1].prompt


def test_a_quote_that_is_not_in_its_source_is_marked_in_a_simple_answer(lab: Lab) -> None:
    false = a.AnswerAnswer("The port is 9000 [F1-1].", findings=(a.ProposedFinding("9000", "The port is 9000.", "S1"),))
    done = inquire(lab, reading(always(Kind.ANSWER, false)), SIMPLE, means=searching())
    assert len(done.backend.asked(Kind.ANSWER)) == 2
    assert the_answer(done) == "The port is 9000 [1] [evidence?].\n"


def test_a_simple_question_without_an_answer_says_so_and_is_asked_once(lab: Lab) -> None:
    nothing = a.AnswerAnswer("The passages do not tell the port.", gaps=("The port is not given.",))
    done = inquire(lab, reading({Kind.ANSWER: [nothing]}), SIMPLE, means=searching())
    assert len(done.backend.asks) == 1
    assert the_answer(done) == "The passages do not tell the port.\n"
    assert "#LOW_EVIDENCE" in done.report


def test_only_the_writer_writes_the_answer(lab: Lab) -> None:
    """001-07: the answer is what the last ANSWER ask said, and nothing else was asked for text."""
    done = inquire(lab, first(SCOPED, DOCUMENTS, always(Kind.ANSWER, a.AnswerAnswer("Only this [F1-1]."))))
    assert [event.summary for event in done.of_kind("report.written")] == ["Only this [F1-1]."]
    hats = {event.hat for event in done.of_kind("turn.started")}
    assert hats == {"scoper", "researcher", "decider", "answerer", "citation_gate", "consistency_gate"}


@pytest.mark.parametrize(
    ("gates", "history"),
    [
        (("citation", "consistency"), ["CITATION_GATE", "CONSISTENCY_GATE"]),
        (("consistency",), ["CONSISTENCY_GATE"]),
        (("citation",), ["CITATION_GATE"]),
        ((), []),
    ],
)
def test_a_gate_that_is_left_out_is_not_in_the_history(lab: Lab, gates: tuple[str, ...], history: list[str]) -> None:
    """001-42."""
    done = inquire(lab, gates=gates)
    assert [phase for phase in done.state.history if phase.endswith("_GATE")] == history
    assert done.outcome.ending is Ending.COMPLETE


FALSE = "The server does not listen on port 8000 by default."


@pytest.mark.parametrize("gates", [("citation", "consistency"), ("citation",)])
def test_an_answer_that_fails_a_gate_is_written_again_once_and_then_conceded(lab: Lab, gates: tuple[str, ...]) -> None:
    found = a.DocumentAnswer("Found.", (a.ProposedFinding(PORT, PORT, "S1"),))
    false = a.AnswerAnswer(f"{FALSE[:-1]} [F1-1].")
    script = first(SCOPED, always(Kind.DOCUMENT, found), always(Kind.ANSWER, false))
    done = inquire(lab, reading(script), means=held(), gates=gates)
    assert done.state.history.count("DRAFT") == 2
    assert "Mend this: " in done.backend.asked(Kind.ANSWER)[1].prompt
    assert done.outcome.exit_code == 3
    assert "[evidence?]" in the_answer(done)


def test_a_mended_answer_passes(lab: Lab) -> None:
    found = a.DocumentAnswer("Found.", (a.ProposedFinding(PORT, PORT, "S1"),))
    answers = iter(written(f"{FALSE[:-1]} [F1-1].", f"{PORT[:-1]} [F1-1]."))
    script = first(SCOPED, always(Kind.DOCUMENT, found), lambda ask: next(answers) if ask.kind is Kind.ANSWER else None)
    done = inquire(lab, reading(script), means=held())
    assert done.outcome.ending is Ending.COMPLETE
    assert the_answer(done) == f"{PORT[:-1]} [1].\n"


def test_each_subquestion_leaves_an_evidence_note(lab: Lab) -> None:
    """001-50."""
    done = inquire(lab, first(SCOPED, DOCUMENTS))
    note = (done.researcher.reports / "notes" / "a.md").read_text(encoding="utf-8")
    assert note.startswith("# Evidence Note 1: A\n\n## Summary\nSummary of A.\n\n## Sources\n- S1: Page 1.")
    assert "- [F1-1] A is claim 1. (S1)" in note
    assert "- [F1-1] “Quote 1 about A.” (S1)" in note
    assert "- Gap: The cost is unknown." in note
