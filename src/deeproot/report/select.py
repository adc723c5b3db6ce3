"""Which findings a report of so many words has room for. Pure, and the same for every backend."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..model import Document, Finding, Topic

OPENING = 14  # words that open the summary; what it says, the sections do not repeat
FRAME = 15  # words of the title and the fixed headings
MARKS = 1.5  # a citation, and now and then a bullet
CONNECTING = 2  # words that introduce a source in a section, beside its name
TITLE_WORDS = 5  # of the name of a source
CLOSING = 6  # words of a topic that has nothing to report
ALIKE = 0.8
FAINT = 1 / 8  # of the heaviest finding: lighter ones are left out, except a topic's heaviest

_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A finding and its place: which topic, and the how-manieth of it by weight."""

    topic: int
    rank: int
    finding: Finding


def select(documents: Sequence[tuple[Topic, Document]], words: int) -> tuple[tuple[Topic, Document], ...]:
    """The same documents with the heaviest findings that fit into `words`, and no finding twice.

    `words` is for the summary and the sections together. Among equals each topic gets its turn.
    """
    room: float = words - OPENING - FRAME - sum(_overhead(*pair) for pair in documents)
    faintest = FAINT * max((f.weight for _, document in documents for f in document.findings), default=0.0)
    taken: list[_Candidate] = []
    statements: list[Statement] = []
    introduced: set[tuple[int, str]] = set()
    for candidate in _in_order(documents):
        finding = candidate.finding
        if candidate.rank and finding.weight < faintest:
            continue
        statement = Statement.of(finding.quote)
        place = (candidate.topic, finding.source.location)
        cost = _length(finding) + (0 if place in introduced else _introduction(finding))
        if cost > room or any(statement.repeats(other) for other in statements):
            continue
        room -= cost
        introduced.add(place)
        taken.append(candidate)
        statements.append(statement)
    kept = {candidate.finding.id for candidate in taken}
    return tuple((topic, _only(document, kept)) for topic, document in documents)


@dataclass(frozen=True, slots=True)
class Statement:
    """What two sentences are compared by. Other numbers make another statement, however alike the words."""

    words: frozenset[str]
    numbers: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Statement:
        return cls(frozenset(_WORD.findall(text.casefold())), frozenset(_NUMBER.findall(text)))

    def repeats(self, other: Statement) -> bool:
        """Whether it says nothing that `other` does not say, or nearly so."""
        if not self.numbers <= other.numbers:
            return False
        shared = len(self.words & other.words)
        if self.numbers == other.numbers:
            return shared >= ALIKE * len(self.words | other.words)
        return shared == len(self.words) > 0


def _overhead(topic: Topic, document: Document) -> int:
    return len(topic.title.split()) + 1 + (0 if document.findings else CLOSING)


def _length(finding: Finding) -> float:
    """What it takes to say it: the longer of claim and quote, since a writer may choose either."""
    return max(len(finding.claim.split()), len(finding.quote.split())) + MARKS


def _introduction(finding: Finding) -> int:
    return CONNECTING + min(TITLE_WORDS, max(1, len(finding.source.title.split())))


def _in_order(documents: Sequence[tuple[Topic, Document]]) -> list[_Candidate]:
    """Heaviest first; equals in turns, first the heaviest of each topic, then the second of each."""
    candidates = []
    for index, (_, document) in enumerate(documents):
        by_weight = sorted(document.findings, key=lambda finding: -finding.weight)
        candidates += [_Candidate(index, rank, finding) for rank, finding in enumerate(by_weight)]
    return sorted(candidates, key=lambda c: (-c.finding.weight, c.rank, c.topic))


def _only(document: Document, kept: set[str]) -> Document:
    return replace(document, findings=tuple(finding for finding in document.findings if finding.id in kept))
