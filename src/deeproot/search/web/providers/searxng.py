"""A SearXNG instance of one's own: its address in SEARXNG_URL. It must offer the format `json`."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from pydantic import TypeAdapter

from ....asks import Failure
from ....errors import UsageError
from ..guard import Refused, Target, parse
from . import ProviderMeans, Result
from .interface import ask, plain

ADDRESS = "SEARXNG_URL"


@dataclass(frozen=True, slots=True)
class _Hit:
    url: str
    title: str = ""
    content: str | None = ""


@dataclass(frozen=True, slots=True)
class _Answer:
    results: tuple[_Hit, ...]


_SHAPE = TypeAdapter(_Answer)


@dataclass(frozen=True, slots=True)
class SearXNG:
    """The instance may be on this machine or network: its owner named it."""

    means: ProviderMeans
    place: Target
    name: str = "searxng"

    @property
    def base(self) -> str:
        return self.place.url.rstrip("/")

    async def results(self, query: str, limit: int) -> tuple[Result, ...] | Failure:
        url = f"{self.base}/search?{urlencode({'q': query, 'format': 'json'})}"
        own = f"{self.place.host}:{self.place.port}"
        found = await ask(self.means.fetcher, self.name, url, _SHAPE, trusted=own)
        if isinstance(found, Failure):
            return found
        return tuple(Result(plain(hit.title), hit.url, plain(hit.content or "")) for hit in found.results[:limit])


def open_provider(means: ProviderMeans) -> SearXNG | None:
    address = means.environment.get(ADDRESS, "").strip()
    if not address:
        return None
    place = parse(address)
    if isinstance(place, Refused):
        raise UsageError(f"{ADDRESS}={address!r} is not an address ({place.reason}). Example: http://localhost:8888")
    return SearXNG(means, place)
