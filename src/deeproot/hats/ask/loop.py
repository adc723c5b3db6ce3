"""The loop decision as it holds: what a backend proposes, and the rules that overrule it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ...asks import DecideAnswer, ProposedTopic
from ...events import LoopDecided
from ...model import Status, Tag, Topic, one_line
from ...settings import Asking
from ...state import State
from ..plan import new_topics

UNCHANGED = 3  # decisions with the same gaps after which there is no progress
ALIKE = 0.8
_WORD = re.compile(r"\w+")


def settle(state: State, answer: DecideAnswer, minutes_left: float | None) -> tuple[LoopDecided, Topic | None]:
    """The decision that is recorded, and the subquestion it opens when the loop goes on."""
    iteration = len(state.decisions) + 1
    gaps = tuple(dict.fromkeys(filter(None, map(one_line, answer.gaps))))
    clean = DecideAnswer(
        one_line(answer.summary),
        gaps,
        answer.shouldContinue,
        one_line(answer.nextSearchTopic or "") or (gaps[0] if answer.shouldContinue and gaps else ""),
        (answer.urlToSearch or "").strip(),
    )
    topic = next_topic(state, clean) if clean.shouldContinue else None
    overruled = _overruled(state, clean, topic, iteration, minutes_left) if clean.shouldContinue else ""
    if overruled:
        clean, topic = replace(clean, shouldContinue=False), None
    left = None if minutes_left is None else round(max(0.0, minutes_left), 2)
    return LoopDecided(clean, iteration, left, overruled, topic.id if topic else ""), topic


def next_topic(state: State, decision: DecideAnswer) -> Topic | None:
    """What is searched next: the topic that was named, or the first gap that was no subquestion yet."""
    wanted = (decision.nextSearchTopic or "", *decision.gaps)
    proposals = [ProposedTopic(title, f"Closes the gap: {_gap_for(title, decision.gaps)}") for title in wanted]
    return next(iter(new_topics(state, "", proposals, 1)), None)


def _gap_for(title: str, gaps: Sequence[str]) -> str:
    return max(gaps, key=lambda gap: _likeness(title, gap), default=title)


def _overruled(
    state: State, decision: DecideAnswer, topic: Topic | None, iteration: int, minutes_left: float | None
) -> str:
    """Why the loop ends although it was to go on; empty when it does."""
    most = (state.settings.asking or Asking()).max_loops
    if not decision.gaps:
        return "no gap was named"
    if state.limit or (minutes_left is not None and minutes_left <= 0):
        return "the budget is used up"
    if iteration >= most:
        return f"the cap of {most} rounds is reached"
    if all(is_exhausted(state, gap) for gap in decision.gaps):
        return f"every gap was given up before ({Tag.RETRY_EXHAUSTED})"
    if _unchanged(state, decision.gaps):
        return f"no progress: the gaps stayed the same in {UNCHANGED} rounds"
    if topic is None:
        return "everything that was named has been a subquestion before"
    return ""


def is_exhausted(state: State, gap: str) -> bool:
    """Whether a subquestion for this gap was given up."""
    given_up = [growth.topic for growth in state.walk() if growth.topic.status is Status.EXHAUSTED]
    closes = [text for topic in given_up for text in (topic.title, topic.description.removeprefix("Closes the gap: "))]
    return any(_likeness(gap, text) >= ALIKE for text in closes)


def _unchanged(state: State, gaps: Sequence[str]) -> bool:
    before = [set(map(_key, decided.decision.gaps)) for decided in state.decisions[-(UNCHANGED - 1) :]]
    return len(before) == UNCHANGED - 1 and all(each == set(map(_key, gaps)) for each in before)


def _key(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _likeness(one: str, other: str) -> float:
    here, there = _key(one), _key(other)
    return len(here & there) / len(here | there) if here or there else 0.0
