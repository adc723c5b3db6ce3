"""The decider: is the evidence enough, and if not, what is searched next?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...asks import Ask, DecideAnswer, DecideInputs, Kind
from ...backends.offline import decider
from ...events import CompletionRefused, Event, LoopDecided, TagRaised, TopicAdded
from ...model import Document, Status, Tag, Topic, one_line
from ...project.templates import fenced, listed
from ...report.notes import render_note
from ...state import State, Task
from ..room import fair_shares, room_beside
from ..turn import Turn
from .loop import settle

Gate = Callable[[State], tuple[str, ...]]
"""What stands between a researcher and completion."""


async def decide(turn: Turn, gate: Gate) -> list[Event]:
    """To go on opens one subquestion; to stop is a request to the completion gate, which may refuse it."""
    decided, topic = settle(turn.state, await _answer(turn), turn.minutes_left)
    events: list[Event] = [decided, *_rule(decided)]
    if topic:
        events.append(TopicAdded(topic))
    elif left := gate(turn.state):
        events.append(CompletionRefused("shouldContinue: false", left))
    return events


def _rule(decided: LoopDecided) -> list[Event]:
    if not decided.overruled:
        return []
    return [TagRaised(Tag.PATH_DECISION, note=f"Decision {decided.iteration}: stop, because {decided.overruled}.")]


async def _answer(turn: Turn) -> DecideAnswer:
    """One repair, then a counted failure; when those are used up, code decides from what was found."""
    inputs = DecideInputs(turn.settings.question, researched(turn.state), given_up(turn.state))
    trouble = turn.state.troubles.get(Task(turn.started.hat, ""))
    if trouble and trouble.attempts >= turn.settings.retries:
        return decider.decide(inputs)
    given = {"given_up": listed(inputs.given_up), "before": listed(_before(turn.state))}
    room = room_beside(turn, turn.render("decide", notes="", **given))
    notes = fair_shares([render_note(*pair) for pair in inputs.topics], room)
    prompt = turn.render("decide", notes=fenced("notes", "\n\n".join(notes)), **given)
    return (await turn.ask("decide", DecideAnswer, Ask(Kind.DECIDE, prompt, inputs), check=_check, tries=2)).answer


def _check(answer: DecideAnswer) -> Sequence[str]:
    return [] if one_line(answer.summary) else ["summary: it is empty"]


def researched(state: State) -> tuple[tuple[Topic, Document], ...]:
    return tuple((growth.topic, growth.document) for growth in state.walk() if growth.document)


def given_up(state: State) -> tuple[str, ...]:
    return tuple(growth.topic.title for growth in state.walk() if growth.topic.status is Status.EXHAUSTED)


def _before(state: State) -> tuple[str, ...]:
    """Every gap that was named in the rounds before."""
    return tuple(dict.fromkeys(gap for decided in state.decisions for gap in decided.decision.gaps))
