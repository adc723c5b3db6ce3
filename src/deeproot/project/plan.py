"""`research_plan.md`: rendered for people, read back when a person edited it, compared with what it was.

Pure functions over text and topics. What is made of an edit (`plan_reader` has the rules for single lines):

- A topic is known by its `Slug` line; without one, by its title under the same parent; otherwise it is new.
- A missing line leaves the value as it is (a new topic starts Pending); an empty description or list of
  criteria empties it.
- Counts, tags and the order of siblings are the engine's: changing them changes nothing.
- A moved topic and a changed slug, question, breadth or depth are a PlanError with file and line.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, NoReturn, TypeVar

from ..errors import PlanError
from ..model import Status, Topic, one_line, unique_slug
from .plan_reader import ParsedPlan, ParsedTopic, parse_plan, short

__all__ = [
    "AddedTopic",
    "Fingerprint",
    "ParsedPlan",
    "ParsedTopic",
    "PlanEdit",
    "TopicChange",
    "diff_plan",
    "fingerprint",
    "outline",
    "parse_plan",
    "render_plan",
]

_T = TypeVar("_T")

UNTITLED = "(untitled)"

# The first three as every plan has had them, the rest so that the counts add up to the total.
_COUNTED = (Status.COMPLETE, Status.IN_PROGRESS, Status.PENDING, Status.IN_REVIEW, Status.EXHAUSTED)
_MARK = re.compile(r"^<!-- deeproot: ([0-9]{1,18}) ([0-9a-f]{16}) -->[ \t\r]*$", re.MULTILINE)


class Fingerprint(NamedTuple):
    """Which version of the plan a text is, and whether it still is that version to the letter."""

    seq: int
    intact: bool


@dataclass(frozen=True, slots=True)
class AddedTopic:
    """A topic that a person wrote into the plan. `parent_slug` names a known topic or one added before it."""

    slug: str
    title: str
    depth: int
    parent_slug: str | None = None
    description: str = ""
    criteria: tuple[str, ...] = ()
    status: Status = Status.PENDING


@dataclass(frozen=True, slots=True)
class TopicChange:
    """What a person changed about a known topic; None where nothing."""

    slug: str
    title: str | None = None
    description: str | None = None
    criteria: tuple[str, ...] | None = None
    status: Status | None = None


@dataclass(frozen=True, slots=True)
class PlanEdit:
    """The difference between two plans; false when there is none. Added topics stand after their parents."""

    added: tuple[AddedTopic, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[TopicChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


# Render


def render_plan(question: str, breadth: int, depth: int, topics: Sequence[Topic], seq: int = 0) -> str:
    """The plan as Markdown, closed by the fingerprint of version `seq`. Parents must be among the topics."""
    lines = ["# Research Plan", "", "## Metadata"]
    lines += [_item("Topic", one_line(question)), _item("Breadth", breadth), _item("Depth", depth)]
    lines += ["", "## Topics", ""]
    stated = outline(topics)
    for topic in stated:
        parent = None if topic.parent is None else stated[topic.parent]
        lines += [*_topic_lines(topic, parent), ""]
    lines += ["## Completion Status", *_count_lines(topics), ""]
    text = "\n".join(lines) + "\n"
    return f"{text}<!-- deeproot: {seq} {_hash(text)} -->\n"


def outline(topics: Iterable[Topic]) -> tuple[ParsedTopic, ...]:
    """The topics in tree order, as a rendered plan states them: `parse_plan(render_plan(…)).topics`."""
    ordered = sorted(topics, key=lambda topic: [int(number) for number in topic.id.split(".")])
    position = {topic.id: index for index, topic in enumerate(ordered)}
    return tuple(
        ParsedTopic(
            title=one_line(topic.title) or UNTITLED,
            depth=topic.depth,
            parent=None if topic.parent is None else position[topic.parent],
            slug=topic.slug,
            status=topic.status,
            description=one_line(topic.description),
            criteria=tuple(filter(None, map(one_line, topic.criteria))),
            tags=topic.tags,
        )
        for topic in ordered
    )


def _topic_lines(topic: ParsedTopic, parent: ParsedTopic | None) -> Iterator[str]:
    yield f"### {topic.title} (Depth: {topic.depth})"
    yield _item("Status", topic.status)
    if parent:
        yield _item("Parent", parent.title)
    yield _item("Slug", topic.slug)
    if topic.tags:
        yield _item("Tags", " ".join(topic.tags))
    yield _item("Description", topic.description)
    yield "- Acceptance Criteria:"
    yield from (f"  - {criterion}" for criterion in topic.criteria or ())


def _count_lines(topics: Sequence[Topic]) -> Iterator[str]:
    counts = Counter(topic.status for topic in topics)
    yield _item("Total Topics", len(topics))
    yield from (_item(status, counts[status]) for status in _COUNTED)


def _item(name: str, value: object) -> str:
    return f"- {name}: {value}".rstrip()


# Fingerprint


def fingerprint(text: str) -> Fingerprint | None:
    """Which version `text` was rendered as and whether it was edited since; None when that line is gone."""
    marks = list(_MARK.finditer(text))
    if not marks:
        return None
    mark = marks[-1]
    untouched = _hash(text[: mark.start()]) == mark[2] and not text[mark.end() :].strip()
    return Fingerprint(int(mark[1]), untouched)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


# Compare


def diff_plan(base: ParsedPlan | Sequence[Topic], edited: ParsedPlan) -> PlanEdit:
    """What turns `base`, the version a person edited, into `edited`; PlanError for what cannot be changed."""
    if isinstance(base, ParsedPlan):
        _check_metadata(base, edited)
        return _Comparison(base.topics, edited).edit()
    return _Comparison(outline(base), edited).edit()


def _check_metadata(base: ParsedPlan, edited: ParsedPlan) -> None:
    for name, before, after in (
        ("Topic", base.question, edited.question),
        ("Breadth", base.breadth, edited.breadth),
        ("Depth", base.depth, edited.depth),
    ):
        if before != after:
            raise PlanError(
                edited.path,
                edited.line,
                f'{name} cannot be changed in the plan; it is "{short(str(before))}". Set it when starting.',
            )


class _Comparison:
    def __init__(self, base: Sequence[ParsedTopic], edited: ParsedPlan) -> None:
        self.edited = edited
        self.known = {topic.slug: topic for topic in base if topic.slug}
        self.parents = {topic.slug: _slug_at(base, topic.parent) for topic in base if topic.slug}
        stated = {topic.slug for topic in edited.topics}
        self.by_title: dict[tuple[str | None, str], list[str]] = defaultdict(list)
        for slug in reversed(self.known):
            if slug not in stated:
                self.by_title[self.parents[slug], self.known[slug].title].append(slug)
        self.slugs: list[str] = []
        self.taken = set(self.known)
        self.added: list[AddedTopic] = []
        self.changed: list[TopicChange] = []

    def edit(self) -> PlanEdit:
        for topic in self.edited.topics:
            parent = None if topic.parent is None else self.slugs[topic.parent]
            slug = topic.slug or self._same_title(topic, parent)
            if slug is None:
                self.slugs.append(self._add(topic, parent))
            else:
                self._compare(slug, topic, parent)
                self.slugs.append(slug)
        kept = set(self.slugs)
        removed = tuple(slug for slug in self.known if slug not in kept)
        return PlanEdit(tuple(self.added), removed, tuple(self.changed))

    def _same_title(self, topic: ParsedTopic, parent: str | None) -> str | None:
        slugs = self.by_title[parent, topic.title]
        return slugs.pop() if slugs else None

    def _fail(self, topic: ParsedTopic, problem: str) -> NoReturn:
        raise PlanError(self.edited.path, topic.line, problem)

    def _add(self, topic: ParsedTopic, parent: str | None) -> str:
        if topic.depth > self.edited.depth:
            self._fail(topic, f"A topic of depth {topic.depth} is deeper than this plan goes ({self.edited.depth}).")
        slug = unique_slug(topic.title, self.taken)
        self.taken.add(slug)
        self.added.append(
            AddedTopic(
                slug=slug,
                title=topic.title,
                depth=topic.depth,
                parent_slug=parent,
                description=topic.description or "",
                criteria=topic.criteria or (),
                status=topic.status or Status.PENDING,
            )
        )
        return slug

    def _compare(self, slug: str, topic: ParsedTopic, parent: str | None) -> None:
        before = self.known.get(slug)
        if before is None:
            self._fail(topic, f"No topic has the slug {short(slug)}. Leave the Slug line out to add a new topic.")
        if parent != self.parents[slug]:
            place = f"under {self.parents[slug]}" if self.parents[slug] else "at depth 0"
            self._fail(
                topic,
                f"A topic cannot be moved: {slug} belongs {place}. Put it back, or take out its Slug line to "
                "drop it there and add it here as a new topic.",
            )
        change = TopicChange(
            slug,
            title=_new(before.title, topic.title),
            description=_new(before.description, topic.description),
            criteria=_new(before.criteria, topic.criteria),
            status=_new(before.status, topic.status),
        )
        if change != TopicChange(slug):
            self.changed.append(change)


def _new(before: _T, after: _T) -> _T | None:
    return None if after == before else after


def _slug_at(topics: Sequence[ParsedTopic], position: int | None) -> str | None:
    return None if position is None else topics[position].slug
