"""Time limits on the injected clock: scopes that are cancelled when their time is over."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from ..clock import Clock

SLACK = 0.01


class Alarms:
    """One task rings for all; a scope costs an entry in a table, unless it is the first to end."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ends: dict[anyio.CancelScope, float] = {}
        self._next = math.inf
        self._nap = anyio.CancelScope()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """What is inside is cancelled when it is not over after `seconds`."""
        end = self._clock.monotonic() + seconds
        with anyio.CancelScope() as scope:
            self._ends[scope] = end
            if end < self._next - SLACK:
                self._nap.cancel()
            try:
                yield
            finally:
                del self._ends[scope]

    async def serve(self) -> None:
        """Runs until cancelled. A scope that ended in time is not looked for: the sleep for it is slept to its end."""
        while True:
            self._next = min(self._ends.values(), default=math.inf)
            with anyio.CancelScope() as self._nap:
                await self._sleep(self._next - self._clock.monotonic())
            now = self._clock.monotonic()
            for scope in [scope for scope, end in self._ends.items() if end <= now]:
                scope.cancel()
                self._ends[scope] = math.inf

    async def _sleep(self, seconds: float) -> None:
        if seconds == math.inf:
            await anyio.sleep_forever()
        await self._clock.sleep(max(0.0, seconds))
