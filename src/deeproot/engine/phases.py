"""From one phase to the next, and the one completion gate. Pure."""

from __future__ import annotations

from ..events import Event, LimitReached, ReportRejected, SectionsSettled, TreeSettled
from ..report.parts import parts
from ..state import State


def missing(state: State) -> tuple[str, ...]:
    """What stands between this researcher and completion. Every request to finish, whoever makes it, asks here."""
    if not state.growths:
        return ("there is no plan yet",)
    return tuple(
        f"topic {growth.topic.id} ({growth.topic.title}) is {growth.topic.status}"
        for growth in state.walk()
        if not growth.topic.status.closed
    )


def advance(state: State) -> list[Event]:
    """What becomes true when nothing is due and nothing is running; empty at the very end.

    Guidance that came too late for the writers sends the report to the reviser: nothing a person says is lost.
    """
    if not state.settled:
        if not missing(state) or state.limit:
            return [TreeSettled(), *parts(state)]
        if not state.growths:
            return []
        return [LimitReached("iterations", f"the limit of {state.settings.max_iterations} iterations was reached")]
    if not state.draft.written and not any(state.tasks("synthesizer")):
        return [SectionsSettled()]
    if state.finished and state.heeded < len(state.guidance):
        return [ReportRejected(tuple(f"The person in charge says: {text}" for text in state.guidance[state.heeded :]))]
    return []
