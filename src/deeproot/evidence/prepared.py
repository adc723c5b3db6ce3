"""A text made ready to be searched: its words folded, what stands between them, and where each began.

Everything is built by a handful of calls over the whole text, so a source of 20 KB is ready in under a millisecond.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` up to `end` of a text; `parts` when a quote left something out between them."""

    start: int
    end: int
    parts: tuple[Span, ...] = ()

    def of(self, text: str) -> str:
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Prepared:
    """`words` are folded (lower case, composed, no ligatures); `gaps[i]` is the raw text before word `i`.

    `letters` is all words joined, `places[i]` where word `i` stands in it, `offsets[i]` where it stands in `text`.
    """

    text: str
    words: tuple[str, ...]
    gaps: tuple[str, ...]
    letters: str
    places: tuple[int, ...]
    offsets: tuple[int, ...]
    ends: tuple[int, ...]

    def occurrences(self, letters: str) -> Iterator[int]:
        """Every place in `letters` where these letters stand."""
        place = self.letters.find(letters) if letters else -1
        while place >= 0:
            yield place
            place = self.letters.find(letters, place + 1)

    def word_at(self, place: int) -> int:
        """The index of the word that holds the letter at `place`."""
        return bisect_right(self.places, place) - 1

    def span(self, first: int, last: int) -> Span:
        """From the start of word `first` to the end of word `last`."""
        return Span(self.offsets[first], self.ends[last])


def prepare(text: str) -> Prepared:
    gap = _GAP_WITH_MARKS if _MARK.search(text) else _GAP
    pieces = gap.split(text)
    raw, gaps = pieces[::2], pieces[1::2]
    at = list(accumulate(map(len, pieces), initial=0))
    first, last = (not raw[0]), len(raw) - (len(raw) > 1 and not raw[-1])
    raw = raw[first:last] if any(raw) else []
    if not raw:
        return Prepared(text, (), (text,), "", (0,), (), ())
    words = tuple(fold("\0".join(raw)).split("\0"))
    gaps = ([] if first else [""]) + gaps + ([] if last < len(pieces[::2]) else [""])
    starts = at[0:-1:2][first:last]
    ends = at[1::2][first:last]
    return Prepared(
        text,
        words,
        tuple(gaps),
        "".join(words),
        tuple(accumulate(map(len, words), initial=0)),
        tuple(starts),
        tuple(ends),
    )


def fold(text: str) -> str:
    """Lower case, composed accents, ligatures taken apart. Never changes which digits or signs a text holds."""
    lower = text.lower()
    return lower if lower.isascii() else unicodedata.normalize("NFC", lower).translate(_LIGATURES)


def spaceless(char: str) -> bool:
    """Whether a character belongs to a script written without spaces, where every character is a boundary."""
    return _SPACELESS.match(char) is not None


_GAP = re.compile(r"([\W_]+)")
_MARK = re.compile("[\u0300-\u036f]")
_GAP_WITH_MARKS = re.compile("((?:[^\\w\u0300-\u036f]|_)+)")
_LIGATURES = {ord(one): both for one, both in (("ﬀ", "ff"), ("ﬁ", "fi"), ("ﬂ", "fl"), ("ﬃ", "ffi"), ("ﬄ", "ffl"))}
# Thai, Lao, Burmese, Khmer; kana and CJK ideographs; the planes of further ideographs.
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
