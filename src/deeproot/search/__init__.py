"""Search: what finds passages for a query. Everything here is cheap to import; the work is in `files`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..asks import Failure
from ..model import Passage, Tag


@dataclass(frozen=True, slots=True)
class Found:
    """Passages, best first. `tags` say what code noticed on the way, such as a provider that had to be left out."""

    passages: tuple[Passage, ...] = ()
    tags: tuple[Tag, ...] = ()


class Searcher(Protocol):
    async def search(self, query: str, limit: int) -> Found | Failure:
        """At most `limit` passages; the same query over the same texts gives the same answer."""

    async def read(self, location: str, query: str, limit: int) -> Found | Failure:
        """The passages of one page or file nearest to a query. Refused unless a person or a search named it."""

    def source_text(self, location: str) -> str | None:
        """The text the passages of that location were cut from; None when it is not held."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that was left out, wholly or in part, and why."""

    location: str
    reason: str


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What bringing an index up to date came to: what it holds now, and what changed on the way."""

    files: int
    changed: int
    removed: int
    passages: int
    bytes: int
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of one file is taken in, so that no single file can fill the memory or stop the run.

    file_bytes: what is read of a text file; the rest is left out and reported.
    document_bytes: the largest PDF, office or mail file that is opened at all.
    unpacked_bytes: what a compressed document may unpack to.
    seconds: how long one document may take to parse.
    """

    file_bytes: int = 32 * 1024 * 1024
    document_bytes: int = 128 * 1024 * 1024
    unpacked_bytes: int = 64 * 1024 * 1024
    seconds: float = 30.0
