"""When the next ask may go out to a backend: how many at once, and not while it wants to be left alone."""

from __future__ import annotations

import math
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from ..asks import Failure, Reason
from ..clock import Clock

STREAK = 5
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
PATIENCE = 300.0
SUCCESSES = 20


class Governor:
    """Holds asks back while a backend is in trouble.

    A rate limit pauses everybody and halves how many go out at once; twenty answers let one more out again. Five
    failures in a row are an outage: one probe at a time, with growing pauses, until one is answered.
    """

    def __init__(self, clock: Clock, jitter: random.Random) -> None:
        self._clock = clock
        self._jitter = jitter
        self._slots = anyio.CapacityLimiter(math.inf)
        self._width: float = math.inf
        self._successes = 0
        self._failures = 0
        self._pause = FIRST_PAUSE
        self._paused_until = -math.inf
        self._trouble_since: float | None = None
        self.answered = False

    @property
    def out(self) -> bool:
        """Whether this is an outage."""
        return self._failures >= STREAK

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[float]:
        """Wait for the turn of an ask; gives the moment it goes out."""
        borrower = object()
        await self._slots.acquire_on_behalf_of(borrower)
        try:
            while (left := self._paused_until - self._clock.monotonic()) > 0:
                await self._clock.sleep(left)
            yield self._clock.monotonic()
        finally:
            self._slots.release_on_behalf_of(borrower)

    def alive(self) -> None:
        """The backend answered, if only to say no: it is there."""
        self._failures = 0
        self._pause = FIRST_PAUSE
        self._trouble_since = None
        self._slots.total_tokens = self._width

    def success(self) -> None:
        self.alive()
        self.answered = True
        self._successes += 1
        if self._successes % SUCCESSES == 0:
            self._slots.total_tokens = self._width = self._width + 1

    def failure(self, failure: Failure, sent: float) -> None:
        """Take note of a failure of the backend, for an ask that went out at `sent`. A rate limit is no failure."""
        limited = failure.reason is Reason.RATE_LIMITED
        self._failures += not limited
        if not (limited or self.out):
            return
        now = self._clock.monotonic()
        self._trouble_since = now if self._trouble_since is None else self._trouble_since
        if sent >= self._paused_until:
            self._slow_down(limited)
            self._paused_until = now + self._next_pause()
        self._paused_until = max(self._paused_until, now + (failure.retry_after or 0.0))

    def _slow_down(self, limited: bool) -> None:
        """Once for all that went out together."""
        if limited:
            self._successes = 0
            self._width = max(1, self._slots.borrowed_tokens // 2)
        self._slots.total_tokens = 1 if self.out else self._width

    def _next_pause(self) -> float:
        pause, self._pause = self._pause, min(LONGEST_PAUSE, self._pause * 2)
        return self._jitter.uniform(pause / 2, pause)

    @property
    def hopeless(self) -> bool:
        """Whether the trouble, with the pause that was asked for, lasts longer than anybody wants to wait."""
        if self.out and not self.answered:
            return True
        return self._trouble_since is not None and self._paused_until - self._trouble_since > PATIENCE
