"""The report's text: its headings have anchors, its citations lead to their passages.

What comes from outside is sanitised first; only then are the links that code makes put in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it.token import Token

from .headings import Heading, Headings, as_heading
from .markdown import parse, render
from .marks import Key, Marks
from .markup import Markup, seen
from .parts import Entry

_FRAME = frozenset(
    {"Executive Summary", "Findings", "Disagreements", "Limitations", "Methodology", "Coverage", "Sources"}
)
_HEADING_LINE = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)

Refer = Callable[[Key], Markup]


@dataclass(frozen=True, slots=True)
class Body:
    """The finished text. `placed` are the citations that have their link in it."""

    html: Markup
    headings: tuple[Heading, ...]
    placed: frozenset[Key]


def render_body(text: str, outline: Sequence[Entry], *, drop_sources: bool, refer: Refer) -> Body:
    """`refer` gives the link for a citation."""
    marks, headings = Marks(), Headings(outline)
    sections = _sections(seen(text), outline)
    tokens = _without_title([token for section in sections for token in parse(marks.put(section))])
    tokens = _without_sources(tokens) if drop_sources else tokens
    for index, token in enumerate(tokens):
        if token.type in ("heading_open", "heading_close"):
            token.tag = "h2" if token.tag == "h1" else token.tag
        if token.type == "heading_open" and token.level == 0:
            _anchor(token, tokens[index + 1], headings, marks)
        if token.type in ("th_open", "td_open"):
            _align(token)
        _unmark(token, marks)
    placed: set[Key] = set()

    def place(key: Key) -> Markup:
        placed.add(key)
        return refer(key)

    html = Markup(marks.replace(render(tokens), place))
    return Body(html, tuple(headings.found), frozenset(placed))


def _sections(text: str, outline: Sequence[Entry]) -> Iterator[str]:
    """The text, cut at the headings that code made: a fence or list that a writer left open ends with its section."""
    known = _FRAME | {as_heading(seen(entry.title)) for entry in outline}
    start = 0
    for line in _HEADING_LINE.finditer(text):
        if as_heading(line[1]) in known:
            yield text[start : line.start()]
            start = line.start()
    yield text[start:]


def _unmark(token: Token, marks: Marks) -> None:
    """Marks become numbers again where a link cannot stand: in code, inside links and in their addresses."""
    if token.type != "inline":
        token.content = marks.take(token.content)
        return
    inside = 0
    for child in token.children or []:
        inside += child.nesting if child.type.startswith("link_") else 0
        if inside or child.type != "text":
            child.content = marks.take(child.content)
        if "href" in child.attrs:
            child.attrs["href"] = marks.take_from_address(str(child.attrs["href"]))


def _anchor(heading: Token, inline: Token, headings: Headings, marks: Marks) -> None:
    shown = "".join(child.content for child in inline.children or [])
    found = headings.meet(marks.take(inline.content), marks.take(shown), int(heading.tag[1]))
    heading.attrs["id"] = found.anchor
    if found.topic is not None:  # a topic's title is a name: its underscores and stars are no emphasis
        inline.children = [Token("text", "", 0, content=found.title)]


def _align(cell: Token) -> None:
    """The policy allows no style of an element: a column of figures keeps its side by an attribute."""
    side = str(cell.attrs.pop("style", "")).removeprefix("text-align:")
    if side:
        cell.attrs["align"] = side


def _without_title(tokens: list[Token]) -> list[Token]:
    start = next(_top_headings(tokens, "h1"), None)
    return tokens if start is None else tokens[:start] + tokens[start + 3 :]


def _without_sources(tokens: list[Token]) -> list[Token]:
    """Code writes its list last, or before how an answer was made; a section of that name above it is a writer's."""
    sections = list(pairwise([*_top_headings(tokens, "h2"), len(tokens)]))
    for start, end in reversed(sections[-2:]):
        if tokens[start + 1].content.strip() == "Sources":
            return tokens[:start] + tokens[end:]
    return tokens


def _top_headings(tokens: list[Token], tag: str) -> Iterator[int]:
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.tag == tag:
            yield index
