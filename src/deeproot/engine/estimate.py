"""What a run may take, computed before anything is spent. Pure.

Calls are counted from the shape of the tree. Tokens are a rough guess: how long the prompts and answers of each kind
were in runs over a folder of documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ..asks import Kind
from ..backends import Abilities
from ..hats.pick import RANKED_PER_SLOT
from ..model import Usage
from ..report.parts import MOST_TOPICS
from ..settings import REVISIONS, TOPIC_ROUNDS, Settings, most_topics

CHARACTERS = {  # of a prompt, without passages
    Kind.PLAN: 1_000,
    Kind.QUERIES: 900,
    Kind.DOCUMENT: 3_000,
    Kind.CHILDREN: 12_000,
    Kind.REVIEW: 7_500,
    Kind.PICK: 4_000,
    Kind.SECTION: 6_500,
    Kind.SYNTHESIZE: 8_000,
    Kind.JUDGE: 8_000,
    Kind.FINAL_REVIEW: 11_000,
    Kind.REVISE: 12_000,
}
ANSWERED = {  # tokens of an answer
    Kind.PLAN: 400,
    Kind.QUERIES: 60,
    Kind.DOCUMENT: 1_200,
    Kind.CHILDREN: 250,
    Kind.REVIEW: 300,
    Kind.PICK: 150,
    Kind.SECTION: 600,
    Kind.SYNTHESIZE: 400,
    Kind.JUDGE: 300,
    Kind.FINAL_REVIEW: 200,
    Kind.REVISE: 600,
}
REVIEWS = frozenset({Kind.REVIEW, Kind.JUDGE, Kind.FINAL_REVIEW})
WORDS_JUDGED = 750  # of a report, for each ask about its doubtful citations
PASSAGE = 450  # characters
OVERLAP = 0.6  # of what several searches for one topic find, so much is new
TOKEN = 4  # characters


@runtime_checkable
class Priced(Protocol):
    """A backend that knows what its model costs."""

    def price(self, usage: Usage) -> float | None:
        """In USD; None when it is not on the list."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """`typical`: every topic is accepted at once. `most`: everything is sent back as often as it can be.

    Answers that cannot be used are asked for again; that comes on top. `research` and `reviews` are the tokens of the
    typical run by who answers; None when an agent reads by itself, so that nobody can know.
    """

    typical: int
    most: int
    research: Usage | None
    reviews: Usage | None


def estimate(settings: Settings, abilities: Abilities) -> Estimate:
    typical, most = Counter(_typical(settings, abilities)), Counter(_most(settings, abilities))
    limit = settings.calls or typical.total() + most.total()
    known = not abilities.tools
    return Estimate(
        typical=min(typical.total(), limit),
        most=min(most.total(), limit),
        research=_usage(typical, frozenset(Kind) - REVIEWS, settings, abilities) if known else None,
        reviews=_usage(typical, REVIEWS, settings, abilities) if known else None,
    )


def _typical(settings: Settings, abilities: Abilities) -> dict[Kind, int]:
    levels = list(_levels(settings))
    topics = sum(levels)
    below = topics - levels[0]
    inner = sum(levels[:-1]) if len(levels) == settings.depth + 1 else topics
    guided = settings.strategy == "guided" and below > 1
    return {
        Kind.PLAN: 1,
        Kind.QUERIES: 0 if abilities.tools else topics,
        Kind.DOCUMENT: topics,
        Kind.CHILDREN: inner,
        Kind.REVIEW: topics,
        Kind.PICK: -(-below // (RANKED_PER_SLOT * settings.concurrency)) if guided else 0,
        Kind.SECTION: _sections(settings, topics),
        Kind.SYNTHESIZE: 1,
        Kind.JUDGE: 0 if abilities.tools or not abilities.judges else -(-settings.words // WORDS_JUDGED),
        Kind.FINAL_REVIEW: 1,
    }


def _most(settings: Settings, abilities: Abilities) -> dict[Kind, int]:
    """Every document is sent back until its last round, as far as the iterations go; the report as well."""
    topics = most_topics(settings.breadth, settings.depth)
    turns = min(settings.max_iterations, TOPIC_ROUNDS * topics)
    typical = _typical(settings, abilities)
    return typical | {
        Kind.QUERIES: 0 if abilities.tools else turns,
        Kind.DOCUMENT: turns,
        Kind.REVIEW: turns,
        Kind.JUDGE: (1 + REVISIONS) * typical[Kind.JUDGE],
        Kind.FINAL_REVIEW: 1 + REVISIONS,
        Kind.REVISE: REVISIONS,
    }


def _levels(settings: Settings) -> Iterator[int]:
    """Topics per level, breadth first, as far as the iterations go."""
    left = settings.max_iterations
    for level in range(settings.depth + 1):
        size = min(left, settings.breadth ** (level + 1))
        yield size
        left -= size
        if not left:
            return


def _sections(settings: Settings, topics: int) -> int:
    return max(min(settings.breadth, topics), -(-topics // MOST_TOPICS))


def _usage(asks: Counter[Kind], kinds: frozenset[Kind], settings: Settings, abilities: Abilities) -> Usage:
    tokens_in = sum(asks[kind] * _prompt(kind, settings, abilities) for kind in asks if kind in kinds)
    tokens_out = sum(asks[kind] * ANSWERED[kind] for kind in asks if kind in kinds)
    return Usage(tokens_in // TOKEN, tokens_out)


def _prompt(kind: Kind, settings: Settings, abilities: Abilities) -> int:
    searches = {Kind.PLAN: 1.0, Kind.DOCUMENT: max(1.0, OVERLAP * settings.breadth)}.get(kind, 0.0)
    return min(abilities.characters, CHARACTERS[kind] + int(searches * abilities.passages * PASSAGE))
