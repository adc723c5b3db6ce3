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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from . import events as e
from .answers import Invalid, parse_answer
from .asks import (
    Ask,
    ChildrenInputs,
    DocumentAnswer,
    DocumentInputs,
    Kind,
    PlanInputs,
    ProposedTopic,
)
from .engine.cycle import Cycle
from .engine.engine import Ending, Outcome
from .engine.phases import missing
from .errors import DeeprootError, UsageError
from .hats import CYCLE, Hat, Turn
from .hats.pick import View, breadth_first, pick
from .hats.plan import left_out, new_topics
from .hats.research import ancestry, session_of
from .hats.turn import topic_of
from .model import Document, Status, Topic
from .outline import node_status
from .project.journal import Entry
from .project.treefiles import TreeFiles, front_matter
from .researcher import Means, Researcher
from .settings import DEFAULT_MODEL, DEFAULT_TIMEOUT, Settings
from .state import State

NAME = "tree"
MOST_CHILDREN = 100
DOCUMENT_TRIES = 3
_OUTPUT = re.compile(r"<output>(.*?)</output>", re.DOTALL | re.IGNORECASE)
_FRONT_MATTER = re.compile(r"---\s*\n(.*?)\n---\s*(?:\n|$)", re.DOTALL)
_WRAPPED = re.compile(
    r"<output>(?P<tagged>.*)</output>|```(?:markdown|md)\n(?P<fenced>.*)\n```", re.DOTALL | re.IGNORECASE
)
_CHILDREN_FORM = """

Return ONLY a JSON array inside <output> tags, empty when there is nothing to add.
Example: <output>[{"title": "OAuth2 Flow", "slug": "oauth2-flow"}]</output>
"""
_DOCUMENT_FORM = """

Return ONLY the Markdown document, beginning with YAML front matter between two lines of three hyphens.
"""
_PICK_FORM = """

Return ONLY the slug paths of at most {count} leaves, best first, one per line, inside <output> tags.
Example: <output>authentication-system/oauth2-flow</output>
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
    """Prompt builders say what is wanted; the form of the answer is added to what they return.

    `picker_prompt` is given the outline and the leaves it may choose from. `frontmatter_schema` is a type pydantic can
    check: a dataclass, a model, a TypedDict. `max_depth` counts levels: 1 is the children of the root alone.
    """

    root_dir: Path
    root_prompt: str
    document_prompt: Callable[[TreeNode], str]
    children_prompt: Callable[[TreeNode], str]
    picker_prompt: Callable[[str, Sequence[TreeNode]], str] | None = None
    frontmatter_schema: type[Any] | None = None
    concurrency: int = 4
    max_depth: int = 4
    model: str = DEFAULT_MODEL
    timeout: int = DEFAULT_TIMEOUT

    def __post_init__(self) -> None:
        for name in ("concurrency", "max_depth", "timeout"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}; it must be at least 1.")


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
    """Grow the tree, or go on growing it: the same call continues where a killed one stopped.

    Raises DeeprootError when the root got no children; a node that fails is counted and stops no other.
    """
    means = means or Means()
    cycle = Cycle(_Hats(config).table(), _advance)
    files = TreeFiles(config.root_dir, _document_file)
    researcher = Researcher(config.root_dir, NAME, cycle=cycle, tree=files)
    before = researcher.past().state
    deleted = set(files.deleted(before))
    skipped = [growth.topic for growth in before.walk() if growth.document and growth.topic.id not in deleted]
    for topic in skipped:
        progress(f"Skipped (cached): {topic.title}")
    outcome = await _run(researcher, _settings(config), replace(means, watch=_Teller(progress, means.watch)))
    if outcome.ending is Ending.FAILED:
        raise DeeprootError(outcome.reason)
    state = researcher.past().state
    result = _result(state, len(skipped))
    counts = f"{result.expanded} expanded, {result.leaves} leaves, {result.skipped} skipped"
    progress(f"Tree search {'complete' if state.settled else 'stopped'}: {counts}")
    return result


async def _run(researcher: Researcher, settings: Settings, means: Means) -> Outcome:
    if researcher.exists:
        return await researcher.resume(lambda _: settings, means)
    means.disk.make_folder(researcher.project)
    return await researcher.start(settings, means)


def _settings(config: TreeSearchConfig) -> Settings:
    return Settings(
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
            if line := self._line(event, state):
                self._say(line)

    def _line(self, event: e.Event, state: State) -> str:
        match event:
            case e.TurnStarted():
                return self._started(event, state)
            case e.TopicExhausted(topic=topic, reason=reason):
                return f"Failed: {state.topic(topic).title} ({reason})"
            case e.LeavesRanked(by=by, note=note) if note:
                return f"Picked {by}: {note}"
            case _:
                return ""

    def _started(self, event: e.TurnStarted, state: State) -> str:
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
        ask = Ask(Kind.PLAN, self._config.root_prompt + _CHILDREN_FORM, inputs, free=True)
        proposed = (await turn.ask("root", parse_children, ask, check=_some)).answer
        added = new_topics(turn.state, "", proposed, MOST_CHILDREN)
        return [e.PlanMade(left_out(proposed, added)), *map(e.TopicAdded, added)]

    async def expand(self, turn: Turn) -> list[e.Event]:
        """Two asks in one session: the document, then the children."""
        topic = topic_of(turn)
        node = _node(turn.state, topic)
        context = ancestry(turn, topic)
        session, fork = session_of(turn, topic)
        prompt = self._config.document_prompt(node) + _DOCUMENT_FORM
        ask = Ask(
            Kind.DOCUMENT, prompt, DocumentInputs(turn.settings.question, topic), context, session, fork, free=True
        )
        asked = await turn.ask("document", _parse_document, ask, check=self._check, tries=DOCUMENT_TRIES)
        document = asked.answer
        proposed: tuple[ProposedTopic, ...] = ()
        if topic.depth < turn.settings.depth:
            proposed = await self._children(turn, topic, document, context, asked.session)
        added = new_topics(turn.state, topic.id, proposed, MOST_CHILDREN)
        researched = e.TopicResearched(topic.id, document, asked.session, dropped=left_out(proposed, added))
        return [researched, e.TopicAccepted(topic.id), *map(e.TopicAdded, added)]

    async def _children(
        self, turn: Turn, topic: Topic, document: Document, context: str, session: str | None
    ) -> tuple[ProposedTopic, ...]:
        prompt = self._config.children_prompt(_node(turn.state, topic)) + _CHILDREN_FORM
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
            return build(view.outline, leaves) + _PICK_FORM.format(count=count)

        return await pick(turn, prompt_for)

    def _check(self, document: Document) -> Sequence[str]:
        """Front matter is free without a schema, but where there is some it must be readable."""
        schema = self._config.frontmatter_schema
        found = _FRONT_MATTER.match(document.summary)
        if not found:
            missing = "the document does not begin with front matter between two lines of three hyphens"
            return [missing] if schema else []
        try:
            TypeAdapter(schema or dict[Any, Any]).validate_python(yaml.safe_load(found[1]))
        except ValidationError as error:
            return [f"front matter {'.'.join(map(str, d['loc']))}: {d['msg']}" for d in error.errors()]
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            return [f"the front matter is not YAML: {error}"]
        return []


def _node(state: State, topic: Topic) -> TreeNode:
    path = (*(growth.topic.slug for growth in state.ancestors(topic.id)), topic.slug)
    return TreeNode(topic.id, topic.slug, topic.title, topic.depth + 1, path)


def parse_children(text: str) -> tuple[ProposedTopic, ...] | Invalid:
    """A JSON array of {title, slug} in <output> tags or bare; slugs are made from titles, so none can harm."""
    output = _OUTPUT.search(text)
    arrays = sorted(_arrays(output[1] if output else text), key=lambda array: not array)
    if not arrays:
        return Invalid(("the answer holds no JSON array of children inside <output> tags",))
    clean = json.dumps(arrays[0], ensure_ascii=False).encode("utf-8", "replace")
    try:
        return TypeAdapter(tuple[ProposedTopic, ...]).validate_json(clean)
    except ValidationError as error:
        return Invalid(tuple(f"children.{'.'.join(map(str, d['loc']))}: {d['msg']}" for d in error.errors()[:5]))


def _arrays(text: str) -> Iterator[list[Any]]:
    """The JSON arrays of objects in a text, and empty ones; prose and other brackets are passed over."""
    decoder = json.JSONDecoder(strict=False)
    start = text.find("[")
    while start >= 0:
        try:
            found, end = decoder.raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError):
            found, end = None, start + 1
        if isinstance(found, list) and all(isinstance(item, dict) for item in found):
            yield found
        start = text.find("[", end)


def _some(topics: tuple[ProposedTopic, ...]) -> Sequence[str]:
    return [] if any(topic.title.strip() for topic in topics) else ["the root needs at least one child"]


def _parse_document(text: str) -> Document | Invalid:
    """The Markdown as it is, out of its wrapping; an answer that is the researcher's JSON form is taken too."""
    text = text.strip()
    if text.startswith("{") and isinstance(answer := parse_answer(DocumentAnswer, text), DocumentAnswer):
        return Document(answer.summary, gaps=answer.gaps)
    wrapped = _WRAPPED.fullmatch(text)
    body = (wrapped["tagged"] or wrapped["fenced"]).strip() if wrapped else text
    return Document(body + "\n") if body else Invalid(("the document is empty",))


def _document_file(topic: Topic, document: Document, _children: tuple[Topic, ...]) -> str:
    """What the author wrote; front matter is added where there is none."""
    if _FRONT_MATTER.match(document.summary):
        return document.summary
    return front_matter({"title": topic.title}) + document.summary
