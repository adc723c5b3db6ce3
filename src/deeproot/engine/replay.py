"""Folding the journal: what an entry means for the state and for the steps of open turns."""

from __future__ import annotations

from ..events import TurnFailed
from ..project.journal import Batch, Entry, Step
from ..state import State
from .turns import Steps


def apply_entry(state: State, steps: dict[str, Steps], entry: Entry) -> None:
    """Fold one journal entry. Steps are kept only as long as their turn is open."""
    state.tick(entry.elapsed)
    if entry.step:
        steps.setdefault(entry.step.turn, {})[entry.step.name] = entry.step
        _count(state, entry.step)
        return
    assert entry.batch is not None, "an entry is a step or a batch"
    _apply_batch(state, steps, entry.batch)


def _count(state: State, step: Step) -> None:
    if step.reply:
        state.spend(step.reply.usage, step.characters, step.repeated)
    elif step.failure and step.model:
        state.miss()
    state.read.update(passage.source.location for passage in step.passages or ())
    state.read.update(source.location for source in step.sources)


def _apply_batch(state: State, steps: dict[str, Steps], batch: Batch) -> None:
    for event in batch.events:
        state.apply(event)
    failed = next((event for event in batch.events if isinstance(event, TurnFailed)), None)
    if failed:
        _forget_step(steps.get(failed.turn, {}), failed.step)
    elif batch.turn:
        taken = steps.pop(batch.turn, {})
        state.close_turn(batch.turn, [source for step in taken.values() for source in step.sources])


def _forget_step(steps: Steps, failed: str) -> None:
    """An answer that was of no use is not an answer: the step is asked anew when the turn is retried."""
    for name in [name for name in steps if name.split("#")[0] == failed]:
        del steps[name]
