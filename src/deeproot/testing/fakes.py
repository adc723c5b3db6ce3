"""A scripted backend, a clock that runs fast, a disk that fails, a searcher over a list."""

from __future__ import annotations

import errno
import json
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import anyio

from ..asks import Answer, Ask, Failure, Kind, Reason, Reply
from ..backends import Abilities
from ..backends.mock import MockBackend
from ..model import Passage, Usage
from ..project.disk import Disk
from ..search import Found

Scripted = str | Answer | Reply | Failure
Script = Callable[[Ask], Scripted | None]


class ScriptedBackend:
    """Answers from a script, and from the mock backend where the script says nothing.

    A script is a function of the ask, or a list of answers per kind that are given in turn. `asks` is what was
    asked, in order; `running` and `most_running` count asks under way at once.
    """

    name = "scripted"

    def __init__(
        self,
        script: Script | Mapping[Kind, Sequence[Scripted]] | None = None,
        *,
        abilities: Abilities | None = None,
        seconds: float = 0.0,
        name: str = "scripted",
    ) -> None:
        self.name = name
        self.abilities = abilities or Abilities(tools=True)
        self.asks: list[Ask] = []
        self.running = self.most_running = 0
        self._script = script if callable(script) else None
        self._lists = {kind: list(answers) for kind, answers in script.items()} if isinstance(script, Mapping) else {}
        self._seconds = seconds
        self._mock = MockBackend()

    async def answer(self, ask: Ask) -> Reply | Failure:
        self.asks.append(ask)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            if self._seconds:
                await anyio.sleep(self._seconds)
            return await self._reply(ask)
        finally:
            self.running -= 1

    async def _reply(self, ask: Ask) -> Reply | Failure:
        waiting = self._lists.get(ask.kind)
        said = waiting.pop(0) if waiting else self._script(ask) if self._script else None
        if said is None:
            said = await self._mock.answer(ask)
        if isinstance(said, Reply | Failure):
            return said
        return Reply(said if isinstance(said, str) else answer_text(said), usage=Usage(10, 5))

    def asked(self, kind: Kind) -> list[Ask]:
        return [ask for ask in self.asks if ask.kind is kind]

    async def aclose(self) -> None:
        """Nothing is held."""


def answer_text(answer: Answer) -> str:
    """An answer as a backend would write it."""
    return json.dumps(asdict(answer))


class FakeClock:
    """A clock that runs `speed` times as fast as the real one; `jump` moves the wall clock only."""

    def __init__(self, speed: float = 1000.0, start: float = 1_700_000_000.0) -> None:
        self._speed = speed
        self._origin = time.monotonic()
        self._start = start

    def monotonic(self) -> float:
        return (time.monotonic() - self._origin) * self._speed

    def now(self) -> float:
        return self._start + self.monotonic()

    def jump(self, seconds: float) -> None:
        self._start += seconds

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds / self._speed)


class FaultyDisk(Disk):
    """Counts the places where a crash could fall and, at the `at`-th, kills the process or fails.

    `fault` is "kill", or the name of what the operating system shall answer: "ENOSPC", "EIO".
    """

    def __init__(self, at: int, fault: str = "kill") -> None:
        self.at = at
        self.fault = fault
        self.points = 0

    def point(self, name: str, path: Path) -> None:  # noqa: ARG002
        self.points += 1
        if self.points != self.at:
            return
        if self.fault == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        number = getattr(errno, self.fault)
        raise OSError(number, os.strerror(number), str(path))


class ListSearcher:
    """Finds the passages it was given, those that share most words with the query first."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = list(passages)
        self._words = [set(passage.text.casefold().split()) for passage in passages]
        self.queries: list[str] = []

    async def search(self, query: str, limit: int) -> Found:
        self.queries.append(query)
        words = set(query.casefold().split())
        shared = [len(words & has) for has in self._words]
        best = sorted(range(len(shared)), key=shared.__getitem__, reverse=True)
        return Found(tuple(self._passages[number] for number in best[:limit]))

    async def read(self, location: str, query: str, limit: int) -> Found | Failure:
        found = await self.search(query, len(self._passages))
        if self.source_text(location) is None:
            return Failure(Reason.REFUSED, f"{location} is not among the passages")
        return Found(tuple(p for p in found.passages if p.source.location == location)[:limit])

    def source_text(self, location: str) -> str | None:
        return next((p.text for p in self._passages if p.source.location == location), None)
