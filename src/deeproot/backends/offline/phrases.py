"""Key phrases: what a text is about, in its own words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .words import counts_something, rarities, terms

LONGEST = 3
MOST_OF_ALL = 0.5  # of the evidence; what stands for more is the matter itself, not a part of it

_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[^\w\s]")
_WORD_OR_SYMBOL = re.compile(r"\w+(?:[-'’.]\w+)*|[^\w\s]")
_POSSESSIVE = re.compile(r"['’]s?$")
_NAME = re.compile(r"[A-Z][^\W\d_]*[a-z][^\W\d_]*[A-Z][^\W\d_]*")  # TaskGroup
_ACRONYM = re.compile(r"[A-Z]{3,}")  # HIPAA
_MARKERS = frozenset(("XXX", "TODO", "FIXME", "NOTE", "NULL", "TRUE", "FALSE", "NONE", "WARNING", "ERROR"))
# What stands before or after a name for something and never in it.
_BREAK = """
    again all alone already also although always among another any anything around because been before being both
    cannot could directly does doing done each either else enough even ever every everything false few first
    following further generally having herself himself however instead itself just last least like likely many maybe
    merely might much must never next none nothing now often once one only other others otherwise own perhaps
    possible possibly quite rather really same second several should simply since so some something sometimes soon
    still such than themselves then there thereby therefore though thus together too true twice unless unlike until
    upon usually very via well whenever wherever whether without yet
"""
_SYMBOL = re.compile(r"[\d_.]")  # max_line_length, task.cancel, 3rd
_BREAKS = frozenset(_BREAK.split())
_OBJECT = frozenset(("the", "a", "an", "its", "their", "this", "that", "these", "your", "our"))
# English words that neither begin nor end a name for something, and parts of dates and amounts.
_UNFIT = re.compile(
    r"(?:ly|[^aeiou]ed|[iy]zes?|[iy]sed?)$|^(?:increas|decreas|enhanc|significant|improv|driv|leverag|implement|continu"
    r"|result|includ|overall|indicat|suggest|remain|show|enabl|allow|provid|ensur|refin|reveal|underscor|highlight"
    r"|expect|project|anticipat|reach|achiev|first|second|third|next|last|until|within|around|approximat|average|total"
    r"|quarter|month|week|year|day|time|percent|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|additional|specific|particular|new|key|robust|various|several|due|per|based|focus|made|making"
    r"|using|use|well|need|way|lot|one|note|consider|given|accord|adopt|help|balanc|captur|expand|accelerat|prepar"
    r"|influenc|defend|reduc|minimi|attract|strengthen|associat|measur|design|guid"
    r"|(?:return|raise|generate|create|wait|take|find|keep|add|remove|handle|determine|contain|want|get|make)s?$)",
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
    for run in _runs(text):
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
    most = sum(left) * MOST_OF_ALL
    found = [phrase for phrase in found if sum(left[place] for place in sorted(phrase.places)) <= most]
    told = set(known)
    chosen: list[str] = []
    while len(chosen) < count:
        open_ones = [phrase for phrase in found if _is_news(phrase, told) and _is_title(phrase, named)]
        best = max(open_ones, key=lambda phrase: (_gain(phrase, left, rare, told, named), phrase.form), default=None)
        if best is None:
            break
        chosen.append(best.form[:1].upper() + best.form[1:])
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

    def add(self, place: int, gram: _Gram) -> None:
        self.places.add(place)
        self.forms[" ".join(gram.words)] += 1
        self.after.add(gram.after)
        self.alone += gram.alone
        self.verbal += gram.verbal

    @property
    def is_name(self) -> bool:
        """It is met in more than one turn of phrase, somewhere by itself, so it is not torn out, and is no verb."""
        return len(self.after) > 1 and self.alone > 0 and 2 * self.verbal < self.forms.total()


class _Gram(NamedTuple):
    """Words in a row, the two before them, whether no other belongs to them, and whether an object follows."""

    words: tuple[str, ...]
    after: tuple[str, ...]
    alone: bool
    verbal: bool


def _occurrences(statements: Sequence[Statement]) -> list[_Phrase]:
    """The phrases that recur and are names for something, each in its most usual form."""
    uses: dict[tuple[str, ...], _Uses] = defaultdict(_Uses)
    for index, statement in enumerate(statements):
        for gram in _grams_of(statement.text):
            uses[tuple(term for word in gram.words for term in terms(word))].add(index, gram)
    only_source = len({statement.source for statement in statements}) == 1
    return [
        _Phrase(min(use.forms, key=lambda form: (-use.forms[form], form)), key, frozenset(use.places))
        for key, use in uses.items()
        if use.is_name and len(use.places if only_source else {statements[place].source for place in use.places}) > 1
    ]


def _grams_of(text: str) -> Iterator[_Gram]:
    """The stretches of two or three words, and single words that are names."""
    for before, run, following in _stretches(text):
        for length in range(2, LONGEST + 1):
            for start in range(len(run) - length + 1):
                words = run[start : start + length]
                if not (_UNFIT.search(words[0]) or _UNFIT.search(words[-1]) or any(map(counts_something, words))):
                    last = start + length == len(run)
                    plain = (*words[:-1], _POSSESSIVE.sub("", words[-1]))
                    after = (*before, *run[:start])[-2:]
                    yield _Gram(plain, after, length == len(run), last and following.lower() in _OBJECT)
        yield from (
            _Gram((word,), (*before, *run[:at])[-2:], True, False) for at, word in enumerate(run) if _is_proper(word)
        )


def _is_proper(word: str) -> bool:
    return bool(_NAME.fullmatch(word)) or (bool(_ACRONYM.fullmatch(word)) and word not in _MARKERS)


def _stretches(text: str) -> Iterator[tuple[tuple[str, ...], list[str], str]]:
    """The stretches of plain words between stop words, symbols and punctuation, with what stands around each."""
    run: list[str] = []
    told = ("", "", *_WORD_OR_SYMBOL.findall(text), "")
    for at, token in enumerate(told):
        if token.lower() not in _BREAKS and terms(token) and not _SYMBOL.search(token):
            run.append(token)
        elif run:
            begin = at - len(run)
            yield told[begin - 2 : begin], run, token
            run = []


def _runs(text: str) -> Iterator[list[str]]:
    """The stretches between stop words and punctuation; a number may stand in one, not begin it."""
    run: list[str] = []
    for token in _TOKEN.findall(text):
        if terms(token) and (not token[0].isdigit() or run):
            run.append(token)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _is_title(phrase: _Phrase, named: Sequence[frozenset[str]]) -> bool:
    """An acronym alone is a topic only where people made it one."""
    return not _ACRONYM.fullmatch(phrase.form) or any(heading.issuperset(phrase.terms) for heading in named)


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
