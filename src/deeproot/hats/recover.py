"""The recovery hat: notes on what went wrong, for whoever repeats the step."""

from __future__ import annotations

from ..asks import Ask, Kind, RecoverAnswer, RecoverInputs
from ..events import Event, RecoveryNoted
from ..project.templates import fenced
from ..state import State, Task
from .turn import Turn


async def recover(turn: Turn) -> list[Event]:
    id = turn.started.topic
    failed = in_trouble(turn.state, id)
    if failed is None:
        return []
    error = turn.state.troubles[failed].error
    topic = turn.state.topic(id) if id else None
    prompt = turn.render(
        "recovery",
        hat=failed.hat,
        topic_title=topic.title if topic else turn.settings.question,
        error=fenced("error", error),
    )
    ask = Ask(Kind.RECOVER, prompt, RecoverInputs(failed.hat, topic, error))
    answer = (await turn.ask("recover", RecoverAnswer, ask)).answer
    return [RecoveryNoted(failed.hat, id, answer.notes.strip() or error)]


def no_notes(state: State, task: Task, _error: str) -> list[Event]:
    """The backend could not even say what to do: repeat the step as it was."""
    failed = in_trouble(state, task.topic)
    notes = "No notes could be made. Repeat the step as it was."
    return [RecoveryNoted(failed.hat, task.topic, notes)] if failed else []


def in_trouble(state: State, topic: str) -> Task | None:
    """Whose turn on this topic went wrong; nobody's when it was forgiven or the topic was dropped meanwhile."""
    troubles = state.troubles.items()
    return next((task for task, trouble in troubles if task.topic == topic and not trouble.notes), None)
