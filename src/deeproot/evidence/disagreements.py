"""Where two sources give a different number or date for the same thing.

Precise rather than complete: a false alarm costs a person more than a miss. So two statements are only compared when
they name the same names, the same period and the same kind of number, and use the same telling words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from .claims import Claim, Term, direction
from .figures import Figure, rounds_to, year
from .lexicon import GENERAL, NEGATIONS, NUMBER_WORDS, STOP, stem
from .speech import HEDGES, MONTHS, ONCE, SCOPES

FEWEST_WORDS = 3  # words two statements share, where they share no name
ONE_MORE_FROM = 5  # a statement of this many telling words may have one that the other lacks
MOST_SIDES = 12  # of one matter; more would be a list, and cost would grow with its square
MOST_FIGURES = 12  # a statement with more is a table
LEAD = 24  # characters before a number that tell how it is meant
DAY = "day"


@dataclass(frozen=True, slots=True)
class Stated:
    """A sentence, the source it comes from, and whatever its owner knows it by."""

    text: str
    source: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two statements of different sources about the same thing, and what each of them gives for it."""

    one: Stated
    other: Stated
    gives: str
    other_gives: str


def disagreements(statements: Sequence[Stated]) -> list[Disagreement]:
    """Every pair of statements from different sources that give different values, in the order of the statements."""
    matters: dict[_Matter, list[_Given]] = defaultdict(list)
    for place, statement in enumerate(statements):
        for matter, value in _givens(statement):
            matters[matter].append(_Given(place, statement, value))
    found: dict[tuple[int, int], Disagreement] = {}
    for matter in matters:
        for one, other in _opposed(matter, matters):
            first, second = sorted((one, other), key=lambda given: given.place)
            pair = Disagreement(first.statement, second.statement, str(first.value), str(second.value))
            found.setdefault((first.place, second.place), pair)
    return [found[places] for places in sorted(found)]


@dataclass(frozen=True, slots=True)
class _Matter:
    """What a number is the number of. Statements are compared only when these are the same."""

    kind: str
    period: frozenset[float]
    names: frozenset[str]
    scope: frozenset[str]
    expected: bool
    moving: bool
    words: frozenset[str]

    def with_one_word_less(self) -> Iterator[_Matter]:
        if len(self.words) >= ONE_MORE_FROM:
            for word in sorted(self.words):
                yield _Matter(
                    self.kind, self.period, self.names, self.scope, self.expected, self.moving, self.words - {word}
                )


@dataclass(frozen=True, slots=True)
class _Day:
    """A date as far as it is given."""

    year: float
    month: str
    day: float
    written: str

    def __str__(self) -> str:
        return self.written

    def differs(self, other: _Day) -> bool:
        if self.year != other.year:
            return True
        if not self.month or not other.month:
            return False
        return self.month != other.month or bool(self.day and other.day and self.day != other.day)


@dataclass(frozen=True, slots=True)
class _Given:
    place: int
    statement: Stated
    value: Figure | _Day


def _opposed(matter: _Matter, matters: dict[_Matter, list[_Given]]) -> Iterator[tuple[_Given, _Given]]:
    ours = _sides(matters[matter])
    yield from (pair for pair in combinations(ours, 2) if _differ(*pair))
    for less in matter.with_one_word_less():
        for theirs in _sides(matters[less]) if less in matters else ():
            yield from ((our, theirs) for our in ours if _differ(our, theirs))


def _sides(givens: list[_Given]) -> list[_Given]:
    """The first statement of each source for each value."""
    return list({(str(given.value), given.statement.source): given for given in reversed(givens)}.values())[
        -MOST_SIDES:
    ]


def _differ(one: _Given, other: _Given) -> bool:
    if one.statement.source == other.statement.source:
        return False
    if isinstance(one.value, _Day) or isinstance(other.value, _Day):
        return isinstance(one.value, _Day) and isinstance(other.value, _Day) and one.value.differs(other.value)
    return not rounds_to(one.value, other.value) and not rounds_to(other.value, one.value)


