"""Brave Search, with a key (BRAVE_API_KEY)."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from pydantic import TypeAdapter

from ....asks import Failure
from ..wire import Call
from . import ProviderMeans, Result
from .interface import ask, plain

KEY = "BRAVE_API_KEY"
MOST = 20


@dataclass(frozen=True, slots=True)
class _Hit:
    url: str
    title: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class _Hits:
    results: tuple[_Hit, ...] = ()


@dataclass(frozen=True, slots=True)
class _Answer:
    type: str
    web: _Hits | None = None


_SHAPE = TypeAdapter(_Answer)


@dataclass(frozen=True, slots=True)
class Brave:
    means: ProviderMeans
    key: str
    base: str = "https://api.search.brave.com"
    name: str = "brave"

    async def results(self, query: str, limit: int) -> tuple[Result, ...] | Failure:
        wanted = urlencode({"q": query, "count": min(limit, MOST), "result_filter": "web"})
        call = Call((("Accept", "application/json"), ("X-Subscription-Token", self.key)))
        found = await ask(self.means.fetcher, self.name, f"{self.base}/res/v1/web/search?{wanted}", _SHAPE, call)
        if isinstance(found, Failure):
            return found
        hits = found.web.results if found.web else ()
        return tuple(Result(plain(hit.title), hit.url, plain(hit.description)) for hit in hits[:limit])


def open_provider(means: ProviderMeans) -> Brave | None:
    key = means.find_key((KEY,))
    return Brave(means, key) if key else None
