"""Announcing turns: which number, round and guidance a task is taken up with. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..events import TurnStarted
from ..hats import Hat
from ..state import State, Task


def announce(state: State, hats: Mapping[str, Hat], tasks: Iterable[Task]) -> list[TurnStarted]:
    """A turn for each task. A new turn of research costs an iteration; a retry keeps the number it had."""
    events: list[TurnStarted] = []
    iteration = state.iteration
    for task in tasks:
        hat = hats[task.hat]
        growth = state.growths.get(task.topic)
        number = growth.iteration if growth and not state.settled else 0
        if hat.name == "researcher" and task not in state.troubles:
            iteration += 1
            number = iteration
        turn = f"{task.hat}:{task.topic}:{state.rounds[task] + 1}"
        heard = len(state.guidance) if hat.heeds else 0
        events.append(TurnStarted(turn, task.hat, hat.phase, task.topic, number, heard))
    return events
