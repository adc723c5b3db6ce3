"""What a turn that failed, or was cut off by a budget, comes to. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from ..events import Event, ReportConceded, TopicExhausted, TurnFailed, TurnParked, TurnStarted
from ..hats import Hat
from ..project.journal import Batch
from ..state import State, Task
from .budget import budgeted


@dataclass(frozen=True, slots=True)
class Mishap:
    """What goes on record, and why the run cannot go on, if it cannot."""

    batch: Batch
    fatal: str = ""


def must_report(state: State, hat: Hat) -> bool:
    """Whether code has to do what the hat cannot: a budget is used up, and there is always a report."""
    return hat.stand_in is not None and budgeted(state.limit)


def replaceable(state: State, hat: Hat) -> bool:
    """Whether there is something in the place of a turn of this hat: parking it is, while there is research."""
    return not state.settled or hat.stand_in is not None or hat.fallback is not None


def instead(state: State, hat: Hat, started: TurnStarted, why: str) -> Batch:
    """In the place of a turn that may not go on: what code makes of it in the ending, a parked turn in research."""
    task = Task(started.hat, started.topic)
    stand_in = hat.stand_in or (hat.fallback if state.settled else None)
    if stand_in:
        return Batch(tuple(stand_in(state, task, why)), started.turn)
    return Batch((TurnParked(started.hat, started.topic),))


def failed(state: State, hat: Hat, started: TurnStarted, step: str, error: str) -> Mishap:
    """Recovery, and after the last retry the end of the topic, of the report's review, or of the run."""
    task = Task(started.hat, started.topic)
    if hat.fallback:
        return Mishap(Batch(tuple(hat.fallback(state, task, error)), started.turn))
    trouble = state.troubles.get(task)
    attempt = (trouble.attempts if trouble else 0) + 1
    events: list[Event] = [TurnFailed(started.turn, task.hat, task.topic, step, error, attempt)]
    if attempt <= state.settings.retries:
        return Mishap(Batch(tuple(events), started.turn))
    if hat.scope == "run" and must_report(state, hat):
        return Mishap(instead(state, hat, started, error))
    if hat.scope == "run":
        return Mishap(Batch(tuple(events), started.turn), f"{started.phase} failed {attempt} times: {error}")
    given_up = TopicExhausted(task.topic, error) if hat.scope == "topic" else _conceded(state, started, error)
    return Mishap(Batch((*events, given_up), started.turn))


def _conceded(state: State, started: TurnStarted, error: str) -> ReportConceded:
    phase = started.phase.lower().replace("_", " ")
    return ReportConceded((*state.draft.issues, f"the {phase} got no usable answer: {error}"), by="failure")
