"""What a report page is made of. Plain values: every text in them comes from outside and is shown as text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ...checks import Excerpt, Grade, Part
from ...model import Source, Status, Verdict
from .marks import Key


@dataclass(frozen=True, slots=True)
class Flaw:
    """What a gate holds against the report, in one line. `place` is the citation it speaks of, where it is one."""

    text: str
    place: Key | None = None


@dataclass(frozen=True, slots=True)
class GateSummary:
    """`score` is 0 to 100. `flaws` stand with the gravest first."""

    grade: Grade
    score: int
    parts: tuple[Part, ...] = ()
    flaws: tuple[Flaw, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """A topic of the outline, in tree order. `title` is the text of its heading in the body."""

    id: str
    title: str
    depth: int
    status: Status


@dataclass(frozen=True, slots=True)
class CheckedCitation:
    """One citation and what became of it.

    `occurrence` says where it stands: at the so-manieth `[n]` of the body, counted from 1. Several citations may
    share a place. `excerpt` is None when nothing was found in the source or its text was never held.
    """

    n: int
    occurrence: int
    sentence: str
    verdict: Verdict
    source: Source
    quote: str
    reasons: tuple[str, ...] = ()
    locator: str = ""
    excerpt: Excerpt | None = None


@dataclass(frozen=True, slots=True)
class NumberedSource:
    """An entry of the list of sources. `note` is for what else is known: lines cited, when it was read."""

    n: int
    source: Source
    note: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """How the report came about, a line at a time: models, iterations, dates."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Page:
    """A finished report, for people.

    `body` is the text of `report.md`. Its title is left out, and so is its list of sources when `sources` has one:
    the page shows both itself.
    """

    title: str
    question: str
    body: str
    outline: tuple[Entry, ...] = ()
    citations: tuple[CheckedCitation, ...] = ()
    gate: GateSummary | None = None
    facts: tuple[Fact, ...] = ()
    sources: tuple[NumberedSource, ...] = ()

    def __post_init__(self) -> None:
        twice = [n for n, count in Counter(source.n for source in self.sources).items() if count > 1]
        if twice:
            raise ValueError(f"Two sources of a page have the number {twice[0]}; number each source once.")
