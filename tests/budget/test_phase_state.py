"""`phase_state.json`: the seed's layout, true at every moment, from the state alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hourglass import Hourglass, Timed, timed_run

from deeproot.asks import Ask, Kind
from deeproot.project.phase_state import phase_state, render_phase_state
from laboratory import Lab, failing, first, once, topic_of

KEYS = {
    "time_budget": {"total_minutes", "synthesis_reserve", "started_at", "remaining_minutes"},
    "iteration": {"current", "max"},
    "retry_tracking": {"total_failed", "exhausted_subquestions"},
}


def read(lab: Lab) -> dict[str, Any]:
    research: dict[str, Any] = json.loads((lab.folder / "phase_state.json").read_text(encoding="utf-8"))["research"]
    return research


def test_it_shows_the_budget_while_the_run_goes_on(lab: Lab) -> None:
    """001-08, 001-38, 001-39."""
    seen: list[dict[str, Any]] = []

    def look(ask: Ask) -> None:
        if ask.kind is Kind.REVIEW:
            seen.append(read(lab))

    timed_run(lab, Timed(Hourglass(), 30, look), breadth=5, time=5)
    first_seen = seen[0]
    assert all(set(first_seen[name]) == keys for name, keys in KEYS.items())
    assert first_seen["time_budget"] == {
        "total_minutes": 5,
        "synthesis_reserve": 1.5,
        "started_at": "2023-11-14T22:13:20+00:00",
        "remaining_minutes": 4.0,
    }
    assert first_seen["iteration"] == {"current": 1, "max": 10}
    assert first_seen["loop_decision"] is None
    assert [look["time_budget"]["remaining_minutes"] for look in seen] == [4.0, 3.0, 2.0]


def test_at_the_end_nothing_remains_and_never_less(lab: Lab) -> None:
    timed_run(lab, Timed(Hourglass(), 200), breadth=5, time=5)
    assert read(lab)["time_budget"]["remaining_minutes"] == 0.0


def test_an_unlimited_time_is_null(lab: Lab) -> None:
    """001-11, 001-12."""
    lab.run()
    budget = read(lab)["time_budget"]
    assert (budget["total_minutes"], budget["synthesis_reserve"], budget["remaining_minutes"]) == (None, None, None)


def test_failures_and_abandoned_topics_are_tracked(lab: Lab) -> None:
    """001-40."""

    def script(ask: Ask) -> Any:
        return failing("exit 7") if ask.kind is Kind.DOCUMENT and topic_of(ask).id == "1" else None

    lab.run(first(once(Kind.SYNTHESIZE, failing("exit 8")), script))
    research = read(lab)
    assert research["retry_tracking"] == {"total_failed": 5, "exhausted_subquestions": ["1"]}
    assert research["retry_events"][0] == {
        "topic": "1",
        "hat": "researcher",
        "attempt": 1,
        "error": "failed: exit 7",
    }
    assert research["retry_events"][-1]["topic"] is None


def test_a_topic_that_is_taken_up_again_is_no_longer_abandoned(lab: Lab) -> None:
    lab.run(lambda ask: failing() if ask.kind is Kind.DOCUMENT and topic_of(ask).id == "1" else None)
    plan = lab.folder / "research_plan.md"
    plan.write_text(plan.read_text(encoding="utf-8").replace("- Status: Exhausted", "- Status: Pending", 1))
    done = lab.resume(max_iterations=50)
    assert done.outcome.exit_code == 0
    assert read(lab)["retry_tracking"]["exhausted_subquestions"] == []


@pytest.mark.parametrize("minutes", [None, 5.0])
def test_it_is_a_function_of_the_state(lab: Lab, minutes: float | None) -> None:
    done = timed_run(lab, Timed(Hourglass(), 1), time=minutes)
    text = (lab.folder / "phase_state.json").read_text(encoding="utf-8")
    assert text == render_phase_state(done.state) == render_phase_state(done.live)
    assert phase_state(done.state) == json.loads(text)


def test_it_is_written_again_when_it_is_gone(lab: Lab) -> None:
    lab.run()
    (lab.folder / "phase_state.json").unlink()
    lab.resume()
    assert read(lab)["iteration"]["current"] == 2
