"""Weighing: which sentences of the passages bear on the question, and how much.

Files come first. Sentences of other subjects share the vocabulary of the question, so a sentence is only as good as
its file: the relevance of the file, judged by all of its passages and its name, times the worth of the sentence.
The worth is relevance (of its passage, mostly) times how much it tells: figures, recent years.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...model import Passage
from ...search.words import name_parts
from .bounds import surroundings
from .forms import Form, form_of
from .manner import loss
from .matter import LEAST_MANY_SHARE, MANY_SHARE, Matter
from .relevance import Cut, relevant_files
from .sentences import Sentence, sentences
from .words import counts_something, figures, scores, stems, terms, years

OWN_SHARE = 0.25  # what a sentence's own words count, beside those of its passage
# In programs a passage gathers comments that have little to do with each other: a sentence speaks for itself, or not.
OWN_SHARE_IN_CODE = 1.5
IRRELEVANT, IRRELEVANT_IN_CODE = 0.5, 0.05  # what a sentence is worth however little it bears on the question
LATER_SENTENCE = 0.54  # the second sentence of a file against its first: cover the good files before going deep
FATIGUE = 0.97  # and every further one against the one before
LEAST_FILE, LEAST_WEIGHT = 0.12, 0.09


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
    """A quote with its weight for the question, from 0 to 1. `terms` adds those of its headings and names.

    header: what names the columns of a row, where it stands above it.
    """

    passage: int
    quote: str
    weight: float
    own_terms: frozenset[str]
    terms: frozenset[str]
    file: str
    order: int
    header: str = ""


def weigh(question: str, passages: Sequence[Passage]) -> tuple[Evidence, ...]:
    """What the passages say to the question, heaviest first."""
    matter = Matter.of(question, passages)
    # A short question has few words, and each must be met in every form it takes.
    cut = stems if matter.is_named else terms
    wanted = Counter(cut(question))
    files = relevant_files(wanted, passages, cut)
    places = _on(matter, [place for place in _places(passages) if files[place.file] >= LEAST_FILE], passages)
    worth = _worth(question, _relevance(wanted, places, passages, cut), places, passages)
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


def _on(matter: Matter, places: list[Place], passages: Sequence[Passage]) -> list[Place]:
    """The sentences that, with the heading they stand under, are about what a short question names.

    Where none speaks of enough of it, any two of its words that tell something will do.
    """
    if not matter.is_named:
        return places
    held = {place: _held(place, passages[place.passage - 1]) for place in places}
    for share in (MANY_SHARE, LEAST_MANY_SHARE):
        found = [p for p in places if matter.names(held[p], share) or form_of(passages[p.passage - 1]) is Form.TABLE]
        if found:
            return found
    return []


def _held(place: Place, passage: Passage) -> frozenset[str]:
    heading = _heading(passage)
    return frozenset(stems(f"{heading} {name_parts(heading)} {place.sentence.text}"))


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
    question: str, relevance: Mapping[Place, float], places: Sequence[Place], passages: Sequence[Passage]
) -> dict[Place, float]:
    """How good each sentence is, as a share of the best."""
    telling = _telling(question, places)
    code = _programs(passages)
    least = {place: IRRELEVANT_IN_CODE if place.passage in code else IRRELEVANT for place in places}
    raw = {place: (least[place] + relevance[place]) * telling[place] for place in places if relevance[place] > 0}
    best = max(raw.values(), default=0.0) or 1.0
    return {place: worth / best for place, worth in raw.items()}


def _relevance(
    wanted: Mapping[str, float], places: Sequence[Place], passages: Sequence[Passage], cut: Cut
) -> dict[Place, float]:
    own = scores(wanted, {place: cut(place.sentence.text) for place in places}, length_norm=0.3)
    texts = {number: cut(f"{_heading(passage)} {passage.text}") for number, passage in enumerate(passages, 1)}
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
    alone = {p: worth_of_figures * numbers[p] + 0.3 * recent[p] - loss(p.sentence.text) for p in places}
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
    around = surroundings(passage.source, passage.section)
    said = place.sentence
    return Evidence(place.passage, said.text, weight, own, own | around, place.file, place.order, said.header)
