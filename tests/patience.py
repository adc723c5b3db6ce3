"""Time that waits for the tests: it passes only when nobody has anything left to do."""

from __future__ import annotations

from collections.abc import Awaitable
from heapq import heappop, heappush
from itertools import count
from typing import TypeVar

import anyio
from anyio.lowlevel import checkpoint

T = TypeVar("T")


class PatientClock:
    """Stands still until everybody waits for it, then leaps to the next moment that somebody waits for.

    So what happens at once, and in which order, is the same however slow the machine is.
    """

    def __init__(self) -> None:
        self._now = 0.0
        self._numbers = count()
        self._waiting: list[tuple[float, int, anyio.Event]] = []

    def monotonic(self) -> float:
        return self._now

    now = monotonic

    async def sleep(self, seconds: float) -> None:
        moment = anyio.Event()
        heappush(self._waiting, (self._now + seconds, next(self._numbers), moment))
        await moment.wait()

    def leap(self) -> None:
        if self._waiting:
            self._now, _, moment = heappop(self._waiting)
            moment.set()

    async def go(self) -> None:
        while True:
            await settled()
            self.leap()


async def settled() -> None:
    """Every task that can go on has gone on until it waits: an ask passes far fewer checkpoints than these."""
    for _ in range(30):
        await checkpoint()


async def in_time(clock: PatientClock, work: Awaitable[T]) -> T:
    """Do it while the clock goes."""
    async with anyio.create_task_group() as group:
        group.start_soon(clock.go)
        done = await work
        group.cancel_scope.cancel()
    return done
