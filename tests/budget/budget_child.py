"""A researcher with a time budget in a process of its own that never gets further than one ask.

    budget_child.py PROJECT KIND

Its clock is a thousand times as fast. It prints the seconds that are on record while the ask is under way.
"""

from __future__ import annotations

import sys
from pathlib import Path

import anyio

from deeproot.asks import Ask, Failure, Kind, Reply
from deeproot.project.journal import Entry
from deeproot.researcher import Means, Researcher
from deeproot.settings import Settings
from deeproot.state import State
from deeproot.testing import FakeClock, ScriptedBackend


class Hanging(ScriptedBackend):
    def __init__(self, kind: Kind) -> None:
        super().__init__()
        self.kind = kind
        self.hangs = False

    async def answer(self, ask: Ask) -> Reply | Failure:
        if ask.kind is self.kind:
            self.hangs = True
            await anyio.sleep_forever()
        return await super().answer(ask)


def main(project: Path, kind: Kind) -> None:
    backend = Hanging(kind)

    def watch(entry: Entry, state: State) -> None:
        """An entry without events is a heartbeat: time was recorded while the ask was under way."""
        if backend.hangs and entry.batch and not entry.batch.events:
            print(state.elapsed, flush=True)

    settings = Settings("How deep do roots grow?", "lab", breadth=2, depth=0, time=600.0, timeout=10**6)
    means = Means(open_backend=lambda *_: backend, clock=FakeClock(speed=1000), watch=watch)
    anyio.run(Researcher(project, "lab").start, settings, means)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Kind(sys.argv[2]))
