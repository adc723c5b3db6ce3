"""`--time`: research until the mark, writing in the reserve, a report within the budget whatever a model does."""

from __future__ import annotations

import re

import anyio
import pytest
from hourglass import ENDING, RESEARCH, Hourglass, Timed, hangs_on, timed_resume, timed_run

from deeproot.asks import Ask, Failure, Kind, Reason, Reply
from deeproot.engine.engine import Ending
from deeproot.errors import BackendError
from deeproot.model import Status
from laboratory import Finished, Lab, failing, statuses

FIVE_MINUTES = "the time budget of 5 minutes was reached (3.5 for research, 1.5 for writing)"


def limitations(done: Finished) -> str:
    return done.report.split("## Limitations")[1].split("\n## ")[0]


def methodology(done: Finished) -> str:
    return done.report.split("## Methodology")[1].split("\n## ")[0]


def test_research_ends_at_the_mark_and_the_report_is_written_in_the_reserve(lab: Lab) -> None:
    """001-08, 001-14: asks of 30 seconds; the eighth would begin at 3.5 minutes."""
    backend = Timed(Hourglass(), 30)
    done = timed_run(lab, backend, breadth=5, time=5)
    assert backend.seconds_of(RESEARCH) == [0, 30, 60, 90, 120, 150, 180]
    assert backend.seconds_of(ENDING) == [210, 240, 270]
    assert done.state.elapsed <= 300 + 30
    assert (done.outcome.ending, done.outcome.exit_code) == (Ending.LIMITED, 2)


def test_the_limit_is_named_on_screen_in_the_banner_and_in_the_methodology(lab: Lab) -> None:
    """001-15."""
    done = timed_run(lab, Timed(Hourglass(), 30), breadth=5, time=5)
    assert done.outcome.reason == FIVE_MINUTES
    assert done.report.startswith("---\n⚠️ **WARNING: TIME BUDGET REACHED**\n")
    assert "before all research topics were completed: the time budget of 5 minutes" in done.report
    assert "--time unlimited" in done.report
    assert "ITERATION" not in done.report
    assert FIVE_MINUTES in methodology(done)
    assert [event.limit for event in done.of_kind("limit.reached")] == ["time"]


def test_topics_that_were_not_finished_are_reported_as_such(lab: Lab) -> None:
    done = timed_run(lab, Timed(Hourglass(), 30), breadth=5, time=5)
    late = [growth.topic for growth in done.state.walk() if not growth.topic.status.closed]
    assert late
    assert all(f"{topic.title}: not finished" in limitations(done) for topic in late)


def test_a_run_that_needs_less_than_its_time_names_the_limit_and_warns_of_nothing(lab: Lab) -> None:
    done = timed_run(lab, Timed(Hourglass(), 1), time=5)
    assert done.outcome.ending is Ending.COMPLETE
    assert "BUDGET" not in done.report
    assert re.search(r"^- Limits: \d+ iterations, 5 minutes\.$", methodology(done), re.MULTILINE)
    assert "early" not in methodology(done)


def test_without_a_time_budget_the_iteration_limit_rules(lab: Lab) -> None:
    """001-11, 001-12."""
    done = timed_run(lab, Timed(Hourglass(), 10_000), breadth=3, max_iterations=2, timeout=10**6)
    assert done.outcome.reason == "the limit of 2 iterations was reached"


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("kind", [Kind.DOCUMENT, Kind.REVIEW, Kind.CHILDREN])
def test_a_model_that_ignores_the_clock_in_research_is_cut_off_and_its_topics_stay_unfinished(
    lab: Lab, kind: Kind, concurrency: int
) -> None:
    """001-14, 001-21. The clock runs on by a day, so the ending has no time left either."""
    backend = Timed(Hourglass(), hangs_on(kind))
    done = timed_run(lab, backend, depth=1, time=5, timeout=10**6, concurrency=concurrency)
    assert done.outcome.exit_code == 2
    assert not [second for second in backend.seconds_of(RESEARCH) if second >= 210]
    assert any(not status.closed for status in statuses(done.state).values())
    assert not done.state.open
    assert done.researcher.report.exists()


def test_when_planning_takes_all_the_time_there_is_still_a_report(lab: Lab) -> None:
    done = timed_run(lab, Timed(Hourglass(), hangs_on(Kind.PLAN)), time=1, timeout=10**6)
    assert (done.outcome.ending, done.outcome.reason) == (
        Ending.LIMITED,
        "the time budget of 1 minute was reached (0.7 for research, 0.3 for writing)",
    )
    assert "Nothing was found before the research ended." in done.report
    assert "TIME BUDGET REACHED" in done.report


