"""Numbers as a reader takes them: a value with its unit. "1,500", "1.5 thousand" and "1500" are one figure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .lexicon import FRACTIONS, NUMBER_WORDS

FIRST_YEAR, LAST_YEAR = 1500, 2100
ABOUT, BEYOND = 0.05, 0.1  # "about 15" stands for what differs by at most this share, "over 15" for this much more


@dataclass(frozen=True, slots=True)
class Figure:
    """`unit` is "" when none is named; `less` and `more` are the room that a word such as "about" leaves, as shares."""

    value: float
    unit: str
    start: int
    end: int
    written: str
    less: float = 0.0
    more: float = 0.0

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
        return self.value * other.value >= 0 and -(self.less + 1e-9) * size <= above <= (self.more + 1e-9) * size


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


def spelled(lower: str) -> Iterator[Figure]:
    """The numbers written as words in a lower-case text: "three", "forty years"."""
    for found in _SPELLED.finditer(lower):
        tail = _tail(found, _SCALES)
        value = NUMBER_WORDS[found[1]] * tail.scale
        yield Figure(value, tail.unit, found.start(), tail.end, lower[found.start() : tail.end])


def fractions(lower: str) -> Iterator[Figure]:
    """Parts of a whole in a lower-case text, as percentages: "a third of", "by a quarter"."""
    for found in _FRACTION.finditer(lower):
        word = next(filter(None, found.groups()))
        yield Figure(_PARTS[word], "%", found.end() - len(word), found.end(), word)


def spelled_like(figure: Figure, lower: str) -> Iterator[Figure]:
    """Those of `spelled(lower)` that can match `figure`."""
    digits = _significant(figure.value)
    words = [word for word, value in NUMBER_WORDS.items() if figure.rough or _significant(value) == digits]
    if any(word in lower for word in words):
        yield from spelled(lower)


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
    tail = _tail(found, _MONEY_SCALES if money else _SCALES)
    start = lead.start("number") if lead else found.start()
    value = _value(text, found) * tail.scale * (-1 if lead and lead["sign"] else 1)
    unit = tail.unit or _UNITS.get(money, "")
    return Figure(value, unit, start, tail.end, text[start : tail.end], *_room(lead["rough"] if lead else None))


def _room(word: str | None) -> tuple[float, float]:
    """How much less and more a number may be after such a word."""
    if not word:
        return 0.0, 0.0
    plain = " ".join(word.lower().split())
    return (0.0, BEYOND) if plain in _AT_LEAST else (BEYOND, 0.0) if plain in _AT_MOST else (ABOUT, ABOUT)


@dataclass(frozen=True, slots=True)
class _Tail:
    """What the two words after a number make of it."""

    scale: float
    unit: str
    end: int


def _tail(found: re.Match[str], scales: Mapping[str, float]) -> _Tail:
    after, following = (found[2] or "").lower(), (found[3] or "").lower()
    scale = scales.get(after, 1.0)
    if after in _UNITS:
        return _Tail(scale, _UNITS[after], found.end(2))
    if following in _UNITS and (after in scales or after in _LEADS_TO_UNIT):
        return _Tail(scale, _UNITS[following], found.end(3))
    return _Tail(scale, "", found.end(2) if after in scales else found.end(1))


def _value(text: str, found: re.Match[str]) -> float:
    """The number itself; the second half of "2018–19" is 2019."""
    century = _CENTURY.search(text, *_before(found)) if len(found[1]) == 2 else None
    return float((century[1] if century else "") + found[1].replace(",", ""))


def _before(found: re.Match[str]) -> tuple[int, int]:
    return max(0, found.start() - 20), found.start()


_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "bn": 1e9, "trillion": 1e12}
_MONEY_SCALES = _SCALES | {"k": 1e3, "m": 1e6, "b": 1e9}  # "5 m" is a length unless it is "$5 m"
_UNITS = {
    form: unit
    for unit, forms in {
        "%": "% percent pct cent", "percentage points": "pp point points", "$": "$ dollar dollars usd",
        "€": "€ euro euros eur", "£": "£ gbp", "second": "sec second seconds", "minute": "min minute minutes",
        "hour": "hour hours", "day": "day days", "week": "week weeks", "month": "month months",
        "year": "year years yr yrs", "mg": "mg milligram milligrams", "g": "g gram grams",
        "kg": "kg kilogram kilograms", "tonne": "tonne tonnes ton tons",
        "mm": "mm millimetre millimetres millimeter millimeters",
        "cm": "cm centimetre centimetres centimeter centimeters", "metre": "metre metres meter meters",
        "km": "km kilometre kilometres kilometer kilometers", "mile": "mile miles", "foot": "foot feet ft",
        "ml": "ml millilitre millilitres", "litre": "litre litres liter liters",
        "w": "w watt watts", "kw": "kw kilowatt kilowatts",
        "mw": "mw megawatt megawatts", "gw": "gw gigawatt gigawatts",
        "nm": "nm nanometre nanometres nanometer nanometers", "hz": "hz hertz", "khz": "khz",
        "mhz": "mhz", "ghz": "ghz",
        "kwh": "kwh", "mwh": "mwh", "gwh": "gwh", "mb": "mb", "gb": "gb", "tb": "tb", "fold": "fold times",
    }.items()
    for form in forms.split()
}  # fmt: skip
_NUMBER = re.compile(r"(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:[\s-]?(%|[A-Za-z]+)(?:\s([A-Za-z]+))?)?")
_DIGITS = re.compile(r"\d[\d,.]*(?<=\d)")
_IN_NAME = re.compile(r"(?:[^\W\d_]|[A-Za-z][-–]|\d[.,])\Z")
_LEADS_TO_UNIT = frozenset(["per", "percentage", "us", "metric"])  # "per cent", "US dollars"
_CENTURY = re.compile(r"\b(1[5-9]|20)\d\d[-–/]\Z")
_AT_LEAST = frozenset(["over", "more than", "at least", "above", "exceeding"])
_AT_MOST = frozenset(["nearly", "almost", "under", "less than", "fewer than", "up to", "at most", "below"])
_LEAD = re.compile(
    rf"(?P<rough>\b(?:about|around|approximately|roughly|circa|{'|'.join(_AT_LEAST | _AT_MOST)})\s|[~≈]\s?)?"
    r"(?P<number>(?P<sign>(?<![\w.)%])[-−])?(?P<money>(?:[$€£]|\b(?:EUR|USD|GBP)(?=[\s\d]))\s?)?)\Z",
    re.IGNORECASE,
)
_PARTS = {word: value for value, word in FRACTIONS.items()}
_FRACTION = re.compile(
    r"(?<=\ba )(third|quarter|fifth|tenth)\b(?! (?:time|party|world))|\b(half)(?= of\b)|\bby (half)\b"
)
_SPELLED = re.compile(rf"\b({'|'.join(NUMBER_WORDS)})\b(?:[\s-]([a-z]+)(?:\s([a-z]+))?)?")
