"""Markdown as safe HTML: raw HTML is off, and what is rendered goes through a sanitiser without images and styles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

DEEPEST_NESTING = 40  # lists and quotes in each other, counted as the parser counts: a list and its item are two
LONGEST_PARAGRAPH = 20_000  # characters; nobody writes longer ones, so their marks mean nothing and cost time

_SAFE_LINK = re.compile(r"(?:https?:|mailto:|#)", re.IGNORECASE)


def parse(text: str) -> list[Token]:
    """The text as tokens. Where lists nest too deep the parser would drop what follows: then it has no lists."""
    tokens = _parser().parse(text)
    if any(token.level + token.nesting >= DEEPEST_NESTING for token in tokens):
        return _parser(flat=True).parse(text)
    return tokens


def render(tokens: Sequence[Token]) -> str:
    """HTML of text, lists, tables, code and links to the web; whatever else the tokens hold is left out."""
    return _cleaner().clean(_parser().renderer.render(tokens, _parser().options, {}))


def plain(text: str) -> str:
    """A line of Markdown as it is read: without the marks of emphasis, code and links."""
    (line,) = _parser().parseInline(text)
    return "".join(" " if child.type.endswith("break") else child.content for child in line.children or [])


@cache
def _parser(*, flat: bool = False) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST_NESTING})
    parser.enable(["table", "strikethrough"])
    if flat:
        parser.disable(["list", "blockquote"])
    # Headings are made by code and have a #; a definition would vanish from the text, an image from the page.
    parser.disable(["lheading", "reference", "image"])
    parser.core.ruler.at("inline", _inline)
    parser.validateLink = lambda url: bool(_SAFE_LINK.match(url))  # type: ignore[method-assign]
    return parser


def _inline(state: StateCore) -> None:
    for token in state.tokens:
        if token.type != "inline":
            continue
        if len(token.content) > LONGEST_PARAGRAPH:
            token.children = [Token("text", "", 0, content=token.content)]
        else:
            token.children = token.children or []
            state.md.inline.parse(token.content, state.md, state.env, token.children)


@cache
def _cleaner() -> nh3.Cleaner:
    headings = {f"h{level}" for level in range(2, 7)}
    blocks = {"p", "ul", "ol", "li", "blockquote", "pre", "hr", "table", "thead", "tbody", "tr", "th", "td"}
    return nh3.Cleaner(
        tags=headings | blocks | {"a", "br", "code", "em", "s", "strong"},
        attributes={
            **{"a": {"href"}, "ol": {"start"}, "td": {"align"}, "th": {"align"}},
            **{heading: {"id"} for heading in headings},
        },
        url_schemes={"http", "https", "mailto"},
        url_relative=lambda url: url if url.startswith("#") else None,
        link_rel="noopener noreferrer nofollow",
    )