@pytest.mark.parametrize("kind", [Kind.SECTION, Kind.SYNTHESIZE, Kind.FINAL_REVIEW])
def test_a_writer_that_hangs_is_replaced_by_code_at_the_end_of_the_budget(lab: Lab, kind: Kind) -> None:
    backend = Timed(Hourglass(), hangs_on(kind))
    done = timed_run(lab, backend, time=5, timeout=10**6)
    assert set(statuses(done.state).values()) == {Status.COMPLETE}
    assert (done.outcome.ending, done.outcome.reason) == (Ending.LIMITED, FIVE_MINUTES)
    assert "before writing and review were finished" in done.report
    for growth in done.state.walk():
        assert growth.document is not None
        assert all(finding.quote in done.report for finding in growth.document.findings)
    written = {Kind.SECTION: "word for word", Kind.SYNTHESIZE: "the summary", Kind.FINAL_REVIEW: "not mended"}
    assert written[kind] in limitations(done)


def test_text_written_by_code_gives_claim_quote_and_citation(lab: Lab) -> None:
    done = timed_run(lab, Timed(Hourglass(), hangs_on(Kind.SECTION)), breadth=1, time=5, timeout=10**6)
    title = done.state.topic("1").title
    assert f"- “This is a mock finding about {title}.” [1]" in done.report
    assert "[evidence?]" not in done.report


def test_a_call_that_cannot_be_broken_off_holds_nothing_up(lab: Lab) -> None:
    """Its turn is over at the mark; the report does not wait for it."""
    clock = Hourglass()
    released = anyio.Event()

    class Stubborn(Timed):
        async def answer(self, ask: Ask) -> Reply | Failure:
            if ask.kind is Kind.DOCUMENT:
                clock.turn(215)
                with anyio.CancelScope(shield=True):
                    await released.wait()
            if ask.kind is Kind.FINAL_REVIEW:
                released.set()
            return await super().answer(ask)

    backend = Stubborn(clock)
    done = timed_run(lab, backend, breadth=1, time=5, timeout=10**6)
    assert done.outcome.reason == FIVE_MINUTES
    assert Kind.FINAL_REVIEW in [kind for kind, _ in backend.begun]


@pytest.mark.parametrize("jump", [-86_400, -3600, 3600, 86_400])
def test_clock_jumps_do_nothing(lab: Lab, jump: float) -> None:
    clock = Hourglass()

    def script(ask: Ask) -> None:
        if ask.kind in (Kind.DOCUMENT, Kind.SYNTHESIZE):
            clock.jump(jump)

    backend = Timed(clock, 30, script)
    done = timed_run(lab, backend, breadth=5, time=5)
    assert backend.seconds_of(RESEARCH) == [0, 30, 60, 90, 120, 150, 180]
    assert 210 <= done.state.elapsed <= 330


# Failures while the time runs out


def test_a_writer_that_fails_after_a_budget_is_out_is_replaced_by_code(lab: Lab) -> None:
    backend = Timed(Hourglass(), 30, lambda ask: failing() if ask.kind is Kind.SECTION else None)
    done = timed_run(lab, backend, breadth=2, time=5, depth=1, max_iterations=3)
    assert done.outcome.exit_code == 2
    assert "word for word" in limitations(done)


def test_a_writer_that_fails_while_there_is_budget_ends_the_run_as_before(lab: Lab) -> None:
    done = timed_run(lab, Timed(Hourglass(), 1, lambda ask: failing() if ask.kind is Kind.SECTION else None), time=50)
    assert done.outcome.exit_code == 1
    assert not done.researcher.report.exists()


def test_a_backend_that_is_lost_after_a_budget_is_out_does_not_take_the_report_along(lab: Lab) -> None:
    refused = Failure(Reason.REFUSED, "the key was withdrawn")
    backend = Timed(Hourglass(), 30, lambda ask: refused if ask.kind is Kind.SECTION else None)
    done = timed_run(lab, backend, breadth=5, time=5)
    assert done.outcome.exit_code == 2
    assert "the key was withdrawn" in limitations(done)


def test_a_backend_that_is_lost_before_is_an_error_as_ever(lab: Lab) -> None:
    refused = Failure(Reason.REFUSED, "unknown key")
    with pytest.raises(BackendError, match="unknown key"):
        timed_run(lab, Timed(Hourglass(), 1, lambda _: refused), time=5)


# The time-out of a call


def test_a_backend_that_forgets_the_time_out_is_reminded(lab: Lab) -> None:
    clock = Hourglass()

    class Forgetful(Timed):
        async def answer(self, ask: Ask) -> Reply | Failure:
            if ask.kind is Kind.DOCUMENT:
                clock.turn(60)
                await anyio.sleep_forever()
            return await super().answer(ask)

    done = timed_run(lab, Forgetful(clock), breadth=1, timeout=30)
    assert done.outcome.exit_code == 2
    assert "timed out: scripted gave no answer within 30 seconds." in done.outcome.reason
    assert [event.attempt for event in done.of_kind("turn.failed")] == [1, 2, 3, 4]


