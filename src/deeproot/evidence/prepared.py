"""A text made ready to be searched: its words folded, what stands between them, and where each began.

Everything is built by a handful of calls over the whole text, so a source of 20 KB is ready in under a millisecond.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
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
    """`words` are folded (no case, composed, no ligatures); `gaps[i]` is the raw text before word `i`.

    `letters` is all words joined, `places[i]` where word `i` begins in it, `offsets[i]` where it begins in `text`.
    Gaps, places and offsets have one entry more than words: what comes after the last.
    """

    text: str
    words: Sequence[str]
    gaps: Sequence[str]
    letters: str
    places: Sequence[int]
    offsets: Sequence[int]

    def occurrences(self, letters: str) -> Iterator[int]:
        """Every place in `letters` where these letters stand."""
        place = self.letters.find(letters) if letters else -1
        while place >= 0:
            yield place
            place = self.letters.find(letters, place + 1)

    def word_at(self, place: int) -> int:
        """The index of the word that holds the letter at `place`."""
        return bisect_right(self.places, place) - 1

    def end(self, word: int) -> int:
        """Where a word ends in `text`."""
        return self.offsets[word + 1] - len(self.gaps[word + 1])


def prepare(text: str) -> Prepared:
    pieces = (_GAP_WITH_MARKS if _MARK.search(text) else _GAP).split(text)
    if pieces[0]:
        pieces.insert(0, "")
    else:
        del pieces[0]
    if pieces and not pieces[-1]:
        pieces.pop()
    else:
        pieces.append("")
    gaps, raw = pieces[::2], pieces[1::2]
    words = fold("\0".join(raw)).split("\0") if raw else []
    places = list(accumulate(map(len, words), initial=0))
    offsets = list(accumulate(map(len, pieces)))[::2]
    return Prepared(text, words, gaps, "".join(words), places, offsets)


def fold(text: str) -> str:
    """Without case, ligatures and decomposed accents. Never changes which digits a text holds."""
    folded = text.casefold()
    return folded if folded.isascii() else unicodedata.normalize("NFC", folded)


def lowered(text: str) -> str:
    """Lower case without moving a character: the one letter of Unicode that would grow stays as it is."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := char.lower()) == 1 else char for char in text)


def unaccented(text: str) -> str:
    """The text with plain Latin letters for accented ones, none of them moved: Malmö, Malmo."""
    return text if text.isascii() else _ACCENTED.sub(lambda found: _PLAIN[found[0]], text)


def spaceless(char: str) -> bool:
    """Whether a character belongs to a script written without spaces, where every character is a boundary."""
    return _SPACELESS.match(char) is not None


_PLAIN = {
    char: base for char in map(chr, range(0xC0, 0x250)) if (base := unicodedata.normalize("NFD", char)[0]).isascii()
}
_ACCENTED = re.compile(f"[{''.join(_PLAIN)}]")
_GAP = re.compile(r"([\W_]+)")
_MARK = re.compile("[\u0300-\u036f]")
_GAP_WITH_MARKS = re.compile("((?:[^\\w\u0300-\u036f]|_)+)")
# Thai, Lao, Burmese, Khmer; kana and CJK ideographs; the planes of further ideographs.
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
