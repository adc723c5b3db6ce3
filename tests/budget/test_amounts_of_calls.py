"""`--calls`, `--tokens`, `--cost`: held to within one call, with enough left for the report."""

from __future__ import annotations

from collections import Counter
from typing import Any

import anyio
import pytest
from hourglass import ENDING, RESEARCH, Hourglass, Timed, timed_resume, timed_run

from deeproot.asks import Ask, Failure, Kind, Reply
from deeproot.engine.engine import Ending
from deeproot.model import Usage
from deeproot.testing import ScriptedBackend
from laboratory import Lab, failing

EACH = Usage(900, 100, 0, 0.01)
ROOM = {"breadth": 4, "depth": 1, "max_iterations": 500}


def run(lab: Lab, **settings: Any) -> tuple[Any, Timed]:
    backend = Timed(Hourglass(), usage=EACH)
    return timed_run(lab, backend, **ROOM, **settings), backend


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("calls", [1, 2, 3, 5, 10, 20, 30])
def test_no_more_calls_are_made_than_allowed_and_there_is_a_report(lab: Lab, calls: int, concurrency: int) -> None:
    done, backend = run(lab, calls=calls, concurrency=concurrency)
    assert len(backend.asks) == calls
    assert done.outcome.exit_code == 2
    assert done.outcome.reason.startswith(f"the budget of {calls} call")
    assert done.report.startswith("---\n⚠️ **WARNING: CALL BUDGET REACHED**")
    assert "budget of" in done.report.split("## Methodology")[1]


def test_a_part_of_the_calls_is_kept_for_writers(lab: Lab) -> None:
    done, backend = run(lab, calls=30)
    asked = Counter(ask.kind in ENDING for ask in backend.asks)
    assert (asked[False], asked[True]) == (24, 6), "four sections, the summary, the review"
    assert "word for word" not in done.report
    assert "30 calls was reached (24 made, 6 kept for writing)" in done.outcome.reason


@pytest.mark.parametrize("concurrency", [1, 4, 16])
@pytest.mark.parametrize(("limit", "amount"), [("tokens", 20_500), ("cost", 0.205)])
def test_tokens_and_money_hold_to_within_one_call(lab: Lab, limit: str, amount: float, concurrency: int) -> None:
    """Twenty and a half calls: the twenty-first is the one that goes over."""
    done, backend = run(lab, concurrency=concurrency, **{limit: amount})
    assert len(backend.asks) <= 21
    assert done.state.used(limit) <= amount * 21 / 20.5 + 1e-9
    assert done.outcome.exit_code == 2
    assert done.state.limit.limit == limit
    assert {ask.kind for ask in backend.asks} > {Kind.SECTION, Kind.SYNTHESIZE}, "something was kept for writers"


def test_asks_under_way_at_once_are_counted_before_they_come_back(lab: Lab) -> None:
    """Sixteen slots, and room for three more calls: three go out, not sixteen."""

    class Slow(ScriptedBackend):
        async def answer(self, ask: Ask) -> Reply | Failure:
            if ask.kind is Kind.DOCUMENT:
                await anyio.sleep(0.01)
            said = await super().answer(ask)
            return Reply(said.text, usage=EACH) if isinstance(said, Reply) else said

    backend = Slow()
    done = lab.run(backend, breadth=16, concurrency=16, tokens=4_000)
    assert len(backend.asks) <= 5
    assert done.state.used("tokens") <= 5_000


def test_a_failed_call_is_a_call(lab: Lab) -> None:
    backend = Timed(Hourglass(), 0, lambda ask: failing() if ask.kind is Kind.REVIEW else None)
    done = timed_run(lab, backend, breadth=2, calls=8, concurrency=1)
    assert len(backend.asks) == 8
    assert done.state.used("calls") == 8
    assert done.state.calls < 8


@pytest.mark.parametrize("limit", ["calls", "tokens", "cost"])
def test_what_is_used_is_carried_over_and_a_higher_limit_goes_on(lab: Lab, limit: str) -> None:
    first = {"calls": 10, "tokens": 10_000, "cost": 0.1}[limit]
    before, one = run(lab, **{limit: first})
    kept = [growth.topic.id for growth in before.state.walk() if growth.document]
    two = Timed(Hourglass(), usage=EACH)
    done = timed_resume(lab, two, **{limit: 2 * first})
    assert len(one.asks) + len(two.asks) <= 21
    assert done.outcome.exit_code == 2
    assert {growth.topic.id for growth in done.state.walk() if growth.document} > set(kept)
    last = timed_resume(lab, Timed(Hourglass(), usage=EACH), **{limit: None})
    assert last.outcome.ending is Ending.COMPLETE
    assert "BUDGET" not in last.report


def test_no_recorded_answer_is_asked_again_after_a_budget_is_raised(lab: Lab) -> None:
    _, one = run(lab, calls=12, concurrency=1)
    two = Timed(Hourglass(), usage=EACH)
    timed_resume(lab, two, calls=None)
    asked = {(ask.kind, ask.context, ask.prompt) for ask in one.asks if ask.kind in RESEARCH}
    assert not asked & {(ask.kind, ask.context, ask.prompt) for ask in two.asks}


def test_other_changes_do_not_open_a_budget_that_is_used_up(lab: Lab) -> None:
    before, _ = run(lab, tokens=20_500)
    done = timed_resume(lab, Timed(Hourglass(), usage=EACH), words=900)
    assert not done.backend.asks
    assert done.report == before.report


def test_a_crash_between_the_limit_and_the_report_still_leads_to_the_report(lab: Lab) -> None:
    """At each ask of the ending, and with the budget as it was."""
    images: list[Lab] = []

    def crash(ask: Ask) -> None:
        if ask.kind in ENDING:
            images.append(lab.crash_image(f"crash-{len(images)}"))

    timed_run(lab, Timed(Hourglass(), 0, crash, EACH), **ROOM, calls=30)
    assert len(images) == 6
    for image in images:
        done = timed_resume(image, Timed(Hourglass(), usage=EACH))
        assert {ask.kind for ask in done.backend.asks} <= ENDING
        assert done.outcome.reason.startswith("the budget of 30 calls")
        assert done.state.used("calls") == 30
