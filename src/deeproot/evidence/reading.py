"""A source cut into sentences, and where the terms of a claim stand in it.

Only the terms that are asked for are looked up, each with a plain search, so a long source costs little.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from .dates import dates_apart, months_in_digits
from .figures import Figure, figures_like
from .lexicon import FRACTIONS, stem
from .names import root
from .numerals import spelled_like, standing
from .prepared import Span, lowered, unaccented
from .prose import NEVER_LAST, SHORT_MONTHS
from .tables import Table, cells_apart, tables

SHORTEST_ROOT = 3


@dataclass(frozen=True)
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
        if term not in self._held:
            self._held[term] = self._holding(term)
        return self._held[term]

    @cached_property
    def _held(self) -> dict[str, frozenset[int]]:
        return {}

    def _holding(self, term: str) -> frozenset[int]:
        return self._where(word.start() for word in self._beginning(term) if stem(word[0]) == term) or self._where(
            place for word, place in self._marked.get(term[:2], ()) if stem(word) == term
        )

    def derived(self, name: str) -> frozenset[int]:
        """The sentences with a name of the same root: Libya for Libyan."""
        shared = root(name)
        if len(shared) < SHORTEST_ROOT:
            return frozenset()
        return self._where(word.start() for word in self._beginning(shared) if root(word[0]) == shared)

    def has_beginning(self, letters: str) -> bool:
        """Whether a word begins so."""
        return any(self._beginning(letters))

    def has(self, word: str) -> bool:
        """Whether it stands anywhere as a word of its own."""
        return any(found[0] == word for found in self._beginning(word))

    def _where(self, places: Iterable[int]) -> frozenset[int]:
        return frozenset(map(self.sentence_at, places))

    def _beginning(self, letters: str) -> Iterator[re.Match[str]]:
        """The words that begin so."""
        at = self.lower.find(letters)
        while at >= 0:
            if not self.lower[at - 1 : at].isalnum() and (word := _WORD.match(self.lower, at)):
                yield word
            at = self.lower.find(letters, at + len(letters))

    @cached_property
    def _marked(self) -> dict[str, list[tuple[str, int]]]:
        """The words written with marks inside (COVID-19, anti-Semitism, U.K.), without them and with their places.

        They are found under their first two letters.
        """
        marked: dict[str, list[tuple[str, int]]] = {}
        for start in {self._word_start(mark.start()) for one in _MARKS_INSIDE for mark in one.finditer(self.lower)}:
            if word := _MARKED.match(self.lower, start):
                plain = word[0].replace("-", "").replace(".", "").replace("(", "").replace(")", "")
                marked.setdefault(plain[:2], []).append((plain, start))
        return marked

    def _word_start(self, end: int) -> int:
        while end and self.lower[end - 1].isalnum():
            end -= 1
        return end

    def dated(self, month: str) -> frozenset[int]:
        """The sentences with a date in digits that is in this month."""
        return self._where(place for place, months in self._dates if [month] == months)

    def may_be_dated(self, month: str) -> bool:
        """Whether it has a date in digits that may be in this month, read one way or the other."""
        return any(month in months for _, months in self._dates)

    @cached_property
    def _dates(self) -> list[tuple[int, list[str]]]:
        return [(place, [stem(month) for month in months]) for place, months in months_in_digits(self.text)]

    def holding_exactly(self, word: str) -> frozenset[int]:
        """The sentences with this very word, in this case."""
        if word not in self._held_exactly:
            self._held_exactly[word] = self._where(standing(word, self.text))
        return self._held_exactly[word]

    @cached_property
    def _held_exactly(self) -> dict[str, frozenset[int]]:
        return {}

    def spelling(self, initials: str) -> frozenset[int]:
        """The sentences with words that begin with these letters, one after another."""
        first, *others = map(re.escape, initials.lower())
        # The first letter leads the pattern, and what stands before it is looked at after: that is what makes it fast.
        words = [rf"{first}(?<![^\W_]{first})", *others]
        pattern = r"[^\W_]*[\s-]+(?:(?:of|and|for|the)\s+)?".join(words)
        return self._where(found.start() for found in re.finditer(pattern, self.lower))

    def giving(self, figure: Figure) -> frozenset[int]:
        """The sentences that give this number in this unit, in digits or else in words."""
        digits = self._where(one.start for one in figures_like(figure, self.text) if figure.matches(one))
        return digits or self._in_words(figure)

    def _in_words(self, figure: Figure) -> frozenset[int]:
        words = [one.start for one in spelled_like(figure, self.lower) if figure.matches(one)]
        part = FRACTIONS.get(figure.value, "") if figure.unit == "%" else ""
        return self._where((*words, *(standing(part, self.lower) if part else ())))


def read(text: str) -> Reading:
    """The text as sentences. Of a delimited table every row is one, and its cells stand apart."""
    known = tables(text)
    text = dates_apart(text)
    if known and known[0].is_whole:
        apart = cells_apart(text, known[0])
        return Reading(apart, unaccented(lowered(apart)), (0, *(row.span.start for row in known[0].rows)), known)
    ends = {found.end() for between in _BETWEEN_SENTENCES for found in between.finditer(text)}
    starts = (0, *sorted(ends - {0, len(text)}))
    return Reading(text, unaccented(lowered(text)), starts, known)


_WORD = re.compile(r"[^\W_]+")
_MARKED = re.compile(r"[^\W_]++(?:-[^\W_]++|\([^\W_]{1,3}\)[^\W_]*+)+|[a-z](?:\.[a-z])+(?![^\W_])")
# Each begins with the mark itself, which makes it fast. Between digits they are marks of a number.
_MARKS_INSIDE = tuple(
    re.compile(pattern)
    for pattern in (
        r"-(?<=[^\W\d_]-)[^\W_]",
        r"-(?<=\d-)[^\W\d_]",
        r"\.(?<=[a-z]\.)[a-z]",
        r"\((?<=[^\W_]\()[^\W_]{1,3}\)",
    )
)
# Lines are apart where one is empty, where the next opens an item, and where the first was not wrapped: it is too short
# or too long for that, and the next does not go on in lower case.
_UNWRAPPED = r"(?:(?<![^\n]{50}\n)|(?<=[^\n]{140}\n))\s*+(?![a-z])"
_LINES_APART = rf"\s*?\n\s*+|{_UNWRAPPED}|[ \t]*+(?=[-*•#|>]|\d{{1,3}}[.)]\s)"
_SHORT_FORMS = sorted(f"{NEVER_LAST}|{SHORT_MONTHS}".split("|"), key=len)
_FULL_STOP = r"(?<!\W[A-Z]\.)" + "".join(
    rf"(?<!\b(?:{'|'.join(alike)})\.)" for _, alike in groupby(_SHORT_FORMS, key=len)
)
# Each begins with a single character, which makes it fast; what two of them find ends at the same place.
_BETWEEN_SENTENCES = (
    re.compile(rf"\.{_FULL_STOP}[\"'”’)\]]*\s++"),
    re.compile(r"\?[\"'”’)\]]*\s++"),
    re.compile(r"![\"'”’)\]]*\s++"),
    re.compile(rf"\n(?:{_LINES_APART})"),
)
