"""Budgets: how much time, money, tokens and calls a researcher may use, and what is kept of them for its report.

Pure arithmetic, and one purse that the asks of a run are paid from. The engine enforces it, never a model.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import anyio

from ..events import LimitReached
from ..hats.turn import StepFailed
from ..model import Usage
from ..report.parts import MOST_TOPICS
from ..settings import RESERVED_SHARE, Settings, synthesis_reserve
from ..state import State

PRECEDENCE = ("time", "cost", "tokens", "calls")
"""Which limit is named when several are reached at the same moment. The iteration limit comes last."""
BLIND = "--cost cannot be kept: the model does not tell what its answers cost. Use --tokens or --calls instead."
LONG_ASKS = 1.5
"""How much more than an average ask one of the ending costs: its prompt holds the findings."""


class BudgetOut(StepFailed):
    """No more asks: the limit is reached. Caught at the turn's boundary, where it parks or replaces the turn."""

    def __init__(self, limit: LimitReached) -> None:
        super().__init__("ask", limit.detail)
        self.limit = limit


@dataclass(frozen=True, slots=True)
class Amounts:
    """How much of everything that can run out."""

    time: float = 0.0
    cost: float = 0.0
    tokens: float = 0.0
    calls: float = 0.0


def budgeted(limit: LimitReached | None) -> bool:
    """Whether it is a budget that ended research: then nothing more is asked for research, reviews neither."""
    return limit is not None and limit.limit in PRECEDENCE


def allowed(settings: Settings) -> dict[str, float]:
    """The budgets that were set, in order of precedence; time in seconds."""
    amounts = {"time": settings.time and settings.time * 60, "cost": settings.cost}
    amounts |= {"tokens": settings.tokens, "calls": settings.calls}
    return {name: amount for name in PRECEDENCE if (amount := amounts[name]) is not None}


def marks(settings: Settings) -> tuple[float, ...]:
    """The seconds of work after which research ends and everything does; nothing when time is unlimited."""
    if settings.time is None:
        return ()
    return 60 * (settings.time - synthesis_reserve(settings.time)), 60 * settings.time


def reserve(settings: Settings, spent: Amounts, asks: int) -> Amounts:
    """What research leaves for an ending of so many asks: never more than 30 % of a budget."""
    each = LONG_ASKS * asks / max(1.0, spent.calls)
    return Amounts(
        time=60 * synthesis_reserve(settings.time or 0.0),
        cost=min(RESERVED_SHARE * (settings.cost or 0.0), each * spent.cost),
        tokens=min(RESERVED_SHARE * (settings.tokens or 0), each * spent.tokens),
        calls=min(int(RESERVED_SHARE * (settings.calls or 0)), asks),
    )


def reached(settings: Settings, spent: Amounts, kept: Amounts) -> LimitReached | None:
    """The limit that leaves nothing but what is `kept`; the first in order of precedence."""
    for name, amount in allowed(settings).items():
        if getattr(spent, name) >= amount - getattr(kept, name):
            return LimitReached(name, _detail(name, settings, spent, kept))
    return None


def _detail(name: str, settings: Settings, spent: Amounts, kept: Amounts) -> str:
    match name:
        case "time":
            minutes = settings.time or 0.0
            writing = synthesis_reserve(minutes)
            shares = f"{minutes - writing:g} for research, {writing:g} for writing"
            return f"the time budget of {minutes:g} minute{_s(minutes)} was reached ({shares})"
        case "cost":
            rest = _kept(f"${kept.cost:.4f}", kept.cost)
            return f"the budget of ${settings.cost:.2f} was reached (${spent.cost:.4f} spent{rest})"
        case "tokens":
            rest = _kept(f"{kept.tokens:,.0f}", kept.tokens)
            return f"the budget of {settings.tokens:,} tokens was reached ({spent.tokens:,.0f} used{rest})"
        case _:
            rest = _kept(f"{kept.calls:.0f}", kept.calls)
            calls = f"{settings.calls:,} call{_s(settings.calls or 0)}"
            return f"the budget of {calls} was reached ({spent.calls:.0f} made{rest})"


