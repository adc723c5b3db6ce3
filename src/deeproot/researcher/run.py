"""One run: from taking up the journal to writing down how it ended."""

from __future__ import annotations

from collections.abc import Callable
from itertools import starmap

import anyio

from .. import events as e
from ..engine.engine import Ending, Engine, Outcome, apply_entry
from ..engine.notice import Noticer
from ..engine.perform import Performer
from ..engine.strategy import STRATEGIES
from ..errors import DeeprootError, LockLostError, StorageError
from ..knowledge.sources import SourceStore
from ..project.archive import Archive
from ..project.journal import Batch, Entry, Journal
from ..project.lock import ResearcherLock
from ..project.requests import drop_stops
from ..project.scribe import Scribe
from ..project.templates import Templates
from ..search import Searcher
from ..settings import Settings
from ..state import State
from .home import Home
from .means import Approval, Means

Opening = Callable[[State], list[e.Event]]
INTERRUPTED = "interrupted"
"""How a run ended that was cancelled from outside; its process then has no outcome to give."""


class Run:
    """One run of a researcher, by the process that holds its lock."""

    def __init__(
        self,
        home: Home,
        settings: Settings,
        means: Means,
        lock: ResearcherLock,
        templates: Templates,
        performers: dict[str, Performer],
    ) -> None:
        self._home = home
        self._means = means
        self._lock = lock
        self._templates = templates
        self._performers = performers
        self._past = home.past()
        self._journal = Journal(home.journal, means.disk, lock.check)
        self._journal.open(self._past.size)
        archive = Archive(home.folder, lock.token, means.disk, means.clock.now)
        tree = home.tree(settings)
        self._scribe = Scribe(home.folder, home.reports, means.disk, archive, means.clock, lock.check, tree)
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
        drop_stops(self._home.folder, self._means.disk)
        events = opening(self._past.state)
        self._write(*events, e.RunStarted(self._lock.token, self._means.clock.now()))
        self._scribe.catch_up(self._past.state)

    async def go(self, searcher: Searcher) -> Outcome:
        """Run the engine and write down how it ended, whatever ends it."""
        self._write_told()
        try:
            outcome = await self._run_until_approved(searcher)
        except (StorageError, LockLostError):
            raise  # nothing more can, or may, be written
        except DeeprootError as error:
            self._finish(Ending.FAILED, str(error))
            raise
        except anyio.get_cancelled_exc_class():
            self._finish(INTERRUPTED)
            raise
        self._finish(outcome.ending, outcome.reason)
        if outcome.ending is Ending.COMPLETE:
            self._scribe.files.clean_up()
        return outcome

    async def _run_until_approved(self, searcher: Searcher) -> Outcome:
        """Feedback of the person who approves has the report revised, as often as there is some."""
        outcome = await self._run(searcher)
        while (approval := await self._approval()) and approval.feedback:
            self._write(e.ReportRejected((f"The person in charge says: {approval.feedback}",)))
            outcome = await self._run(searcher)
        if approval and not approval.granted:
            return Outcome(Ending.STOPPED, "the report was not approved; continue with --resume --approve")
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
        approval = await self._means.approve(self._home.report)
        self._began += self._means.clock.monotonic() - asked  # a person who thinks does not use up the budget
        return approval

    def _write_told(self) -> None:
        told, self._told = self._told, []
        if told:
            self._write(*told)

    def _finish(self, ending: str, reason: str = "") -> None:
        self._write_told()
        files = tuple(starmap(e.HandedOver, self._scribe.hand_over(self._past.state).items()))
        self._write(e.RunEnded(ending, reason, self.elapsed() - self._worked, files))
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
            cycle=self._home.cycle,
            strategy=STRATEGIES[self._past.state.settings.strategy](),
            performers=self._performers,
            searcher=searcher,
            sources=SourceStore(self._home.knowledge, self._means.disk),
            templates=self._templates,
            journal=self._journal,
            scribe=self._scribe,
            noticer=Noticer(self._scribe, lambda seq: self._home.past(seq).state),
            lock=self._lock,
            disk=self._means.disk,
            clock=self._means.clock,
            elapsed=self.elapsed,
            watch=self._means.watch,
        )
