"""Reads `research_plan.md` as a person may have left it. Pure: text in, a `ParsedPlan` or a PlanError out.

- The parent of a topic is the nearest topic above that is one level up. A `Parent` line may be left out, not
  contradict.
- A long description or criterion may run over several lines. The counts are not read.
- What would have to be guessed (an unknown word, a file that was cut off) is a PlanError with file and line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from ..errors import PlanError
from ..model import Status, Tag, one_line

FILE = "research_plan.md"


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


_METADATA, _TOPICS, _COMPLETION = "Metadata", "Topics", "Completion Status"
_SECTIONS = {name.casefold(): name for name in (_METADATA, _TOPICS, _COMPLETION)}
_METADATA_FIELDS = {name.casefold(): name for name in ("Topic", "Breadth", "Depth")}
_TOPIC_FIELDS = {
    name.casefold(): name for name in ("Status", "Parent", "Slug", "Tags", "Description", "Acceptance Criteria")
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
            self._fail(f'This line belongs to no topic: "{short(line)}".')

    def _take_heading(self, level: int, text: str) -> None:
        if level == 2:
            self._open_section(text)
        elif level == 3:
            self._open_topic(text)
        elif level > 3:
            self._fail(f'A plan has no heading of level {level}: "{short(text)}".')

    def _open_section(self, text: str) -> None:
        name = _SECTIONS.get(text.casefold())
        if name is None:
            known = ", ".join(_SECTIONS.values())
            self._fail(f'Unknown section "{short(text)}". A plan has: {known}.')
        if name == _METADATA:
            self.metadata.line = self.line
        self.section = name
        self.seen.add(name)

    def _open_topic(self, text: str) -> None:
        match = _TOPIC_HEADING.fullmatch(text)
        if not match:
            self._fail(f'A topic starts with "### Title (Depth: N)", not with "### {short(text)}".')
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
            self._fail(f'Not one of the lines {", ".join(known.values())}: "{short(line)}".{hint}')
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
            self._fail(f'{name} must be a whole number, not "{short(value.text)}".', value.line)
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
            f'the topic above it is "{short(parent.title)}" (line {parent.line})'
            if parent
            else "a topic of depth 0 has no parent"
        )
        self._fail(f'Parent is "{short(stated)}", but {actual}.', block.line_of("Parent"))

    def _check_slug(self, block: _Block, slugs: dict[str, int]) -> None:
        slug = block.text("Slug")
        if slug and slug in slugs:
            other = slugs[slug]
            self._fail(
                f"The slug {short(slug)} is already on line {other}. A new topic needs no Slug line.",
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
            self._fail(f'Unknown status "{short(word)}". It is one of: {known}.', block.line_of("Status"))
        return status

    def _tags(self, block: _Block) -> tuple[Tag, ...]:
        words = (block.text("Tags") or "").replace(",", " ").split()
        for word in words:
            if word not in _TAGS:
                self._fail(f'Unknown tag "{short(word)}". Known: {", ".join(Tag)}.', block.line_of("Tags"))
        return tuple(_TAGS[word] for word in words)


def short(text: str) -> str:
    """A piece of a plan as an error message quotes it."""
    return one_line(text, limit=60)
