"""The picker: which leaves of the tree are researched next, best first."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

from ..answers import Invalid, parse_answer
from ..asks import Ask, Kind, PickAnswer, PickInputs
from ..events import Event, LeavesRanked, TagRaised
from ..model import Status, Tag
from ..outline import MOST_LINES, fits, render_frontier, render_outline, slug_path
from ..project.templates import listed
from ..state import State, Task
from .turn import Turn

TRIES = 5
# How many leaves a pick ranks, per slot. Half of them are still waiting when the next pick is asked, so that a pick
# may take twice as long as a topic before a slot runs dry.
RANKED_PER_SLOT = 4
HANDFUL = 10
_OUTPUT = re.compile(r"<output>(.*?)</output>", re.DOTALL | re.IGNORECASE)
_ORNAMENTS = re.compile(r"^(?:[-*•]|\d+[.)])\s+|[`'\"\[\]()]")


class View(NamedTuple):
    """What the picker is shown: an outline, and the ids of the leaves in it by their slug paths."""

    outline: str
    leaves: Mapping[str, str]


async def pick(turn: Turn, prompt_for: Callable[[View, int], str] | None = None) -> list[Event]:
    """Rank the leaves that wait: as many as will be needed until the next ranking is there.

    `prompt_for` makes the prompt from what is shown and the number of leaves wanted, in place of the template.
    """
    view = view_of(turn.state)
    if len(view.leaves) <= 1:
        return [LeavesRanked(tuple(view.leaves.values()), by="only leaf")]
    count = min(len(view.leaves), RANKED_PER_SLOT * turn.settings.concurrency)
    prompt = prompt_for(view, count) if prompt_for else _prompt(turn, view, count)
    inputs = PickInputs(turn.settings.question, view.outline, tuple(view.leaves), count)
    ask = Ask(Kind.PICK, prompt, inputs, free=True, lasting=True)
    asked = await turn.ask("pick", parse_pick, ask, check=lambda answer: _check(answer, view), tries=TRIES)
    chosen = [view.leaves[path] for path in asked.answer.paths if path in view.leaves]
    return [LeavesRanked(tuple(dict.fromkeys(chosen[:count])), by="picker")]


def _prompt(turn: Turn, view: View, count: int) -> str:
    return turn.render("picker", outline=view.outline, count=str(count), guidance=listed(turn.guidance))


def breadth_first(state: State, _task: Task, error: str) -> list[Event]:
    """What the tree does when the picker is of no use: the shallowest, then the oldest."""
    leaves = (task.topic for task in state.tasks("researcher") if _waits(state, task.topic))
    count = RANKED_PER_SLOT * state.settings.concurrency
    ranked = LeavesRanked(tuple(islice(leaves, count)), by="breadth-first", note=error)
    decided = any(event.tag is Tag.PATH_DECISION for event in state.raised)
    note = f"The picker was of no use, so the next topics were taken breadth-first: {error}"
    return [ranked] if decided else [ranked, TagRaised(Tag.PATH_DECISION, note=note)]


def view_of(state: State) -> View:
    """The whole tree if it fits; otherwise as many of the waiting leaves as fit, and what they hang from."""
    if sum(state.counts.values()) <= MOST_LINES:
        outline = render_outline(state, paths=True)
        if fits(outline):
            return View(outline, _by_path(state, waiting(state)))
    most = MOST_LINES // 2
    leaves = waiting(state, most)
    while not fits(outline := render_frontier(state, leaves)) and most > 1:
        most //= 2
        leaves = waiting(state, most)
    return View(outline, _by_path(state, leaves))


def waiting(state: State, most: int = MOST_LINES) -> list[str]:
    """Leaves that nobody works on. Of very many, every n-th handful, one further with each pick: all have their turn.

    A handful are neighbours, which hang from the same topics and so need fewer lines than as many from all over.
    """
    leaves = list(chain.from_iterable(state.due[key] for key in sorted(state.due) if key[0] == "researcher"))
    step = max(1, -(-len(leaves) // most))
    first = state.rounds[Task("picker", "")] % step
    starts = range(first * HANDFUL, len(leaves), step * HANDFUL)
    return [id for start in starts for id in leaves[start : start + HANDFUL] if _waits(state, id)]


def _waits(state: State, id: str) -> bool:
    """A topic that failed or was sent back is due as well, but it is not the picker's to choose."""
    return state.topic(id).status is Status.PENDING


def _by_path(state: State, leaves: Sequence[str]) -> dict[str, str]:
    return {slug_path(state, id): id for id in leaves}


def parse_pick(text: str) -> PickAnswer | Invalid:
    """Slug paths, one a line, inside <output> tags, with or without ornaments around them; or the JSON object."""
    found = _OUTPUT.search(text)
    if not found:
        parsed = parse_answer(PickAnswer, text)
        return Invalid(("the answer has no <output> tag",)) if isinstance(parsed, Invalid) else parsed
    lines = (_ORNAMENTS.sub("", line.strip()) for line in re.split(r"[\n,]", found[1]))
    paths = (re.sub(r"\s*/\s*", "/", line).strip("/ ") for line in lines)
    return PickAnswer(tuple(filter(None, paths)))


def _check(answer: PickAnswer, view: View) -> Sequence[str]:
    if not any(path in view.leaves for path in answer.paths):
        named = ", ".join(answer.paths[:3]) or "nothing"
        return [f"{named}: not the slug path of an unexpanded leaf; copy one from the outline"]
    return []
