"""The live view: the tree with its statuses, what is running, and what it has cost so far."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live as RichLive
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from .. import events as e
from ..model import Status, one_line
from ..project.journal import Entry
from ..state import State
from .display import Display, describe, spent

MARKS = {
    Status.PENDING: ("○", "dim"),
    Status.IN_PROGRESS: ("●", "yellow"),
    Status.IN_REVIEW: ("◐", "cyan"),
    Status.COMPLETE: ("✓", "green"),
    Status.EXHAUSTED: ("✗", "red"),
}


LOUD = (e.Warned, e.TurnFailed, e.TopicExhausted, e.LimitReached, e.CompletionRefused, e.LeavesRanked)


class Live(Display):
    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._state: State | None = None
        self._began = time.monotonic()
        self._index: tuple[int, int] = (0, 0)
        self._spinner = Spinner("dots")
        self._live = RichLive(console=self._console, get_renderable=self._draw, refresh_per_second=8, transient=True)

    def __enter__(self) -> Live:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        self._live.stop()
        yield
        self._live.start()

    def say(self, text: str) -> None:
        self._console.print(Text(text))

    def indexing(self, done: int, total: int) -> None:
        self._index = (done, total)

    def watch(self, entry: Entry, state: State) -> None:
        self._state = state
        for event in entry.batch.events if entry.batch else ():
            if isinstance(event, LOUD) and (line := describe(event, state)):
                self._console.print(Text(line, style="yellow"))

    def _draw(self) -> Group:
        state = self._state
        done, total = self._index
        if state is None or not state.growths:
            if total and done < total:
                bar = Table.grid(padding=(0, 1))
                bar.add_row(
                    Text("Reading files"),
                    ProgressBar(total=total, completed=done, width=40),
                    Text(f"{done}/{total}"),
                )
                return Group(bar)
            return Group(_line(self._spinner, "Planning"))
        room = max(5, self._console.height - 8 - len(state.open))
        return Group(*self._tree(state, room), *self._running(state), self._status(state))

    def _tree(self, state: State, room: int) -> list[Text]:
        """As much of the tree as fits, open branches first."""
        growths = list(state.walk())
        if len(growths) > room:
            growths = [growth for growth in growths if not growth.topic.status.closed or growth.topic.depth == 0]
        lines = []
        for growth in growths[:room]:
            mark, style = MARKS[growth.topic.status]
            width = max(20, self._console.width - 6 - 2 * growth.topic.depth)
            title = one_line(growth.topic.title, width)
            lines.append(Text(f"{'  ' * growth.topic.depth}{mark} {title}", style=style))
        hidden = sum(state.counts.values()) - len(lines)
        return [*lines, Text(f"  … {hidden} more", style="dim")] if hidden > 0 else lines

    def _running(self, state: State) -> list[Table]:
        rows = []
        for task, started in list(state.open.items()):
            title = state.topic(task.topic).title if task.topic in state.growths else ""
            rows.append(_line(self._spinner, one_line(f"{started.phase.lower().replace('_', ' ')} {title}", 100)))
        return rows

    def _status(self, state: State) -> Text:
        minutes, seconds = divmod(int(time.monotonic() - self._began), 60)
        total = sum(state.counts.values())
        left = state.settings.max_iterations - state.iteration
        return Text(
            f"{minutes}:{seconds:02d}  {state.counts[Status.COMPLETE]} of {total} topics  "
            f"{left} iterations left  {state.calls} calls{spent(state)}",
            style="bold",
        )


def _line(spinner: Spinner, text: str) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_row(spinner, Text(text))
    return grid
