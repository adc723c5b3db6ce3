"""What the live campaigns share: named checks within a time limit, a row for each, and one last line."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

Note = Callable[[str], None]
Check = Callable[[Note], Awaitable[None]]


class Wrong(Exception):
    """A check found something that must not be so."""


def require(condition: object, otherwise: str) -> None:
    if not condition:
        raise Wrong(otherwise)


@dataclass(slots=True)
class Checks:
    """Rows are printed as they are made. After `minutes` nothing more is begun, and that counts as a failure."""

    minutes: float
    passed: int = 0
    failed: int = 0
    _began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """Seconds until everything must be over."""
        return self._began + self.minutes * 60 - time.monotonic()

    async def run(self, name: str, check: Check) -> bool:
        """One check. It raises `Wrong`, or passes; what it notes is printed in its row."""
        began = time.monotonic()
        notes: list[str] = []
        problem = f"not begun: the {self.minutes:.0f} minutes are over" if self.left <= 0 else ""
        try:
            if not problem:
                await check(notes.append)
        except Wrong as wrong:
            problem = str(wrong)
        self._row(name, time.monotonic() - began, problem, notes)
        return not problem

    def _row(self, name: str, seconds: float, problem: str, notes: list[str]) -> None:
        self.passed += not problem
        self.failed += bool(problem)
        verdict = "FAILED" if problem else "ok"
        print(f"{verdict:6}  {name:58} {seconds:6.1f} s  {'; '.join(notes)}".rstrip(), flush=True)
        for line in problem.splitlines():
            print(f"        {line}", flush=True)

    def finish(self) -> int:
        """The last line, and the exit code."""
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0
