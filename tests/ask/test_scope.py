"""Scoping: what kind of question it is, what it is worth, and which subquestions it has."""

from __future__ import annotations

import anyio
import pytest
from inquiry import OPEN, PORT, SIMPLE, always, inquire, reading, scoped, searching, the_answer

from deeproot import asks as a
from deeproot.answers import schema
from deeproot.asks import Ask, Kind, QueryType, SearchStrategy, Tier
from deeproot.backends.offline.scoper import compared, query_type, tier
from deeproot.engine.engine import Ending
from deeproot.testing import HttpError, Mishap, ModelRequest, ScriptedBackend, answer_text, oblige
from laboratory import Lab, failing, first, once, topic_of


@pytest.mark.parametrize(
    ("kind", "question"),
    [
        ("academic", "What do studies say about the effect of sleep on memory?"),
        ("news", "What is the latest news about the Mars mission?"),
        ("people", "Who was Grace Hopper?"),
        ("coding", "How do I read a file line by line in Python?"),
        ("comparison", "Compare asyncio.gather with TaskGroup"),
        ("factual", "What is the default port of the server?"),
    ],
)
def test_the_kind_of_a_question_is_told_by_its_words(kind: str, question: str) -> None:
    """001-43."""
    assert query_type(question) is QueryType(kind)


@pytest.mark.parametrize(
    ("worth", "question"),
    [
        ("simple", "What is the default port of the server?"),
        ("simple", "Who was Grace Hopper?"),
        ("simple", "How many topics does a plan have?"),
        ("simple", "How do I read a gzip file line by line without loading all of it in Python?"),
        ("medium", "How does asyncio cancel a task?"),
        ("medium", "What is the difference between a list and a tuple?"),
        ("medium", "Where is the port set, and who may change it?"),
        ("deep", "Give a comprehensive overview of cancellation"),
        ("deep", "What are locks, and how are they taken, and why do they fail?"),
    ],
)
def test_the_worth_of_a_question_is_told_by_its_words(worth: str, question: str) -> None:
    assert tier(question) is Tier(worth)


@pytest.mark.parametrize(
    ("sides", "question"),
    [
        (("asyncio.gather", "TaskGroup"), "Compare asyncio.gather with TaskGroup"),
        (("list", "tuple"), "What is the difference between a list and a tuple in Python?"),
        (("threads", "processes"), "threads vs. processes for I/O"),
        (("json", "pickle"), "Which is faster: json or pickle?"),
        (("logging", "print"), "How does logging differ from print?"),
        ((), "What is a comparison?"),
    ],
)
def test_a_comparison_names_its_sides(sides: tuple[str, ...], question: str) -> None:
    assert compared(question) == sides


def test_a_simple_question_costs_one_call_and_passes_no_plan_and_no_gates(lab: Lab) -> None:
    """001-03."""
    answer = a.AnswerAnswer(f"{PORT} [F1-1]", findings=(a.ProposedFinding(PORT, PORT, "S1", 1.0),))
    backend = reading({Kind.ANSWER: [answer]})
    done = inquire(lab, backend, SIMPLE, means=searching())
    assert [ask.kind for ask in backend.asks] == [Kind.ANSWER]
    assert done.state.history == ["SCOPE", "RESEARCH_1"]
    assert done.outcome.ending is Ending.COMPLETE
    assert the_answer(done) == f"{PORT} [1]\n"
    assert "- [1] Server. docs/server.md, line 10" in done.report
    assert done.state.draft.checked is None
    assert next(done.state.walk()).document is not None


def test_a_medium_question_goes_through_every_phase_in_order(lab: Lab) -> None:
    """001-04, 001-06: the writer and the gates come after the evidence."""
    done = inquire(lab, concurrency=1, breadth=2)
    assert done.state.history == [
        "SCOPE",
        "RESEARCH_1",
        "RESEARCH_2",
        "DECIDE",
        "DRAFT",
        "CITATION_GATE",
        "CONSISTENCY_GATE",
    ]


def test_the_scope_is_stored_with_subquestions_that_have_an_id_a_text_and_a_strategy(lab: Lab) -> None:
    """001-05, 001-44."""
    answer = a.ScopeAnswer(
        QueryType.ACADEMIC,
        Tier.DEEP,
        (a.SubQuestion("How is it asked for?", SearchStrategy.ENTITIES), a.SubQuestion("What is raised?")),
    )
    done = inquire(lab, {Kind.SCOPE: [answer]})
    [event] = done.of_kind("question.scoped")
    assert (event.query_type, event.tier, event.deep, event.by) == (QueryType.ACADEMIC, Tier.DEEP, False, "scripted")
    assert event.subquestions == (
        a.SubQuestion("How is it asked for?", SearchStrategy.ENTITIES, "1"),
        a.SubQuestion("What is raised?", SearchStrategy.DIRECT, "2"),
    )
    assert [growth.topic.id for growth in done.state.walk()] == ["1", "2"]


