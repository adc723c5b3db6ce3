"""What a run may take, computed before anything is spent. Pure.

Calls are counted from the shape of the tree, or from the rounds of a question. Tokens are a rough guess: how long the
prompts and answers of each kind were in runs over a folder of documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ..asks import Kind
from ..backends import Abilities
from ..hats.ask.scope import most_subquestions, told_simple
from ..hats.pick import RANKED_PER_SLOT
from ..model import Usage
from ..report.parts import MOST_TOPICS
from ..settings import REVISIONS, TOPIC_ROUNDS, Asking, Settings, most_topics

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
    Kind.SCOPE: 1_500,
    Kind.DECIDE: 9_000,
    Kind.ANSWER: 9_500,
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
    Kind.SCOPE: 150,
    Kind.DECIDE: 150,
}
REVIEWS = frozenset({Kind.REVIEW, Kind.JUDGE, Kind.FINAL_REVIEW})
WORDS_JUDGED = 750  # of a report, for each ask about its doubtful citations
PASSAGE = 450  # characters
OVERLAP = 0.6  # of what several searches for one topic find, so much is new
TOKEN = 4  # characters
TOKENS_PER_WORD = 2  # of an answer: its findings come with it


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
    counts = (_asked, _most_asked) if settings.asking else (_typical, _most)
    typical, most = (Counter(count(settings, abilities)) for count in counts)
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
        Kind.JUDGE: _judged(settings, abilities),
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


def _asked(settings: Settings, abilities: Abilities) -> dict[Kind, int]:
    """A simple question is one call. Any other: its subquestions, one decision, the answer and its gate."""
    if told_simple(settings):
        return {Kind.ANSWER: 1}
    gated = settings.asking is not None and "citation" in settings.asking.gates
    return {
        Kind.SCOPE: 1,
        Kind.DOCUMENT: most_subquestions(settings),
        Kind.DECIDE: 1,
        Kind.ANSWER: 1,
        Kind.JUDGE: _judged(settings, abilities) if gated else 0,
    }


def _most_asked(settings: Settings, abilities: Abilities) -> dict[Kind, int]:
    """Every round opens another subquestion, each is tried as often as it can be, the gates send the answer back."""
    typical = _asked(settings, abilities)
    if told_simple(settings):
        return typical
    rounds = (settings.asking or Asking()).max_loops
    subquestions = min(settings.max_iterations, typical[Kind.DOCUMENT] + rounds - 1)
    return typical | {
        Kind.DOCUMENT: subquestions * (settings.retries + 1),
        Kind.DECIDE: rounds,
        Kind.ANSWER: 2,
        Kind.JUDGE: 2 * typical[Kind.JUDGE],
    }


def _judged(settings: Settings, abilities: Abilities) -> int:
    return 0 if abilities.tools or not abilities.judges else -(-settings.words // WORDS_JUDGED)


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
    said = ANSWERED | {Kind.ANSWER: TOKENS_PER_WORD * settings.words}
    tokens_out = sum(asks[kind] * said[kind] for kind in asks if kind in kinds)
    return Usage(tokens_in // TOKEN, tokens_out)


def _prompt(kind: Kind, settings: Settings, abilities: Abilities) -> int:
    searches = _searches(settings).get(kind, 0.0)
    return min(abilities.characters, CHARACTERS[kind] + int(searches * abilities.passages * PASSAGE))


def _searches(settings: Settings) -> dict[Kind, float]:
    """How many searches' passages are in a prompt."""
    if not settings.asking:
        return {Kind.PLAN: 1.0, Kind.DOCUMENT: max(1.0, OVERLAP * settings.breadth)}
    return {Kind.SCOPE: 1.0, Kind.DOCUMENT: 1.0, Kind.ANSWER: 1.0 if told_simple(settings) else 0.0}
