"""Tree search for any tree of documents: a wiki of a code base, a curriculum, a catalogue.

    result = await tree_search(TreeSearchConfig(
        root_dir=Path("wiki"), root_prompt="List the parts of this code base.",
        document_prompt=lambda node: f"Document {node.title}.", children_prompt=lambda node: f"Parts of {node.title}?",
    ))

The same engine, journal and picker as a researcher's, with two asks per node and no review.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from . import events as e
from .answers import Invalid, parse_answer
from .asks import (
    Ask,
    ChildrenAnswer,
    ChildrenInputs,
    DocumentAnswer,
    DocumentInputs,
    Kind,
    PlanAnswer,
    PlanInputs,
    ProposedTopic,
)
from .engine.cycle import Cycle
from .engine.phases import missing
from .hats import CYCLE, Hat, Turn
from .hats.pick import breadth_first, pick
from .hats.plan import new_topics
from .hats.research import ancestry, session_of
from .hats.turn import topic_of
from .model import Document, Status, Topic
from .outline import node_status
from .project.journal import Entry
from .project.treefiles import TreeFiles, front_matter
from .researcher import Means, Researcher
from .settings import Settings
from .state import State

NAME = "tree"
MOST_CHILDREN = 100
DOCUMENT_TRIES = 3
_OUTPUT = re.compile(r"<output>(.*?)</output>", re.DOTALL | re.IGNORECASE)
_FRONT_MATTER = re.compile(r"---\s*\n(.*?)\n---\s*(?:\n|$)", re.DOTALL)
_CHILDREN_FORM = """

Return ONLY a JSON array inside <output> tags, empty when there is nothing to add.
Example: <output>[{"title": "OAuth2 Flow", "slug": "oauth2-flow"}]</output>
"""
_DOCUMENT_FORM = """

