"""The scribe keeps the views true: it writes those that changed, archives each version, and notices edits by people."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from threading import Lock

import anyio
import anyio.to_thread

from .. import events as e
from ..clock import Clock
from ..model import Status
from ..report.publish import published
from ..state import State
from . import phase_state, views
from .archive import Archive
from .disk import Disk
from .journal import Entry
from .plan import fingerprint, render_plan
from .treefiles import TreeFiles

PLAN = "research_plan.md"
ACCEPTED, REJECTED = "review.accepted.md", "review.rejected.md"
COMPLETED = "completed.md"
INTERMEDIATE = (PLAN, "progress.md", ACCEPTED, REJECTED, "recovery.notes.md", COMPLETED)

# Writing views may take a tenth of the time; large trees are therefore rendered less often.
PACE = 9.0
# Turns that are just starting go before the views.
LULL = 0.05
# A version larger than this is archived only if the last one is old enough: one second per so many bytes.
ARCHIVE_RATE = 20_000


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
        self._disk = disk
        self._archive = archive
        self._clock = clock
        self._guard = guard
        self.tree = tree
        self._alone = tree is not None and tree.alone
        self._written: dict[Path, str] = {}
        self._archived_at: dict[str, float] = {}
        self._topics: set[str] = set()
        self._marker: tuple[str, str] | None = None
        self._recent: deque[str] = deque(maxlen=views.RECENT)
        self._plan_seen: tuple[int, int, int] | None = None
        self._held: str | None = None
        self._report_due = False
        self._notes_due = False
        self._changed = anyio.Event()
        self._one = anyio.Lock()
        self._writing = Lock()
        self._marked: set[Path] = set()
        self._begun: set[str] = set()

    def note(self, entry: Entry, state: State) -> None:
        """An entry was committed: remember which views it touches."""
        for event in entry.batch.events if entry.batch else ():
            if isinstance(event, e.TurnStarted):
                self._begun.discard(event.topic)
            self._note_event(event, state)
        self._changed.set()

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
                self._report_due = True
            case e.ReportRejected(issues=issues) | e.ReportConceded(issues=issues):
                self._marker = (REJECTED, views.render_report_review(False, issues))
                self._report_due = True
            case e.ReportWritten() | e.ReportRevised():
                self._report_due = True
            case e.RecoveryNoted():
                self._notes_due = True
            case _:
                pass

    def catch_up(self, state: State) -> None:
        """A crash may have left views behind the journal: write them all again where they differ."""
        if not state.finished or self._alone:
            self._topics |= state.growths.keys()
        self._report_due = state.draft.written
        self._notes_due = bool(state.notes) and not state.finished
        self._changed.set()

    async def serve(self, state: State) -> None:
        """Write what changed, at a pace that leaves the engine its time. Runs until cancelled."""
        while True:
            await self._changed.wait()
            await self._clock.sleep(LULL)
            began = self._clock.monotonic()
            await self.flush(state)
            await self._clock.sleep(PACE * (self._clock.monotonic() - began))

    async def mark(self, state: State, topics: Iterable[str]) -> None:
        """In a tree of documents, say on disk that these topics are being worked on, before they are.

        Neither the announcement of their turns nor a flush under way is waited for; what is marked meanwhile, a flush
        leaves alone.
        """
        if self.tree is None:
            return
        files: dict[Path, str | None] = {}
        for id in topics:
            if id in state.growths:
                if state.topic(id).status is Status.PENDING:
                    self._begun.add(id)
                files |= self.tree.of_node(state, id, begun=True)
        self._marked.update(files)
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._put, files)

    async def flush(self, state: State) -> None:
        """Bring every view up to date now."""
        async with self._one:
            self._changed = anyio.Event()
            self._marked = set()
            files = self._render(state)
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._put, files, self._marked)

    def write(self, state: State) -> None:
        """`flush`, blocking, for when no engine is running."""
        self._put(self._render(state))

    def _render(self, state: State) -> dict[Path, str | None]:
        """The files that may have changed; None is a file that must not be there."""
        files: dict[Path, str | None] = {}
        for id in self._topics & state.growths.keys():
            growth = state.growths[id]
            if growth.document and not self._alone:
                children = tuple(state.topic(child) for child in growth.children)
                text = views.render_document(growth.topic, growth.document, children)
                files[self.folder / "progress" / f"{growth.topic.slug}.md"] = text
            if self.tree:
                files |= self.tree.of_node(state, id, id in self._begun)
        if self.tree and state.roots:
            files |= self.tree.of_root(state)
        self._topics.clear()
        if state.growths:
            files[self.folder / PLAN] = self.render_plan(state)
            files[self.folder / "progress.md"] = views.render_progress(state, list(self._recent))
        for name in (ACCEPTED, REJECTED):
            files[self.folder / name] = self._marker[1] if self._marker and self._marker[0] == name else None
        if self._notes_due:
            files[self.folder / "recovery.notes.md"] = views.render_recovery(state)
            self._notes_due = False
        files |= self._completed(state)
        if self._report_due and state.draft.written:
            files |= self._report(state)
            self._report_due = False
        files[self.folder / "state.json"] = views.render_state(state)
        files[self.folder / phase_state.NAME] = phase_state.render_phase_state(state)
        return files

    def _completed(self, state: State) -> dict[Path, str | None]:
        """Our own marker, while it is true. One that somebody else put down is not ours to remove here."""
        path = self.folder / COMPLETED
        if state.settled and state.all_complete and not state.finished:
            return {path: views.PROMISE}
        return {path: None} if path in self._written else {}

    def render_plan(self, state: State) -> str:
        settings = state.settings
        topics = [growth.topic for growth in state.walk()]
        return render_plan(settings.question, settings.breadth, settings.depth, topics, seq=state.seq)

    def _report(self, state: State) -> dict[Path, str | None]:
        return {self.reports / name: text for name, text in published(state).items()}

    def _put(self, files: dict[Path, str | None], newer: Collection[Path] = ()) -> None:
        """Write what changed, one file at a time, except what was written in a `newer` form meanwhile."""
        for path, text in files.items():
            with self._writing:
                if path not in newer:
                    self._put_one(path, text)

    def _put_one(self, path: Path, text: str | None) -> None:
        if path.name == PLAN and self.edited_plan() is not None:
            return
        if text is None:
            if path.exists():
                self._guard()
                self._disk.remove(path)
            self._written.pop(path, None)
        elif self._written.get(path) != text or not path.exists():
            self._guard()
            if path.name != phase_state.NAME and not (self.tree and path.is_relative_to(self.tree.folder)):
                self._keep(path, text)
            self._disk.make_folder(path.parent)
            self._disk.replace(path, text, durable=path.parent == self.reports)
            self._written[path] = text
            if path.name == PLAN:
                self._plan_seen = _signature(path)

    def _keep(self, path: Path, text: str) -> None:
        """Archive a version, unless it is large and the last one is recent."""
        name = f"{path.stem}.progress.md" if path.parent.name == "progress" else path.name
        now = self._clock.monotonic()
        if len(text) > ARCHIVE_RATE and now - self._archived_at.get(name, -1e9) < len(text) / ARCHIVE_RATE:
            return
        self._archived_at[name] = now
        self._archive.keep(name, text)

    # Edits by people

    def edited_plan(self) -> str | None:
        """The text of the plan if a person changed it since we wrote it; None when it is ours or not there."""
        path = self.folder / PLAN
        signature = _signature(path)
        if signature is None or (signature == self._plan_seen and self._held is None):
            return None
        text = path.read_text(encoding="utf-8", errors="replace")
        mark = fingerprint(text)
        if text == self._written.get(path) or (mark and mark.intact):
            self._plan_seen, self._held = signature, None
            return None
        self._held = text
        return text

    def adopt_plan(self) -> None:
        """The edit was taken over: the plan is ours to write again."""
        path = self.folder / PLAN
        if self._held is not None:
            self._archive.keep(PLAN, self._held, durable=True)
        self._held = None
        self._plan_seen = _signature(path)
        self._written.pop(path, None)
        self._changed.set()

    def take_completion(self) -> str | None:
        """The content of a completion marker somebody else put down; it is archived and removed."""
        for name in (COMPLETED, "complete.md"):
            path = self.folder / name
            if path.exists() and self._written.get(path) is None:
                text = path.read_text(encoding="utf-8", errors="replace")
                self._guard()
                self._archive.keep(name, text)
                self._disk.remove(path)
                return text
        return None

    def clean_up(self) -> None:
        """After full acceptance: archive and remove what was only needed on the way."""
        self._guard()
        progress = self.folder / "progress"
        for path in [self.folder / name for name in INTERMEDIATE] + sorted(progress.glob("*.md")):
            if path.exists():
                name = f"{path.stem}.progress.md" if path.parent == progress else path.name
                self._archive.keep(name, path.read_text(encoding="utf-8", errors="replace"))
                self._disk.remove(path)
                self._written.pop(path, None)
        if progress.exists() and not any(progress.iterdir()):
            progress.rmdir()


def _signature(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