# Going on


def test_used_time_is_carried_over_to_the_next_run(lab: Lab) -> None:
    """001-17: three asks of 30 seconds in the first run leave four for research in the second."""
    images: list[Lab] = []

    def crash(_ask: Ask) -> None:
        if len(backend.begun) == 4:
            images.append(lab.crash_image())

    backend = Timed(Hourglass(), 30, crash)
    timed_run(lab, backend, breadth=5, time=5)
    before = images[0].researcher.past().state.elapsed
    assert before == 90
    again = Timed(Hourglass(), 30)
    done = timed_resume(images[0], again)
    assert again.seconds_of(RESEARCH) == [0, 30, 60, 90]
    assert done.outcome.reason == FIVE_MINUTES


def test_a_higher_time_on_resume_goes_on_where_research_was_cut_off(lab: Lab) -> None:
    timed_run(lab, Timed(Hourglass(), hangs_on(Kind.CHILDREN)), depth=1, breadth=1, time=5, timeout=10**6)
    assert list(lab.researcher.past().state.parked)
    again = Timed(Hourglass(), 1)
    done = timed_resume(lab, again, time=10_000.0)
    assert again.asks[0].kind is Kind.CHILDREN, "the document is on record"
    assert Kind.PLAN not in [kind for kind, _ in again.begun]
    assert done.outcome.ending is Ending.COMPLETE
    assert "BUDGET" not in done.report
    assert done.state.iteration == 2, "the turn that was cut off costs no second iteration"


def test_an_unlimited_time_on_resume_finishes_a_report_that_code_had_to_write(lab: Lab) -> None:
    timed_run(lab, Timed(Hourglass(), hangs_on(Kind.SECTION)), breadth=1, time=5, timeout=10**6)
    done = timed_resume(lab, Timed(Hourglass(), 1), time=None)
    assert done.outcome.ending is Ending.COMPLETE
    assert "word for word" not in done.report


@pytest.mark.parametrize("minutes", [4.0, 5.0, 6.0])
def test_a_time_that_leaves_nothing_for_research_asks_nothing_more(lab: Lab, minutes: float) -> None:
    """Six minutes have their mark at 4.5, and 5 are used."""
    backend = Timed(Hourglass(), 30)
    before = timed_run(lab, backend, breadth=5, time=5)
    assert before.state.elapsed == 300
    done = timed_resume(lab, Timed(Hourglass(), 30), time=minutes)
    assert not done.backend.asks
    assert done.outcome.exit_code == 2
    assert done.report == before.report


def test_a_time_that_is_used_up_already_gives_a_report_at_once(lab: Lab) -> None:
    images: list[Lab] = []

    def crash(_ask: Ask) -> None:
        if len(backend.begun) == 6:
            images.append(lab.crash_image())

    backend = Timed(Hourglass(), 30, crash)
    timed_run(lab, backend, breadth=5)
    done = timed_resume(images[0], Timed(Hourglass(), 30), time=2.0)
    assert not done.backend.asks
    assert done.outcome.exit_code == 2
    assert "[1]" in done.report


def test_a_person_may_still_say_something_when_the_time_is_out(lab: Lab) -> None:
    """The guidance is heard, cannot be heeded, and that is said."""
    backend = Timed(Hourglass(), 30)
    timed_run(lab, backend, breadth=5, time=5)
    inbox = lab.folder / "inbox"
    inbox.mkdir()
    (inbox / "1-a.guide.md").write_text("Say more about shields.")
    done = timed_resume(lab, Timed(Hourglass(), 30))
    assert done.outcome.exit_code == 2
    assert "Say more about shields." in limitations(done)


def test_a_call_that_was_cut_off_is_no_failure(lab: Lab) -> None:
    done = timed_run(lab, Timed(Hourglass(), hangs_on(Kind.DOCUMENT)), breadth=1, time=5, timeout=10**6)
    assert not done.of_kind("turn.failed")
    assert len(done.of_kind("turn.parked")) == 1


@pytest.mark.parametrize(("minutes", "said"), [(5.0, "5, with 1.5 of them"), (None, "unlimited, with 0 of them")])
def test_the_planner_is_told_how_much_time_there_is(lab: Lab, minutes: float | None, said: str) -> None:
    """001-13."""
    backend = Timed(Hourglass(), 1)
    timed_run(lab, backend, breadth=1, time=minutes)
    assert f"Minutes for all of the research: {said}" in backend.asked(Kind.PLAN)[0].prompt
