"""A researcher: a named, permanent line of research in a project folder. The public door of deeproot.

    researcher = Researcher(Path(), "cancel")
    outcome = await researcher.start(Settings(question="How does asyncio cancel a task?", name="cancel"))

It can be started once, resumed any number of times, and read at any moment, also while it runs elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from . import events as e
from .backends import Backend, BackendSettings, open_backend
from .backends.keys import find_key
from .clock import Clock, RealClock
from .engine.cycle import RESEARCH, Cycle
from .engine.engine import Ending, Engine, Outcome, Watch, apply_entry
from .engine.govern import Paces
from .engine.notice import Noticer
from .engine.perform import Performer
from .engine.strategy import STRATEGIES
from .engine.turns import Steps
from .errors import DeeprootError, JournalError, LockLostError, StorageError, UsageError
from .hats import routes
from .knowledge.sources import SourceStore
from .model import slugify
from .project import journal as journals
from .project.archive import Archive
from .project.disk import Disk
from .project.journal import Batch, Entry, Journal, rehome
from .project.lock import ResearcherLock
from .project.requests import drop_stops
from .project.scribe import Scribe
from .project.templates import Templates, load_templates
from .project.treefiles import TreeFiles, research_document
from .project.views import SCHEMA_VERSION
from .report.publish import ANSWER, REPORT
from .search import Searcher
from .search.named import NamedFiles
from .search.together import Together
from .settings import Settings
from .state import State

if TYPE_CHECKING:
    from .search.web.opening import WebMeans, WebWish

ROOT = ".research"
RESERVED = frozenset({"templates", "knowledge"})

Change = Callable[[Settings], Settings]
Opening = Callable[[State], list[e.Event]]


def clean_name(name: str) -> str:
    """The folder name for a researcher called `name`; UsageError when it cannot be one."""
    if "/" in name or "\\" in name or name.strip() in ("", ".", ".."):
        raise UsageError(f"--name {name!r}: a name is a word or a few, not a path.")
    letters = "-".join(f"{ord(letter):x}" for letter in name.strip()[:8])
    slug = slugify(name, fallback=f"research-{letters}")
    if slug in RESERVED:
        raise UsageError(f"--name {name!r}: {slug!r} is used by deeproot itself; choose another name.")
    return slug


@dataclass(frozen=True, slots=True)
class Approval:
    """What a person says to the finished report: it is good, it needs something, or not now."""

    granted: bool
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class Means:
    """What a run works with. The defaults are the real things; tests hand in others.

    Researchers that run at once in one process share `paces`, so that a provider's rate limit holds for all of them.
    """

    open_backend: Callable[[str, BackendSettings], Backend] = open_backend
    searcher: Searcher | None = None
    clock: Clock = field(default_factory=RealClock)
    paces: Paces = field(default_factory=Paces)
    disk: Disk = field(default_factory=Disk)
    watch: Watch = lambda _entry, _state: None
    web: WebMeans | None = None
    indexing: Callable[[int, int], None] | None = None
    approve: Callable[[Path], Awaitable[Approval]] | None = None


@dataclass(frozen=True, slots=True)
class Past:
    """What the journal tells: the state, the steps of open turns, and where the next line belongs."""

    state: State
    steps: dict[str, Steps]
    size: int
    note: str | None


class Researcher:
    """`cycle` is what it does; `tree` keeps its topics as a folder each, in a place of the caller's choice."""

    def __init__(self, project: Path, name: str, cycle: Cycle = RESEARCH, tree: TreeFiles | None = None) -> None:
        self.project = project
        self.name = clean_name(name)
        self.cycle = cycle
        self.folder = project / ROOT / self.name
        self.reports = self.folder if tree else project / "reports" / self.name
        self.knowledge = project / ROOT / "knowledge"
        self.journal = self.folder / journals.NAME
        self._tree = tree

    def tree(self, settings: Settings) -> TreeFiles | None:
        """Where topics are kept as folders: always in a tree search, with the guided strategy in research."""
        if self._tree is None and settings.strategy == "guided":
            return TreeFiles(self.folder / "tree", research_document)
        return self._tree

    @property
    def report(self) -> Path:
        """The report, or the answer where a question was only to be answered."""
        answer = self.reports / ANSWER
        return answer if answer.exists() else self.reports / REPORT

    @property
    def exists(self) -> bool:
        """True once something of it is on record."""
        return journals.begun(self.journal)

    def past(self, until: int | None = None) -> Past:
        """The journal folded, up to event number `until` when given. Needs no lock."""
        loaded = journals.load(self.journal) if self.journal.exists() else journals.Loaded([], 0)
        state = State(routes(self.cycle.hats.values()))
        steps: dict[str, Steps] = {}
        for line, entry in enumerate(loaded.entries, 2):
            if until is not None and state.seq >= until:
                break
            try:
                apply_entry(state, steps, entry)
            except KeyError:
                problem = "the line does not fit what stands before it; a line is missing."
                raise JournalError(self.journal, line, problem) from None
        return Past(state, steps, loaded.size, loaded.note)

    async def start(self, settings: Settings, means: Means | None = None) -> Outcome:
        """Begin a new line of research."""
        return await self._run(settings, self._opening_of_new(settings), means or Means())

    def _opening_of_new(self, settings: Settings) -> Opening:
        def opening(state: State) -> list[e.Event]:
            if state.seq:
                raise UsageError(
                    f"There is a researcher called {self.name!r} already. "
                    f"Go on with it: research --name {self.name} --resume. Or choose another --name."
                )
            return [e.ResearchRequested(settings)]

        return opening

    async def resume(self, change: Change = lambda s: s, means: Means | None = None, force: bool = False) -> Outcome:
        """Go on where the journal ends, with the settings as `change` makes them."""
        if not self.exists:
            raise UsageError(f"There is no researcher called {self.name!r} to resume in {self.project.resolve()}.")
        self._check_state_file()

        def opening(state: State) -> list[e.Event]:
            settings = change(state.settings)
            changed: list[e.Event] = [e.SettingsChanged(settings)] if settings != state.settings else []
            tree = self.tree(settings)
            deleted = tree.deleted(state) if tree else []
            reopened = [e.TopicReopened(id, by="its files were deleted") for id in deleted]
            return [*changed, *reopened, *self.cycle.begin(state)]

        return await self._run(change(self.past().state.settings), opening, means or Means(), force)

    def _check_state_file(self) -> None:
        """Refuse a folder that a newer deeproot wrote. A damaged state.json is only a view: it is written anew."""
        try:
            version = json.loads((self.folder / "state.json").read_text(encoding="utf-8"))["schema_version"]
        except (OSError, ValueError, KeyError, TypeError):
            return
        if isinstance(version, int) and version > SCHEMA_VERSION:
            raise UsageError(
                f"{self.folder / 'state.json'}: written by a newer deeproot (schema {version}, this one knows "
                f"{SCHEMA_VERSION}); upgrade."
            )

    async def _run(self, settings: Settings, opening: Opening, means: Means, force: bool = False) -> Outcome:
        """`opening` says, under the lock, what this run begins with."""
        _wish(settings)
        templates = load_templates(self.project / ROOT / "templates", means.disk)
        async with AsyncExitStack() as stack:
            performers = await stack.enter_async_context(self._performers(settings, means))
            means.disk.make_folder(self.folder)
            means.disk.make_folder(self.reports)
            lock = ResearcherLock.acquire(self.folder, means.disk, means.clock.now, force)
            stack.callback(lock.release)
            if force or lock.note:
                rehome(self.journal, means.disk)
            means.disk.sweep(self.folder)
            means.disk.sweep(self._tree.folder if self._tree else self.reports)
            means.disk.sweep(self.project / ROOT / "templates", shared=True)
            run = Run(self, settings, means, lock, templates, performers)
            stack.callback(run.close)
            run.begin(opening)
            searcher = await stack.enter_async_context(self._searcher(settings, performers.values(), means, run))
            return await run.go(searcher)

    @asynccontextmanager
    async def _performers(self, settings: Settings, means: Means) -> AsyncIterator[dict[str, Performer]]:
        """One per role, and one per hat that has a model of its own; those that name the same model share it."""
        options = BackendSettings("", settings.timeout, settings.idle_timeout, self.folder / "scratch")
        by_name: dict[str, Performer] = {}
        own = dict(settings.models)
        for name in (settings.model, settings.review_model, *own.values()):
            if name not in by_name:
                by_name[name] = Performer(means.open_backend(name, options), means.clock, paces=means.paces)
        try:
            roles = {"research": settings.model, "review": settings.review_model}
            yield {key: by_name[name] for key, name in (roles | own).items()}
        finally:
            with anyio.CancelScope(shield=True):
                for performer in by_name.values():
                    await performer.backend.aclose()

    @asynccontextmanager
    async def _searcher(
        self, settings: Settings, performers: Iterable[Performer], means: Means, run: Run
    ) -> AsyncIterator[Searcher]:
        """Local files, and the web where it is wished for; only named files when every backend has tools of its own."""
        roots = [self.project / path for path in settings.files]
        if means.searcher or all(performer.backend.abilities.tools for performer in performers):
            if _wish(settings):
                run.warn("--web, --site and --allow have no effect: this backend searches with tools of its own.")
            yield means.searcher or NamedFiles(roots)
            return
        from .search.files import FileSearch

        index = means.disk.make_folder(self.knowledge)
        files = await anyio.to_thread.run_sync(lambda: FileSearch.open(roots, index, progress=means.indexing))
        for skipped in files.report.skipped:
            run.warn(f"Skipped {skipped.location}: {skipped.reason}")
        try:
            web = await self._web(settings, means, run)
            yield Together(files, web, run.warn_of_web) if web else files
        finally:
            files.close()

    async def _web(self, settings: Settings, means: Means, run: Run) -> Searcher | None:
        """The web, as far as it is wished for. Sites are read here, unless they were read before."""
        wish = _wish(settings)
        if wish is None:
            return None
        from .search.web.opening import WebMeans, open_web

        web = await open_web(wish, self.knowledge, means.disk, means.clock, means.web or WebMeans(find_key))
        for note in web.notes:
            run.warn_of_web(note)
        for site in web.coverage:
            left_out = tuple(starmap(e.LeftOut, site.left_out))
            run.tell(e.SiteRead(site.site, site.found, len(site.read), left_out))
        return web.searcher


