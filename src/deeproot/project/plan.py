"""`research_plan.md`: rendered for people, read back when a person edited it, compared with what it was.

Pure functions over text and topics. What the reader makes of an edit:

- A topic is known by its `Slug` line; without one, by its title under the same parent; otherwise it is new.
- A missing line leaves the value as it is (a new topic starts Pending); an empty description or list of
  criteria empties it.
- The parent is the nearest topic above that is one level up. A `Parent` line may be left out, not contradict.
- A long description or criterion may run over several lines. Counts, tags and the order of siblings are the
  engine's: changing them changes nothing.
- Whatever would have to be guessed (an unknown word, a moved topic, a changed slug, question, breadth or
  depth, a file that was cut off) is a PlanError with file and line.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn, TypeVar

from ..errors import PlanError
from ..model import Status, Tag, Topic, one_line, unique_slug

_T = TypeVar("_T")

FILE = "research_plan.md"
UNTITLED = "(untitled)"

# The first three as every plan has had them, the rest so that the counts add up to the total.
_COUNTED = (Status.COMPLETE, Status.IN_PROGRESS, Status.PENDING, Status.IN_REVIEW, Status.EXHAUSTED)
_MARK = re.compile(r"^<!-- deeproot: ([0-9]{1,18}) ([0-9a-f]{16}) -->[ \t\r]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ParsedTopic:
    """A topic as a plan states it; None where it states nothing. `parent` is a position among the topics."""

    title: str
    depth: int
    parent: int | None = None
    slug: str | None = None
    status: Status | None = None
    description: str | None = None
    criteria: tuple[str, ...] | None = None
    tags: tuple[Tag, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ParsedPlan:
    question: str
    breadth: int
    depth: int
    topics: tuple[ParsedTopic, ...]
    path: str = field(default=FILE, compare=False)
    line: int = field(default=0, compare=False)


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


# Parse

_METADATA, _TOPICS, _COMPLETION = "Metadata", "Topics", "Completion Status"
_SECTIONS = {name.casefold(): name for name in (_METADATA, _TOPICS, _COMPLETION)}
_METADATA_FIELDS = {name.casefold(): name for name in ("Topic", "Breadth", "Depth")}
_TOPIC_FIELDS = {
    name.casefold(): name
    for name in ("Status", "Parent", "Slug", "Tags", "Description", "Acceptance Criteria")
}
_STATUSES = {status.value.casefold(): status for status in Status}
_TAGS = {tag.value: tag for tag in Tag}

_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_TOPIC_HEADING = re.compile(r"(.*\S)\s*\(depth:\s*([0-9]{1,4})\)", re.IGNORECASE)
_FIELD = re.compile(r"\s*[-*]\s+([A-Za-z ]+?)\s*:(.*)")
_INDENTED_ITEM = re.compile(r"\s+[-*](?:\s+(.*))?")
_BULLET = re.compile(r"\s*[-*](?:\s|$)")


class _Value(NamedTuple):
    text: str
    line: int


@dataclass(slots=True)
class _Block:
    """The fields under one heading, as they are read. `items` are the acceptance criteria."""

    line: int
    title: str = ""
    depth: int = 0
    fields: dict[str, _Value] = field(default_factory=dict)
    items: list[str] | None = None

    def text(self, name: str) -> str | None:
        value = self.fields.get(name)
        return None if value is None else value.text

    def line_of(self, name: str) -> int:
        value = self.fields.get(name)
        return self.line if value is None else value.line


def parse_plan(text: str, path: str = FILE) -> ParsedPlan:
    """Read a plan, or raise PlanError with file and line."""
    return _Reader(path).read(text)


class _Reader:
    def __init__(self, path: str) -> None:
        self.path = path
        self.line = 0
        self.section: str | None = None
        self.seen: set[str] = set()
        self.metadata = _Block(1)
        self.topics: list[_Block] = []
        self.continued: str | None = None

    def read(self, text: str) -> ParsedPlan:
        lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
        for self.line, line in enumerate(lines, 1):
            self._take(line.rstrip())
        for name in _SECTIONS.values():
            if name not in self.seen:
                self._fail(f'There is no "## {name}" section. Was the file cut off?')
        return ParsedPlan(
            question=self._metadata("Topic").text,
            breadth=self._number("Breadth"),
            depth=self._number("Depth"),
            topics=self._tree(),
            path=self.path,
            line=self.metadata.line,
        )

    def _fail(self, problem: str, line: int | None = None) -> NoReturn:
        raise PlanError(self.path, self.line if line is None else line, problem)

    # Line by line

    def _take(self, line: str) -> None:
        if not line or (line.startswith("<!--") and line.endswith("-->")):
            self.continued = None
        elif heading := _HEADING.fullmatch(line):
            self.continued = None
            self._take_heading(len(heading[1]), one_line(heading[2]))
        elif self.section == _TOPICS and self.topics:
            self._take_topic_line(self.topics[-1], line)
        elif self.section == _METADATA:
            self._take_field(self.metadata, line, _METADATA_FIELDS)
        elif self.section != _COMPLETION:
            self._fail(f'This line belongs to no topic: "{_short(line)}".')

    def _take_heading(self, level: int, text: str) -> None:
        if level == 2:
            self._open_section(text)
        elif level == 3:
            self._open_topic(text)
        elif level > 3:
            self._fail(f'A plan has no heading of level {level}: "{_short(text)}".')

    def _open_section(self, text: str) -> None:
        name = _SECTIONS.get(text.casefold())
        if name is None:
            known = ", ".join(_SECTIONS.values())
            self._fail(f'Unknown section "{_short(text)}". A plan has: {known}.')
        if name == _METADATA:
            self.metadata.line = self.line
        self.section = name
        self.seen.add(name)

    def _open_topic(self, text: str) -> None:
        match = _TOPIC_HEADING.fullmatch(text)
        if not match:
            self._fail(f'A topic starts with "### Title (Depth: N)", not with "### {_short(text)}".')
        # Also after the counts: people add topics at the end of the file.
        self.section = _TOPICS
        self.topics.append(_Block(self.line, title=match[1], depth=int(match[2])))

    def _take_topic_line(self, block: _Block, line: str) -> None:
        item = _INDENTED_ITEM.fullmatch(line)
        if item and block.items is not None:
            self._take_criterion(block.items, item[1])
        elif _BULLET.match(line) or not self.continued:
            self._take_field(block, line, _TOPIC_FIELDS)
        elif self.continued == "Acceptance Criteria":
            assert block.items
            block.items[-1] = one_line(f"{block.items[-1]} {line}")
        else:
            value = block.fields[self.continued]
            block.fields[self.continued] = value._replace(text=one_line(f"{value.text} {line}"))

    def _take_criterion(self, items: list[str], text: str | None) -> None:
        criterion = one_line(text or "")
        self.continued = "Acceptance Criteria" if criterion else None
        if criterion:
            items.append(criterion)

    def _take_field(self, block: _Block, line: str, known: dict[str, str]) -> None:
        match = _FIELD.fullmatch(line)
        name = known.get(one_line(match[1]).casefold()) if match else None
        if match is None or name is None:
            hint = " Criteria are indented by two spaces." if block.items is not None else ""
            self._fail(f'Not one of the lines {", ".join(known.values())}: "{_short(line)}".{hint}')
        if name in block.fields:
            self._fail(f"{name} stands here twice, also on line {block.fields[name].line}.")
        text = one_line(match[2])
        block.fields[name] = _Value(text, self.line)
        self.continued = name if name == "Description" else None
        if name == "Acceptance Criteria":
            block.items = []
            self._take_criterion(block.items, text)

    # The whole

    def _metadata(self, name: str) -> _Value:
        value = self.metadata.fields.get(name)
        if value is None:
            self._fail(f'The section {_METADATA} has no line "- {name}: …".', self.metadata.line)
        return value

    def _number(self, name: str) -> int:
        value = self._metadata(name)
        if not re.fullmatch(r"[0-9]{1,9}", value.text):
            self._fail(f'{name} must be a whole number, not "{_short(value.text)}".', value.line)
        return int(value.text)

    def _tree(self) -> tuple[ParsedTopic, ...]:
        above: list[int] = []
        slugs: dict[str, int] = {}
        topics: list[ParsedTopic] = []
        for position, block in enumerate(self.topics):
            if block.depth > len(above):
                self._fail(f"No topic of depth {block.depth - 1} stands above this one.", block.line)
            del above[block.depth :]
            parent = above[-1] if above else None
            self._check_parent(block, None if parent is None else self.topics[parent])
            self._check_slug(block, slugs)
            topics.append(self._topic(block, parent))
            above.append(position)
        return tuple(topics)

    def _check_parent(self, block: _Block, parent: _Block | None) -> None:
        stated = block.text("Parent")
        if not stated or (parent and stated == parent.title):
            return
        actual = (
            f'the topic above it is "{_short(parent.title)}" (line {parent.line})'
            if parent
            else "a topic of depth 0 has no parent"
        )
        self._fail(f'Parent is "{_short(stated)}", but {actual}.', block.line_of("Parent"))

    def _check_slug(self, block: _Block, slugs: dict[str, int]) -> None:
        slug = block.text("Slug")
        if slug and slug in slugs:
            other = slugs[slug]
            self._fail(
                f"The slug {_short(slug)} is already on line {other}. A new topic needs no Slug line.",
                block.line_of("Slug"),
            )
        if slug:
            slugs[slug] = block.line_of("Slug")

    def _topic(self, block: _Block, parent: int | None) -> ParsedTopic:
        return ParsedTopic(
            title=block.title,
            depth=block.depth,
            parent=parent,
            slug=block.text("Slug") or None,
            status=self._status(block),
            description=block.text("Description"),
            criteria=None if block.items is None else tuple(block.items),
            tags=self._tags(block),
            line=block.line,
        )

    def _status(self, block: _Block) -> Status | None:
        word = block.text("Status")
        if not word:
            return None
        status = _STATUSES.get(word.casefold())
        if status is None:
            known = ", ".join(Status)
            self._fail(f'Unknown status "{_short(word)}". It is one of: {known}.', block.line_of("Status"))
        return status

    def _tags(self, block: _Block) -> tuple[Tag, ...]:
        words = (block.text("Tags") or "").replace(",", " ").split()
        for word in words:
            if word not in _TAGS:
                self._fail(f'Unknown tag "{_short(word)}". Known: {", ".join(Tag)}.', block.line_of("Tags"))
        return tuple(_TAGS[word] for word in words)


def _short(text: str) -> str:
    return one_line(text, limit=60)


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
                f'{name} cannot be changed in the plan; it is "{_short(str(before))}". Set it when starting.',
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
            self._fail(
                topic, f"A topic of depth {topic.depth} is deeper than this plan goes ({self.edited.depth})."
            )
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
            self._fail(
                topic, f"No topic has the slug {_short(slug)}. Leave the Slug line out to add a new topic."
            )
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