Return ONLY the Markdown document, beginning with YAML front matter between two lines of three hyphens.
"""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """What a prompt builder is told about a node."""

    id: str
    slug: str
    title: str
    depth: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TreeSearchConfig:
    """`frontmatter_schema` is a type pydantic can check: a dataclass, a model, a TypedDict."""

    root_dir: Path
    root_prompt: str
    document_prompt: Callable[[TreeNode], str]
    children_prompt: Callable[[TreeNode], str]
    picker_prompt: Callable[[str, int], str] | None = None
    frontmatter_schema: type[Any] | None = None
    concurrency: int = 4
    max_depth: int = 4
    model: str = "mock"
    timeout: int = 1200


@dataclass(frozen=True, slots=True)
class TreeSearchResult:
    """Nodes of the whole tree: with children, without, finished before this call, and given up."""

    expanded: int
    leaves: int
    skipped: int
    failed: int


async def tree_search(
    config: TreeSearchConfig, means: Means | None = None, progress: Callable[[str], None] = lambda _: None
) -> TreeSearchResult:
    """Grow the tree, or go on growing it: the same call continues where a killed one stopped."""
    means = means or Means()
    hats = _Hats(config)
    cycle = Cycle(hats.table(), _advance)
    files = TreeFiles(config.root_dir, _document_file)
    researcher = Researcher(config.root_dir, NAME, cycle=cycle, tree=files)
    settings = Settings(
        question=config.root_prompt,
        name=NAME,
        breadth=MOST_CHILDREN,
        depth=config.max_depth - 1,
        max_iterations=10**9,
        model=config.model,
        review_model=config.model,
        timeout=config.timeout,
        concurrency=config.concurrency,
        strategy="guided",
    )
    before = researcher.past().state
    skipped = {growth.topic.id for growth in before.walk() if growth.document} - set(files.deleted(before))
    told = replace(means, watch=_Teller(progress, means.watch))
    for id in skipped:
        progress(f"Skipped (cached): {before.topic(id).title}")
    if researcher.exists:
        await researcher.resume(lambda _: settings, told)
    else:
        config.root_dir.mkdir(parents=True, exist_ok=True)
        await researcher.start(settings, told)
    result = _result(researcher.past().state, len(skipped))
    progress(f"Tree search complete: {result.expanded} expanded, {result.leaves} leaves, {result.skipped} skipped")
    return result


def _result(state: State, skipped: int) -> TreeSearchResult:
    statuses = [node_status(growth) for growth in state.walk()]
    return TreeSearchResult(statuses.count("expanded"), statuses.count("leaf"), skipped, state.counts[Status.EXHAUSTED])


def _advance(state: State) -> list[e.Event]:
    """A tree has no report: it is done when no topic is open."""
    return [] if state.settled or missing(state) else [e.TreeSettled()]


class _Teller:
    """Progress in words, from what is committed."""

    def __init__(self, say: Callable[[str], None], watch: Callable[[Entry, State], None]) -> None:
        self._say = say
        self._watch = watch
        self._walked = 0

    def __call__(self, entry: Entry, state: State) -> None:
        self._watch(entry, state)
        for event in entry.batch.events if entry.batch else ():
            if isinstance(event, e.TurnStarted) and (line := self._line(event, state)):
                self._say(line)

    def _line(self, event: e.TurnStarted, state: State) -> str:
        if event.hat == "planner":
            return "Generating root children..."
        if event.hat == "picker":
            return "Picking next leaf to research..."
        if event.hat != "researcher":
            return ""
        topic = state.topic(event.topic)
        if topic.depth == 0:
            self._walked += 1
            return f"Walking root level: {topic.title} ({self._walked}/{len(state.roots)})"
        if topic.depth == state.settings.depth:
            return f"Depth limit reached: {topic.title}"
        return f"Researching: {topic.title} (depth {topic.depth + 1})"


class _Hats:
    """The hats of a tree of documents, around the prompts of its config."""

    def __init__(self, config: TreeSearchConfig) -> None:
        self._config = config

    def table(self) -> dict[str, Hat]:
        grown = ("topic.added", "topic.reopened")
        made = (
            Hat("planner", "PLAN", ("research.requested",), ("plan.made", "topic.added"), self.plan),
            Hat("researcher", "RESEARCH", grown, ("topic.researched", "topic.added"), self.expand, scope="topic"),
            Hat("picker", "PICK", (), ("leaves.ranked",), self.pick, fallback=breadth_first, takes_slot=False),
            CYCLE["recovery"],
        )
        return {hat.name: hat for hat in made}

    async def plan(self, turn: Turn) -> list[e.Event]:
        inputs = PlanInputs(self._config.root_prompt, MOST_CHILDREN)
        ask = Ask(Kind.PLAN, self._config.root_prompt + _CHILDREN_FORM, inputs)
        asked = await turn.ask("root", parse_children, ask, check=_some)
        return [e.PlanMade(), *(e.TopicAdded(t) for t in new_topics(turn.state, "", asked.answer, MOST_CHILDREN))]

    async def expand(self, turn: Turn) -> list[e.Event]:
        """Two asks in one session: the document, then the children."""
        topic = topic_of(turn)
        node = _node(turn.state, topic)
        context = ancestry(turn, topic)
        session, fork = session_of(turn, topic)
        prompt = self._config.document_prompt(node) + _DOCUMENT_FORM
        ask = Ask(Kind.DOCUMENT, prompt, DocumentInputs(turn.settings.question, topic), context, session, fork)
        asked = await turn.ask("document", _parse_document, ask, check=self._check, tries=DOCUMENT_TRIES)
        document = asked.answer
        children: list[Topic] = []
        if topic.depth < turn.settings.depth:
            children = await self._children(turn, topic, document, context, asked.session)
        accepted = e.TopicAccepted(topic.id)
        added = (e.TopicAdded(child) for child in children)
        return [e.TopicResearched(topic.id, document, asked.session), accepted, *added]

    async def _children(
        self, turn: Turn, topic: Topic, document: Document, context: str, session: str | None
    ) -> list[Topic]:
        prompt = self._config.children_prompt(_node(turn.state, topic)) + _CHILDREN_FORM
        if not (session and turn.abilities.sessions):
            context += f"The document you wrote about {topic.title}:\n{document.summary}\n\n"
        inputs = ChildrenInputs(turn.settings.question, topic, document, MOST_CHILDREN)
        asked = await turn.ask("subtopics", parse_children, Ask(Kind.CHILDREN, prompt, inputs, context, session))
        return new_topics(turn.state, topic.id, asked.answer, MOST_CHILDREN)

    async def pick(self, turn: Turn) -> list[e.Event]:
        return await pick(turn, self._config.picker_prompt)

    def _check(self, document: Document) -> Sequence[str]:
        schema = self._config.frontmatter_schema
        if schema is None:
            return []
        found = _FRONT_MATTER.match(document.summary)
        if not found:
            return ["the document does not begin with front matter between two lines of three hyphens"]
        try:
            TypeAdapter(schema).validate_python(yaml.safe_load(found[1]))
        except yaml.YAMLError as error:
            return [f"the front matter is not YAML: {error}"]
        except ValidationError as error:
            return [f"front matter {'.'.join(map(str, d['loc']))}: {d['msg']}" for d in error.errors()]
        return []


def _node(state: State, topic: Topic) -> TreeNode:
    path = (*(growth.topic.slug for growth in state.ancestors(topic.id)), topic.slug)
    return TreeNode(topic.id, topic.slug, topic.title, topic.depth + 1, path)


def parse_children(text: str) -> tuple[ProposedTopic, ...] | Invalid:
    """A JSON array of {title, slug} in <output> tags or bare; slugs are made from titles, so none can harm."""
    for kind in (PlanAnswer, ChildrenAnswer):
        answer = parse_answer(kind, text)
        if isinstance(answer, PlanAnswer):
            return answer.topics
        if isinstance(answer, ChildrenAnswer) and (answer.children or '"children"' in text):
            return answer.children
    output = _OUTPUT.search(text)
    body = output[1] if output else text[text.find("[") : text.rfind("]") + 1]
    try:
        entries = TypeAdapter(tuple[ProposedTopic, ...]).validate_python(json.loads(body))
    except ValidationError as error:
        return Invalid(tuple(f"children.{'.'.join(map(str, d['loc']))}: {d['msg']}" for d in error.errors()[:5]))
    except ValueError:
        return Invalid(("the answer holds no JSON array of children inside <output> tags",))
    return entries


def _some(topics: tuple[ProposedTopic, ...]) -> Sequence[str]:
    return [] if any(topic.title.strip() for topic in topics) else ["the root needs at least one child"]


def _parse_document(text: str) -> Document | Invalid:
    """The Markdown as it is; an answer in the researcher's JSON form is taken too."""
    answer = parse_answer(DocumentAnswer, text)
    if isinstance(answer, DocumentAnswer):
        return Document(answer.summary, gaps=answer.gaps)
    output = _OUTPUT.search(text)
    body = (output[1] if output else text).strip()
    return Document(body + "\n") if body else Invalid(("the document is empty",))


def _document_file(topic: Topic, document: Document, _children: tuple[Topic, ...]) -> str:
    """What the author wrote; front matter is added where there is none."""
    if _FRONT_MATTER.match(document.summary):
        return document.summary
    return front_matter({"title": topic.title}) + document.summary
