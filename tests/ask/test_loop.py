"""The loop decision: stored, overruled by code where it must end, and a request to the completion gate."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from inquiry import PASSAGE, FailingSearcher, always, decision, decisions, inquire, reading, resume, scoped, searching

from deeproot import asks as a
from deeproot.asks import Ask, Kind
from deeproot.engine.engine import Ending
from deeproot.hats.ask.loop import settle
from deeproot.model import Passage, Source, Status, Tag
from deeproot.project.journal import Entry
from deeproot.settings import Asking
from deeproot.state import State
from deeproot.testing import FakeClock, ListSearcher, Scripted
from laboratory import Lab, PausingBackend, failing, first, once, topic_of

TWO = {Kind.SCOPE: [scoped("A", "B")]}


def test_the_decision_is_stored_with_its_five_keys_and_what_the_engine_adds(lab: Lab) -> None:
    """001-18, 001-19, 001-28."""
    said = {"summary": "Known.", "gaps": ["x"], "shouldContinue": False, "nextSearchTopic": None, "urlToSearch": None}
    inquire(lab, TWO | {Kind.DECIDE: [json.dumps(said)]}, time=60.0)
    events = [
        event
        for line in (lab.folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
        for event in (json.loads(line).get("batch") or {}).get("events", [])
    ]
    [stored] = [event for event in events if event["kind"] == "loop.decided"]
    assert stored["decision"] == said | {"nextSearchTopic": "", "urlToSearch": ""}
    assert stored["iteration"] == 1
    assert 0 < stored["timeRemainingMinutes"] < 60


def test_without_a_time_budget_no_time_is_told(lab: Lab) -> None:
    assert decisions(inquire(lab, TWO))[0].timeRemainingMinutes is None


def test_the_loop_goes_on_with_the_topic_that_was_named(lab: Lab) -> None:
    done = inquire(lab, TWO | {Kind.DECIDE: [decision("why", topic="Why is it so?")]})
    assert [growth.topic.title for growth in done.state.walk()] == ["A", "B", "Why is it so?"]
    assert done.state.topic("3").description == "Closes the gap: why"
    assert [decided.decision.shouldContinue for decided in decisions(done)] == [True, False]
    assert decisions(done)[0].topic == "3"
    assert done.state.history.count("DECIDE") == 2


def test_the_first_gap_is_searched_when_no_topic_was_named(lab: Lab) -> None:
    """001-25."""
    done = inquire(lab, TWO | {Kind.DECIDE: [decision("Which exception is raised", "Something else")]})
    assert done.state.topic("3").title == "Which exception is raised"
    assert decisions(done)[0].decision.nextSearchTopic == "Which exception is raised"


def test_no_gaps_end_the_loop_whatever_the_model_wants(lab: Lab) -> None:
    """001-20."""
    done = inquire(lab, TWO | {Kind.DECIDE: [decision(topic="More of the same")]})
    [decided] = decisions(done)
    assert not decided.decision.shouldContinue
    assert decided.overruled == "no gap was named"
    assert len(done.state.growths) == 2
    assert Tag.PATH_DECISION in {raised.tag for raised in done.state.raised}
    assert "The research ended by a rule: no gap was named." in done.report


def endless() -> a.ScopeAnswer:
    return scoped("A")


def new_gap_every_time(ask: Ask) -> Scripted:
    assert isinstance(ask.inputs, a.DecideInputs)
    number = len(ask.inputs.topics)
    return decision(f"gap number {number}", topic=f"Topic after {number}")


@pytest.mark.parametrize(("cap", "rounds"), [(None, 7), (2, 2), (3, 3)])
def test_the_cap_ends_the_loop(lab: Lab, cap: int | None, rounds: int) -> None:
    """001-22, 001-24: seven by default."""
    script = first(always(Kind.SCOPE, endless()), always(Kind.DECIDE, new_gap_every_time))
    chosen: dict[str, Any] = {"max_loops": cap} if cap else {}
    done = inquire(lab, script, **chosen)
    assert len(decisions(done)) == rounds
    assert decisions(done)[-1].overruled == f"the cap of {rounds} rounds is reached"
    assert len(done.state.growths) == rounds
    assert done.outcome.ending is Ending.COMPLETE


def test_unchanged_gaps_three_times_running_end_the_loop(lab: Lab) -> None:
    topics = iter(f"Another way {n}" for n in range(9))
    script = first(
        always(Kind.SCOPE, endless()), always(Kind.DECIDE, lambda _: decision("the cost", topic=next(topics)))
    )
    done = inquire(lab, script)
    assert len(decisions(done)) == 3
    assert decisions(done)[-1].overruled.startswith("no progress")
    assert "no progress: the gaps stayed the same in 3 rounds" in done.report


def test_a_loop_that_names_only_what_was_asked_before_ends(lab: Lab) -> None:
    done = inquire(lab, TWO | {Kind.DECIDE: [decision("A", topic="b")]})
    assert decisions(done)[0].overruled == "everything that was named has been a subquestion before"


def test_gaps_that_were_all_given_up_end_the_loop(lab: Lab) -> None:
    """001-23."""

    def nothing_on_b(ask: Ask) -> Scripted | None:
        if ask.kind is Kind.DOCUMENT and topic_of(ask).title == "What it costs":
            return a.DocumentAnswer("Nothing.", gaps=("No source has it.",))
        return None

    script = first(
        nothing_on_b,
        always(Kind.SCOPE, scoped("A", "What it costs")),
        always(Kind.DECIDE, decision("what it costs", topic="The price")),
    )
    done = inquire(lab, script)
    assert len(decisions(done)) == 1
    assert decisions(done)[0].overruled == "every gap was given up before (#RETRY_EXHAUSTED)"
    decide = done.backend.asked(Kind.DECIDE)[0]
    assert isinstance(decide.inputs, a.DecideInputs)
    assert decide.inputs.given_up == ("What it costs",)


def test_a_malformed_decision_gets_one_repair_and_then_counts_as_a_failure(lab: Lab) -> None:
    """001-27."""
    done = inquire(lab, TWO | {Kind.DECIDE: ["not JSON", '{"summary": 1}', decision("x", go_on=False)]})
    assert len(done.backend.asked(Kind.DECIDE)) == 3
    [failed] = done.of_kind("turn.failed")
    assert (failed.hat, failed.step, failed.attempt) == ("decider", "decide", 1)
    assert len(decisions(done)) == 1
    assert done.outcome.ending is Ending.COMPLETE
    assert not done.backend.asked(Kind.RECOVER)


def test_code_decides_when_the_model_never_does(lab: Lab) -> None:
    done = inquire(lab, first(always(Kind.SCOPE, scoped("A")), always(Kind.DECIDE, "never JSON")))
    assert len(done.of_kind("turn.failed")) == 2
    assert [decided.decision.shouldContinue for decided in decisions(done)] == [False]
    assert done.outcome.ending is Ending.COMPLETE


def test_enough_is_a_request_to_the_completion_gate(lab: Lab) -> None:
    """X-03: a person adds a topic while the decider thinks; the refusal of its finish says what is open."""

    added = anyio.Event()

    async def add_topic() -> None:
        plan = lab.folder / "research_plan.md"
        before, mark, after = plan.read_text(encoding="utf-8").partition("<!--")
        if not added.is_set():
            plan.write_text(f"{before}### Something more (Depth: 0)\n\n{mark}{after}", encoding="utf-8")
        with anyio.fail_after(60):
            await added.wait()

    def watch(_entry: Entry, state: State) -> None:
        if len(state.growths) == 2:
            added.set()

    backend = PausingBackend(lambda ask: ask.kind is Kind.DECIDE, add_topic, {Kind.SCOPE: [scoped("A")]})
    done = inquire(lab, backend, concurrency=1, means={"watch": watch})
    [refused] = done.of_kind("completion.refused")
    assert refused.by == "shouldContinue: false"
    assert any("Something more" in line for line in refused.missing)
    assert done.state.topic("2").status is Status.COMPLETE
    assert len(decisions(done)) == 2
    assert done.outcome.ending is Ending.COMPLETE


def test_the_page_that_was_named_is_read_in_the_next_round(lab: Lab) -> None:
    """001-26."""
    page = Passage(Source("https://example.org/tasks", "Tasks", "cd" * 32), "A page about callbacks.", 1, 1)
    script = first(
        once(Kind.SCOPE, scoped("A")),
        once(Kind.DECIDE, decision("callbacks", topic="Callbacks", url="https://example.org/tasks")),
        always(Kind.DOCUMENT, _quoting),
    )
    done = inquire(lab, reading(script), means={"searcher": ListSearcher([PASSAGE, page])})
    [read] = [step for step in done.steps if step.name == "read"]
    assert read.turn.startswith("researcher:2:")
    assert read.passages is not None
    assert read.passages[0].source.location == "https://example.org/tasks"
    second = next(ask for ask in done.backend.asked(Kind.DOCUMENT) if topic_of(ask).id == "2")
    assert "[S1] https://example.org/tasks" in second.prompt


def test_a_page_nobody_granted_is_refused_and_the_refusal_recorded(lab: Lab) -> None:
    script = first(
        once(Kind.SCOPE, scoped("A")),
        once(Kind.DECIDE, decision("callbacks", topic="Callbacks", url="http://169.254.169.254/latest")),
        always(Kind.DOCUMENT, _quoting),
    )
    done = inquire(lab, reading(script), means=searching())
    [read] = [step for step in done.steps if step.name == "read"]
    assert read.failure is not None
    assert read.failure.reason is a.Reason.REFUSED
    assert any("169.254.169.254/latest was not read" in warning for warning in done.state.warnings)
    assert done.state.topic("2").status.closed


def _quoting(ask: Ask) -> Scripted:
    assert isinstance(ask.inputs, a.DocumentInputs)
    quote = ask.inputs.passages[0].text.splitlines()[0]
    return a.DocumentAnswer("Found.", (a.ProposedFinding(quote, quote, "S1"),))


def test_a_used_up_budget_ends_the_loop_with_an_answer(lab: Lab) -> None:
    """001-21: the model would go on for ever, the budget of calls does not."""
    script = first(always(Kind.SCOPE, endless()), always(Kind.DECIDE, new_gap_every_time))
    done = inquire(lab, script, calls=6)
    assert done.outcome.ending is Ending.LIMITED
    assert len(done.backend.asks) <= 6
    assert done.report


def test_time_that_is_over_ends_the_loop_whatever_gap_is_left(lab: Lab) -> None:
    """001-21."""
    state = inquire(lab, TWO).state
    wanted = a.DecideAnswer("Known.", ("something new",), True, "something new")
    for left, overruled in ((0.0, "the budget is used up"), (0.1, ""), (None, "")):
        decided, topic = settle(state, wanted, left)
        assert decided.overruled == overruled
        assert decided.decision.shouldContinue is (topic is not None) is (not overruled)


def test_a_finished_question_asks_nothing_when_it_is_resumed(lab: Lab) -> None:
    script = first(always(Kind.SCOPE, endless()), always(Kind.DECIDE, new_gap_every_time))
    inquire(lab, script, max_loops=2)
    done = resume(lab, script)
    assert len(decisions(done)) == 2
    assert not done.backend.asks


def test_a_higher_cap_on_a_resume_takes_the_loop_up_again(lab: Lab) -> None:
    script = first(always(Kind.SCOPE, endless()), always(Kind.DECIDE, new_gap_every_time))
    inquire(lab, script, max_loops=2)
    done = resume(lab, script, asking=Asking(max_loops=4))
    assert [decided.iteration for decided in decisions(done)] == [1, 2, 3, 4]
    assert len(done.state.growths) == 3
    assert done.outcome.ending is Ending.COMPLETE


@pytest.mark.parametrize("calls", [1, 2, 3])
def test_there_is_an_answer_however_small_the_budget(lab: Lab, calls: int) -> None:
    done = inquire(lab, TWO, calls=calls)
    assert len(done.backend.asks) <= calls
    assert done.outcome.ending is Ending.LIMITED
    assert "Stopped early" in done.report


def test_a_model_that_ignores_the_clock_cannot_break_the_time_budget(lab: Lab) -> None:
    """001-21: every answer takes half of the minute."""
    clock = FakeClock(speed=100)

    async def dawdle() -> None:
        await clock.sleep(30)

    script = first(always(Kind.SCOPE, endless()), always(Kind.DECIDE, new_gap_every_time))
    backend = PausingBackend(lambda _: True, dawdle, script)
    done = inquire(lab, backend, time=1.0, means={"clock": clock})
    assert done.outcome.ending is Ending.LIMITED
    assert done.state.limit is not None
    assert done.state.limit.limit == "time"
    assert done.report


def test_a_search_that_fails_keeps_nobody_from_scoping(lab: Lab) -> None:
    script = first(once(Kind.SCOPE, scoped("A")), always(Kind.DOCUMENT, _quoting))
    done = inquire(lab, reading(script), means={"searcher": FailingSearcher(1)})
    assert done.outcome.ending is Ending.COMPLETE


def test_a_run_whose_recovery_is_code_asks_no_model_for_advice(lab: Lab) -> None:
    done = inquire(lab, first(once(Kind.DOCUMENT, failing("exit code 7"))), breadth=1)
    assert not done.backend.asked(Kind.RECOVER)
    assert done.of_kind("recovery.noted")
