"""Numbers as a reader takes them: a value with its unit. "1,500", "1.5 thousand" and "1500" are one figure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import floor, log10

from .lexicon import FRACTIONS, NUMBER_WORDS
from .units import AT_LEAST, AT_MOST, MONEY_SCALES, SCALES, STRICT, UNITS

FIRST_YEAR, LAST_YEAR = 1500, 2100
COUNTED = "of"  # the unit of 7 in "7 of 90": it is not 7 %
LONGEST_WORDS = 60  # characters of a number in words before and after its last word
ABOUT, BEYOND = 0.05, 0.1  # "about 15" stands for what differs by at most this share, "over 15" for this much more


@dataclass(frozen=True, slots=True)
class Figure:
    """`unit` is "" when none is named; `less` and `more` are the room that a word such as "about" leaves, as shares.

    `strict` when the number itself is left out: "more than 5,000".
    """

    value: float
    unit: str
    start: int
    end: int
    written: str
    less: float = 0.0
    more: float = 0.0
    strict: bool = False

    @property
    def rough(self) -> bool:
        return bool(self.less or self.more)

    @property
    def bound(self) -> int:
        """1 for "over 65", -1 for "under 65", 0 for neither."""
        return (self.more > self.less) - (self.less > self.more)

    def __str__(self) -> str:
        return self.written

    def matches(self, other: Figure) -> bool:
        """The same value in the same unit; a figure without a unit matches any."""
        return self.same_value(other) and (self.unit == other.unit or not self.unit or not other.unit)

    def same_value(self, other: Figure) -> bool:
        if self.bound * other.bound < 0:
            return False
        size, above = abs(self.value), abs(other.value) - abs(self.value)
        if self.value * other.value < 0 or (self.strict and self.bound != other.bound and above * self.bound <= 0):
            return False
        return -(self.less + 1e-9) * size <= above <= (self.more + 1e-9) * size or self._stands_for(other)

    def _stands_for(self, other: Figure) -> bool:
        """Whether a rough number is another cut or rounded to as many digits: "about 3" for 3.2, "over 2" for 2.3."""
        if not self.rough or not self.value:
            return False
        step = _last_place(self.value)
        above = abs(other.value) - abs(self.value)
        if self.bound:
            return 0 <= above * self.bound < step
        return abs(above) < min(step / 2, BEYOND * abs(self.value))


def _last_place(value: float) -> float:
    """What the last digit of a number counts that is not 0: 100 in 1,500."""
    digits = len(_digits(f"{abs(value):.10f}"))
    return float(10 ** (floor(log10(abs(value))) - digits + 1))


def year(figure: Figure) -> bool:
    return not figure.unit and len(figure.written) == 4 and FIRST_YEAR <= figure.value <= LAST_YEAR


def rounds_to(figure: Figure, other: Figure) -> bool:
    """Whether `other` may be `figure` written with fewer digits: 15.3 and 15, 1,512 and 1.5 thousand."""
    if abs(figure.value - other.value) > ABOUT * abs(other.value):
        return False
    digits = max(1, len(_digits(f"{abs(other.value):.10f}")))
    return other.rough or float(f"{figure.value:.{digits}g}") == other.value


def figures(text: str) -> tuple[Figure, ...]:
    """The numbers written in digits, in order; digits inside a name (`p53`, `IL-10`) are not numbers."""
    return tuple(_read(text, found) for found in _NUMBER.finditer(text) if not _IN_NAME.search(text, *_before(found)))


def figures_like(figure: Figure, text: str) -> Iterator[Figure]:
    """Those of `figures(text)` that can match `figure`; on a long text much cheaper than reading them all."""
    for start in _places(_significant(figure.value) if not figure.rough else "", text):
        found = _NUMBER.match(text, start)
        if found and not _IN_NAME.search(text, *_before(found)):
            yield _read(text, found)


def _places(digits: str, text: str) -> Iterator[int]:
    """Where numbers with these significant digits begin."""
    place = -1
    for hit in re.finditer("[.,]?".join(digits) or r"\d+", text):
        start = hit.start()
        while start and (
            text[start - 1].isdigit() or (text[start - 1] in ".," and text[start - 2 : start - 1].isdigit())
        ):
            start -= 1
        number = _DIGITS.match(text, start)
        if start != place and number and (not digits or _last_digits(number[0]) == digits):
            place = start
            yield start


def spelled(lower: str, start: int = 0, end: int | None = None) -> Iterator[Figure]:
    """The numbers written as words in a lower-case text: "three", "forty years", "four hundred and twelve"."""
    for found in _SPELLED.finditer(lower, start, len(lower) if end is None else end):
        if lower[found.start() - 1 : found.start()].isalnum():
            continue
        tail = _tail(found, SCALES)
        value = _reckoned(found[1]) * tail.scale
        room = _room(_rough(_LEAD.search(lower, *_before(found))))
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
        room = _room(_rough(_LEAD.search(lower, *_before(found))))
        yield Figure(_PARTS[word], "%", found.end() - len(word), found.end(), word, *room)


def spelled_like(figure: Figure, lower: str) -> Iterator[Figure]:
    """Those of `spelled(lower)` that can match `figure`."""
    if figure.rough:
        yield from spelled(lower)
        return
    digits = _significant(figure.value)
    for word in (word for word, last in _LAST_DIGITS.items() if digits.endswith(last)):
        for place in standing(word, lower):
            yield from spelled(lower, max(0, place - LONGEST_WORDS), place + LONGEST_WORDS)


def standing(word: str, text: str) -> Iterator[int]:
    """Where a word stands in a text, not as a part of another."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum():
            yield at
        at = text.find(word, end)


