"""The nouns: what a researcher's tree is made of. Plain frozen values, no I/O, no imports of ours."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """Where a topic stands. The values are the words of `research_plan.md`."""

    PENDING = "Pending"
    IN_PROGRESS = "In Progress"
    IN_REVIEW = "In Review"
    COMPLETE = "Complete"
    EXHAUSTED = "Exhausted"

    @property
    def closed(self) -> bool:
        return self in (Status.COMPLETE, Status.EXHAUSTED)


class Tag(StrEnum):
    """A flag raised by code on a topic or on the run; every one that is raised has to be named in the report."""

    RETRY_EXHAUSTED = "#RETRY_EXHAUSTED"
    LOW_EVIDENCE = "#LOW_EVIDENCE"
    SOURCE_DISAGREEMENT = "#SOURCE_DISAGREEMENT"
    SUSPECT_SOURCE = "#SUSPECT_SOURCE"
    OUT_OF_DATE = "#OUT_OF_DATE"
    RATE_LIMITED = "#RATE_LIMITED"
    SCOPE_EXCEEDED = "#SCOPE_EXCEEDED"
    CONTEXT_DEGRADED = "#CONTEXT_DEGRADED"
    CONTRADICTION = "#CONTRADICTION"
    PATH_DECISION = "#PATH_DECISION"


class Verdict(StrEnum):
    """What a source does for the sentence that cites it."""

    SUPPORTED = "supported"
    PARTIAL = "partial"
    UNSUPPORTED = "unsupported"
    REFUTED = "refuted"
    UNVERIFIABLE = "unverifiable"

    @property
    def failed(self) -> bool:
        """The source does not bear the sentence out."""
        return self in (Verdict.UNSUPPORTED, Verdict.REFUTED)


@dataclass(frozen=True, slots=True)
class Topic:
    """A node of the tree. `id` is its place ("2.1" is the first child of the second topic) and never changes."""

    id: str
    title: str
    slug: str
    depth: int
    parent: str | None = None
    description: str = ""
    criteria: tuple[str, ...] = ()
    status: Status = Status.PENDING
    tags: tuple[Tag, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A page or file as it was when read. `sha256` is of its text; None when only an agent saw the text.

    `content_type` is what a server called it; None where the name tells.
    """

    location: str
    title: str = ""
    sha256: str | None = None
    content_type: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A verbatim piece of a source, as a search returned it, with its line range (1-based, inclusive)."""

    source: Source
    text: str
    first_line: int
    last_line: int
    section: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim with its evidence: a quote, and where the quote stands.

    `weight` (0..1) says how strongly it bears on the question; writers spend words on the heaviest first. `found`
    says whether code found the quote in the source; None when only an agent saw the text. `section` is the heading or
    symbol it stands under, where the passage had one.
    """

    id: str
    claim: str
    quote: str
    source: Source
    lines: tuple[int, int] | None = None
    weight: float = 0.5
    found: bool | None = None
    section: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """What a topic's research concluded."""

    summary: str
    findings: tuple[Finding, ...] = ()
    gaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """The report's text for one topic, in Markdown. Citations are finding ids: `[F1.2-3]`."""

    topic: str
    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer cost, as far as the backend told."""

    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        costs = [c for c in (self.cost, other.cost) if c is not None]
        return Usage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.tokens_cached + other.tokens_cached,
            sum(costs) if costs else None,
        )


SLUG_LENGTH = 60


def slugify(title: str, fallback: str = "node") -> str:
    """A file-safe name: `[a-z0-9-]{1,60}`, no leading, trailing or doubled hyphens."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower())[:SLUG_LENGTH].strip("-")
    return slug or fallback


def unique_slug(title: str, taken: Collection[str]) -> str:
    """`slugify(title)`, with a number appended when that name is taken.

    Numbers are given out one after the other, so a free one is found by doubling and halving, not by counting.
    """
    slug = slugify(title)
    if slug not in taken:
        return slug
    free = 2
    while _numbered(slug, free) in taken:
        free *= 2
    used = free // 2
    while free - used > 1:
        middle = (used + free) // 2
        used, free = (middle, free) if _numbered(slug, middle) in taken else (used, middle)
    return _numbered(slug, free)


def _numbered(slug: str, number: int) -> str:
    suffix = f"-{number}"
    return slug[: SLUG_LENGTH - len(suffix)].rstrip("-") + suffix


def counted(number: int, noun: str) -> str:
    """`1 gap`, `2 gaps`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def one_line(text: str, limit: int = 0) -> str:
    """White space folded to single spaces; cut at `limit` characters when given."""
    line = " ".join(text.split())
    return line if not limit or len(line) <= limit else line[: limit - 1].rstrip() + "…"
