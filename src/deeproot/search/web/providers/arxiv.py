"""arXiv's search of preprints, which needs no key. It answers with a feed, also when something is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import urlencode
from xml.parsers import expat

from ....asks import Failure, Reason
from ....model import one_line
from ...words import STOP_WORDS, tokens
from . import ProviderMeans, Result
from .interface import SNIPPET

_ATOM = "http://www.w3.org/2005/Atom "
_FIELDS = frozenset(_ATOM + name for name in ("id", "title", "summary"))
_PAPER = re.compile(r"https?://(?:export\.)?arxiv\.org/abs/(?P<id>[\w./-]+?)(?:v\d+)?")
MOST_WORDS = 8


class _Doctype(Exception):
    """A feed declares no document type; one that does is an attack on the parser."""


@dataclass(frozen=True, slots=True)
class ArXiv:
    means: ProviderMeans
    base: str = "https://export.arxiv.org"
    name: str = "arxiv"

    async def results(self, query: str, limit: int) -> tuple[Result, ...] | Failure:
        words = list(dict.fromkeys(word for word in tokens(query) if word not in STOP_WORDS))[:MOST_WORDS]
        if not words:
            return ()
        wanted = urlencode({"search_query": " AND ".join(f"all:{word}" for word in words), "max_results": limit})
        response = await self.means.fetcher.call(f"{self.base}/api/query?{wanted}")
        if isinstance(response, Failure):
            return replace(response, message=f"{self.name}: no answer ({response.reason})")
        try:
            return tuple(_results(response.body))[:limit]
        except (expat.ExpatError, _Doctype, UnicodeError):
            return Failure(Reason.FAILED, f"{self.name}: gave an answer of another shape than agreed")


def _results(feed: bytes) -> Iterator[Result]:
    for entry in _entries(feed):
        paper = _PAPER.fullmatch(entry.get("id", "").strip())
        if paper:  # what else stands there is an error report in the dress of a paper
            url = f"https://arxiv.org/abs/{paper['id']}"
            yield Result(one_line(entry.get("title", "")), url, one_line(entry.get("summary", ""), SNIPPET))


def _entries(feed: bytes) -> list[dict[str, str]]:
    """The fields of every entry."""
    entries: list[dict[str, str]] = []
    path: list[str] = []

    def start(tag: str, _: object) -> None:
        path.append(tag)
        if path[1:] == [_ATOM + "entry"]:
            entries.append({})

    def text(words: str) -> None:
        if len(path) == 3 and path[1] == _ATOM + "entry" and path[2] in _FIELDS:
            field = path[2].removeprefix(_ATOM)
            entries[-1][field] = entries[-1].get(field, "") + words

    def doctype(*_: object) -> None:
        raise _Doctype

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler = start, lambda _: path.pop()
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = text, doctype
    parser.Parse(feed, True)
    return entries


def open_provider(means: ProviderMeans) -> ArXiv:
    return ArXiv(means)
