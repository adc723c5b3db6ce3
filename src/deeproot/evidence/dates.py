"""Days and months, in words or in digits: 2024-03-05 is 5 March 2024."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Date:
    """A month of a year, with its `day` or 0."""

    day: int
    month: str
    year: int
    written: str

    def agrees(self, other: Date) -> bool:
        """Whether both can be the same day; a month alone may be any of its days."""
        return (self.month, self.year) == (other.month, other.year) and (
            self.day == other.day or not self.day or not other.day
        )


def dates_apart(text: str) -> str:
    """The text, as long as it is, with dashes in dates: `2003.06.11` is three numbers and no decimal."""
    if not _BETWEEN_POINTS.search(text):
        return text
    return _DIGITS.sub(lambda found: found[0].replace(".", "-"), text)


def dates_in_words(text: str) -> str:
    """The text with its dates in digits as words; those that can be two days (5/3/2024) stay as they are."""
    return _DIGITS.sub(_in_words, text) if _BETWEEN_MARKS.search(text) else text


def months_in_digits(text: str) -> Iterator[tuple[int, list[str]]]:
    """Where every date in digits stands and the months it may be in: 5/3/2024 may be in March or in May."""
    for found in _DIGITS.finditer(text) if _BETWEEN_MARKS.search(text) else ():
        yield found.start(), [MONTHS[month - 1] for _, month in _days(found)]


def other_dates(claim: str, sentence: str) -> Iterator[str]:
    """Dates of the claim for which the sentence has another day or month of the same year instead."""
    theirs = list(_dates(sentence))
    for ours in _dates(claim) if theirs else ():
        rivals = [other for other in theirs if other.year == ours.year]
        if rivals and not any(map(ours.agrees, rivals)):
            yield f"{ours.written} here, {rivals[0].written} in the source"


def _dates(text: str) -> Iterator[Date]:
    for found in _WORDS.finditer(text):
        month = next(name for name in MONTHS if name.startswith(found["month"][:3].lower()))
        yield Date(int(found["before"] or found["after"] or 0), month, int(found["year"]), found[0])


def _in_words(found: re.Match[str]) -> str:
    days = _days(found)
    if len(days) != 1:
        return found[0]
    day, month = days[0]
    return f"{day} {MONTHS[month - 1].capitalize()} {found['first'] or found['last']}"


def _days(found: re.Match[str]) -> list[tuple[int, int]]:
    """(day, month) as this date may be read: the month leads only after a year or before a slash."""
    one, two = int(found["one"] or found["three"]), int(found["two"] or found["four"])
    read = [(two, one)] if found["first"] else [(one, two)]
    if found["mark"] == "/" and one != two:
        read.append((two, one))
    return [(day, month) for day, month in read if 1 <= day <= 31 and 1 <= month <= 12]


# Much faster than the whole pattern, where there is no date.
_BETWEEN_POINTS = re.compile(r"\.\d\d?\.\d")
_BETWEEN_MARKS = re.compile(r"([-./])\d\d?\1\d")
_DIGITS = re.compile(
    r"(?<![\w.,/-])(?:(?P<first>[12]\d{3})(?P<by>[-./])(?P<one>\d\d?)(?P=by)(?P<two>\d\d?)"
    r"|(?P<three>\d\d?)(?P<mark>[-./])(?P<four>\d\d?)(?P=mark)(?P<last>[12]\d{3}))(?![-./]?\w)"
)
_MONTH = rf"(?P<month>{'|'.join(f'{name[:3]}(?:{name[3:]})?' if name != 'may' else name for name in MONTHS)}|sept)\b\.?"
_WORDS = re.compile(
    rf"(?:\b(?P<before>\d\d?)(?:st|nd|rd|th)?\s(?:of\s)?)?\b{_MONTH}"
    r"(?:\s(?P<after>\d\d?)(?:st|nd|rd|th)?\b)?,?\s(?:of\s)?(?P<year>[12]\d{3})\b",
    re.IGNORECASE,
)
