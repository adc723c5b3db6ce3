"""A clock that moves only when an ask turns it, and backends whose asks take so long, cost so much, or hang."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import anyio

from deeproot.asks import Ask, Failure, Kind, Reply
from deeproot.model import Usage
from deeproot.testing import Script, ScriptedBackend
from laboratory import Finished, Lab

RESEARCH = frozenset({Kind.PLAN, Kind.QUERIES, Kind.DOCUMENT, Kind.CHILDREN, Kind.REVIEW, Kind.PICK})
ENDING = frozenset({Kind.SECTION, Kind.SYNTHESIZE, Kind.FINAL_REVIEW, Kind.REVISE})


class Hourglass:
    """Time passes only by `turn`, so a test says to the second when everything happens."""

    def __init__(self, start: float = 1_700_000_000.0) -> None:
        self._start = start
        self._seconds = 0.0
        self._turned = anyio.Event()

    def monotonic(self) -> float:
        return self._seconds

    def now(self) -> float:
        return self._start + self._seconds

    async def sleep(self, seconds: float) -> None:
        end = self._seconds + seconds
        while self._seconds < end:
            await self._turned.wait()

    def turn(self, seconds: float) -> None:
        self._seconds += seconds
        self._turned.set()
        self._turned = anyio.Event()

    def jump(self, seconds: float) -> None:
        """Set the wall clock; the monotonic one does not care."""
        self._start += seconds


HANGS = math.inf


class Timed(ScriptedBackend):
    """Each ask takes `seconds`, or hangs until it is cut off. `begun` is what was asked, and at which second."""

    def __init__(
        self,
        clock: Hourglass,
        seconds: Callable[[Ask], float] | float = 0.0,
        script: Script | None = None,
        usage: Usage | None = None,
    ) -> None:
        super().__init__(script)
        self.clock = clock
        self.usage = usage or Usage(10, 5)
        self.begun: list[tuple[Kind, float]] = []
        self._lasts = seconds if callable(seconds) else lambda _: seconds

    async def answer(self, ask: Ask) -> Reply | Failure:
        self.begun.append((ask.kind, self.clock.monotonic()))
        lasts = self._lasts(ask)
        if lasts == HANGS:
            self.asks.append(ask)
            self.clock.turn(86_400)
            await anyio.sleep_forever()
        self.clock.turn(lasts)
        said = await super().answer(ask)
        return Reply(said.text, said.session, self.usage) if isinstance(said, Reply) else said

    def seconds_of(self, kinds: frozenset[Kind]) -> list[float]:
        return [second for kind, second in self.begun if kind in kinds]


def hangs_on(*kinds: Kind, otherwise: float = 0.0) -> Callable[[Ask], float]:
    return lambda ask: HANGS if ask.kind in kinds else otherwise


def timed_run(lab: Lab, backend: Timed, **settings: Any) -> Finished:
    return lab.run(backend, means={"clock": backend.clock}, **settings)


def timed_resume(lab: Lab, backend: Timed, **changes: Any) -> Finished:
    return lab.resume(backend, means={"clock": backend.clock}, **changes)
