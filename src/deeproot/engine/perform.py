"""Performing an ask: one retry layer for everything that can go wrong between us and a backend.

A single failure is the turn's affair, after a few repetitions where the backend says that they are worth it. Rate
limits and outages are nobody's: everything waits for the governor, and nobody is charged for it. A backend that stays
silent, or never answered at all in this run, ends the run with everything kept.
"""

from __future__ import annotations

import copy
import math
import random
from typing import Protocol, Self, runtime_checkable

from ..asks import Ask, Failure, Reason, Reply
from ..backends import Backend
from ..clock import Clock
from ..errors import BackendError
from .alarm import Alarms
from .budget import Purse
from .govern import PATIENCE, Governor, Paces
from .prefixes import Prefixes

FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
PASSING = frozenset({Reason.UNAVAILABLE, Reason.TIMED_OUT})
# A backend keeps the time-out itself, and knows best how; this is how long it may take to say so.
GRACE = 10.0


@runtime_checkable
class Repeatable(Protocol):
    """A backend whose asks may be sent again as they are, because one that failed has left nothing behind.

    It also knows what a failure is about: one that will not pass concerns the ask, and shows that the backend is there.
    """

    repeats: int


@runtime_checkable
class Queueing(Protocol):
    """A backend in which asks wait for each other, so that only it knows how long one has really taken."""

    queues: bool


class Performer:
    """Lets asks through to one backend, and holds them back while it is down."""

    def __init__(
        self, backend: Backend, clock: Clock, jitter: random.Random | None = None, paces: Paces | None = None
    ) -> None:
        """Performers with the same `paces` keep the rate limits of a provider together."""
        self.backend = backend
        self.prefixes = Prefixes()
        self._clock = clock
        self._jitter = jitter or random.Random()
        pace = (paces or Paces()).of(backend, clock, self._jitter)
        self._governor = Governor(clock, self._jitter, pace)
        self._repeats = backend.repeats if isinstance(backend, Repeatable) else 0
        self._purse: Purse | None = None
        self._alarms: Alarms | None = None
        self._timeout = 0.0
        self._longest = math.inf

    def within(self, purse: Purse, alarms: Alarms, timeout: float) -> Self:
        """The same performer, whose asks are paid from `purse` and take no longer than `timeout` seconds."""
        bound = copy.copy(self)
        bound._purse, bound._alarms, bound._timeout = purse, alarms, timeout
        bound._longest = math.inf if isinstance(self.backend, Queueing) else timeout + GRACE
        return bound

    @property
    def minutes_left(self) -> float | None:
        """Until research ends, or in the ending until everything does. None is unlimited."""
        return self._purse.minutes_left if self._purse else None

    async def perform(self, ask: Ask) -> Reply | Failure:
        """An answer, or a failure that is this ask's own.

        Raises BackendError when no answer can be had any more, and BudgetOut when none may be asked for.
        """
        if self._purse is None:
            return await self._perform(ask)
        await self._purse.draw()
        result: Reply | Failure | None = None
        try:
            result = await self._perform(ask)
        finally:
            self._purse.settle(result.usage if isinstance(result, Reply) else None)
        return result

    async def _perform(self, ask: Ask) -> Reply | Failure:
        end = self._clock.monotonic() + PATIENCE
        repeats = 0
        while True:
            result = await self._try(ask)
            if isinstance(result, Reply):
                return result
            if result.reason is Reason.RATE_LIMITED or self._governor.out:
                continue
            wait = self._wait(result, repeats)
            if wait is None or self._clock.monotonic() + wait > end:
                return result
            repeats += 1
            await self._clock.sleep(wait)

    async def _try(self, ask: Ask) -> Reply | Failure:
        """Send the ask when its turn has come, and let the governor know what came of it."""
        async with self._governor.slot() as sent:
            result = await self._answer(ask)
            if isinstance(result, Reply):
                self._governor.success()
            elif result.reason is Reason.REFUSED:
                raise BackendError(f"{self.backend.name} refused: {result.message}")
            elif self._repeats and result.reason in (Reason.FAILED, Reason.EMPTY):
                self._governor.alive()
            else:
                self._governor.failure(result, sent)
                if self._governor.hopeless:
                    raise BackendError(self._silence(result))
        return result

    async def _answer(self, ask: Ask) -> Reply | Failure:
        """What the backend says, in the time that it has or that the budget leaves, whichever ends first."""
        if self._alarms is None or self._purse is None:
            return await self.backend.answer(ask)
        self._purse.check_time()
        with self._alarms.within(min(self._longest, self._purse.seconds_left)):
            return await self.backend.answer(ask)
        self._purse.check_time()
        return Failure(Reason.TIMED_OUT, f"{self.backend.name} gave no answer within {self._timeout:g} seconds.")

    def _wait(self, failure: Failure, repeats: int) -> float | None:
        """Seconds before the ask is repeated; None when it is not."""
        if failure.reason not in PASSING or repeats >= self._repeats:
            return None
        if failure.retry_after is not None:
            return failure.retry_after
        return self._jitter.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2**repeats))

    def _silence(self, failure: Failure) -> str:
        return (
            f"{self.backend.name} gives no answer ({failure.reason}): {failure.message} "
            "Everything so far is kept; continue with --resume, or choose another backend with --model."
        )
