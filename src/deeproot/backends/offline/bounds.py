"""What belongs to a topic, told by the words of its title."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import PurePath

from ...model import Source
from .words import terms


@dataclass(frozen=True, slots=True)
class Bounds:
    """The words of a topic's title, and those of them that the question does not have.

    A topic that only repeats the question's words takes in all that bears on the question.
    """

    title: frozenset[str]
    own: frozenset[str]

    @classmethod
    def of(cls, title: str, question: str) -> Bounds:
        words = frozenset(terms(title))
        return cls(words, words - frozenset(terms(question)))

    def hold(self, said: Collection[str]) -> bool:
        """Whether what is said in these terms, with its surroundings, belongs to the topic."""
        return not self.own or 2 * len(self.own.intersection(said)) >= len(self.own)

    def fit(self, said: Collection[str]) -> float:
        """From 0 to 1; a topic with words of its own fits what it holds better than one without."""
        share = len(self.title.intersection(said)) / max(1, len(self.title))
        return 0.5 + 0.5 * share if self.own else 0.5 * share


def surroundings(source: Source, section: str) -> frozenset[str]:
    """The terms a sentence stands under: its headings, the title and the name of its file."""
    return frozenset(terms(f"{section} {source.title} {PurePath(source.location).stem}"))
