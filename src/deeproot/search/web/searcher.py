"""Search over the web: query → results → pages → passages. Only given addresses are ever read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import anyio
import anyio.to_thread

from ...asks import Failure, Reason
from ...model import Tag
from .. import Found
from .chain import Chain
from .granted import Granted
from .guard import Refused, Target, parse
from .outgoing import clean_query
from .pages import Pages
from .rank import nearest, rank_pages
from .store import Page

RESULTS = 10
READ = 6
SECONDS = 60.0
NO_NETWORK = "no network: no search provider can be reached from this machine; local files still work"


@dataclass(frozen=True, slots=True)
class _Looked:
    pages: tuple[Page, ...] = ()
    tags: tuple[Tag, ...] = ()


class WebSearch:
    """A searcher over the web, and over the pages of sites that were crawled for it."""

    def __init__(
        self, chain: Chain, pages: Pages, granted: Granted, said: str = "", sites: Sequence[Page] = ()
    ) -> None:
        self._chain, self._pages, self._granted, self._said = chain, pages, granted, said
        self._sites = tuple(sites)

    async def search(self, query: str, limit: int) -> Found | Failure:
        looked = await self._look(query) if self._chain.providers else _Looked()
        if isinstance(looked, Failure) and self._sites:
            limited = looked.reason is Reason.RATE_LIMITED
            looked = _Looked(tags=(Tag.RATE_LIMITED,) if limited else ())
        if isinstance(looked, Failure):
            return looked
        pages = (*self._sites, *looked.pages)
        return Found(await anyio.to_thread.run_sync(rank_pages, pages, query, limit), looked.tags)

    async def _look(self, query: str) -> _Looked | Failure:
        """The pages a provider names for the query, as far as they can be read in time."""
        words = clean_query(query, self._said)
        if not words:
            return Failure(Reason.REFUSED, "nothing in the query may be told to a search provider")
        found = await self._chain.results(words, RESULTS)
        if isinstance(found, Failure):
            no_network = not self._pages.fetcher.reached and found.reason is Reason.UNAVAILABLE
            return replace(found, message=NO_NETWORK) if no_network else found
        targets = (self._granted.grant(result.url) for result in found.results)
        addresses = list(dict.fromkeys(target.url for target in targets if isinstance(target, Target)))
        return _Looked(tuple(await self._read(addresses[:READ])), found.tags)

    async def _read(self, addresses: Sequence[str]) -> list[Page]:
        """Those pages, at the same time; what is not there in time, or at all, is left out."""
        read: dict[str, Page] = {}

        async def one(address: str) -> None:
            page = await self._pages.get(address)
            if isinstance(page, Page):
                read[address] = page

        with anyio.move_on_after(SECONDS):
            async with anyio.create_task_group() as group:
                for address in addresses:
                    group.start_soon(one, address)
        return [read[address] for address in addresses if address in read]

    async def read(self, location: str, query: str, limit: int) -> Found | Failure:
        target = self._pages.fetcher.guard.target(location)
        if isinstance(target, Refused):
            return Failure(Reason.REFUSED, f"{location}: {target.reason}")
        page: Page | Failure | None = await self._pages.kept(target.url)
        if page is None and not self._granted.permits(target):
            return Failure(Reason.REFUSED, f"{target.url}: neither a search nor a person gave this address")
        page = page or await self._pages.get(target.url)
        if isinstance(page, Failure):
            return page
        return Found(await anyio.to_thread.run_sync(nearest, page, query, limit))

    def source_text(self, location: str) -> str | None:
        target = parse(location)
        return self._pages.text(target.url) if isinstance(target, Target) else None
