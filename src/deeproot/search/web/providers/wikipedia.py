"""Wikipedia's own search, which needs no key. DEEPROOT_WIKIPEDIA chooses the language (default: en)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from pydantic import TypeAdapter

from ....asks import Failure
from ....errors import UsageError
from . import ProviderMeans, Result
from .interface import ask, plain

LANGUAGE = "DEEPROOT_WIKIPEDIA"
MOST = 50


@dataclass(frozen=True, slots=True)
class _Hit:
    key: str
    title: str
    excerpt: str | None = ""


@dataclass(frozen=True, slots=True)
class _Answer:
    pages: tuple[_Hit, ...]


_SHAPE = TypeAdapter(_Answer)


@dataclass(frozen=True, slots=True)
class Wikipedia:
    means: ProviderMeans
    base: str = "https://en.wikipedia.org"
    name: str = "wikipedia"

    async def results(self, query: str, limit: int) -> tuple[Result, ...] | Failure:
        wanted = urlencode({"q": query, "limit": min(limit, MOST)})
        found = await ask(self.means.fetcher, self.name, f"{self.base}/w/rest.php/v1/search/page?{wanted}", _SHAPE)
        if isinstance(found, Failure):
            return found
        return tuple(
            Result(plain(hit.title), f"{self.base}/wiki/{quote(hit.key, safe=':/()')}", plain(hit.excerpt or ""))
            for hit in found.pages[:limit]
        )


def open_provider(means: ProviderMeans) -> Wikipedia:
    language = means.environment.get(LANGUAGE, "").strip() or "en"
    if not re.fullmatch(r"[a-z][a-z-]{1,20}", language):
        raise UsageError(f"{LANGUAGE}={language!r} is not a language of Wikipedia. Example: de")
    return Wikipedia(means, f"https://{language}.wikipedia.org")
