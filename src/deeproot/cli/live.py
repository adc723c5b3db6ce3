"""The live view: the tree with its statuses, what is running, and what it has cost so far."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from rich.console import Console, Group, RenderableType
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


# Composing may take a tenth of the time; a large tree is therefore shown less often.
COMPOSE_PACE = 9.0
LOUD = (e.Warned, e.TurnFailed, e.TopicExhausted, e.LimitReached, e.CompletionRefused, e.LeavesRanked)


class Live(Display):
    """What is shown is composed when something happened, and drawn by another thread eight times a second."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._began = time.monotonic()
        self._index: tuple[int, int] = (0, 0)
        self._tree: tuple[Text, ...] = ()
        self._running: tuple[str, ...] = ("planning",)
        self._figures = ""
        self._compose_at = 0.0
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
        for event in entry.batch.events if entry.batch else ():
            if isinstance(event, LOUD) and (line := describe(event, state)):
                self._console.print(Text(line, style="yellow"))
        now = time.monotonic()
        if now >= self._compose_at:
            self._compose(state)
            self._compose_at = time.monotonic() + COMPOSE_PACE * (time.monotonic() - now)

    def _compose(self, state: State) -> None:
        """Take from the state what is drawn, here where nothing else changes it."""
        titles = [(turn.phase, state.title(task.topic)) for task, turn in state.open.items()]
        self._running = tuple(one_line(f"{phase.lower().replace('_', ' ')} {title}", 100) for phase, title in titles)
        self._tree = tuple(self._topics(state, max(5, self._console.height - 8 - len(titles))))
        left = state.settings.max_iterations - state.iteration
        self._figures = (
            f"{state.counts[Status.COMPLETE]} of {len(state.growths)} topics  {left} iterations left  "
            f"{state.calls} calls{spent(state.usage)}"
        )

    def _topics(self, state: State, room: int) -> Iterator[Text]:
        """As much of the tree as fits, open branches first."""
        growths = list(state.walk())
        if len(growths) > room:
            growths = [growth for growth in growths if not growth.topic.status.closed or growth.topic.depth == 0]
        for growth in growths[:room]:
            mark, style = MARKS[growth.topic.status]
            width = max(20, self._console.width - 6 - 2 * growth.topic.depth)
            yield Text(f"{'  ' * growth.topic.depth}{mark} {one_line(growth.topic.title, width)}", style=style)
        if (hidden := len(state.growths) - min(room, len(growths))) > 0:
            yield Text(f"  … {hidden} more", style="dim")

    def _draw(self) -> Group:
        done, total = self._index
        if done < total:
            return Group(
                _row(Text("Reading files"), ProgressBar(total=total, completed=done, width=40), f"{done}/{total}")
            )
        minutes, seconds = divmod(int(time.monotonic() - self._began), 60)
        rows = [_row(self._spinner, line) for line in self._running]
        return Group(*self._tree, *rows, Text(f"{minutes}:{seconds:02d}  {self._figures}", style="bold"))


def _row(*cells: RenderableType) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_row(*cells)
    return grid
