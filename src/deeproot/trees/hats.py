"""The hats of a tree of documents, around the prompts of its config."""

from __future__ import annotations

from collections.abc import Sequence

from .. import events as e
from ..asks import Ask, ChildrenInputs, DocumentInputs, Kind, PlanInputs, ProposedTopic
from ..hats import CYCLE, Hat, Turn
from ..hats.pick import View, breadth_first, pick
from ..hats.plan import left_out, new_topics
from ..hats.research import ancestry, session_of
from ..hats.turn import topic_of
from ..model import Document, Topic
from ..state import State
from .answers import front_matter_problems, parse_children, parse_document, root_problems
from .config import TreeNode, TreeSearchConfig

MOST_CHILDREN = 100
DOCUMENT_TRIES = 3
CHILDREN_FORM = """

Return ONLY a JSON array inside <output> tags, empty when there is nothing to add.
Example: <output>[{"title": "OAuth2 Flow", "slug": "oauth2-flow"}]</output>
"""
DOCUMENT_FORM = """

Return ONLY the Markdown document, beginning with YAML front matter between two lines of three hyphens.
"""
PICK_FORM = """

Return ONLY the slug paths of at most {count} leaves, best first, one per line, inside <output> tags.
Example: <output>authentication-system/oauth2-flow</output>
"""


def hats_of(config: TreeSearchConfig) -> dict[str, Hat]:
    """A planner, a researcher and a picker of its own; recovery is everybody's."""
    wearer = _Wearer(config)
    grown = ("topic.added", "topic.reopened")
    made = (
        Hat("planner", "PLAN", ("research.requested",), ("plan.made", "topic.added"), wearer.plan),
        Hat("researcher", "RESEARCH", grown, ("topic.researched", "topic.added"), wearer.expand, scope="topic"),
        Hat("picker", "PICK", (), ("leaves.ranked",), wearer.pick, fallback=breadth_first, takes_slot=False),
        CYCLE["recovery"],
    )
    return {hat.name: hat for hat in made}


class _Wearer:
    def __init__(self, config: TreeSearchConfig) -> None:
        self._config = config

    async def plan(self, turn: Turn) -> list[e.Event]:
        inputs = PlanInputs(self._config.root_prompt, MOST_CHILDREN)
        ask = Ask(Kind.PLAN, self._config.root_prompt + CHILDREN_FORM, inputs, free=True)
        proposed = (await turn.ask("root", parse_children, ask, check=root_problems)).answer
        added = new_topics(turn.state, "", proposed, MOST_CHILDREN)
        return [e.PlanMade(left_out(proposed, added)), *map(e.TopicAdded, added)]

    async def expand(self, turn: Turn) -> list[e.Event]:
        """Two asks in one session: the document, then the children."""
        topic = topic_of(turn)
        context = ancestry(turn, topic)
        session, fork = session_of(turn, topic)
        prompt = self._config.document_prompt(_node(turn.state, topic)) + DOCUMENT_FORM
        inputs = DocumentInputs(turn.settings.question, topic)
        ask = Ask(Kind.DOCUMENT, prompt, inputs, context, session, fork, free=True)
        asked = await turn.ask("document", parse_document, ask, check=self._problems, tries=DOCUMENT_TRIES)
        proposed: tuple[ProposedTopic, ...] = ()
        if topic.depth < turn.settings.depth:
            proposed = await self._children(turn, topic, asked.answer, context, asked.session)
        added = new_topics(turn.state, topic.id, proposed, MOST_CHILDREN)
        researched = e.TopicResearched(topic.id, asked.answer, asked.session, dropped=left_out(proposed, added))
        return [researched, e.TopicAccepted(topic.id), *map(e.TopicAdded, added)]

    def _problems(self, document: Document) -> Sequence[str]:
        return front_matter_problems(document, self._config.frontmatter_schema)

    async def _children(
        self, turn: Turn, topic: Topic, document: Document, context: str, session: str | None
    ) -> tuple[ProposedTopic, ...]:
        prompt = self._config.children_prompt(_node(turn.state, topic)) + CHILDREN_FORM
        context += f"The document you wrote about {topic.title}:\n{document.summary}\n\n"
        inputs = ChildrenInputs(turn.settings.question, topic, document, MOST_CHILDREN)
        ask = Ask(Kind.CHILDREN, prompt, inputs, context, session, free=True)
        return (await turn.ask("subtopics", parse_children, ask)).answer

    async def pick(self, turn: Turn) -> list[e.Event]:
        build = self._config.picker_prompt
        if build is None:
            return await pick(turn)

        def prompt_for(view: View, count: int) -> str:
            state = turn.state
            leaves = [_node(state, state.topic(id)) for id in view.leaves.values()]
            return build(view.outline, leaves) + PICK_FORM.format(count=count)

        return await pick(turn, prompt_for)


def _node(state: State, topic: Topic) -> TreeNode:
    path = (*(growth.topic.slug for growth in state.ancestors(topic.id)), topic.slug)
    return TreeNode(topic.id, topic.slug, topic.title, topic.depth + 1, path)
