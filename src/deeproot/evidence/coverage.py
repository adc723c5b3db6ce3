"""How much of a claim stands in a source, and where it stands closest together."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from .claims import Claim, Term
from .figures import Figure
from .reading import Reading

WIDTHS = (1, 3, 8)  # sentences: said in one, said in a few, said in a paragraph


@dataclass(frozen=True, slots=True)
class Item:
    """A term or a figure of the claim, the sentences of the source that hold it, and what it weighs."""

    key: str
    sentences: frozenset[int]
    weight: float
    figure: Figure | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive sentences of the source and the share of the claim's weight they hold."""

    share: float
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """Sentences are known by the set of items they hold, as bits."""

    items: tuple[Item, ...]
    held: dict[int, int]

    def share(self, bits: int) -> float:
        total = sum(item.weight for item in self.items)
        return sum(item.weight for index, item in enumerate(self.items) if bits >> index & 1) / total

    def everywhere(self) -> float:
        """The share of the claim's weight found anywhere in the source."""
        return self.share(_union(self.held.values()))

    def best(self, width: int) -> Window:
        """The `width` consecutive sentences that hold most; the first of equals."""
        best, shares = Window(0.0, 0, 0), {0: 0.0}
        for first in sorted(self.held):
            here = [at for at in range(first, first + width) if at in self.held]
            bits = _union(self.held[at] for at in here)
            if bits not in shares:
                shares[bits] = self.share(bits)
            if shares[bits] > best.share + 1e-9:
                best = Window(shares[bits], first, here[-1])
        return best

    def mean(self) -> float:
        """How much is said at all, averaged with how much is said together: 0..1."""
        parts = [self.everywhere(), *(self.best(width).share for width in WIDTHS)]
        return sum(parts) / len(parts)


def cover(claim: Claim, source: Reading) -> Coverage:
    items = (
        *(_item(source, term.stem, _sentences(source, term), term.weight) for term in claim.terms),
        *(_item(source, figure.written, source.giving(figure), 1.0, figure) for figure in claim.figures),
    )
    held: dict[int, int] = {}
    for index, item in enumerate(items):
        for sentence in item.sentences:
            held[sentence] = held.get(sentence, 0) | 1 << index
    return Coverage(items, held)


def _item(source: Reading, key: str, sentences: frozenset[int], weight: float, figure: Figure | None = None) -> Item:
    return Item(key, sentences, weight * _rarity(len(sentences), len(source)), figure)


def _sentences(source: Reading, term: Term) -> frozenset[int]:
    """The sentences that hold a term, or else the term written together with a neighbour."""
    alone = source.holding(term.stem)
    return alone or frozenset().union(*map(source.holding, term.joined))


def _rarity(holding: int, sentences: int) -> float:
    return math.log(1 + (sentences + 1) / (holding + 0.5))


def _union(masks: Iterable[int]) -> int:
    bits = 0
    for mask in masks:
        bits |= mask
    return bits
