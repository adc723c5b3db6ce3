"""The budget's arithmetic: what is kept for the report, when a limit is reached, and which one is named."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deeproot.engine.budget import PRECEDENCE, Amounts, allowed, marks, reached, reserve
from deeproot.settings import Settings, synthesis_reserve

NOTHING = Amounts()


def limited(**limits: float) -> Settings:
    return Settings(question="Why?", name="why", **limits)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("minutes", "research", "writing"), [(5, 3.5, 1.5), (10, 8.5, 1.5), (2, 1.4, 0.6), (1, 0.7, 0.3), (60, 58.5, 1.5)]
)
def test_the_reserve_is_a_minute_and_a_half_or_thirty_percent(minutes: float, research: float, writing: float) -> None:
    """001-08, 001-09, 001-10."""
    assert synthesis_reserve(minutes) == pytest.approx(writing)
    assert marks(limited(time=minutes)) == pytest.approx((60 * research, 60 * minutes))


def test_without_a_time_budget_there_are_no_marks() -> None:
    """001-11."""
    assert marks(limited()) == ()
    assert allowed(limited()) == {}
    assert reached(limited(), Amounts(1e9, 1e9, 1e9, 1e9), NOTHING) is None


@pytest.mark.parametrize("name", PRECEDENCE)
def test_a_limit_is_reached_when_only_what_is_kept_is_left(name: str) -> None:
    settings = limited(**{name: 10.0})
    whole = 600.0 if name == "time" else 10.0
    kept = Amounts(**{name: 0.3 * whole})
    assert reached(settings, Amounts(**{name: 0.69 * whole}), kept) is None
    limit = reached(settings, Amounts(**{name: 0.7 * whole}), kept)
    assert limit is not None
    assert limit.limit == name
    assert "10" in limit.detail


@pytest.mark.parametrize(("first", "second"), list(combinations(PRECEDENCE, 2)))
def test_of_two_limits_reached_at_once_the_same_one_is_always_named(first: str, second: str) -> None:
    """X-05."""
    settings = limited(**{first: 1.0, second: 1.0})
    limit = reached(settings, Amounts(60, 1, 1, 1), NOTHING)
    assert limit is not None
    assert limit.limit == first


@given(st.floats(0.01, 1e4), st.floats(0.01, 1e6), st.integers(1, 10**9), st.integers(1, 10**6), st.integers(0, 10**4))
def test_never_more_than_thirty_percent_of_a_budget_is_kept(
    time: float, cost: float, tokens: int, calls: int, asks: int
) -> None:
    settings = limited(time=time, cost=cost, tokens=tokens, calls=calls)
    kept = reserve(settings, Amounts(0, cost, tokens, calls), asks)
    for name, whole in allowed(settings).items():
        assert 0 <= getattr(kept, name) <= 0.3 * whole + 1e-6


def test_what_is_kept_of_a_large_budget_follows_what_asks_have_cost() -> None:
    settings = limited(tokens=10**9, cost=1e6, calls=10**6)
    kept = reserve(settings, Amounts(0, 0.5, 50_000, 100), asks=10)
    assert (kept.tokens, kept.cost, kept.calls) == (7_500, 0.075, 10)
