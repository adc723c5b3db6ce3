"""Weighing: which sentences of the passages bear on the question, and how much.

Files come first. Sentences of other subjects share the vocabulary of the question, so a sentence is only as good as
its file: the relevance of the file, judged by all of its passages and its name, times the worth of the sentence.
The worth is relevance (of its passage, mostly) times how much it tells: figures, recent years.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePath

from ...model import Passage
from .sentences import Form, Sentence, sentences
from .words import counts_something, figures, rarities, rarity, scores, terms, years

NAME_SHARE = 0.5  # what the name of a file counts, beside its text
OWN_SHARE = 0.25  # what a sentence's own words count, beside those of its passage
# In programs a passage gathers comments that have little to do with each other: a sentence speaks for itself, or not.
OWN_SHARE_IN_CODE = 1.5
IRRELEVANT, IRRELEVANT_IN_CODE = 0.5, 0.05  # what a sentence is worth however little it bears on the question
LATER_SENTENCE = 0.54  # the second sentence of a file against its first: cover the good files before going deep
FATIGUE = 0.97  # and every further one against the one before
LEAST_FILE, LEAST_WEIGHT, LEAST_COVERAGE = 0.12, 0.09, 0.25

_TABLES = re.compile(r"\.(?:csv|tsv)$", re.IGNORECASE)
_PROGRAMS = re.compile(
    r"\.(?:pyi?|jsx?|tsx?|go|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|swift|scala|sh|sql|lua)$", re.IGNORECASE
)
_DEPENDENT = re.compile(r"\W*(?:this|these|those|that|it|they|he|she|such|its|their|his|her)\b", re.IGNORECASE)
_ABOUT_ITSELF = re.compile(
    r"\b(?:this|the|our) (?:\w+ )?(?:report|document|paper|article|section|memo|e-?mail|chapter|page)s?\b[^.]*"
    r"\b(?:explor|outlin|aim|examin|provid|discuss|present|describ|summari|delv|highlight|focus)\w*"
    r"|\b(?:I|we)(?:'d| would)? (?:wanted|want|like|am writing|hope|look forward)\b"
    r"|\b(?:thanks?|please|let me know|let's|looking forward|regards|feel free)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence and where it stands: the number of its passage (from 1) and its position in its file."""

    passage: int
    file: str
    order: int
    paragraph: tuple[int, int]
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quote with its weight for the question, from 0 to 1. `terms` adds those of its headings and names."""

    passage: int
    quote: str
    weight: float
    own_terms: frozenset[str]
    terms: frozenset[str]
    file: str
    order: int


def weigh(question: str, passages: Sequence[Passage]) -> tuple[Evidence, ...]:
    """What the passages say to the question, heaviest first."""
    wanted = Counter(terms(question))
    files = relevant_files(wanted, passages)
    places = [place for place in _places(passages) if files[place.file] >= LEAST_FILE]
    worth = _worth(question, wanted, places, passages)
    by_file: dict[str, list[Place]] = defaultdict(list)
    for place in places:
        if place in worth:
            by_file[place.file].append(place)
    weighed = [
        _evidence(place, weight, passages)
        for file, own in by_file.items()
        for place, weight in _in_turn(own, worth, files[file])
    ]
    return tuple(sorted(weighed, key=lambda e: (-e.weight, e.file, e.order)))


def relevant_files(wanted: Mapping[str, float], passages: Sequence[Passage]) -> dict[str, float]:
    """How well each file matches as a whole, by its text and its name, as a share of the best.

    The lengths of files do not count: what was found of a file is only what matched.
    """
    text: dict[str, tuple[str, ...]] = {}
    name: dict[str, tuple[str, ...]] = {}
    for passage in passages:
        location = passage.source.location
        name[location] = terms(PurePath(location).stem)
        text[location] = text.get(location, name[location]) + terms(passage.text)
    by_text = scores(wanted, text, length_norm=0.0)
    by_name = scores(wanted, name, length_norm=0.0)
    both = {location: by_text[location] + NAME_SHARE * by_name[location] for location in text}
    best = max(both.values(), default=0.0) or 1.0
    return {location: score / best for location, score in both.items()}


def coverage(question: str, passages: Sequence[Passage]) -> float:
    """How much of the question the best file speaks about: the share of its terms, rare ones counting more."""
    wanted = frozenset(terms(question))
    held: dict[str, set[str]] = defaultdict(set)
    for passage in passages:
        held[passage.source.location].update(terms(f"{passage.source.title} {passage.section} {passage.text}"))
    rare = rarities(held.values())
    unseen = rarity(len(held), 0)
    worth = {term: 1 + rare.get(term, unseen) for term in sorted(wanted)}
    whole = sum(worth.values())
    best = max((sum(worth[term] for term in worth if term in found) for found in held.values()), default=0.0)
    return best / whole if whole else 0.0


def answers_something(question: str, passages: Sequence[Passage]) -> bool:
    """Whether the passages speak about the question's matter rather than share a few words with it."""
    return coverage(question, passages) >= LEAST_COVERAGE


def form_of(passage: Passage) -> Form:
    location = passage.source.location
    return Form.TABLE if _TABLES.search(location) else Form.CODE if _PROGRAMS.search(location) else Form.PROSE


