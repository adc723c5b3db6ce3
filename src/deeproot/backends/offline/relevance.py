"""How well whole files match a question: by their words, their names, and the company they keep."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath

from ...model import Passage
from .words import rarities, scores, terms

NAME_SHARE = 0.5  # what the name of a file counts, beside its text
COMPANY_SHARE = 0.15  # what a file loses at most for being unlike the best
BEST = 3  # files whose company counts

Cut = Callable[[str], tuple[str, ...]]


def relevant_files(wanted: Mapping[str, float], passages: Sequence[Passage], cut: Cut = terms) -> dict[str, float]:
    """How well each file matches as a whole, as a share of the best.

    Files that answer one question speak of the same things, also in words the question does not have: one that is
    unlike the best shares little more than the question's words with them. The lengths of files do not count: what
    was found of a file is only what matched.
    """
    text: dict[str, tuple[str, ...]] = {}
    name: dict[str, tuple[str, ...]] = {}
    for passage in passages:
        location = passage.source.location
        name[location] = cut(PurePath(location).stem)
        text[location] = text.get(location, name[location]) + cut(passage.text)
    by_text = scores(wanted, text, length_norm=0.0)
    by_name = scores(wanted, name, length_norm=0.0)
    alone = _shares({location: by_text[location] + NAME_SHARE * by_name[location] for location in text})
    company = _company(alone, text)
    return _shares({file: score * (1 - COMPANY_SHARE + COMPANY_SHARE * company[file]) for file, score in alone.items()})


def _company(relevance: Mapping[str, float], texts: Mapping[str, tuple[str, ...]]) -> dict[str, float]:
    """How like the most relevant of the other files each one is, as a share of the one that is most so."""
    rare = rarities(texts.values())
    told = {file: _Vector(text, rare) for file, text in texts.items()}
    best = sorted(relevance, key=lambda file: (-relevance[file], file))[:BEST]

    def near(file: str) -> float:
        return max((relevance[other] * told[file].cosine(told[other]) for other in best if other != file), default=1.0)

    return _shares({file: near(file) for file in texts})


class _Vector:
    """The terms of a text, each with how much it tells."""

    def __init__(self, text: tuple[str, ...], rare: Mapping[str, float]) -> None:
        self._told = {term: rare[term] for term in sorted(set(text))}
        self._length = math.sqrt(sum(worth * worth for worth in self._told.values()))

    def cosine(self, other: _Vector) -> float:
        product = sum(worth * worth for term, worth in self._told.items() if term in other._told)
        return product / (self._length * other._length or 1.0)


def _shares(figures: Mapping[str, float]) -> dict[str, float]:
    best = max(figures.values(), default=0.0) or 1.0
    return {key: figure / best for key, figure in figures.items()}
