"""Tavily, with a key (TAVILY_API_KEY)."""

from __future__ import annotations

import json
from dataclasses import dataclass

from pydantic import TypeAdapter

from ....asks import Failure
from ..wire import Call
from . import ProviderMeans, Result
from .interface import ask, plain

KEY = "TAVILY_API_KEY"
MOST = 20


@dataclass(frozen=True, slots=True)
class _Hit:
    url: str
    title: str = ""
    content: str = ""


@dataclass(frozen=True, slots=True)
class _Answer:
    results: tuple[_Hit, ...]


_SHAPE = TypeAdapter(_Answer)


@dataclass(frozen=True, slots=True)
class Tavily:
    means: ProviderMeans
    key: str
    base: str = "https://api.tavily.com"
    name: str = "tavily"

    async def results(self, query: str, limit: int) -> tuple[Result, ...] | Failure:
        body = json.dumps({"query": query, "max_results": min(limit, MOST), "search_depth": "basic"}).encode()
        headers = (("Authorization", f"Bearer {self.key}"), ("Content-Type", "application/json"))
        found = await ask(self.means.fetcher, self.name, f"{self.base}/search", _SHAPE, Call(headers, body))
        if isinstance(found, Failure):
            return found
        return tuple(Result(plain(hit.title), hit.url, plain(hit.content)) for hit in found.results[:limit])


def open_provider(means: ProviderMeans) -> Tavily | None:
    key = means.find_key((KEY,))
    return Tavily(means, key) if key else None
