"""Key phrases: what a text is about, in its own words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .words import counts_something, rarities, terms

LONGEST = 3

_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[^\w\s]")
_POSSESSIVE = re.compile(r"['’]s?$")
_NAME = re.compile(r"[^\W\d_].*[A-Z]|_")  # HIPAA, TaskGroup
# English words that neither begin nor end a name for something, and parts of dates and amounts.
_UNFIT = re.compile(
    r"(?:ly|[^aeiou]ed|[iy]zes?|[iy]sed?)$|^(?:increas|decreas|enhanc|significant|improv|driv|leverag|implement|continu"
    r"|result|includ|overall|indicat|suggest|remain|show|enabl|allow|provid|ensur|refin|reveal|underscor|highlight"
    r"|expect|project|anticipat|reach|achiev|first|second|third|next|last|until|within|around|approximat|average|total"
    r"|quarter|month|week|year|day|time|percent|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|additional|specific|particular|new|key|robust|various|several|due|per|based|focus|made|making"
    r"|using|use|well|need|way|lot|one|note|consider|given|accord|adopt|help|balanc|captur|expand|accelerat|prepar"
    r"|influenc|defend|reduc|minimi|attract|strengthen|associat|measur|design|guid)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A text with what it counts for and where it comes from."""

    text: str
    weight: float
    source: str


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A phrase in its usual form, and the statements it stands in."""

    form: str
    terms: tuple[str, ...]
    places: frozenset[int]


def names(text: str) -> list[str]:
    """The names for things in a text, in order: `FSMA 204 regulations`, `food safety`."""
    found: list[str] = []
    for run in _runs(text, numbers=True):
        part: list[str] = []
        for word in (*run, ""):
            if word and not _UNFIT.search(word):
                part.append(word)
            elif part:
                found.append(_POSSESSIVE.sub("", " ".join(part)))
                part = []
    return [name for name in dict.fromkeys(found) if not name[0].isdigit()]


def joined(items: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))


def key_phrases(
    statements: Sequence[Statement], count: int, known: Collection[str] = (), headings: Collection[str] = ()
) -> list[str]:
    """Up to `count` phrases that together stand for as much of the statements' weight as possible.

    A phrase is a name or has two words at least, brings a term that is not `known`, and is written in more than one
    source, or several times where there is only one. Terms that are everywhere say little, so rarity counts; what
    people wrote over their texts makes the better name.
    """
    named = [frozenset(terms(heading)) for heading in sorted(headings)]
    found = _occurrences(statements)
    rare = rarities([terms(statement.text) for statement in statements])
    left = [statement.weight for statement in statements]
    told = set(known)
    chosen: list[str] = []
    while len(chosen) < count:
        open_ones = [phrase for phrase in found if _is_news(phrase, told)]
        best = max(open_ones, key=lambda phrase: (_gain(phrase, left, rare, told, named), phrase.form), default=None)
        if best is None:
            break
        chosen.append(best.form[:1].upper() + best.form[1:])
        told.update(best.terms)
        left = [weight * (0.2 if index in best.places else 1.0) for index, weight in enumerate(left)]
    return chosen


def _occurrences(statements: Sequence[Statement]) -> list[_Phrase]:
    """The phrases that recur, each in its most usual form."""
    places: dict[tuple[str, ...], set[int]] = defaultdict(set)
    forms: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for index, statement in enumerate(statements):
        for words in _grams_of(statement.text):
            key = tuple(term for word in words for term in terms(word))
            places[key].add(index)
            forms[key][" ".join(words)] += 1
    only_source = len({statement.source for statement in statements}) == 1
    return [
        _Phrase(min(forms[key], key=lambda form: (-forms[key][form], form)), key, frozenset(found))
        for key, found in places.items()
        if len(found if only_source else {statements[index].source for index in found}) > 1
    ]


def _grams_of(text: str) -> Iterator[Sequence[str]]:
    """The stretches of two or three words, and single words that are names."""
    for run in _runs(text):
        for length in range(2, LONGEST + 1):
            for start in range(len(run) - length + 1):
                words = run[start : start + length]
                if not (_UNFIT.search(words[0]) or _UNFIT.search(words[-1]) or any(map(counts_something, words))):
                    yield (*words[:-1], _POSSESSIVE.sub("", words[-1]))
        yield from ((word,) for word in run if _NAME.search(word))


def _runs(text: str, numbers: bool = False) -> Iterator[list[str]]:
    """The stretches between stop words and punctuation."""
    run: list[str] = []
    for token in _TOKEN.findall(text):
        if terms(token) and (not token[0].isdigit() or (numbers and run)):
            run.append(token)
        elif run:
            yield run
            run = []
    if run:
        yield run


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
    new = [rare[term] for term in phrase.terms if term not in told]
    as_heading = any(heading.issuperset(phrase.terms) for heading in named)
    return sum(left[index] for index in sorted(phrase.places)) * sum(new) / len(new) * (2 if as_heading else 1)
