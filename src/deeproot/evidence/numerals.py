"""Numbers in words: "forty-one", "four hundred and twelve", "a third of"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .figures import Figure, lead_of, room_of, significant, tail_of
from .lexicon import FRACTIONS, NUMBER_WORDS
from .units import SCALES

LONGEST_WORDS = 60  # characters of a number in words before and after its last word


def spelled(lower: str, start: int = 0, end: int | None = None) -> Iterator[Figure]:
    """The numbers written as words in a lower-case text: "three", "forty years", "four hundred and twelve"."""
    for found in _SPELLED.finditer(lower, start, len(lower) if end is None else end):
        if lower[found.start() - 1 : found.start()].isalnum():
            continue
        tail = tail_of(found, SCALES)
        value = _reckoned(found[1]) * tail.scale
        room = room_of(lead_of(lower, found.start()))
        yield Figure(value, tail.unit, found.start(), tail.end, lower[found.start() : tail.end], *room)


def _reckoned(words: str) -> float:
    """The value of a number in words: what a scale follows is multiplied, all else is added."""
    whole = part = 0.0
    for word in _WORD.findall(words):
        if word == "hundred":
            part *= SCALES[word]
        elif word in SCALES:
            whole, part = whole + part * SCALES[word], 0.0
        else:
            part += NUMBER_WORDS.get(word, 0.0)
    return whole + part


def fractions(lower: str) -> Iterator[Figure]:
    """Parts of a whole in a lower-case text, as percentages: "a third of", "by a quarter"."""
    for found in _FRACTION.finditer(lower):
        word = next(filter(None, found.groups()))
        room = room_of(lead_of(lower, found.start()))
        yield Figure(_PARTS[word], "%", found.end() - len(word), found.end(), word, *room)


def spelled_like(figure: Figure, lower: str) -> Iterator[Figure]:
    """Those of `spelled(lower)` that can match `figure`."""
    if figure.rough:
        yield from spelled(lower)
        return
    digits = significant(figure.value)
    for word in (word for word, last in _LAST_DIGITS.items() if digits.endswith(last)):
        for place in standing(word, lower):
            near = spelled(lower, max(0, place - LONGEST_WORDS), place + LONGEST_WORDS)
            yield from (one for one in near if one.start <= place < one.end)


def standing(word: str, text: str) -> Iterator[int]:
    """Where a word stands in a text, not as a part of another."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum():
            yield at
        at = text.find(word, end)


_PARTS = {word: value for value, word in FRACTIONS.items()}
_FRACTION = re.compile(r"\ba (third|quarter|fifth|tenth)\b(?! (?:time|party|world))|\b(half)(?= of\b)|\bby (half)\b")
# A number in words: "forty-one", "four hundred and twelve", "two million three hundred thousand". What stands before
# it is looked at after: that is what makes it fast.
_BELOW_HUNDRED = rf"(?:{'|'.join(NUMBER_WORDS)})(?:(?<=ty)[\s-](?:{'|'.join(list(NUMBER_WORDS)[1:10])}))?\b"
_BELOW_THOUSAND = rf"{_BELOW_HUNDRED}(?:\shundred\b(?:\s(?:and\s)?{_BELOW_HUNDRED})?)?"
_FURTHER = rf"\s(?:thousand|million|billion)\b,?\s(?:and\s)?{_BELOW_THOUSAND}"
_SPELLED = re.compile(rf"({_BELOW_THOUSAND}(?:{_FURTHER})*)(?:[\s-]([a-z]+)(?:\s([a-z]+))?)?")
_WORD = re.compile(r"[a-z]+")
_LAST_DIGITS = {word: significant(value) for word, value in NUMBER_WORDS.items() if value}
