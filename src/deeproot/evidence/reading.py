"""A source cut into sentences, and where the terms of a claim stand in it.

Only the terms that are asked for are looked up, each with a plain search, so a long source costs little.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from .figures import Figure, figures_like, spelled_like
from .lexicon import stem
from .prepared import Span, lowered


@dataclass(frozen=True, slots=True)
class Reading:
    """`starts` are the offsets of the sentences."""

    text: str
    lower: str
    starts: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.starts)

    def sentence_at(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def span(self, first: int, last: int) -> Span:
        """From the start of sentence `first` to the end of sentence `last`, without the white space around."""
        end = self.starts[last + 1] if last + 1 < len(self.starts) else len(self.text)
        piece = self.text[self.starts[first] : end]
        start = self.starts[first] + len(piece) - len(piece.lstrip())
        return Span(start, max(start, self.starts[first] + len(piece.rstrip())))

    def sentence(self, index: int) -> str:
        return self.span(index, index).of(self.lower)

    def holding(self, term: str) -> frozenset[int]:
        """The sentences with a word of this stem; a compound counts however it is joined."""
        return frozenset(map(self.sentence_at, self._offsets(term)))

    def _offsets(self, term: str) -> Iterator[int]:
        at = self.lower.find(term)
        while at >= 0:
            word = _WORD.match(self.lower, at)
            if word and (at == 0 or not self.lower[at - 1].isalnum()) and stem(word[0]) == term:
                yield at
            at = self.lower.find(term, at + len(term))

    def giving(self, figure: Figure) -> frozenset[int]:
        """The sentences that give this number in this unit, in digits or else in words."""
        digits = frozenset(
            self.sentence_at(one.start) for one in figures_like(figure, self.text) if figure.matches(one)
        )
        return digits or frozenset(
            self.sentence_at(one.start) for one in spelled_like(figure, self.lower) if figure.matches(one)
        )


def read(text: str) -> Reading:
    starts = (0, *(found.end() for found in _BETWEEN_SENTENCES.finditer(text) if found.end() < len(text)))
    return Reading(text, lowered(text), starts)


_WORD = re.compile(r"[^\W_]+")
# A line that goes on in lower case was only wrapped.
_BETWEEN_SENTENCES = re.compile(r"[.!?\n](?:(?<=\n)(?:\s*+(?![a-z])|\s*?\n\s*+)|(?<!\n)[\"'”’)\]]*\s++)")
