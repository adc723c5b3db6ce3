"""Numbers as a reader takes them: a value with its unit. "1,500", "1.5 thousand" and "1500" are one figure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .lexicon import NUMBER_WORDS

ABOUT = 0.05  # "about 15" stands for what differs by at most this share


@dataclass(frozen=True, slots=True)
class Figure:
    """`unit` is "" when none is named; `rough` when a word such as "about" stands before it."""

    value: float
    unit: str
    start: int
    written: str
    rough: bool = False

    def matches(self, other: Figure) -> bool:
        """The same value in the same unit; a figure without a unit matches any."""
        return self.same_value(other) and (self.unit == other.unit or not self.unit or not other.unit)

    def same_value(self, other: Figure) -> bool:
        room = ABOUT * abs(self.value) if self.rough or other.rough else 1e-9 * abs(self.value)
        return abs(self.value - other.value) <= room


def figures(text: str) -> tuple[Figure, ...]:
    """The numbers written in digits, in order; digits inside a name (`p53`, `IL-10`) are not numbers."""
    return tuple(_read(text, found) for found in _NUMBER.finditer(text) if not _IN_NAME.search(text, *_before(found)))


def spelled(lower: str) -> Iterator[Figure]:
    """The numbers written as words in a lower-case text: "three", "forty"."""
    for found in _SPELLED.finditer(lower):
        unit = _UNITS.get(found[2] or "", "")
        yield Figure(NUMBER_WORDS[found[1]] * _SCALES.get(found[2] or "", 1.0), unit, found.start(), found[1])


def _read(text: str, found: re.Match[str]) -> Figure:
    lead = _LEAD.search(text, *_before(found))
    money = (lead["money"] or "").strip() if lead else ""
    after, following = (found[2] or "").lower(), (found[3] or "").lower()
    value = _value(text, found) * (_MONEY_SCALES if money else _SCALES).get(after, 1.0)
    unit = _UNITS.get(after) or _UNITS.get(following) or _UNITS.get(money, "")
    signed, rough = bool(lead and lead["sign"]), bool(lead and lead["rough"])
    return Figure(-value if signed else value, unit, found.start(), found[1], rough)


def _value(text: str, found: re.Match[str]) -> float:
    """The number itself; the second half of "2018–19" is 2019."""
    century = _CENTURY.search(text, *_before(found)) if len(found[1]) == 2 else None
    return float((century[1] if century else "") + found[1].replace(",", ""))


def _before(found: re.Match[str]) -> tuple[int, int]:
    return max(0, found.start() - 16), found.start()


_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "bn": 1e9, "trillion": 1e12}
_MONEY_SCALES = _SCALES | {"k": 1e3, "m": 1e6, "b": 1e9}  # "5 m" is a length unless it is "$5 m"
_UNITS = {
    form: unit
    for unit, forms in {
        "%": "% percent pct cent", "percentage points": "pp point points percentage", "$": "$ dollar dollars usd",
        "€": "€ euro euros eur", "£": "£ gbp", "second": "sec second seconds", "minute": "min minute minutes",
        "hour": "hour hours", "day": "day days", "week": "week weeks", "month": "month months",
        "year": "year years yr yrs", "mg": "mg milligram milligrams", "g": "g gram grams", "kg": "kg kilogram kilograms",
        "tonne": "tonne tonnes ton tons", "mm": "mm millimetre millimetres millimeter millimeters",
        "cm": "cm centimetre centimetres centimeter centimeters", "metre": "metre metres meter meters",
        "km": "km kilometre kilometres kilometer kilometers", "mile": "mile miles", "foot": "foot feet ft",
        "ml": "ml millilitre millilitres", "litre": "litre litres liter liters", "kw": "kw", "mw": "mw", "gw": "gw",
        "kwh": "kwh", "mwh": "mwh", "gwh": "gwh", "mb": "mb", "gb": "gb", "tb": "tb", "fold": "fold times",
    }.items()
    for form in forms.split()
}  # fmt: skip
_NUMBER = re.compile(r"(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:[\s-]?(%|[A-Za-z]+)(?:\s([A-Za-z]+))?)?")
_IN_NAME = re.compile(r"(?:[^\W\d_]|[A-Za-z][-–]|\d[.,])$")
_CENTURY = re.compile(r"\b(1[5-9]|20)\d\d[-–/]$")
_LEAD = re.compile(
    r"(?P<rough>\b(?:about|around|approximately|nearly|almost|roughly|over|circa)\s|[~≈]\s?)?"
    r"(?P<sign>(?<![\w.)%])[-−])?(?P<money>[$€£]\s?)?$",
    re.IGNORECASE,
)
_SPELLED = re.compile(rf"\b({'|'.join(NUMBER_WORDS)})\b(?:[\s-]([a-z]+))?")