def _s(count: float) -> str:
    return "" if count == 1 else "s"


def _kept(words: str, amount: float) -> str:
    return f", {words} kept for writing" if amount else ""


def ending_asks(state: State) -> int:
    """How many asks the report will take if nothing goes wrong: its sections, the summary, the review."""
    return max(len(state.roots), -(-len(state.growths) // MOST_TOPICS)) + 2


class Purse:
    """What the asks of one run are paid from. Holds to within one call, however many asks are under way at once.

    An ask is counted before it is sent. What it will cost is only known afterwards; so near the end of a budget an ask
    waits for those under way, unless the largest so far would still fit in beside them.
    """

    def __init__(self, state: State, elapsed: Callable[[], float]) -> None:
        self._state = state
        self._elapsed = elapsed
        self._limited = bool(allowed(state.settings))
        self._cost = state.used("cost")
        self._tokens = state.used("tokens")
        self._calls = state.used("calls")
        self._under_way = 0
        self._largest = Amounts()
        self._returned = anyio.Event()
        self._unpriced = False

    @property
    def spent(self) -> Amounts:
        return Amounts(self._elapsed(), self._cost, self._tokens, self._calls)

    def reached(self) -> LimitReached | None:
        """The limit that allows no more asks: in research what it leaves for the ending, in the ending the whole."""
        if not self._limited:
            return None
        return reached(self._state.settings, self.spent, self._kept())

    def late(self) -> LimitReached | None:
        """The time budget, when it is over; what is under way is then cut off."""
        limit = self.reached()
        return limit if limit and limit.limit == "time" else None

    @property
    def blind(self) -> bool:
        """Whether a budget of money cannot be kept, because answers come without a price."""
        return self._unpriced and self._state.settings.cost is not None

    @property
    def minutes_left(self) -> float | None:
        """Until research ends, or in the ending until everything does. None is unlimited."""
        total = self._state.settings.time
        return None if total is None else max(0.0, total - (self._kept().time + self._elapsed()) / 60)

    @property
    def seconds_left(self) -> float:
        """How long an ask may still be under way."""
        minutes = self.minutes_left
        return math.inf if minutes is None else 60 * minutes

    def check_time(self) -> None:
        """Raises BudgetOut when no ask may be under way any longer."""
        if limit := self.late():
            raise BudgetOut(limit)

    async def draw(self) -> None:
        """Leave for one more ask. Raises BudgetOut when there is none."""
        while True:
            if limit := self.reached():
                raise BudgetOut(limit)
            if not (self._limited and self._under_way and self._might_run_out()):
                break
            await self._returned.wait()
        self._calls += 1
        self._under_way += 1

    def _might_run_out(self) -> bool:
        """Whether the asks under way could use up the rest, if each were as large as the largest so far."""
        spent, most = self.spent, self._largest
        cost, tokens = spent.cost + self._under_way * most.cost, spent.tokens + self._under_way * most.tokens
        ahead = Amounts(spent.time, cost, tokens, spent.calls)
        return reached(self._state.settings, ahead, self._kept()) is not None

    def settle(self, usage: Usage | None) -> None:
        """An ask came back, with or without an answer."""
        self._under_way -= 1
        if not self._limited:
            return
        usage = usage or Usage()
        tokens, cost = usage.tokens_in + usage.tokens_out, usage.cost or 0.0
        self._tokens += tokens
        self._cost += cost
        self._unpriced |= usage.cost is None and tokens > 0
        self._largest = Amounts(cost=max(cost, self._largest.cost), tokens=max(tokens, self._largest.tokens))
        self._returned.set()
        self._returned = anyio.Event()

    def _kept(self) -> Amounts:
        if self._state.settled:
            return Amounts()
        return reserve(self._state.settings, self.spent, ending_asks(self._state))
