"""Strategies: which tasks are next. Pure functions of the state; the cost does not grow with the tree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Protocol

from ..state import State, Task

BEFORE_RESEARCH = ("recovery", "planner", "reviewer")
AFTER_RESEARCH = ("recovery", "writer", "synthesizer", "final_reviewer", "reviser")


class Strategy(Protocol):
    def next(self, state: State, free: int) -> list[Task]:
        """At most `free` tasks that can start now, most urgent first."""


class BreadthFirst:
    """Reviews before new research, shallow topics before deep ones. No barrier between levels."""

    def next(self, state: State, free: int) -> list[Task]:
        return list(islice(self._ready(state), free))

    def _ready(self, state: State) -> Iterator[Task]:
        if state.settled:
            for hat in AFTER_RESEARCH:
                yield from state.tasks(hat)
            return
        for hat in BEFORE_RESEARCH:
            yield from state.tasks(hat)
        if not state.limit:
            yield from self._research(state)

    def _research(self, state: State) -> Iterator[Task]:
        """A retry costs no iteration; a new turn does."""
        left = state.settings.max_iterations - state.iteration
        for task in state.tasks("researcher"):
            if task in state.troubles:
                yield task
            elif left > 0:
                left -= 1
                yield task


STRATEGIES: dict[str, type[Strategy]] = {"breadth": BreadthFirst}
