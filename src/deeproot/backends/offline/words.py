"""What texts are compared by: terms, telling figures, years.

Words that begin with the same six letters count as one term. That serves as a stemmer for any language written in
letters. Short questions are compared by stems besides, because each of their few words must be met in every form;
long ones were answered less precisely that way (see docs/offline.md).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import TypeVar

from ...search.words import STOP_WORDS, stem, tokens

PREFIX = 6
SATURATION = 1.2

# Words that carry a question rather than its matter: English ones the index keeps, and the commonest of the languages
# next to it, as they are folded, without those that are English words as well.
_CARRIERS = """
    also how into may more most must over through under up what when where which while who why
    auf aus bei das dem der ein eine einem einen einer es fur gibt ist kann mit nach nicht oder sind uber und von wann
    warum welche welchem welchen welcher welches wer werden wie wieviel wird wurde zu zum zur
    avec aux comment dans elle et il la le les leur ou par pour pourquoi que quel quelle quelles quels qui sont sur
    como cual cuales cuando de del donde el los las para por porque segun una unas unos
    che chi dove gli perche quale quali quando sono
    een hoe het niet waarom wat welke
"""
_ASKING = frozenset(_CARRIERS.split())
# Verbs whose forms no stem joins, without those that are as often another word (found, left, saw, felt, wound).
_IRREGULAR = """
    arise arose arisen, beat beaten, become became, begin began begun, bind bound, break broke broken, bring brought,
    build built, buy bought, catch caught, choose chose chosen, deal dealt, draw drew drawn, drink drank drunk,
    drive drove driven, eat ate eaten, fall fell fallen, fight fought, fly flew flown, forbid forbade forbidden,
    forget forgot forgotten, freeze froze frozen, give gave given, go went gone, grow grew grown, hide hid hidden,
    hold held, keep kept, know knew known, lead led, lend lent, lose lost, make made, mean meant, meet met, pay paid,
    ride rode ridden, rise rose risen, run ran, seek sought, sell sold, send sent, shake shook shaken,
    shrink shrank shrunk, sink sank sunk, sleep slept, speak spoke spoken, spend spent, steal stole stolen,
    strike struck, swear swore sworn, swim swam swum, take took taken, teach taught, tell told, think thought,
    throw threw thrown, understand understood, wear wore worn, win won, write wrote written
"""
_BASE = {form: base for base, *forms in map(str.split, _IRREGULAR.split(",")) for form in forms}
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_NOT_TELLING = re.compile(
    r"\b(?:19|20)\d\d(?:-\d\d){0,2}\b"  # years and dates
    r"|\b[A-Za-z]+\d[\w.-]*"  # Q3, BR2025-0010, v1.2
    r"|\b\d{1,2}(?::\d\d)+|\b\d{1,2}\s?[ap]\.?m\b"  # times of day
    r"|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{1,2}\b"
    r"|^\s*\d+[.)]\s",  # list numbers
    re.IGNORECASE,
)
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_COUNT = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion"
    r"|half|double|doubled|twice|triple|tripled)\b",
    re.IGNORECASE,
)

K = TypeVar("K", bound=Hashable)


def terms(text: str) -> tuple[str, ...]:
    """The telling words of a text in order, each cut to its beginning."""
    return tuple(word[:PREFIX] for word in tokens(text) if _tells(word))


def stems(text: str) -> tuple[str, ...]:
    """The same, each cut to its English stem first: task, tasks; fold, folding; grow, grew."""
    return tuple(stem(_BASE.get(word, word))[:PREFIX] for word in tokens(text) if _tells(word))


def _tells(word: str) -> bool:
    return word not in STOP_WORDS and word not in _ASKING and (len(word) > 1 or not word.isascii())


def figures(text: str) -> frozenset[str]:
    """The numbers that say something: no years, dates, times, quarters or numbered names."""
    return frozenset(_FIGURE.findall(_NOT_TELLING.sub(" ", text)))


def counts_something(text: str) -> bool:
    """Whether an amount is given in words ("two of the seven incidents")."""
    return bool(_COUNT.search(text))


def years(text: str) -> tuple[int, ...]:
    return tuple(map(int, _YEAR.findall(text)))


def rarities(texts: Collection[Iterable[str]]) -> dict[str, float]:
    """How much it says that a text holds a term: the rarer among the texts, the more."""
    holders = Counter(term for text in texts for term in sorted(set(text)))
    return {term: rarity(len(texts), count) for term, count in holders.items()}


def rarity(total: int, holding: int) -> float:
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))


def scores(wanted: Mapping[str, float], texts: Mapping[K, tuple[str, ...]], length_norm: float) -> dict[K, float]:
    """How well each text matches the wanted terms (BM25), as shares of the best; all 0 when nothing matches."""
    rare = rarities(texts.values())
    average = sum(map(len, texts.values())) / max(1, len(texts)) or 1.0
    raw = {key: _score(wanted, text, rare, length_norm, len(text) / average) for key, text in texts.items()}
    best = max(raw.values(), default=0.0) or 1.0
    return {key: score / best for key, score in raw.items()}


def _score(
    wanted: Mapping[str, float],
    text: tuple[str, ...],
    rare: Mapping[str, float],
    length_norm: float,
    length: float,
) -> float:
    held = Counter(text)
    norm = SATURATION * (1 - length_norm + length_norm * length)
    return sum(
        weight * rare[term] * held[term] * (SATURATION + 1) / (held[term] + norm)
        for term, weight in wanted.items()
        if term in held
    )
