"""The scribe keeps the views true: it knows which ones an event touches, and has them written.

What is rendered from the whole tree, or takes long, is taken from the state in one moment and made in a thread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable
from itertools import islice
from pathlib import Path

import anyio
import anyio.to_thread

from .. import events as e
from ..clock import Clock
from ..model import Status
from ..state import State
from . import phase_state, views
from .archive import Archive
from .disk import Disk
from .journal import Entry
from .plan import render_plan
from .publisher import Publisher
from .treefiles import TreeFiles
from .viewfiles import ACCEPTED, COMPLETED, PLAN, PROGRESS, REJECTED, Files, ViewFiles

# Views of the whole tree may take a twentieth of the time: those of a large one are written less often.
PACE = 19.0
# The files of one topic are as small in a large tree as in any: they are never this many seconds behind.
FURTHEST_BEHIND = 0.5
# Turns that are just starting go before the views.
LULL = 0.05
# So many files are written in one go; then somebody who marks a topic has his turn.
HANDFUL = 8


class Scribe:
    """`guard` is called before every write and raises when the lock is lost: an ousted owner writes nothing."""

    def __init__(
        self,
        folder: Path,
        reports: Path,
        disk: Disk,
        archive: Archive,
        clock: Clock,
        guard: Callable[[], None],
        tree: TreeFiles | None,
    ) -> None:
        self.folder = folder
        self.reports = reports
        self.tree = tree
        self.files = ViewFiles(folder, reports, disk, archive, clock, guard, tree.folder if tree else None)
        self._clock = clock
        self._alone = tree is not None and tree.alone
        self._topics: set[str] = set()
        self._marker: tuple[str, str] | None = None
        self._recent: deque[str] = deque(maxlen=views.RECENT)
        self._publisher = Publisher(reports)
        self._notes_due = False
        self._tree_due, self._topics_due, self._report_due = anyio.Event(), anyio.Event(), anyio.Event()
        self._tree_lock, self._topics_lock, self._report_lock = anyio.Lock(), anyio.Lock(), anyio.Lock()
        self._hand = anyio.Lock()
        self._marked: set[Path] = set()
        self._begun: set[str] = set()

    def note(self, entry: Entry, state: State) -> None:
        """An entry was committed: remember which views it touches."""
        for event in entry.batch.events if entry.batch else ():
            if isinstance(event, e.TurnStarted):
                self._begun.discard(event.topic)
            self._note_event(event, state)
            self._publisher.note(event)
        self._wake()

    def _wake(self) -> None:
        self._tree_due.set()
        if self._topics:
            self._topics_due.set()
        if self._publisher.ready:
            self._report_due.set()

    def _note_event(self, event: e.Event, state: State) -> None:
        match event:
            case e.TopicAdded(topic=added):
                self._topics.add(added.id)
            case e.TopicExhausted(topic=topic) | e.TopicEdited(topic=topic):
                self._topics.add(topic)
            case e.TopicResearched(topic=topic) | e.TopicReopened(topic=topic):
                self._topics.add(topic)
                self._recent.append(views.describe(state.growths[topic]))
            case e.TurnStarted(hat="reviewer" | "final_reviewer"):
                self._marker = None
            case e.TopicAccepted():
                self._topics.add(event.topic)
                self._marker = (ACCEPTED, views.render_accepted(state, event))
                self._recent.append(views.describe(state.growths[event.topic]))
            case e.TopicRejected():
                self._marker = (REJECTED, views.render_rejected(state, event))
                self._recent.append(views.describe(state.growths[event.topic]))
            case e.ReportAccepted():
                self._marker = (ACCEPTED, views.render_report_review(True, ()))
            case e.ReportRejected(issues=issues) | e.ReportConceded(issues=issues):
                self._marker = (REJECTED, views.render_report_review(False, issues))
            case e.RecoveryNoted():
                self._notes_due = True
            case _:
                pass

    def catch_up(self, state: State) -> None:
        """A crash may have left views behind the journal: write them all again where they differ."""
        if not state.finished or self._alone:
            self._topics |= state.growths.keys()
        self._publisher.catch_up(state)
        self._notes_due = bool(state.notes) and not state.finished
        self._wake()

    def adopt_plan(self) -> None:
        """A person's edit was taken over: the plan is ours to write again."""
        self.files.adopt_plan()
        self._wake()

    # Writing

    async def serve(self, state: State) -> None:
        """Write what changed, at a pace that leaves the engine its time. Runs until cancelled."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._follow_topics, state)
            group.start_soon(self._follow_tree, state)
            group.start_soon(self._follow_report, state)

    async def _follow_topics(self, state: State) -> None:
        while True:
            await self._topics_due.wait()
            await self._clock.sleep(LULL)
            took = await self._timed(self._write_topics(state))
            await self._clock.sleep(min(FURTHEST_BEHIND, PACE * took))

    async def _follow_tree(self, state: State) -> None:
        while True:
            await self._tree_due.wait()
            await self._clock.sleep(LULL)
            took = await self._timed(self._write_tree(state))
            await self._clock.sleep(PACE * took)

    async def _follow_report(self, state: State) -> None:
        while True:
            await self._report_due.wait()
            await self._clock.sleep(LULL)
            await self._write_report(state)

    async def _timed(self, work: Awaitable[None]) -> float:
        began = self._clock.monotonic()
        await work
        return self._clock.monotonic() - began

    async def mark(self, state: State, topics: Iterable[str]) -> None:
        """In a tree of documents, say on disk that these topics are being worked on, before they are.

        Neither the announcement of their turns nor a flush under way is waited for; what is marked meanwhile, a flush
        leaves alone.
        """
        if self.tree is None:
            return
        files: Files = {}
        for id in topics:
            if id in state.growths:
                if state.topic(id).status is Status.PENDING:
                    self._begun.add(id)
                files |= self.tree.of_node(state, id, begun=True)
        self._marked.update(files)
        with anyio.CancelScope(shield=True):
            async with self._hand:
                await anyio.to_thread.run_sync(self.files.put, files)

    async def flush(self, state: State) -> None:
        """Bring every view up to date now."""
        await self._write_topics(state)
        if self._publisher.ready:
            await self._write_report(state)
        await self._write_tree(state)

    async def _write_topics(self, state: State) -> None:
        async with self._topics_lock:
            self._topics_due = anyio.Event()
            self._marked = set()
            with anyio.CancelScope(shield=True):
                await self._write(self._render_topics(state), self._marked)

    async def _write_tree(self, state: State) -> None:
        async with self._tree_lock:
            self._tree_due = anyio.Event()
            make = self._render_tree(state)
            with anyio.CancelScope(shield=True):
                await self._write(await anyio.to_thread.run_sync(make))

    async def _write_report(self, state: State) -> None:
        async with self._report_lock:
            self._report_due = anyio.Event()
            make = self._publisher.render(state)
            with anyio.CancelScope(shield=True):
                await self._write(await anyio.to_thread.run_sync(make))

    async def _write(self, files: Files, newer: Collection[Path] = ()) -> None:
        """A handful at a time: the hand goes to whoever waited longest."""
        left = iter(files.items())
        while some := dict(islice(left, HANDFUL)):
            async with self._hand:
                await anyio.to_thread.run_sync(self.files.put, some, newer)

    def hand_over(self, state: State) -> dict[str, str]:
        """Write the report as it stands, unless that is done; the hashes of its files, by name."""
        self.files.put(self._publisher.render(state)())
        return self._publisher.hashes

    def write(self, state: State) -> None:
        """`flush`, blocking, for when no engine is running."""
        self.files.put(self._render_topics(state))
        self.files.put(self._publisher.render(state)())
        self.files.put(self._render_tree(state)())

    # Rendering

    def _render_topics(self, state: State) -> Files:
        """The files of the topics that may have changed."""
        files: Files = {}
        for id in self._topics & state.growths.keys():
            growth = state.growths[id]
            if growth.document and not self._alone:
                children = tuple(state.topic(child) for child in growth.children)
                text = views.render_document(growth.topic, growth.document, children)
                files[self.folder / PROGRESS / f"{growth.topic.slug}.md"] = text
            if self.tree:
                files |= self.tree.of_node(state, id, id in self._begun)
        self._topics.clear()
        return files

    def _render_tree(self, state: State) -> Callable[[], Files]:
        """The files of the run as a whole: what is taken from the state now, to be made without it."""
        files = self._small(state)
        if not state.growths:
            return lambda: files
        plan = self._plan(state)
        return lambda: {self.folder / PLAN: plan(), **files}

    def _small(self, state: State) -> Files:
        """Those that are made at once."""
        files: Files = {}
        if self.tree and state.roots:
            files |= self.tree.of_root(state)
        if state.growths:
            files[self.folder / "progress.md"] = views.render_progress(state, list(self._recent))
        for name in (ACCEPTED, REJECTED):
            files[self.folder / name] = self._marker[1] if self._marker and self._marker[0] == name else None
        if self._notes_due:
            files[self.folder / "recovery.notes.md"] = views.render_recovery(state)
            self._notes_due = False
        files |= self._completed(state)
        files[self.folder / "state.json"] = views.render_state(state)
        files[self.folder / phase_state.NAME] = phase_state.render_phase_state(state)
        return files

    def _completed(self, state: State) -> Files:
        """Our own marker, while it is true. One that somebody else put down is not ours to remove here."""
        path = self.folder / COMPLETED
        if state.settled and state.all_complete and not state.finished:
            return {path: views.PROMISE}
        return {path: None} if self.files.wrote(path) else {}

    def render_plan(self, state: State) -> str:
        return self._plan(state)()

    def _plan(self, state: State) -> Callable[[], str]:
        settings, seq = state.settings, state.seq
        topics = [growth.topic for growth in state.walk()]
        return lambda: render_plan(settings.question, settings.breadth, settings.depth, topics, seq=seq)
