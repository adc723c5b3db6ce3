"""The planner: a question becomes the first level of the tree."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Sequence

from ..asks import Ask, Kind, PlanAnswer, PlanInputs, ProposedTopic
from ..events import Event, PlanMade, TopicAdded
from ..model import Topic, one_line, unique_slug
from ..state import State
from .turn import Turn, passages_text

PASSAGES = 60
TITLE_LENGTH = 200
TEXT_LENGTH = 2000


async def plan(turn: Turn) -> list[Event]:
    settings = turn.settings
    passages = () if turn.abilities.tools else await turn.search("search", settings.question, PASSAGES)
    prompt = turn.render("initial_plan", passages=passages_text(passages))
    inputs = PlanInputs(settings.question, settings.breadth, passages)
    asked = await turn.ask("plan", PlanAnswer, Ask(Kind.PLAN, prompt, inputs), check=_check)
    proposed = asked.answer.topics
    added = new_topics(turn.state, "", proposed, settings.breadth)
    return [PlanMade(dropped=titles(proposed[len(added) :])), *(TopicAdded(topic) for topic in added)]


def _check(answer: PlanAnswer) -> Sequence[str]:
    if not any(one_line(topic.title) for topic in answer.topics):
        return ["topics: at least one topic with a title is needed"]
    return []


def new_topics(state: State, parent: str, proposed: Iterable[ProposedTopic], limit: int) -> list[Topic]:
    """The first `limit` proposals as topics under `parent`: ids in order, file-safe slugs, single lines.

    Turns that end at the same moment may choose the same slug; the fold then gives the later one another.
    """
    depth = state.topic(parent).depth + 1 if parent else 0
    siblings = state.growths[parent].children if parent else state.roots
    seen = {state.topic(id).title.casefold() for id in siblings}
    made: list[Topic] = []
    first = state.born[parent] + 1
    for proposal in proposed:
        title = one_line(proposal.title, TITLE_LENGTH)
        if len(made) == limit or not title or title.casefold() in seen:
            continue
        number = first + len(made)
        slug = unique_slug(title, ChainMap(state.slugs, {topic.slug: topic.id for topic in made}))
        criteria = tuple(filter(None, (one_line(line, TEXT_LENGTH) for line in proposal.criteria)))
        made.append(
            Topic(
                id=f"{parent}.{number}" if parent else str(number),
                title=title,
                slug=slug,
                depth=depth,
                parent=parent or None,
                description=one_line(proposal.description, TEXT_LENGTH),
                criteria=criteria or (f"Answers, with evidence: {title}",),
            )
        )
        seen.add(title.casefold())
    return made


def titles(proposed: Iterable[ProposedTopic]) -> tuple[str, ...]:
    return tuple(one_line(topic.title, TITLE_LENGTH) for topic in proposed)
