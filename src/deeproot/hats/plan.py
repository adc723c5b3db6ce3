"""The planner: a question becomes the first level of the tree."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Iterable, Sequence

from ..asks import Ask, Kind, PlanAnswer, PlanInputs, ProposedTopic
from ..events import Event, PlanMade, TopicAdded
from ..gates.tags import scope_exceeded
from ..model import Topic, one_line, unique_slug
from ..state import State
from .passages import fitting, passages_text
from .room import room_beside
from .turn import Turn

TITLE_LENGTH = 200
TEXT_LENGTH = 2000


async def plan(turn: Turn) -> list[Event]:
    settings = turn.settings
    found = () if turn.abilities.tools else await turn.search("search", settings.question, turn.abilities.passages)
    passages = fitting(found, room_beside(turn, turn.render("initial_plan", passages="")))
    prompt = turn.render("initial_plan", passages=passages_text(passages))
    inputs = PlanInputs(settings.question, settings.breadth, passages)
    asked = await turn.ask("plan", PlanAnswer, Ask(Kind.PLAN, prompt, inputs), check=_check)
    proposed = asked.answer.topics
    added = new_topics(turn.state, "", proposed, settings.breadth)
    dropped = left_out(proposed, added)
    tags = [scope_exceeded("", dropped)] if dropped else []
    return [PlanMade(dropped), *(TopicAdded(topic) for topic in added), *tags]


def _check(answer: PlanAnswer) -> Sequence[str]:
    if not any(one_line(topic.title) for topic in answer.topics):
        return ["topics: at least one topic with a title is needed"]
    return []


def new_topics(state: State, parent: str, proposed: Iterable[ProposedTopic], limit: int) -> list[Topic]:
    """The first `limit` proposals as topics under `parent`, without those whose title is there already.

    Turns that end at the same moment may choose the same slug; the fold then gives the later one another.
    """
    above = state.topic(parent) if parent else None
    siblings = state.growths[parent].children if parent else state.roots
    seen = {state.topic(id).title.casefold() for id in siblings}
    made: list[Topic] = []
    for proposal in proposed:
        title = one_line(proposal.title, TITLE_LENGTH)
        if len(made) == limit or not title or title.casefold() in seen:
            continue
        taken = ChainMap(state.slugs, {topic.slug: topic.id for topic in made})
        made.append(make_topic(proposal, above, state.born[parent] + len(made) + 1, taken))
        seen.add(title.casefold())
    return made


def make_topic(proposal: ProposedTopic, parent: Topic | None, number: int, taken: Collection[str]) -> Topic:
    """The `number`-th topic under `parent`: single lines, a file-safe slug that is not taken, something to check."""
    title = one_line(proposal.title, TITLE_LENGTH)
    criteria = tuple(filter(None, (one_line(line, TEXT_LENGTH) for line in proposal.criteria)))
    return Topic(
        id=f"{parent.id}.{number}" if parent else str(number),
        title=title,
        slug=unique_slug(title, taken),
        depth=parent.depth + 1 if parent else 0,
        parent=parent.id if parent else None,
        description=one_line(proposal.description, TEXT_LENGTH),
        criteria=criteria or (f"Answers, with evidence: {title}",),
    )


def left_out(proposed: Iterable[ProposedTopic], made: Iterable[Topic]) -> tuple[str, ...]:
    """The titles that were proposed and not taken."""
    kept = {topic.title.casefold() for topic in made}
    titles = (one_line(topic.title, TITLE_LENGTH) for topic in proposed)
    return tuple(title for title in titles if title and title.casefold() not in kept)
