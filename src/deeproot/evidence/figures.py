"""Numbers as a reader takes them: a value with its unit. "1,500", "1.5 thousand" and "1500" are one figure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import floor, isclose, log10

from .units import AT_LEAST, AT_MOST, MONEY_SCALES, SCALES, STRICT, UNITS

FIRST_YEAR, LAST_YEAR = 1500, 2100
COUNTED = "of"  # the unit of 7 in "7 of 90": it is not 7 %
LONGEST_LEAD = 20  # characters before a number that tell how exact it is
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
    return tuple(_read(text, found) for found in _NUMBER.finditer(text) if not _in_name(text, found.start()))


def figures_like(figure: Figure, text: str) -> Iterator[Figure]:
    """Those of `figures(text)` that can match `figure`; on a long text much cheaper than reading them all."""
    for start in _places(significant(figure.value) if not figure.rough else "", text):
        found = _NUMBER.match(text, start)
        if found and _may_be(figure, found) and not _in_name(text, found.start()):
            yield _read(text, found)


def _may_be(figure: Figure, found: re.Match[str]) -> bool:
    """Whether a number can have the value of an exact figure; the second half of "2018–19" can have any."""
    if figure.rough or len(found[1]) == 2:
        return True
    value, after = float(found[1].replace(",", "")), (found[2] or "").lower()
    return any(isclose(abs(figure.value), value * scale, rel_tol=1e-6) for scale in (1.0, MONEY_SCALES.get(after, 1.0)))


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


def significant(value: float) -> str:
    """Two digits that a number keeps however it is written: 15 in 1,500 and in 1.5 thousand, 19 in 2019 and 2018–19."""
    return _last_digits(f"{abs(value):.10f}")


def _last_digits(written: str) -> str:
    return _digits(written)[-2:]


def _digits(written: str) -> str:
    plain = written.replace(",", "")
    whole = plain.rstrip("0") if "." in plain else plain
    return whole.replace(".", "").strip("0")


def _read(text: str, found: re.Match[str]) -> Figure:
    lead = lead_of(text, found.start())
    money = (lead["money"] or "").strip().lower() if lead else ""
    tail = tail_of(found, MONEY_SCALES if money else SCALES)
    start = lead.start("number") if lead else found.start()
    value = _value(text, found) * tail.scale * (-1 if lead and lead["sign"] else 1)
    unit = tail.unit or UNITS.get(money, "") or (COUNTED if _OUT_OF.match(text, found.end(1)) else "")
    return Figure(value, unit, start, tail.end, text[start : tail.end], *room_of(lead))


def _rough(lead: re.Match[str] | None) -> str:
    """The word before a number that makes it rough, or ""."""
    return " ".join(lead["rough"].lower().split()) if lead and lead["rough"] else ""


def room_of(lead: re.Match[str] | None) -> tuple[float, float, bool]:
    """How much less and more a number may be than it says, and whether it may not be that number itself."""
    word = _rough(lead)
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


def tail_of(found: re.Match[str], scales: Mapping[str, float]) -> _Tail:
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
    century = _CENTURY.search(text, max(0, found.start() - 6), found.start()) if len(found[1]) == 2 else None
    return float((century[1] if century else "") + found[1].replace(",", ""))


def lead_of(text: str, start: int) -> re.Match[str] | None:
    """What leads to a number; where a plain word does, None, much faster than the whole pattern."""
    first = max(0, start - LONGEST_LEAD)
    words = text[first:start].split() if text[start - 1 : start].isspace() else ()
    plain = words and words[-1].isalpha() and words[-1].lower() not in _LEADING
    return None if plain else _LEAD.search(text, first, start)


def _in_name(text: str, start: int) -> bool:
    return _IN_NAME.search(text, max(0, start - 2), start) is not None


_NUMBER = re.compile(r"(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:[\s-]?(%|[A-Za-z]+)(?:\s([A-Za-z]+))?)?")
_DIGITS = re.compile(r"\d[\d,.]*(?<=\d)")
_IN_NAME = re.compile(r"(?:[^\W\d_]|[A-Za-z][-–]|\d[.,])\Z")
_GLUED_SCALES = {"k": 1e3, "m": 1e6}
_COUNTED = re.compile(r"[kKmM]\s(?:people\b|[a-z]{3,}s\b)")  # "173m passengers" are millions, "173m long" is a length
_OUT_OF = re.compile(r"\s(?:out\s)?of\s(?:the\s)?\d")
_LEADS_TO_UNIT = frozenset(["per", "percentage", "us", "metric"])  # "per cent", "US dollars"
_CENTURY = re.compile(r"\b(1[5-9]|20)\d\d[-–/]\Z")
_ROUGH = ("about", "around", "approximately", "roughly", "circa", "some", *sorted(AT_LEAST | AT_MOST))
_LEADING = frozenset(word.split()[-1] for word in (*_ROUGH, "eur", "usd", "gbp"))
_LEAD = re.compile(
    rf"(?P<rough>\b(?:{'|'.join(_ROUGH)})\s|[~≈]\s?)?"
    r"(?P<number>(?P<sign>(?<![\w.)%])[-−])?(?P<money>(?:[$€£]|\b(?:EUR|USD|GBP)(?=[\s\d]))\s?)?)\Z",
    re.IGNORECASE,
)
