"""What a question is about: its telling words, and whether a text speaks of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePath

from ...model import Passage
from .question import clauses
from .words import rarities, rarity, stems, terms

# What the best passage must speak of, of a short question's matter, and the best file, of a long one's.
LEAST_SHARE, LEAST_COVERAGE = 0.3, 0.25
# What a sentence must hold of two words of a short question, and of more.
FEW_SHARE, MANY_SHARE, LEAST_MANY_SHARE = 0.5, 0.4, 0.25
FEW = 20  # passages; among fewer, every word would seem common
SHORT = 5  # telling words; a question of no more names its matter, a longer one describes a situation

# Words by which people ask, whatever they ask about.
_FILLER = """
    able about accomplish achieve across actual after again against all allow already always among another any apply
    approach around avoid aware bad basic because become been before behave best better between big both cause
    certain cheap come common compare complete consider contain deal decide define describe detail determine
    difference different do does down during each easily easy effect else enough ensure even ever every exactly
    example exist expensive explain far fast few find general get give go good great guarantee handle happen hard
    help high implement important improve increase instead involve just keep kind know large least less leverage
    like long look low main make manage manner many mean meant mechanism much need never normal off often once only
    other out own perform permit possible prevent properly provide purpose quick quickly quite rather really reason
    reduce relate require same say see several should show significance simple since situation small so some someone
    something soon sort specific still such sure take tell than then thing too toward treat try typical understand
    until upon use using various very via want way well whether while whole whose why within without work yet
"""
_FILLERS = frozenset(term for word in _FILLER.split() for term in stems(word))


@dataclass(frozen=True, slots=True)
class Matter:
    """The telling words of a question that the passages hold: what each is worth, the rarer among them the more.

    clauses: the words of each thing that is asked; a text need not speak of all of them.
    absent: what those that stand nowhere would be worth.
    is_named: the question is so short that what does not hold its words is about something else.
    """

    worth: Mapping[str, float]
    clauses: tuple[frozenset[str], ...]
    absent: float
    is_named: bool

    @classmethod
    def of(cls, question: str, passages: Sequence[Passage]) -> Matter:
        asked = frozenset(stems(question))
        # What the folder of them all is called says nothing about any of them.
        telling = asked - _FILLERS - _folder(passages) or asked
        holders = Counter(term for passage in passages for term in context(passage) & telling)
        total = max(FEW, len(passages))
        worth = {term: rarity(total, holders[term]) for term in sorted(holders)}
        absent = len(telling - worth.keys()) * rarity(total, 0)
        asked_for = [telling & frozenset(stems(clause)) & worth.keys() for clause in clauses(question)]
        return cls(worth, _apart(asked_for), absent, len(telling) <= SHORT)

    def share(self, held: Collection[str]) -> float:
        """How much of the matter a text with these stems speaks of."""
        whole = self._worth(self.worth) + self.absent
        return self._worth(held) / whole if whole else 0.0

    def names(self, held: Collection[str], share: float = MANY_SHARE) -> bool:
        """Whether a text with these stems names something that is asked for."""
        return any(self._is_named(clause, clause & frozenset(held), share) for clause in self.clauses)

    def _is_named(self, clause: frozenset[str], found: frozenset[str], share: float) -> bool:
        """Of one or two words the rarer one; of more all but one, or at least two that tell enough.

        All but one, because how rare a word is among passages that were found by the others says little.
        """
        few = len(clause) < 3
        rarest = max(self.worth[term] for term in clause)
        needed = min(rarest, (FEW_SHARE if few else share) * self._worth(clause))
        most = not few and len(found) >= len(clause) - 1
        return len(found) >= (1 if few else 2) and (most or self._worth(found) >= needed)

    def _worth(self, words: Collection[str]) -> float:
        return sum(worth for term, worth in self.worth.items() if term in words)


def _apart(clauses: Sequence[frozenset[str]]) -> tuple[frozenset[str], ...]:
    """Those with words of their own: "and what can it do about a task?" asks on about the same matter."""
    return tuple(
        clause
        for place, clause in enumerate(clauses)
        if clause and not any(clause < other for other in clauses) and clause not in clauses[:place]
    )


def _folder(passages: Sequence[Passage]) -> frozenset[str]:
    """The stems of the name of the folder that holds all these files, when they are several."""
    locations = {passage.source.location for passage in passages}
    if len(locations) < 2 or any("://" in location for location in locations):
        return frozenset()
    levels = zip(*(PurePath(location).parts[:-1] for location in sorted(locations)), strict=False)
    shared = [level[0] for level in takewhile(lambda level: len(set(level)) == 1, levels)]
    return frozenset(stems(shared[-1])) if shared else frozenset()


def is_telling(word: str) -> bool:
    """Whether a word of a question says what it is about."""
    return any(term not in _FILLERS for term in stems(word))


def context(passage: Passage) -> frozenset[str]:
    """The stems of a passage with its headings and its title."""
    return frozenset(stems(f"{passage.source.title} {passage.section} {passage.text}"))


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
    matter = Matter.of(question, passages)
    if matter.is_named:
        return max((matter.share(context(passage)) for passage in passages), default=0.0) >= LEAST_SHARE
    return coverage(question, passages) >= LEAST_COVERAGE
