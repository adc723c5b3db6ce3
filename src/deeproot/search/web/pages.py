"""Pages by address: from the store where they are kept, otherwise fetched, read and kept."""

from __future__ import annotations

import anyio
import anyio.to_thread

from ...asks import Failure, Reason
from ...clock import Clock
from ..readers import Unreadable
from .apart import read_apart
from .fetch import Fetcher
from .guard import Refused
from .reading import LIMITS, content_type, is_readable
from .store import Page, PageStore

MOST_PARALLEL = 6
_LASTING = frozenset((Reason.FAILED, Reason.REFUSED))


class Pages:
    """Every page is fetched once, however many ask for it; what failed for good is not tried again in this run."""

    def __init__(self, fetcher: Fetcher, store: PageStore, clock: Clock, seconds: float = LIMITS.seconds) -> None:
        self.fetcher = fetcher
        self.store = store
        self._clock, self._seconds = clock, seconds
        self._failed: dict[str, Failure] = {}
        self._turns: dict[str, anyio.Lock] = {}
        self._limiter = anyio.CapacityLimiter(MOST_PARALLEL)

    async def get(self, url: str) -> Page | Failure:
        target = self.fetcher.guard.target(url)
        if isinstance(target, Refused):
            return Failure(Reason.REFUSED, f"{url}: {target.reason}")
        async with self._turns.setdefault(target.url, anyio.Lock()):
            return await self.kept(target.url) or self._failed.get(target.url) or await self._fetch(target.url)

    async def kept(self, address: str) -> Page | None:
        """The page if it was read before. `address` is in its normal form."""
        return await anyio.to_thread.run_sync(self.store.find, address)

    def text(self, address: str) -> str | None:
        """The text of a page that was read before."""
        page = self.store.find(address)
        return page.reading.text if page else None

    async def _fetch(self, address: str) -> Page | Failure:
        async with self._limiter:
            found = await self._read(address)
        if isinstance(found, Page):
            await anyio.to_thread.run_sync(self.store.keep, address, found)
        elif found.reason in _LASTING:
            self._failed[address] = found
        return found

    async def _read(self, address: str) -> Page | Failure:
        response = await self.fetcher.fetch(address, is_readable)
        if isinstance(response, Failure):
            return response
        read = await read_apart(response, self._seconds)
        if isinstance(read, Unreadable):
            return Failure(Reason.FAILED, f"{address}: {read.reason}")
        read_at = round(self._clock.now(), 3)
        return Page(response.url, read.reading, read.links, read_at, content_type(response))
