"""What a run needs opened before it begins: who answers, and what is searched."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import replace
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from .. import events as e
from ..backends import Backend, BackendSettings
from ..backends.keys import find_key
from ..engine.perform import Performer
from ..errors import first_of_ours
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
    asked = {"research": settings.model, "review": settings.review_model, **dict(settings.models)}
    async with AsyncExitStack() as opened:
        for name in dict.fromkeys(asked.values()):
            backend = means.open_backend(name, options)
            opened.push_async_callback(_close, backend)
            by_name[name] = Performer(backend, means.clock, paces=means.paces)
        yield {key: by_name[name] for key, name in asked.items()}


async def _close(backend: Backend) -> None:
    with anyio.CancelScope(shield=True):
        await backend.aclose()


@asynccontextmanager
async def open_searcher(
    home: Home, settings: Settings, performers: Mapping[str, Performer], means: Means, run: Run
) -> AsyncIterator[Searcher]:
    """Local files, and the web where it is wished for; where agents search by themselves, only what they name."""
    if means.searcher:
        yield means.searcher
        return
    reviewing = {"review", *(hat.name for hat in home.cycle.hats.values() if hat.role == "review")}
    agents = all(performer.backend.abilities.tools for who, performer in performers.items() if who not in reviewing)
    wish = wish_of(settings)
    async with _open_files(home, settings, agents, means, run) as files:
        web = await _open_web(home, _after_agents(wish, run) if wish and agents else wish, means, run)
        yield Together(files, web, run.warn_of_web) if web else files


@asynccontextmanager
async def _open_files(home: Home, settings: Settings, agents: bool, means: Means, run: Run) -> AsyncIterator[Searcher]:
    roots = [home.project / path for path in settings.files]
    if agents:
        yield NamedFiles(roots)
        return
    from ..search.files import FileSearch

    index = means.disk.make_folder(home.knowledge, durable=True)
    files = await anyio.to_thread.run_sync(lambda: FileSearch.open(roots, index, progress=means.indexing))
    for skipped in files.report.skipped:
        run.warn(f"Skipped {skipped.location}: {skipped.reason}")
    with closing(files):
        yield files


def _after_agents(wish: WebWish, run: Run) -> WebWish | None:
    """What is left of a wish where agents search by themselves: to read the pages that they open."""
    if wish.sites or not wish.search:
        run.warn("--site has no effect, and --allow only with --web: this backend searches with tools of its own.")
    return replace(wish, search=False, sites=(), after_agents=True) if wish.search else None


async def _open_web(home: Home, wish: WebWish | None, means: Means, run: Run) -> Searcher | None:
    """The web, as far as it is wished for. Sites are read here, unless they were read before."""
    if wish is None:
        return None
    from ..search.web.opening import WebMeans, open_web

    try:
        web = await open_web(wish, home.knowledge, means.disk, means.clock, means.web or WebMeans(find_key))
    except ExceptionGroup as errors:  # pages of a site are read side by side
        raise first_of_ours(errors) from errors
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
