"""A source cut into sentences, and where the terms of a claim stand in it.

Only the terms that are asked for are looked up, each with a plain search, so a long source costs little.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from .figures import Figure, figures, spelled
from .lexicon import stem
from .prepared import Span


@dataclass(frozen=True)
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

    @cached_property
    def figures(self) -> tuple[tuple[int, Figure], ...]:
        """Every number of the source with the sentence it stands in."""
        return tuple((self.sentence_at(one.start), one) for one in figures(self.text))

    @cached_property
    def spelled(self) -> tuple[tuple[int, Figure], ...]:
        return tuple((self.sentence_at(one.start), one) for one in spelled(self.lower))


def read(text: str) -> Reading:
    lower = text.lower()
    if len(lower) != len(text):  # one letter in Unicode grows when lowered; offsets must not move
        lower = "".join(small if len(small := char.lower()) == 1 else char for char in text)
    starts = (0, *(found.end() for found in _BETWEEN_SENTENCES.finditer(text) if found.end() < len(text)))
    return Reading(text, lower, starts)


_WORD = re.compile(r"[^\W_]+")
_BETWEEN_SENTENCES = re.compile(r"[.!?][\"'”’)\]]*\s+|\n+")
