"""The picker: which leaves of the tree are researched next, best first."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice

from ..answers import Invalid, parse_answer
from ..asks import Ask, Kind, PickAnswer, PickInputs
from ..events import Event, LeavesRanked
from ..outline import MOST_LINES, render_frontier, render_outline, slug_path
from ..project.templates import listed
from ..state import State, Task
from .turn import Turn

TRIES = 5
_OUTPUT = re.compile(r"<output>(.*?)</output>", re.DOTALL | re.IGNORECASE)


async def pick(turn: Turn, prompt_for: Callable[[str, int], str] | None = None) -> list[Event]:
    """Rank the leaves that wait: as many as will be needed until the next ranking is there.

    `prompt_for` makes the prompt from the outline and the number of leaves wanted, in place of the template.
    """
    state = turn.state
    leaves = waiting(state)
    if len(leaves) <= 1:
        return [LeavesRanked(tuple(leaves), by="only leaf")]
    paths = {slug_path(state, id): id for id in leaves}
    count = min(len(leaves), 2 * turn.settings.concurrency)
    small = sum(state.counts.values()) <= MOST_LINES
    outline = render_outline(state, paths=True) if small else render_frontier(state, leaves)
    prompt = (
        prompt_for(outline, count)
        if prompt_for
        else turn.render("picker", outline=outline, count=str(count), guidance=listed(turn.guidance))
    )
    ask = Ask(Kind.PICK, prompt, PickInputs(turn.settings.question, outline, tuple(paths), count))
    asked = await turn.ask("pick", parse_pick, ask, check=lambda answer: _check(answer, paths), tries=TRIES)
    chosen = dict.fromkeys(paths[path] for path in asked.answer.paths if path in paths)
    return [LeavesRanked(tuple(chosen)[:count], by="picker")]


def breadth_first(state: State, _task: Task, error: str) -> list[Event]:
    """What the tree does when the picker is of no use: the shallowest, then the oldest."""
    count = 2 * state.settings.concurrency
    leaves = tuple(task.topic for task in islice(state.tasks("researcher"), count))
    return [LeavesRanked(leaves, by="breadth-first", note=error)]


def waiting(state: State) -> list[str]:
    """Leaves that nobody works on. Of very many, the oldest and the newest, so that none is never seen."""
    tasks = [task.topic for task in islice(state.tasks("researcher"), MOST_LINES // 2)]
    newest = islice(state.tasks("researcher", newest_first=True), MOST_LINES // 2)
    return list(dict.fromkeys([*tasks, *(task.topic for task in newest)]))


def parse_pick(text: str) -> PickAnswer | Invalid:
    """Slug paths, one a line, inside <output> tags, with or without slashes around them; or the JSON object."""
    found = _OUTPUT.search(text)
    if not found:
        parsed = parse_answer(PickAnswer, text)
        return Invalid(("the answer has no <output> tag",)) if isinstance(parsed, Invalid) else parsed
    lines = (line.strip().strip("/").strip() for line in re.split(r"[\n,]", found[1]))
    return PickAnswer(tuple(filter(None, lines)))


def _check(answer: PickAnswer, paths: dict[str, str]) -> Sequence[str]:
    if not any(path in paths for path in answer.paths):
        named = ", ".join(answer.paths[:3]) or "nothing"
        return [f"{named}: not the slug path of an unexpanded leaf; copy one from the outline"]
    return []