def test_what_a_person_says_about_a_question_goes_before_what_a_model_says(lab: Lab) -> None:
    answer = scoped("One", kind=QueryType.ACADEMIC, tier=Tier.DEEP)
    done = inquire(lab, {Kind.SCOPE: [answer]}, query_type="news", tier="medium")
    assert done.state.scope is not None
    assert (done.state.scope.query_type, done.state.scope.tier) == (QueryType.NEWS, Tier.MEDIUM)


def test_a_tier_can_be_forced_in_both_directions(lab: Lab) -> None:
    done = inquire(lab, None, SIMPLE, tier="medium")
    assert "DECIDE" in done.state.history
    other = lab.crash_image("other")
    (other.project / ".research" / "lab" / "journal.jsonl").unlink()
    done = inquire(other, None, OPEN, tier="simple")
    assert [ask.kind for ask in done.backend.asks] == [Kind.ANSWER]


def test_deep_writes_a_long_report_of_whatever_question(lab: Lab) -> None:
    """001-02."""
    done = inquire(lab, None, SIMPLE, deep=True)
    assert done.state.scope is not None
    assert done.state.scope.deep
    assert done.researcher.report.name == "report.md"
    assert done.report.startswith("# ")
    assert [line for line in done.report.splitlines() if line.startswith("## ")][-3:] == [
        "## Conclusion",
        "## Sources",
        "## Methodology",
    ]


def test_code_scopes_the_question_when_the_model_cannot(lab: Lab) -> None:
    backend = reading(first(always(Kind.SCOPE, "no JSON at all")))
    done = inquire(lab, backend, "Compare gather and TaskGroup", means=searching())
    assert done.state.scope is not None
    assert done.state.scope.by.startswith("code, because")
    assert done.state.scope.query_type is QueryType.COMPARISON
    assert [growth.topic.title for growth in done.state.walk()][1:] == ["gather", "TaskGroup"]
    assert len(backend.asked(Kind.SCOPE)) == 2


def test_code_scopes_the_question_when_the_backend_fails(lab: Lab) -> None:
    done = inquire(lab, first(once(Kind.SCOPE, failing("no answer"))))
    assert done.state.scope is not None
    assert done.state.scope.by == "code, because failed: no answer"


def test_no_more_subquestions_are_taken_than_wanted(lab: Lab) -> None:
    done = inquire(lab, {Kind.SCOPE: [scoped(*"ABCDEFG")]}, breadth=3)
    assert len(done.state.growths) == 3


def test_four_subquestions_are_researched_side_by_side(lab: Lab) -> None:
    """001-45: every one waits until all four are under way, so the run ends only if they overlap."""

    class Together(ScriptedBackend):
        def __init__(self) -> None:
            super().__init__({Kind.SCOPE: [scoped("A", "B", "C", "D")]})
            self.met: dict[str, None] = {}
            self.all = anyio.Event()

        async def answer(self, ask: Ask) -> a.Reply | a.Failure:
            if ask.kind is Kind.DOCUMENT:
                self.met[topic_of(ask).id] = None
                if len(self.met) == 4:
                    self.all.set()
                with anyio.move_on_after(60):
                    await self.all.wait()
            return await super().answer(ask)

    backend = Together()
    done = inquire(lab, backend, concurrency=4)
    assert backend.all.is_set()
    assert done.outcome.ending is Ending.COMPLETE


def test_a_subquestion_without_words_is_sent_back(lab: Lab) -> None:
    empty = a.ScopeAnswer(QueryType.FACTUAL, Tier.MEDIUM, (a.SubQuestion("  "),))
    done = inquire(lab, {Kind.SCOPE: [answer_text(empty), scoped("A real one")]})
    assert [growth.topic.title for growth in done.state.walk()] == ["A real one"]
    assert "at least one subquestion" in done.backend.asked(Kind.SCOPE)[1].prompt


def test_a_served_model_is_asked_through_the_same_prompts(lab: Lab) -> None:
    """The least answers a model can give, told from the prompts alone."""
    done = inquire(lab, reading(oblige_for), means=searching())
    assert done.outcome.ending is Ending.COMPLETE
    assert the_answer(done) == f"{PORT} [1]\n"


def oblige_for(ask: Ask) -> a.Answer | str:
    form = {"json_schema": {"schema": schema(a.ANSWERS[ask.kind])}}
    said = oblige(
        ModelRequest("/v1", {}, {"messages": [{"role": "user", "content": ask.prompt}], "response_format": form})
    )
    assert not isinstance(said, HttpError | Mishap)
    return said
