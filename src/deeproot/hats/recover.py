"""The recovery hat: notes on what went wrong, for whoever repeats the step."""

from __future__ import annotations

from ..asks import Ask, Kind, RecoverAnswer, RecoverInputs
from ..events import Event, RecoveryNoted
from ..project.templates import fenced
from .turn import Turn


async def recover(turn: Turn) -> list[Event]:
    id = turn.started.topic
    failed = next(task for task, trouble in turn.state.troubles.items() if task.topic == id and not trouble.notes)
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