def _significant(value: float) -> str:
    """Two digits that a number keeps however it is written: 15 in 1,500 and in 1.5 thousand, 19 in 2019 and 2018–19."""
    return _last_digits(f"{abs(value):.10f}")


def _last_digits(written: str) -> str:
    return _digits(written)[-2:]


def _digits(written: str) -> str:
    plain = written.replace(",", "")
    whole = plain.rstrip("0") if "." in plain else plain
    return whole.replace(".", "").strip("0")


def _read(text: str, found: re.Match[str]) -> Figure:
    lead = _LEAD.search(text, *_before(found))
    money = (lead["money"] or "").strip().lower() if lead else ""
    tail = _tail(found, MONEY_SCALES if money else SCALES)
    start = lead.start("number") if lead else found.start()
    value = _value(text, found) * tail.scale * (-1 if lead and lead["sign"] else 1)
    unit = tail.unit or UNITS.get(money, "") or (COUNTED if _OUT_OF.match(text, found.end(1)) else "")
    return Figure(value, unit, start, tail.end, text[start : tail.end], *_room(_rough(lead)))


def _rough(lead: re.Match[str] | None) -> str:
    """The word before a number that makes it rough, or ""."""
    return " ".join(lead["rough"].lower().split()) if lead and lead["rough"] else ""


def _room(word: str) -> tuple[float, float, bool]:
    """How much less and more a number may be after such a word, and whether it may not be that number itself."""
    if not word:
        return 0.0, 0.0, False
    strict = word in STRICT
    return (
        (0.0, BEYOND, strict)
        if word in AT_LEAST
        else (BEYOND, 0.0, strict)
        if word in AT_MOST
        else (ABOUT, ABOUT, False)
    )


@dataclass(frozen=True, slots=True)
class _Tail:
    """What the two words after a number make of it."""

    scale: float
    unit: str
    end: int


def _tail(found: re.Match[str], scales: Mapping[str, float]) -> _Tail:
    after, following = (found[2] or "").lower(), (found[3] or "").lower()
    scale = scales.get(after, 1.0)
    if after in _GLUED_SCALES and not scale > 1 and _COUNTED.match(found.string, found.end(1)):
        return _Tail(_GLUED_SCALES[after], "", found.end(2))
    if after in UNITS:
        return _Tail(scale, UNITS[after], found.end(2))
    if following in UNITS and (after in scales or after in _LEADS_TO_UNIT):
        return _Tail(scale, UNITS[following], found.end(3))
    return _Tail(scale, "", found.end(2) if after in scales else found.end(1))


def _value(text: str, found: re.Match[str]) -> float:
    """The number itself; the second half of "2018–19" is 2019."""
    century = _CENTURY.search(text, *_before(found)) if len(found[1]) == 2 else None
    return float((century[1] if century else "") + found[1].replace(",", ""))


def _before(found: re.Match[str]) -> tuple[int, int]:
    return max(0, found.start() - 20), found.start()


_NUMBER = re.compile(r"(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:[\s-]?(%|[A-Za-z]+)(?:\s([A-Za-z]+))?)?")
_DIGITS = re.compile(r"\d[\d,.]*(?<=\d)")
_IN_NAME = re.compile(r"(?:[^\W\d_]|[A-Za-z][-–]|\d[.,])\Z")
_GLUED_SCALES = {"k": 1e3, "m": 1e6}
_COUNTED = re.compile(r"[kKmM]\s(?:people\b|[a-z]{3,}s\b)")  # "173m passengers" are millions, "173m long" is a length
_OUT_OF = re.compile(r"\s(?:out\s)?of\s(?:the\s)?\d")
_LEADS_TO_UNIT = frozenset(["per", "percentage", "us", "metric"])  # "per cent", "US dollars"
_CENTURY = re.compile(r"\b(1[5-9]|20)\d\d[-–/]\Z")
_LEAD = re.compile(
    rf"(?P<rough>\b(?:about|around|approximately|roughly|circa|some|{'|'.join(AT_LEAST | AT_MOST)})\s|[~≈]\s?)?"
    r"(?P<number>(?P<sign>(?<![\w.)%])[-−])?(?P<money>(?:[$€£]|\b(?:EUR|USD|GBP)(?=[\s\d]))\s?)?)\Z",
    re.IGNORECASE,
)
_PARTS = {word: value for value, word in FRACTIONS.items()}
_FRACTION = re.compile(r"\ba (third|quarter|fifth|tenth)\b(?! (?:time|party|world))|\b(half)(?= of\b)|\bby (half)\b")
# A number in words: "forty-one", "four hundred and twelve", "two million three hundred thousand". What stands before
# it is looked at after: that is what makes it fast.
_BELOW_HUNDRED = rf"(?:{'|'.join(NUMBER_WORDS)})(?:(?<=ty)[\s-](?:{'|'.join(list(NUMBER_WORDS)[1:10])}))?\b"
_BELOW_THOUSAND = rf"{_BELOW_HUNDRED}(?:\shundred\b(?:\s(?:and\s)?{_BELOW_HUNDRED})?)?"
_FURTHER = rf"\s(?:thousand|million|billion)\b,?\s(?:and\s)?{_BELOW_THOUSAND}"
_SPELLED = re.compile(rf"({_BELOW_THOUSAND}(?:{_FURTHER})*)(?:[\s-]([a-z]+)(?:\s([a-z]+))?)?")
_WORD = re.compile(r"[a-z]+")
_LAST_DIGITS = {word: _significant(value) for word, value in NUMBER_WORDS.items() if value}
