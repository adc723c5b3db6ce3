"""X-05: limits compose. Every pair, in both orders: the first one hit wins and is named, and there is a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import pytest
from hourglass import Hourglass, Timed, timed_run

from deeproot.asks import Ask, Failure, Kind, Reason
from deeproot.model import Usage
from laboratory import Lab, failing, topic_of

EACH = Usage(900, 100, 0, 0.01)
SECONDS = 10


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit in a form that is hit early, in one that is never hit, and the words it is named by."""

    early: Mapping[str, Any]
    never: Mapping[str, Any]
    words: str
    trouble: Failure | None = field(default=None)


LIMITS = {
    "iterations": Limit({"max_iterations": 2}, {"max_iterations": 900}, "the limit of 2 iterations"),
    "time": Limit({"time": 1.0}, {"time": 900.0}, "the time budget of 1 minute"),
    "tokens": Limit({"tokens": 6_000}, {"tokens": 10**9}, "the budget of 6,000 tokens"),
    "cost": Limit({"cost": 0.06}, {"cost": 900.0}, "the budget of $0.06"),
    "calls": Limit({"calls": 6}, {"calls": 900}, "the budget of 6 calls"),
    "timeout": Limit({"timeout": 5}, {"timeout": 900}, "timed out", Failure(Reason.TIMED_OUT, "5 seconds are over")),
    "retries": Limit({}, {}, "given up after retries (failed: no answer today)", failing()),
}


@pytest.mark.parametrize(("first", "second"), list(permutations(LIMITS, 2)))
def test_the_first_limit_hit_is_named_first(lab: Lab, first: str, second: str) -> None:
    early, late = LIMITS[first], LIMITS[second]

    def script(ask: Ask) -> Failure | None:
        in_trouble = ask.kind is Kind.DOCUMENT and topic_of(ask).id == "1"
        return early.trouble if in_trouble else None

    backend = Timed(Hourglass(), SECONDS, script, EACH)
    done = timed_run(lab, backend, breadth=3, depth=1, **{"max_iterations": 900, **late.never, **early.early})
    assert done.outcome.exit_code == 2
    assert early.words in done.outcome.reason
    assert late.words not in done.outcome.reason
    assert early.words in done.report or "#RETRY_EXHAUSTED" in done.report


@pytest.mark.parametrize("budget", ["time", "tokens", "cost", "calls"])
@pytest.mark.parametrize("trouble", ["timeout", "retries"])
def test_a_topic_given_up_before_a_budget_is_out_is_named_before_it(lab: Lab, budget: str, trouble: str) -> None:
    def script(ask: Ask) -> Failure | None:
        in_trouble = ask.kind is Kind.DOCUMENT and topic_of(ask).id == "1"
        return LIMITS[trouble].trouble if in_trouble else None

    room: dict[str, Any] = {"time": 5.0, "tokens": 16_000, "cost": 0.16, "calls": 22}
    backend = Timed(Hourglass(), SECONDS, script, EACH)
    done = timed_run(lab, backend, breadth=3, depth=2, max_iterations=900, **{budget: room[budget]})
    given_up, _, budget_words = done.outcome.reason.partition("; ")
    assert LIMITS[trouble].words in given_up
    assert "budget of" in budget_words
    assert done.state.limit is not None
    assert done.state.limit.limit == budget


@pytest.mark.parametrize(
    ("first", "second"), [(a, b) for a, b in permutations(("time", "cost", "tokens", "calls"), 2) if a < b]
)
def test_limits_that_are_hit_by_the_same_call_are_named_in_a_fixed_order(lab: Lab, first: str, second: str) -> None:
    early = {**LIMITS[first].early, **LIMITS[second].early}
    done = timed_run(lab, Timed(Hourglass(), SECONDS, None, EACH), breadth=3, depth=1, max_iterations=900, **early)
    assert done.state.limit is not None
    order = ("time", "cost", "tokens", "calls")
    assert done.state.limit.limit == min(first, second, key=order.index)
