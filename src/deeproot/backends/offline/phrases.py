"""Key phrases: what a text is about, in its own words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from .naming import Gram, grams_of, is_acronym, is_name
from .words import rarities, rarity, terms

MOST_OF_ALL = 0.5  # of the evidence; what stands for more is the matter itself, not a part of it


@dataclass(frozen=True, slots=True)
class Statement:
    """A text with what it counts for, where it comes from, and what it stands under there."""

    text: str
    weight: float
    source: str
    heading: str = ""


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A phrase in its usual form, and the statements it stands in."""

    form: str
    terms: tuple[str, ...]
    places: frozenset[int]


def key_phrases(
    statements: Sequence[Statement], count: int, known: Collection[str] = (), headings: Collection[str] = ()
) -> list[str]:
    """Up to `count` phrases that together stand for as much of the statements' weight as possible.

    A phrase is a name or has two words at least, brings a term that is not `known`, and is written in more than one
    source, or several times where there is only one; or it is the heading or the symbol that several statements stand
    under. Terms that are everywhere say little, so rarity counts; what people wrote over their texts makes the better
    name.
    """
    named = [frozenset(terms(heading)) for heading in sorted(headings)]
    found = [*_occurrences(statements), *_headings(statements)]
    rare = rarities([terms(statement.text) for statement in statements])
    left = [statement.weight for statement in statements]
    most = sum(left) * MOST_OF_ALL
    found = [phrase for phrase in found if sum(left[place] for place in sorted(phrase.places)) <= most]
    told = set(known)
    chosen: list[str] = []
    while len(chosen) < count:
        open_ones = [phrase for phrase in found if _is_news(phrase, told) and _is_title(phrase, named)]
        best = max(open_ones, key=lambda phrase: (_gain(phrase, left, rare, told, named), phrase.form), default=None)
        if best is None:
            break
        chosen.append(best.form)
        told.update(best.terms)
        left = [weight * (0.2 if index in best.places else 1.0) for index, weight in enumerate(left)]
    return chosen


class _Uses:
    """How one phrase is used: in which statements and forms, after which words, by itself, as a verb."""

    def __init__(self) -> None:
        self.places: set[int] = set()
        self.forms: Counter[str] = Counter()
        self.after: set[tuple[str, ...]] = set()
        self.alone = 0
        self.verbal = 0

    def add(self, place: int, gram: Gram) -> None:
        self.places.add(place)
        self.forms[" ".join(gram.words)] += 1
        self.after.add(gram.after)
        self.alone += gram.alone
        self.verbal += gram.verbal

    @property
    def is_name(self) -> bool:
        """It is met in more than one turn of phrase, somewhere by itself, so it is not torn out, and is no verb."""
        return len(self.after) > 1 and self.alone > 0 and 2 * self.verbal < self.forms.total()


def _occurrences(statements: Sequence[Statement]) -> list[_Phrase]:
    """The phrases that recur and are names for something, each in its most usual form."""
    uses: dict[tuple[str, ...], _Uses] = defaultdict(_Uses)
    for index, statement in enumerate(statements):
        for gram in grams_of(statement.text):
            uses[tuple(term for word in gram.words for term in terms(word))].add(index, gram)
    only_source = len({statement.source for statement in statements}) == 1
    return [
        _Phrase(_capital(min(use.forms, key=lambda form: (-use.forms[form], form))), key, frozenset(use.places))
        for key, use in uses.items()
        if use.is_name and len(use.places if only_source else {statements[place].source for place in use.places}) > 1
    ]


def _capital(form: str) -> str:
    return form[:1].upper() + form[1:]


def _headings(statements: Sequence[Statement]) -> list[_Phrase]:
    """What several statements stand under, where that is a name for something."""
    under: dict[str, set[int]] = defaultdict(set)
    for index, statement in enumerate(statements):
        under[statement.heading].add(index)
    return [
        _Phrase(heading, terms(heading), frozenset(places))
        for heading, places in under.items()
        if len(places) > 1 and is_name(heading)
    ]


def _is_title(phrase: _Phrase, named: Sequence[frozenset[str]]) -> bool:
    """An acronym alone is a topic only where people made it one."""
    return not is_acronym(phrase.form) or any(heading.issuperset(phrase.terms) for heading in named)


def _is_news(phrase: _Phrase, told: Collection[str]) -> bool:
    """Whether at least half of it is new, and no word stands in it twice."""
    new = sum(term not in told for term in phrase.terms)
    return 2 * new >= len(phrase.terms) and len(set(phrase.terms)) == len(phrase.terms)


def _gain(
    phrase: _Phrase,
    left: Sequence[float],
    rare: Mapping[str, float],
    told: Collection[str],
    named: Sequence[frozenset[str]],
) -> float:
    new = [rare.get(term, rarity(len(left), len(phrase.places))) for term in phrase.terms if term not in told]
    as_heading = any(heading.issuperset(phrase.terms) for heading in named)
    return sum(left[index] for index in sorted(phrase.places)) * sum(new) / len(new) * (2 if as_heading else 1)
