"""Performing an ask: one retry layer for everything that can go wrong between us and a backend.

A single failure is the turn's affair. Five in a row mean the backend is in trouble: then every ask waits, one
probe at a time is let through with growing pauses, and nobody is charged for it. A backend that stays silent,
or never answered at all in this run, ends the run with everything kept.
"""

from __future__ import annotations

import random

import anyio

from ..asks import Ask, Failure, Reason, Reply
from ..backends import Backend
from ..clock import Clock
from ..errors import BackendError
from .prefixes import Prefixes

STREAK = 5
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
PATIENCE = 300.0


class Performer:
    """Lets asks through to one backend, and holds them back while it is down."""

    def __init__(self, backend: Backend, clock: Clock, jitter: random.Random | None = None) -> None:
        self.backend = backend
        self._clock = clock
        self._jitter = jitter or random.Random()
        self._failures = 0
        self._answered = False
        self._down_since: float | None = None
        self._probe = anyio.Lock()
        self.prefixes = Prefixes()

    async def perform(self, ask: Ask) -> Reply | Failure:
        """An answer, or a failure that is this ask's own. Raises BackendError when none can be had any more."""
        result = await self.backend.answer(ask)
        if not self._count(result) or isinstance(result, Reply):
            return result
        async with self._probe:
            return await self._outlast(ask, result)

    def _count(self, result: Reply | Failure) -> bool:
        """Keep the streak; True when this failure is part of an outage."""
        if isinstance(result, Reply):
            self._failures, self._answered, self._down_since = 0, True, None
            return False
        if result.reason is Reason.REFUSED:
            raise BackendError(f"{self.backend.name} refused: {result.message}")
        self._failures += 1
        return self._failures >= STREAK or result.reason is Reason.RATE_LIMITED

    async def _outlast(self, ask: Ask, failure: Failure) -> Reply | Failure:
        """Repeat the ask with growing pauses until the backend is back."""
        pause = FIRST_PAUSE
        while self._failures >= STREAK or failure.reason is Reason.RATE_LIMITED:
            if not self._answered and self._failures >= STREAK:
                raise BackendError(self._silence(failure))
            self._down_since = self._down_since or self._clock.monotonic()
            wait = failure.retry_after or self._jitter.uniform(pause / 2, pause)
            if self._clock.monotonic() + wait - self._down_since > PATIENCE:
                raise BackendError(self._silence(failure))
            await self._clock.sleep(wait)
            pause = min(LONGEST_PAUSE, pause * 2)
            result = await self.backend.answer(ask)
            if not self._count(result) and isinstance(result, Reply):
                return result
            assert isinstance(result, Failure), "a reply was returned above"
            failure = result
        return failure

    def _silence(self, failure: Failure) -> str:
        return (
            f"{self.backend.name} gives no answer ({failure.reason}): {failure.message} "
            "Everything so far is kept; continue with --resume, or choose another backend with --model."
        )