def _givens(statement: Stated) -> Iterator[tuple[_Matter, Figure | _Day]]:
    """The numbers of a statement that are given once and plainly, each with what it is the number of."""
    if not _COUNTED.search(statement.text):
        return
    claim = Claim(statement.text)
    if len(claim.figures) > MOST_FIGURES or not NEGATIONS.isdisjoint(claim.stems) or _PRONOUN.search(claim.text):
        return
    years = [one for one in claim.figures if year(one)]
    others = [one for one in claim.figures if not year(one)]
    if len(years) == 1 and not ONCE.isdisjoint(claim.words) and (day := _day(claim, years[0], others)):
        yield from _about(claim, DAY, frozenset(), years[0], day)
    kinds = [_kind(claim, one) for one in others]
    for figure, kind in zip(others, kinds, strict=True):
        before = claim.text[max(0, figure.start - LEAD) : figure.start]
        if kind and kinds.count(kind) == 1 and not _BOUND.search(before):
            reached = " reached" if _REACHED.search(before) else ""
            yield from _about(claim, kind + reached, frozenset(one.value for one in years), figure, figure)


def _about(
    claim: Claim, kind: str, period: frozenset[float], figure: Figure, value: Figure | _Day
) -> Iterator[tuple[_Matter, Figure | _Day]]:
    clause = claim if kind == DAY else Claim(_clause(claim.text, figure))
    months = MONTHS if kind == DAY else frozenset[str]()
    names = claim.names.all - months
    stems = frozenset(clause.stems)
    words = frozenset(term.stem for term in clause.terms if _telling(term)) - names - months
    if words and (names or (len(words) >= FEWEST_WORDS and not _ARTICLE.match(claim.text))):
        moving = any(map(direction, stems))
        yield _Matter(kind, period, names, SCOPES & stems, not HEDGES.isdisjoint(claim.stems), moving, words), value


def _telling(term: Term) -> bool:
    return term.word in ONCE or (term.stem not in GENERAL and not direction(term.stem))


def _kind(claim: Claim, figure: Figure) -> str:
    """Its unit, or the first telling word after it; "" for a number that only tells things apart ("Article 5")."""
    if _ORDINAL.match(claim.text, figure.end):
        return ""
    if figure.unit:
        return figure.unit
    if _NUMBERED.search(claim.text[max(0, figure.start - LEAD) : figure.start]):
        return ""
    words = [word.lower() for word in _FOLLOWING.findall(claim.text[figure.end : figure.end + 40])[:3]]
    after = [stem(word) for word in words if word not in STOP]
    return next((word for word in after if word not in GENERAL), after[0] if after else "")


def _day(claim: Claim, of_year: Figure, others: Sequence[Figure]) -> _Day | None:
    """The date a sentence gives; nothing when it holds numbers besides."""
    written = _DATE.search(claim.text)
    if not written:
        return None if others else _Day(of_year.value, "", 0.0, of_year.written)
    day = written["day"] or written["after"] or "0"
    if len(others) > (day != "0"):
        return None
    return _Day(of_year.value, stem((written["month"] or written["named"]).lower()), float(day), written[0])


def _clause(text: str, figure: Figure) -> str:
    """The part of a sentence that a number stands in."""
    start = max((found.end() for found in _BREAK.finditer(text, 0, figure.start)), default=0)
    end = _BREAK.search(text, figure.end)
    return text[start : end.start() if end else len(text)]


_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = re.compile(
    rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?P<month>{_MONTH}),?\s+(?:of\s+)?\d{{4}}\b"
    rf"|(?P<named>{_MONTH})\s+(?P<after>\d{{1,2}})(?:st|nd|rd|th)?,\s+\d{{4}}\b"
)
_BREAK = re.compile(r"[;:—](?=\s)|,(?=\s\D)|\s(?:and|but|while|whereas|which|although)\s|\s–\s")
_BOUND = re.compile(
    r"(?:\b(?:than|least|most|up to|under|below|above|over|between|until|within|exceed\w*|another|further|extra)"
    r"|\d\s*(?:[-–/]|to|and|or))\s*\Z",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\b[A-Z][\w.]*\s$|\b(?:top|number|no\.|version|article|section|page|phase|level|type)\s$")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
# "It opened in 1998", "the school employs 40": which one is known to those who read the page it stands on.
_PRONOUN = re.compile(
    r"(?:^\W*|,\s)(?:they|it|he|she|we|i|his|her|its|their|our)\b|\bth(?:is|ese|ose)\b", re.IGNORECASE
)
_ARTICLE = re.compile(r"\W*the\b", re.IGNORECASE)
_REACHED = re.compile(r"\b(?:to|at)\s$")  # "rose to 15 %" is not "rose by 15 %"
_COUNTED = re.compile(rf"\d|\b(?:{'|'.join(NUMBER_WORDS)})\b", re.IGNORECASE)
_FOLLOWING = re.compile(r"[^\W\d_]+")
