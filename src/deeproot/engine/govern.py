"""When the next ask may go out: how many at once, and not while a backend wants to be left alone.

A rate limit is the provider's: all its models in this process keep its pace together. An outage is one backend's own:
a model that was taken down says nothing about its sisters.
"""

from __future__ import annotations

import math
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol, runtime_checkable

import anyio
from anyio.lowlevel import checkpoint

from ..asks import Failure, Reason
from ..backends import Backend
from ..clock import Clock

STREAK = 5
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
PATIENCE = 300.0
SUCCESSES = 20


@runtime_checkable
class Provided(Protocol):
    """A backend that shares its rate limits with others of the same `provider`."""

    provider: str


class Rest:
    """Pauses that grow while trouble lasts."""

    def __init__(self, clock: Clock, jitter: random.Random) -> None:
        self._clock = clock
        self._jitter = jitter
        self._next = FIRST_PAUSE
        self._until = -math.inf
        self._since: float | None = None

    @property
    def left(self) -> float:
        """Seconds until the pause is over."""
        return self._until - self._clock.monotonic()

    @property
    def too_long(self) -> bool:
        """Whether the trouble, with the pause that was asked for, lasts longer than anybody wants to wait."""
        return self._since is not None and self._until - self._since > PATIENCE

    def begin(self, sent: float, at_least: float | None) -> bool:
        """Trouble, told to an ask that went out at `sent`. True when it is news: what went out together counts once."""
        now = self._clock.monotonic()
        self._since = now if self._since is None else self._since
        news = sent >= self._until
        if news:
            self._until = now + self._jitter.uniform(self._next / 2, self._next)
            self._next = min(LONGEST_PAUSE, self._next * 2)
        self._until = max(self._until, now + (at_least or 0.0))
        return news

    def end(self) -> None:
        """The trouble is over; a pause that was asked for is still kept."""
        self._next = FIRST_PAUSE
        self._since = None


class Pace:
    """How fast one provider may be asked. A limit halves how many go out at once; twenty answers let one more out."""

    def __init__(self, clock: Clock, jitter: random.Random) -> None:
        self.rest = Rest(clock, jitter)
        self.slots = anyio.CapacityLimiter(math.inf)
        self._successes = 0

    def success(self) -> None:
        self._successes += 1
        if self._successes % SUCCESSES == 0:
            self.slots.total_tokens += 1

    def limited(self, sent: float, retry_after: float | None) -> None:
        if self.rest.begin(sent, retry_after):
            self._successes = 0
            self.slots.total_tokens = max(1, self.slots.borrowed_tokens // 2)


class Paces:
    """The pace of every provider, for all who are to share it: one run, or all runs of a process."""

    def __init__(self) -> None:
        self._kept: dict[str, Pace] = {}

    def of(self, backend: Backend, clock: Clock, jitter: random.Random) -> Pace:
        """A backend that names no provider is its own."""
        provider = backend.provider if isinstance(backend, Provided) else backend.name
        return self._kept.setdefault(provider, Pace(clock, jitter))


class Governor:
    """Holds the asks to one backend back while it, or its provider, is in trouble.

    Five failures in a row are an outage: one probe at a time, with growing pauses, until one is answered.
    """

    def __init__(self, clock: Clock, jitter: random.Random, pace: Pace) -> None:
        self._clock = clock
        self._pace = pace
        self._rest = Rest(clock, jitter)
        self._gate = anyio.CapacityLimiter(math.inf)
        self._failures = 0
        self.answered = False

    @property
    def out(self) -> bool:
        """Whether this is an outage."""
        return self._failures >= STREAK

    @property
    def hopeless(self) -> bool:
        """Whether nobody wants to wait any longer: for a backend that never answered, not at all."""
        return (self.out and not self.answered) or self._rest.too_long or self._pace.rest.too_long

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[float]:
        """Wait for the turn of an ask; gives the moment it goes out."""
        place = object()  # not the task's: it may hold one already
        await _take(self._gate, place)
        try:
            await _take(self._pace.slots, place)
            try:
                await checkpoint()  # what begins together goes out together, so its answers share an fsync
                while (left := max(self._rest.left, self._pace.rest.left)) > 0:
                    await self._clock.sleep(left)
                yield self._clock.monotonic()
            finally:
                self._pace.slots.release_on_behalf_of(place)
        finally:
            self._gate.release_on_behalf_of(place)

    def alive(self) -> None:
        """The backend answered, if only to say no: it is there."""
        self._failures = 0
        self._gate.total_tokens = math.inf
        self._rest.end()
        self._pace.rest.end()

    def success(self) -> None:
        self.alive()
        self.answered = True
        self._pace.success()

    def failure(self, failure: Failure, sent: float) -> None:
        """Take note of a failure of the backend, for an ask that went out at `sent`. A rate limit is no failure."""
        if failure.reason is Reason.RATE_LIMITED:
            self._pace.limited(sent, failure.retry_after)
            return
        self._failures += 1
        if self.out:
            self._gate.total_tokens = 1
            self._rest.begin(sent, failure.retry_after)


async def _take(limiter: anyio.CapacityLimiter, place: object) -> None:
    """A place of a limiter; one that is free is taken without a pause, because nearly all are."""
    try:
        limiter.acquire_on_behalf_of_nowait(place)
    except anyio.WouldBlock:
        await limiter.acquire_on_behalf_of(place)
