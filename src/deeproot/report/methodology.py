"""How a report came about, told by code: who answered, what was read, within which limits, how it was checked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from ..checks import Checked
from ..model import Status, Tag, counted, one_line
from ..settings import Settings
from ..state import State

MOST_TROUBLE = 5


def methodology(state: State, cited: int, dated: bool) -> Iterator[str]:
    """A line at a time; `dated` tells the day as well."""
    settings = state.settings
    yield (
        f"{counted(sum(state.counts.values()), 'topic')} ({state.counts[Status.COMPLETE]} complete) in "
        f"{counted(state.iteration, 'iteration')}, breadth {settings.breadth}, depth {settings.depth}."
    )
    if dated:
        yield from begun(state)
    yield _models(settings)
    yield (
        f"{counted(len(state.read), 'source')} read, {cited} cited. Citation numbers, headings and the list of sources "
        "were made by code from the recorded findings."
    )
    yield f"Limits: {', '.join([counted(settings.max_iterations, 'iteration'), *budgets(settings)])}."
    if state.limit:
        yield f"Research ended early: {state.limit.detail}."
    yield from conduct(state)


def conduct(state: State) -> Iterator[str]:
    """What a reader has to know of any run: what it could not have, what code noted and concluded."""
    yield from _web_trouble(state)
    yield from _abandoned(state)
    yield from _tags(state)
    yield from _gates(state.draft.checked)


def begun(state: State) -> Iterator[str]:
    """The day, once there was one."""
    if state.started:
        yield f"Begun on {day(state.started)}."


def day(moment: float) -> str:
    """The day of a moment, the same wherever it is written down: `2026-03-02`."""
    return datetime.fromtimestamp(moment, UTC).date().isoformat()


def budgets(settings: Settings) -> Iterator[str]:
    """What a run was given to spend, as far as it was limited."""
    if settings.time is not None:
        yield f"{settings.time:g} minute{'' if settings.time == 1 else 's'}"
    if settings.tokens is not None:
        yield f"{settings.tokens:,} tokens"
    if settings.cost is not None:
        yield f"${settings.cost:.2f}"
    if settings.calls is not None:
        yield counted(settings.calls, "call")


def _models(settings: Settings) -> str:
    reviewer = f", reviewed by {settings.review_model}" if settings.review_model != settings.model else ""
    others = "".join(f"; {hat} by {model}" for hat, model in settings.models)
    return f"Answered by {settings.model}{reviewer}{others}."


def _web_trouble(state: State) -> Iterator[str]:
    """What could not be had of the web: a reader takes it for searched otherwise."""
    if state.web_trouble:
        shown = "; ".join(one_line(message, 200).rstrip(".") for message in state.web_trouble[:MOST_TROUBLE])
        more = len(state.web_trouble) - MOST_TROUBLE
        yield f"Not had of the web: {shown}{f'; and {more} more' if more > 0 else ''}."


def _abandoned(state: State) -> Iterator[str]:
    titles = [growth.topic.title for growth in state.walk() if growth.topic.status is Status.EXHAUSTED]
    if titles:
        yield f"Abandoned after repeated failures ({Tag.RETRY_EXHAUSTED}): {'; '.join(titles)}."


def _tags(state: State) -> Iterator[str]:
    raised = {event.tag for event in state.raised}
    tags = [tag for tag in Tag if tag in raised]
    if tags:
        yield f"Tags raised by code: {', '.join(tags)}."


def _gates(checked: Checked | None) -> Iterator[str]:
    if checked:
        parts = ", ".join(f"{part.name} {part.points:.0f} of {part.most}" for part in checked.parts)
        yield f"Gates: {checked.grade}, quality {checked.score} of 100 ({parts}). Citations: {checked.tally}."
