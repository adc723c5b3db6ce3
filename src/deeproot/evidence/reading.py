"""A source cut into sentences, and where the terms of a claim stand in it.

Only the terms that are asked for are looked up, each with a plain search, so a long source costs little.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from .figures import Figure, figures_like, spelled_like
from .lexicon import FRACTIONS, stem
from .prepared import Span, lowered, unaccented
from .tables import Table, cells_apart, tables


@dataclass(frozen=True, slots=True)
class Reading:
    """`starts` are the offsets of the sentences; a row of a table is one."""

    text: str
    lower: str
    starts: tuple[int, ...]
    tables: tuple[Table, ...] = ()

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

    def has(self, word: str) -> bool:
        """Whether it stands anywhere as a word of its own."""
        return next(_standing(word, self.lower), None) is not None

    def words_from(self, beginning: str) -> Iterator[str]:
        """The words that begin so."""
        return (
            found[0]
            for found in re.finditer(rf"{re.escape(beginning)}(?<![^\W_]{re.escape(beginning)})[^\W_]*", self.lower)
        )

    def holding_exactly(self, word: str) -> frozenset[int]:
        """The sentences with this very word, in this case."""
        return frozenset(map(self.sentence_at, _standing(word, self.text)))

    def spelling(self, initials: str) -> frozenset[int]:
        """The sentences with words that begin with these letters, one after another."""
        first, *others = map(re.escape, initials.lower())
        # The first letter leads the pattern, and what stands before it is looked at after: that is what makes it fast.
        words = [rf"{first}(?<![^\W_]{first})", *others]
        pattern = r"[^\W_]*[\s-]+(?:(?:of|and|for|the)\s+)?".join(words)
        return frozenset(self.sentence_at(found.start()) for found in re.finditer(pattern, self.lower))

    def giving(self, figure: Figure) -> frozenset[int]:
        """The sentences that give this number in this unit, in digits or else in words."""
        digits = frozenset(
            self.sentence_at(one.start) for one in figures_like(figure, self.text) if figure.matches(one)
        )
        return digits or self._in_words(figure)

    def _in_words(self, figure: Figure) -> frozenset[int]:
        words = [one.start for one in spelled_like(figure, self.lower) if figure.matches(one)]
        part = FRACTIONS.get(figure.value, "") if figure.unit == "%" else ""
        return frozenset(map(self.sentence_at, (*words, *(_standing(part, self.lower) if part else ()))))


def _standing(word: str, text: str) -> Iterator[int]:
    """Where a word stands in a text, not as a part of another."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum():
            yield at
        at = text.find(word, end)


def read(text: str) -> Reading:
    """The text as sentences. Of a delimited table every row is one, and its cells stand apart."""
    known = tables(text)
    if known and known[0].is_whole:
        apart = cells_apart(text, known[0])
        return Reading(apart, unaccented(lowered(apart)), (0, *(row.span.start for row in known[0].rows)), known)
    starts = (0, *(found.end() for found in _BETWEEN_SENTENCES.finditer(text) if found.end() < len(text)))
    return Reading(text, unaccented(lowered(text)), starts, known)


_WORD = re.compile(r"[^\W_]+")
# Lines are apart where one is empty, where the next opens an item, and where the first was not wrapped: it is too short
# or too long for that, and the next does not go on in lower case.
_UNWRAPPED = r"(?:(?<![^\n]{50}\n)|(?<=[^\n]{140}\n))\s*+(?![a-z])"
_LINES_APART = rf"\s*?\n\s*+|{_UNWRAPPED}|[ \t]*+(?=[-*•#|>]|\d{{1,3}}[.)]\s)"
_BETWEEN_SENTENCES = re.compile(rf"[.!?\n](?:(?<=\n)(?:{_LINES_APART})|(?<!\n)[\"'”’)\]]*\s++)")
