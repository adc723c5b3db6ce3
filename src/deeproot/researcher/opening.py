"""What a run needs opened before it begins: who answers, and what is searched."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from .. import events as e
from ..backends import BackendSettings
from ..backends.keys import find_key
from ..engine.perform import Performer
from ..search import Searcher
from ..search.named import NamedFiles
from ..search.together import Together
from ..settings import Settings
from .home import Home
from .means import Means
from .run import Run

if TYPE_CHECKING:
    from ..search.web.opening import WebWish


@asynccontextmanager
async def open_performers(settings: Settings, means: Means, scratch: Path) -> AsyncIterator[dict[str, Performer]]:
    """One per role, and one per hat that has a model of its own; those that name the same model share it."""
    options = BackendSettings("", settings.timeout, settings.idle_timeout, scratch)
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
async def open_searcher(
    home: Home, settings: Settings, performers: Iterable[Performer], means: Means, run: Run
) -> AsyncIterator[Searcher]:
    """Local files, and the web where it is wished for; only named files when every backend has tools of its own."""
    roots = [home.project / path for path in settings.files]
    if means.searcher or all(performer.backend.abilities.tools for performer in performers):
        if wish_of(settings):
            run.warn("--web, --site and --allow have no effect: this backend searches with tools of its own.")
        yield means.searcher or NamedFiles(roots)
        return
    from ..search.files import FileSearch

    index = means.disk.make_folder(home.knowledge)
    files = await anyio.to_thread.run_sync(lambda: FileSearch.open(roots, index, progress=means.indexing))
    for skipped in files.report.skipped:
        run.warn(f"Skipped {skipped.location}: {skipped.reason}")
    try:
        web = await _open_web(home, settings, means, run)
        yield Together(files, web, run.warn_of_web) if web else files
    finally:
        files.close()


async def _open_web(home: Home, settings: Settings, means: Means, run: Run) -> Searcher | None:
    """The web, as far as it is wished for. Sites are read here, unless they were read before."""
    wish = wish_of(settings)
    if wish is None:
        return None
    from ..search.web.opening import WebMeans, open_web

    web = await open_web(wish, home.knowledge, means.disk, means.clock, means.web or WebMeans(find_key))
    for note in web.notes:
        run.warn_of_web(note)
    for site in web.coverage:
        left_out = tuple(starmap(e.LeftOut, site.left_out))
        run.tell(e.SiteRead(site.site, site.found, len(site.read), left_out))
    return web.searcher


def wish_of(settings: Settings) -> WebWish | None:
    """What is wanted of the web; UsageError when it cannot be meant. None keeps everything about it unloaded."""
    if not (settings.web or settings.sites or settings.allowed):
        return None
    from ..search.web.opening import WebWish, check_wish

    wish = WebWish(settings.question, settings.web, settings.sites, settings.allowed)
    check_wish(wish)
    return wish
