"""Strategies: which tasks are next. Pure functions of the state; the cost does not grow with the tree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, takewhile
from typing import Protocol

from ..model import Status
from ..state import REPORT_HATS, State, Task

BEFORE_RESEARCH = ("recovery", "planner", "scoper", "decider")
PICK = Task("picker", "")
# The next pick is asked when no more ranked leaves than these are left, per slot.
RANKED_AHEAD = 2
# Leaves that nobody ranked may use one in so many iterations, and are chosen among so many per slot.
UNRANKED_SHARE = 20
UNRANKED_AMONG = 20
AFTER_RESEARCH = ("recovery", *REPORT_HATS)


class Strategy(Protocol):
    def next(self, state: State, free: int) -> list[Task]:
        """At most `free` tasks that can start now, most urgent first."""


class BreadthFirst:
    """Shallow topics before deep ones, no barrier between levels.

    In the strict sequence a topic is reviewed before the next is researched; otherwise research comes first,
    because more work hangs from it than from a review.
    """

    def next(self, state: State, free: int) -> list[Task]:
        return list(islice(self._ready(state), free))

    def _ready(self, state: State) -> Iterator[Task]:
        if state.settled:
            for hat in AFTER_RESEARCH:
                yield from state.tasks(hat)
            return
        for hat in BEFORE_RESEARCH:
            yield from state.tasks(hat)
        research = iter(()) if state.limit else self._research(state)
        reviews = state.tasks("reviewer")
        yield from chain(reviews, research) if state.settings.concurrency == 1 else chain(research, reviews)

    def _research(self, state: State) -> Iterator[Task]:
        """A retry costs no iteration; a new turn does."""
        left = state.settings.max_iterations - state.iteration
        for task in state.tasks("researcher"):
            if task in state.troubles:
                yield task
            elif left > 0:
                left -= 1
                yield task


class Guided(BreadthFirst):
    """First every topic of the first level; then the leaves the picker ranked, while it ranks the next ones.

    Before the first ranking, slots that would stand idle take leaves that nobody ranked, within limits.
    """

    def next(self, state: State, free: int) -> list[Task]:
        picks = [PICK] if self._wants_pick(state) else []
        return picks + super().next(state, free)

    def _ready(self, state: State) -> Iterator[Task]:
        yield from super()._ready(state)
        if not (state.settled or state.limit or state.rounds[PICK] or state.settings.concurrency == 1):
            yield from self._unranked(state)

    def _unranked(self, state: State) -> Iterator[Task]:
        """The first-named children first, because they are spread over the tree. The picker keeps enough to rank."""
        slots = state.settings.concurrency
        leaves = (task for task in state.tasks("researcher") if self._is_leaf(state, task))
        waiting = list(islice(leaves, UNRANKED_AMONG * slots))
        spare = len(waiting) - RANKED_AHEAD * slots
        affordable = state.settings.max_iterations // UNRANKED_SHARE - (state.iteration - len(state.roots))
        by_number = sorted(waiting, key=lambda task: int(task.topic.rpartition(".")[2]))
        return islice(by_number, max(0, min(spare, affordable)))

    def _is_leaf(self, state: State, task: Task) -> bool:
        topic = state.topic(task.topic)
        return topic.depth > 0 and topic.status is Status.PENDING and task not in state.troubles

    def _research(self, state: State) -> Iterator[Task]:
        if self._walking(state):
            yield from takewhile(lambda task: state.topic(task.topic).depth == 0, super()._research(state))
            return
        yield from (task for task in state.troubles if task.hat == "researcher" and state.is_due(task))
        left = state.settings.max_iterations - state.iteration
        yield from islice(self._ranked(state), max(0, left))

    def _ranked(self, state: State) -> Iterator[Task]:
        tasks = (Task("researcher", id) for id in state.ranked)
        return (task for task in tasks if state.is_due(task) and task not in state.troubles)

    def _walking(self, state: State) -> bool:
        return any(state.growths[id].document is None and not state.topic(id).status.closed for id in state.roots)

    def _wants_pick(self, state: State) -> bool:
        """Ask again while enough ranked leaves are left to keep every slot busy until the answer comes."""
        if state.settled or state.limit or PICK in state.open or not state.growths or self._walking(state):
            return False
        if state.iteration >= state.settings.max_iterations:
            return False
        if sum(1 for _ in self._ranked(state)) > RANKED_AHEAD * state.settings.concurrency:
            return False
        waiting = (task.topic for task in state.tasks("researcher") if task.topic not in state.ranked)
        return any(state.topic(id).status is Status.PENDING for id in waiting)


STRATEGIES: dict[str, type[Strategy]] = {"breadth": BreadthFirst, "guided": Guided}
