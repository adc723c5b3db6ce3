"""What becomes true in a run: put into the journal, folded into the state in that order, told to those who watch."""

from __future__ import annotations

from collections.abc import Callable

import anyio

from ..clock import Clock
from ..events import Event
from ..project.disk import Disk
from ..project.journal import Batch, Entry, Journal, Step
from ..project.scribe import Scribe
from ..state import State
from .replay import apply_entry
from .turns import Steps

Watch = Callable[[Entry, State], None]


class Ledger:
    """The engine's hand on the journal. `elapsed` tells the seconds of work in all runs up to now."""

    def __init__(
        self,
        state: State,
        steps: dict[str, Steps],
        journal: Journal,
        scribe: Scribe,
        disk: Disk,
        clock: Clock,
        elapsed: Callable[[], float],
        watch: Watch,
    ) -> None:
        self._state = state
        self._steps = steps
        self._journal = journal
        self._scribe = scribe
        self._disk = disk
        self._clock = clock
        self._elapsed = elapsed
        self._watch = watch

    async def serve(self) -> None:
        """Runs until cancelled."""
        await self._journal.serve(self._committed)

    async def record(self, *events: Event) -> None:
        """Returns when the events are durable and folded."""
        await self.post(*events).wait()

    async def conclude(self, batch: Batch) -> None:
        """Returns when what a turn came to is durable and folded."""
        await self._put(batch=batch).wait()

    def post(self, *events: Event) -> anyio.Event:
        """Queue events for the journal; what is returned is set when they are durable and folded."""
        if events:
            return self._put(batch=Batch(events))
        nothing = anyio.Event()
        nothing.set()
        return nothing

    def keep(self, step: Step) -> anyio.Event:
        """Queue what came of a step; what is returned is set when it is durable and folded."""
        return self._put(step=step)

    def tick(self) -> None:
        """Record that time passes: an entry without events."""
        self._put(batch=Batch(()))

    def _put(self, step: Step | None = None, batch: Batch | None = None) -> anyio.Event:
        """With the moment, and the time that was worked up to it."""
        return self._journal.post(Entry(self._clock.now(), step, batch, round(self._elapsed(), 3)))

    def log(self, text: str) -> None:
        """For people, beside the journal."""
        self._disk.log(self._scribe.folder / "logs" / "errors.log", f"{self._clock.now():.3f} {text}")

    def _committed(self, entry: Entry) -> None:
        apply_entry(self._state, self._steps, entry)
        self._scribe.note(entry, self._state)
        self._watch(entry, self._state)
