"""Starting and resuming a line of research."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AsyncExitStack

from .. import events as e
from ..engine.engine import Outcome
from ..errors import UsageError
from ..project.journal import rehome
from ..project.lock import ResearcherLock
from ..project.templates import load_templates
from ..project.views import SCHEMA_VERSION
from ..settings import Settings
from ..state import State
from .home import ROOT, Home
from .means import Means
from .opening import open_performers, open_searcher, wish_of
from .run import Opening, Run

Change = Callable[[Settings], Settings]


class Researcher(Home):
    """A named, permanent line of research. It is started once and resumed any number of times."""

    async def start(self, settings: Settings, means: Means | None = None) -> Outcome:
        """Begin a new line of research."""
        return await self._run(settings, self._opening_of_new(settings), means or Means())

    def _opening_of_new(self, settings: Settings) -> Opening:
        def opening(state: State) -> list[e.Event]:
            if state.seq:
                raise UsageError(
                    f"There is a researcher called {self.name!r} already. "
                    f"Go on with it: {state.settings.resume_command}. Or choose another --name."
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
        wish_of(settings)
        templates = load_templates(self.project / ROOT / "templates", means.disk)
        async with AsyncExitStack() as stack:
            performers = await stack.enter_async_context(open_performers(settings, means, self.folder / "scratch"))
            means.disk.make_folder(self.folder, durable=True)
            means.disk.make_folder(self.reports, durable=True)
            lock = ResearcherLock.acquire(self.folder, means.disk, means.clock.now, force)
            stack.callback(lock.release)
            if force or lock.note:
                rehome(self.journal, means.disk)
                means.disk.sweep(self.knowledge, shared=True)
            means.disk.sweep(self.folder)
            means.disk.sweep(self.own_tree.folder if self.own_tree else self.reports)
            means.disk.sweep(self.project / ROOT / "templates", shared=True)
            run = Run(self, settings, means, lock, templates, performers)
            stack.callback(run.close)
            run.begin(opening)
            searcher = await stack.enter_async_context(open_searcher(self, settings, performers, means, run))
            return await run.go(searcher)
