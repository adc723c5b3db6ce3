"""What is to be done about the topics: due, under way, parked, or in trouble. Kept by hat and depth, never searched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ..events import TurnStarted
from ..model import Source
from .tree import Tree

REPORT_HATS = (
    "answerer",
    "citation_gate",
    "consistency_gate",
    "writer",
    "synthesizer",
    "final_reviewer",
    "reviser",
)


class Task(NamedTuple):
    """A hat to be put on for a topic ("" is the run as a whole)."""

    hat: str
    topic: str


@dataclass(slots=True)
class Trouble:
    """What went wrong in a turn and what the recovery hat made of it. `attempts` counts since the run began."""

    step: str
    error: str
    attempts: int
    notes: str = ""


class Frontier(Tree):
    """The tree with its tasks: `due` by hat and depth, `open` turns, `parked` ones that a budget cut off.

    A `settled` tree is no longer researched: tasks of closed topics are then the report's.
    """

    def __init__(self) -> None:
        super().__init__()
        self.due: dict[tuple[str, int], dict[str, None]] = {}
        self.open: dict[Task, TurnStarted] = {}
        self.parked: dict[Task, TurnStarted] = {}
        self.rounds: Counter[Task] = Counter()
        self.troubles: dict[Task, Trouble] = {}
        self.ranked: dict[str, None] = {}
        self.settled = False

    def tasks(self, hat: str, newest_first: bool = False) -> Iterator[Task]:
        """What is due for `hat`: shallow topics first and old ones first, or the other way round."""
        for key in sorted((key for key in self.due if key[0] == hat), reverse=newest_first):
            topics = self.due[key]
            for topic in reversed(topics) if newest_first else topics:
                yield Task(hat, topic)

    def is_due(self, task: Task) -> bool:
        return task.topic in self.due.get(self._place(task), {})

    def close_turn(self, turn: str, seen: Iterable[Source] = ()) -> None:
        """A turn's events were applied: it is no longer open, and what had gone wrong in it is over.

        What an agent has `seen` in it belongs to its topic from now on.
        """
        task = next((task for task, started in self.open.items() if started.turn == turn), None)
        if task:
            del self.open[task]
            self.rounds[task] += 1
            self.troubles.pop(task, None)
            if growth := self.growths.get(task.topic):
                growth.seen = tuple(dict.fromkeys((*growth.seen, *seen)))

    # For the fold

    def _wake(self, task: Task) -> None:
        """A task becomes due, unless its topic is closed and still to be researched."""
        growth = self.growths.get(task.topic)
        if not (growth and growth.topic.status.closed) or self.settled:
            self.due.setdefault(self._place(task), {})[task.topic] = None

    def _rest(self, task: Task) -> None:
        """A task is no longer due."""
        self.due.get(self._place(task), {}).pop(task.topic, None)

    def _place(self, task: Task) -> tuple[str, int]:
        growth = self.growths.get(task.topic)
        return task.hat, growth.topic.depth if growth else 0

    def _park(self, task: Task) -> None:
        if started := self.open.pop(task, None):
            self.parked[task] = started

    def _unpark(self) -> None:
        """What a budget had cut off goes on where it was."""
        self.open |= self.parked
        self.parked = {}

    def _forget(self, id: str) -> None:
        """Nothing is due for this topic any more, and nothing is wrong with it."""
        self._leave(id)
        for topics in self.due.values():
            topics.pop(id, None)
        for task in [task for task in self.troubles if task.topic == id]:
            del self.troubles[task]

    def _leave(self, id: str) -> None:
        """Turns of this topic that were parked are given up."""
        self.parked = {task: started for task, started in self.parked.items() if task.topic != id}

    def _break_off(self, id: str) -> None:
        """Turns of this topic that are under way conclude nothing any more."""
        self.open = {task: started for task, started in self.open.items() if task.topic != id}

    def _dismiss(self, hats: Collection[str]) -> None:
        """Nothing is due, open or wrong any more for these hats."""
        self.due = {key: topics for key, topics in self.due.items() if key[0] not in hats}
        self.open = {task: started for task, started in self.open.items() if task.hat not in hats}
        self.troubles = {task: trouble for task, trouble in self.troubles.items() if task.hat not in hats}

    def _start_over(self) -> None:
        """A backend was lost: nobody is charged for it, and what failed is simply due again."""
        for task in self.troubles:
            recovery = Task("recovery", task.topic)
            self._rest(recovery)
            self.open.pop(recovery, None)
            self._wake(task)
        again = (task.topic for task in self.troubles if task.hat == "researcher")
        self.ranked = dict.fromkeys((*again, *self.ranked))
        self.troubles.clear()