def _places(passages: Sequence[Passage]) -> list[Place]:
    """Every sentence of every passage, in the order of the files."""
    numbered = sorted(enumerate(passages, 1), key=lambda p: (p[1].source.location, p[1].first_line, p[0]))
    places: list[Place] = []
    for number, passage in numbered:
        for sentence in sentences(passage.text, form_of(passage)):
            paragraph = (number, 0 if sentence.row else sentence.paragraph)
            places.append(Place(number, passage.source.location, len(places), paragraph, sentence))
    return places


def _worth(
    question: str, wanted: Mapping[str, float], places: Sequence[Place], passages: Sequence[Passage]
) -> dict[Place, float]:
    """How good each sentence is, as a share of the best."""
    relevance = _relevance(wanted, places, passages)
    telling = _telling(question, places)
    code = _programs(passages)
    least = {place: IRRELEVANT_IN_CODE if place.passage in code else IRRELEVANT for place in places}
    raw = {place: (least[place] + relevance[place]) * telling[place] for place in places if relevance[place] > 0}
    best = max(raw.values(), default=0.0) or 1.0
    return {place: worth / best for place, worth in raw.items()}


def _relevance(wanted: Mapping[str, float], places: Sequence[Place], passages: Sequence[Passage]) -> dict[Place, float]:
    own = scores(wanted, {place: terms(place.sentence.text) for place in places}, length_norm=0.3)
    texts = {number: terms(f"{_heading(passage)} {passage.text}") for number, passage in enumerate(passages, 1)}
    around = scores(wanted, texts, length_norm=0.5)
    code = _programs(passages)
    return {
        place: (around[place.passage] + OWN_SHARE_IN_CODE * own[place]) * (own[place] > 0)
        if place.passage in code
        else around[place.passage] + OWN_SHARE * own[place]
        for place in places
    }


def _programs(passages: Sequence[Passage]) -> set[int]:
    """The numbers of the passages that come from programs."""
    return {number for number, passage in enumerate(passages, 1) if form_of(passage) is Form.CODE}


def _heading(passage: Passage) -> str:
    return passage.section.rpartition(" > ")[2]


def _telling(question: str, places: Sequence[Place]) -> dict[Place, float]:
    """How much a sentence tells whatever the question: more with figures, when new, beside one that tells much."""
    asked = figures(question)
    numbers = {place: _amount(place.sentence.text, asked) for place in places}
    # Where figures are rare they are version numbers and the like; where they are common they are what is reported.
    worth_of_figures = min(1.0, 4 * sum(map(bool, numbers.values())) / max(1, len(places)))
    newest = _newest(places)
    recent = {place: _recency(years(place.sentence.text), newest[place.file]) for place in places}
    recent_around: dict[tuple[int, int], float] = defaultdict(float)
    for place in places:
        recent_around[place.paragraph] = max(recent_around[place.paragraph], recent[place])
    alone = {p: worth_of_figures * numbers[p] + 0.3 * recent[p] - _manner(p.sentence.text) for p in places}
    beside = _neighbours(places)
    return {
        place: max(
            0.01,
            0.5 + alone[place] + 0.5 * max((alone[other] for other in beside[place]), default=0.0)
            + 0.5 * recent_around[place.paragraph],
        )
        for place in places
    }  # fmt: skip


def _amount(text: str, asked: frozenset[str]) -> float:
    """1 for a figure the question did not bring along, a half for an amount in words."""
    return 1.0 if figures(text) - asked else 0.5 if counts_something(text) else 0.0


def _newest(places: Iterable[Place]) -> dict[str, int]:
    newest: dict[str, int] = defaultdict(int)
    for place in places:
        newest[place.file] = max((newest[place.file], *years(place.sentence.text)))
    return newest


def _recency(mentioned: Iterable[int], newest: int) -> float:
    """1 for the newest year its file speaks of, nothing from three years before on."""
    return max((max(0.0, 1 - (newest - year) / 3) for year in mentioned), default=0.0)


def _manner(text: str) -> float:
    """What a sentence loses for leaning on the one before, or for being about its own text or its reader."""
    return 0.2 * bool(_DEPENDENT.match(text)) + 0.5 * bool(_ABOUT_ITSELF.search(text))


def _neighbours(places: Sequence[Place]) -> dict[Place, list[Place]]:
    beside: dict[Place, list[Place]] = {place: [] for place in places}
    for before, after in pairwise(places):
        if before.paragraph == after.paragraph:
            beside[before].append(after)
            beside[after].append(before)
    return beside


def _in_turn(places: Iterable[Place], worth: Mapping[Place, float], file: float) -> Iterator[tuple[Place, float]]:
    """The sentences of one file in the order they would be taken, with their weights."""
    for rank, place in enumerate(sorted(places, key=lambda place: (-worth[place], place.order))):
        weight = file * math.sqrt(worth[place]) * (LATER_SENTENCE * FATIGUE**rank if rank else 1.0)
        if weight < LEAST_WEIGHT:
            return
        yield place, weight


def _evidence(place: Place, weight: float, passages: Sequence[Passage]) -> Evidence:
    passage = passages[place.passage - 1]
    own = frozenset(terms(place.sentence.text))
    around = frozenset(terms(f"{passage.section} {passage.source.title} {PurePath(place.file).stem}"))
    return Evidence(place.passage, place.sentence.text, weight, own, own | around, place.file, place.order)