def _wish(settings: Settings) -> WebWish | None:
    """What is wanted of the web; UsageError when it cannot be meant. None keeps everything about it unloaded."""
    if not (settings.web or settings.sites or settings.allowed):
        return None
    from .search.web.opening import WebWish, check_wish

    wish = WebWish(settings.question, settings.web, settings.sites, settings.allowed)
    check_wish(wish)
    return wish


class Run:
    """One run of a researcher, by the process that holds its lock."""

    def __init__(
        self,
        researcher: Researcher,
        settings: Settings,
        means: Means,
        lock: ResearcherLock,
        templates: Templates,
        performers: dict[str, Performer],
    ) -> None:
        self._researcher = researcher
        self._means = means
        self._lock = lock
        self._templates = templates
        self._performers = performers
        self._past = researcher.past()
        self._journal = Journal(researcher.journal, means.disk, lock.check)
        self._journal.open(self._past.size)
        archive = Archive(researcher.folder, lock.token, means.disk, means.clock.now)
        tree = researcher.tree(settings)
        self._scribe = Scribe(researcher.folder, researcher.reports, means.disk, archive, means.clock, lock.check, tree)
        self._told: list[e.Event] = [e.Warned(note) for note in (self._past.note, lock.note) if note]
        self._heard: set[e.Event] = set(self._past.state.sites.values())
        self._engine: Engine | None = None
        self._began = means.clock.monotonic()
        self._worked = self._past.state.elapsed

    def elapsed(self) -> float:
        """Seconds of work in all runs up to now, on a clock that does not jump."""
        return self._worked + self._means.clock.monotonic() - self._began

    def warn(self, message: str) -> None:
        self.tell(e.Warned(message))

    def warn_of_web(self, message: str) -> None:
        self.tell(e.Warned(message, "web"))

    def tell(self, event: e.Event) -> None:
        """Something for people: written at once while the engine runs, otherwise when it begins. Nothing twice."""
        if event in self._heard:
            return
        self._heard.add(event)
        if self._engine:
            self._engine.tell(event)
        else:
            self._told.append(event)

    def close(self) -> None:
        self._journal.close()

    def begin(self, opening: Opening) -> None:
        """Put on record that this process runs the researcher now."""
        drop_stops(self._researcher.folder, self._means.disk)
        events = opening(self._past.state)
        self._write(*events, e.RunStarted(self._lock.token, self._means.clock.now()))
        self._scribe.catch_up(self._past.state)

    async def go(self, searcher: Searcher) -> Outcome:
        """Run the engine and write down how it ended, whatever ends it."""
        self._write_told()
        ended = e.RunEnded("failed")
        try:
            outcome = await self._run(searcher)
            while (approval := await self._approval()) and approval.feedback:
                self._write(e.ReportRejected((f"The person in charge says: {approval.feedback}",)))
                outcome = await self._run(searcher)
            if approval and not approval.granted:
                outcome = Outcome(Ending.STOPPED, "the report was not approved; continue with --resume --approve")
            ended = e.RunEnded(outcome.ending, outcome.reason, self.elapsed() - self._worked)
        except DeeprootError as error:
            ended = e.RunEnded(Ending.FAILED, str(error), self.elapsed() - self._worked)
            if isinstance(error, StorageError | LockLostError):
                raise
            self._finish(ended)
            raise
        except anyio.get_cancelled_exc_class():
            self._finish(e.RunEnded("interrupted", "", self.elapsed() - self._worked))
            raise
        self._finish(ended)
        if outcome.ending is Ending.COMPLETE:
            self._scribe.files.clean_up()
        return outcome

    async def _run(self, searcher: Searcher) -> Outcome:
        self._engine = self._new_engine(searcher)
        try:
            return await self._engine.run()
        finally:
            self._engine = None

    async def _approval(self) -> Approval | None:
        """Ask the person, where that was wished and there is something to approve."""
        if self._means.approve is None or not self._past.state.finished:
            return None
        self._scribe.write(self._past.state)
        asked = self._means.clock.monotonic()
        approval = await self._means.approve(self._researcher.report)
        self._began += self._means.clock.monotonic() - asked  # a person who thinks does not use up the budget
        return approval

    def _write_told(self) -> None:
        told, self._told = self._told, []
        if told:
            self._write(*told)

    def _finish(self, ended: e.RunEnded) -> None:
        self._write_told()
        self._write(ended)
        self._scribe.write(self._past.state)

    def _write(self, *events: e.Event) -> None:
        entry = Entry(self._means.clock.now(), batch=Batch(events), elapsed=round(self.elapsed(), 3))
        self._journal.write([entry])
        apply_entry(self._past.state, self._past.steps, entry)
        self._scribe.note(entry, self._past.state)
        self._means.watch(entry, self._past.state)

    def _new_engine(self, searcher: Searcher) -> Engine:
        return Engine(
            state=self._past.state,
            steps=self._past.steps,
            cycle=self._researcher.cycle,
            strategy=STRATEGIES[self._past.state.settings.strategy](),
            performers=self._performers,
            searcher=searcher,
            sources=SourceStore(self._researcher.knowledge, self._means.disk),
            templates=self._templates,
            journal=self._journal,
            scribe=self._scribe,
            noticer=Noticer(self._scribe, lambda seq: self._researcher.past(seq).state),
            lock=self._lock,
            disk=self._means.disk,
            clock=self._means.clock,
            elapsed=self.elapsed,
            watch=self._means.watch,
        )
