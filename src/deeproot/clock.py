"""Time as the engine sees it, so that tests can own it. `deeproot.testing.FakeClock` is the other one."""

from __future__ import annotations

import time
from typing import Protocol

import anyio


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since the epoch, for people and file names. May jump."""

    def monotonic(self) -> float:
        """Seconds that never jump, for budgets and waits."""

    async def sleep(self, seconds: float) -> None: ...


class RealClock:
    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)
