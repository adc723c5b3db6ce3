"""How much of a claim stands in a source, and where it stands closest together."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from .claims import Claim, Term
from .figures import Figure
from .lexicon import GENERAL, SAME, stem
from .reading import Reading
from .speech import MONTHS

WIDTHS = (1, 3, 8)  # sentences: said in one, said in a few, said in a paragraph
ONCE, SHORT, LONG = 0.4, 20, 60  # what is said once loses this share of its weight, in a source of few sentences


@dataclass(frozen=True, slots=True)
class Item:
    """A term or a figure of the claim, the sentences of the source that hold it, and what it weighs."""

    key: str
    sentences: frozenset[int]
    weight: float
    figure: Figure | None = None

    def times(self, factor: float) -> Item:
        return Item(self.key, self.sentences, self.weight * factor, self.figure)


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive sentences of the source and the share of the claim's weight they hold."""

    share: float
    first: int
    last: int


@dataclass(frozen=True)
class Coverage:
    """Sentences are known by the set of items they hold, as bits. `total` is what all of the claim weighs."""

    items: tuple[Item, ...]
    held: dict[int, int]
    total: float

    def share(self, bits: int) -> float:
        weight = 0.0
        for index, item in enumerate(self.items):
            if bits >> index & 1:
                weight += item.weight
        return weight / self.total

    def everywhere(self) -> float:
        """The share of the claim's weight found anywhere in the source."""
        return self.share(_union(self.held.values()))

    @cached_property
    def _best(self) -> dict[int, Window]:
        return {}

    def best(self, width: int) -> Window:
        """The `width` consecutive sentences that hold most; the first of equals."""
        if width not in self._best:
            self._best[width] = self._find_best(width)
        return self._best[width]

    def _find_best(self, width: int) -> Window:
        best, shares = Window(0.0, 0, 0), {0: 0.0}
        for first in sorted(self.held):
            here = [at for at in range(first, first + width) if at in self.held]
            bits = _union(self.held[at] for at in here)
            if bits not in shares:
                shares[bits] = self.share(bits)
            if shares[bits] > best.share + 1e-9:
                best = Window(shares[bits], first, here[-1])
        return best

    def words(self) -> float:
        """The share of the claim's telling words that the source has, each counted alike."""
        telling = [bool(item.sentences) for item in self.items if item.figure is None and item.key not in GENERAL]
        return sum(telling) / len(telling) if telling else self.everywhere()

    def mean(self) -> float:
        """How much is said at all, averaged with how much is said together: 0..1."""
        parts = [self.everywhere(), self.words(), *(self.best(width).share for width in WIDTHS)]
        return sum(parts) / len(parts)

    def repeated(self, sentences: int) -> Coverage:
        """The same, with less weight for what a source of so many sentences says only once.

        What a short text is about it says again; in a long one a detail stands once.
        """
        if sentences > LONG:
            return self
        lost = ONCE * min(1.0, SHORT / sentences) ** 2
        items = tuple(item if len(item.sentences) != 1 else item.times(1 - lost) for item in self.items)
        return Coverage(items, self.held, self.total)


def cover(claim: Claim, source: Reading) -> Coverage:
    items = (
        *(_item(source, term.stem, _sentences(source, term), term.weight) for term in claim.terms),
        *(_item(source, figure.written, source.giving(figure), 1.0, figure) for figure in claim.figures),
    )
    held: dict[int, int] = {}
    for index, item in enumerate(items):
        for sentence in item.sentences:
            held[sentence] = held.get(sentence, 0) | 1 << index
    return Coverage(items, held, sum(item.weight for item in items))


def _item(source: Reading, key: str, sentences: frozenset[int], weight: float, figure: Figure | None = None) -> Item:
    return Item(key, sentences, weight * _rarity(len(sentences), len(source)), figure)


def _sentences(source: Reading, term: Term) -> frozenset[int]:
    """The sentences that hold a term; where none does, those that hold it written otherwise."""
    dated = source.dated(term.stem) if term.stem in MONTHS else frozenset[int]()
    return (
        source.holding(term.stem) | dated
        or _any(source, map(stem, term.joined))
        or _any(source, SAME.get(term.stem, ()))
        or _first(_abbreviated(source, one) for one in term.initials)
        or (source.spelling(term.word) if term.short else frozenset())
        or (source.derived(term.word) if term.named else frozenset())
    )


def _first(found: Iterable[frozenset[int]]) -> frozenset[int]:
    return next(filter(None, found), frozenset())


def _abbreviated(source: Reading, initials: str) -> frozenset[int]:
    return source.holding_exactly(initials) or source.holding_exactly(".".join(initials))


def _any(source: Reading, stems: Iterable[str]) -> frozenset[int]:
    return frozenset[int]().union(*map(source.holding, stems))


def _rarity(holding: int, sentences: int) -> float:
    return math.log(1 + (sentences + 1) / (holding + 0.5))


def _union(masks: Iterable[int]) -> int:
    bits = 0
    for mask in masks:
        bits |= mask
    return bits
