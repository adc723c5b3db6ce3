"""A whole site: its map, then its pages, breadth first, within limits; and what of it was read."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import anyio

from ...asks import Failure, Reason
from .. import Skipped
from ..words import STOP_WORDS, stem, tokens
from .guard import Refused, Target, parse
from .pages import Pages
from .robots import Robots
from .store import Coverage, Page

_LOC = re.compile(r"<loc>\s*(?:<!\[CDATA\[)?\s*([^<\]\s]{1,2048})\s*(?:\]\]>)?\s*</loc>", re.IGNORECASE)
_SITEMAP_INDEX = re.compile(r"<sitemapindex\b", re.IGNORECASE)
MOST_SITEMAPS, MOST_MAPPED = 5, 2_000
AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class CrawlLimits:
    """How much of a site is read. `depth` counts links from the page the person named."""

    pages: int = 20
    depth: int = 3


@dataclass(frozen=True, slots=True)
class Crawled:
    pages: tuple[Page, ...]
    coverage: Coverage


async def crawl(pages: Pages, site: str, question: str = "", limits: CrawlLimits | None = None) -> Crawled | Failure:
    """Read a site from the page a person named. A failure when not even that page can be read."""
    target = pages.fetcher.guard.target(site)
    if isinstance(target, Refused):
        return Failure(Reason.REFUSED, f"{site}: {target.reason}")
    return await _Crawl(pages, target, question, limits or CrawlLimits()).run()


class _Crawl:
    def __init__(self, pages: Pages, start: Target, question: str, limits: CrawlLimits) -> None:
        self._pages, self._start, self._limits = pages, start, limits
        self._words = {stem(word) for word in tokens(question)} - STOP_WORDS
        self._seen: dict[str, None] = {start.url: None}
        self._read: dict[str, Page] = {}
        self._skipped: dict[str, str] = {}
        self._tries = 0
        self._robots = Robots()

    async def run(self) -> Crawled | Failure:
        first = await self._pages.get(self._start.url)
        if isinstance(first, Failure):
            return first
        self._tries, self._read[self._start.url] = 1, first
        robots = await self._pages.fetcher.robots(self._start)
        self._robots = robots if isinstance(robots, Robots) else Robots()
        level = self._new([*first.links, *await self._map()])
        for _ in range(self._limits.depth):
            await self._read_level(level)
            level = self._new(link for address in level if address in self._read for link in self._read[address].links)
        self._skip(level, f"more than {self._limits.depth} links away")
        read = {address: self._read[address] for address in self._seen if address in self._read}
        skipped = tuple(Skipped(each, self._skipped[each]) for each in self._seen if each in self._skipped)
        return Crawled(tuple(read.values()), Coverage(self._start.url, len(self._seen), tuple(read), skipped))

    async def _map(self) -> list[str]:
        """The addresses in the site's own map, which may be in parts."""
        waiting = list(self._robots.sitemaps) or [f"{self._start.origin}/sitemap.xml"]
        found: list[str] = []
        for _ in range(MOST_SITEMAPS):
            address = self._own(waiting.pop(0)) if waiting else None
            part = await self._pages.get(address) if address else None
            if isinstance(part, Page):
                places = [html.unescape(place) for place in _LOC.findall(part.reading.text)][:MOST_MAPPED]
                (waiting if _SITEMAP_INDEX.search(part.reading.text) else found).extend(places)
        return found

    def _own(self, address: str) -> str | None:
        """The address in its normal form, if it is on the same host."""
        target = parse(address, self._start.url)
        if isinstance(target, Refused) or (target.host, target.port) != (self._start.host, self._start.port):
            return None
        return target.url

    def _new(self, addresses: Iterable[str]) -> list[str]:
        """Those of this host not seen before, the ones that speak of the question first."""
        own = dict.fromkeys(filter(None, map(self._own, addresses)))
        fresh = [address for address in own if address not in self._seen]
        self._seen |= dict.fromkeys(fresh)
        return sorted(fresh, key=lambda address: -len(self._words & {stem(word) for word in tokens(address)}))

    async def _read_level(self, level: Sequence[str]) -> None:
        """Read as many as the limit leaves; a page that fails has used one up."""
        waiting = [address for address in level if self._permitted(address)]
        while waiting and self._tries < self._limits.pages:
            count = min(AT_ONCE, self._limits.pages - self._tries)
            async with anyio.create_task_group() as group:
                for address in waiting[:count]:
                    group.start_soon(self._one, address)
            del waiting[:count]
        self._skip(waiting, f"the limit of {self._limits.pages} pages")

    async def _one(self, address: str) -> None:
        self._tries += 1
        page = await self._pages.get(address)
        if isinstance(page, Page):
            self._read[address] = page
        else:
            self._skipped[address] = str(page.reason)

    def _permitted(self, address: str) -> bool:
        target = parse(address)
        if isinstance(target, Target) and self._robots.allows(target.path):
            return True
        self._skip([address], "robots.txt")
        return False

    def _skip(self, addresses: Iterable[str], reason: str) -> None:
        self._skipped |= dict.fromkeys(addresses, reason)
