"""The progress of a tree search in words, from what is committed."""

from __future__ import annotations

from collections.abc import Callable

from .. import events as e
from ..project.journal import Entry
from ..state import State


class Teller:
    """Says a line for each event that has one, after the caller's own `watch`. `state` is the last it was shown."""

    state: State

    def __init__(self, say: Callable[[str], None], watch: Callable[[Entry, State], None]) -> None:
        self._say = say
        self._watch = watch
        self._walked = 0

    def __call__(self, entry: Entry, state: State) -> None:
        self.state = state
        self._watch(entry, state)
        for event in entry.batch.events if entry.batch else ():
            if line := self._line(event, state):
                self._say(line)

    def _line(self, event: e.Event, state: State) -> str:
        match event:
            case e.TurnStarted():
                return self._started(event, state)
            case e.TopicExhausted(topic=topic, reason=reason):
                return f"Failed: {state.topic(topic).title} ({reason})"
            case e.LeavesRanked(by=by, note=note) if note:
                return f"Picked {by}: {note}"
            case _:
                return ""

    def _started(self, event: e.TurnStarted, state: State) -> str:
        if event.hat == "planner":
            return "Generating root children..."
        if event.hat == "picker":
            return "Picking next leaf to research..."
        if event.hat != "researcher":
            return ""
        topic = state.topic(event.topic)
        if topic.depth == 0:
            self._walked += 1
            return f"Walking root level: {topic.title} ({self._walked}/{len(state.roots)})"
        if topic.depth == state.settings.depth:
            return f"Depth limit reached: {topic.title}"
        return f"Researching: {topic.title} (depth {topic.depth + 1})"
