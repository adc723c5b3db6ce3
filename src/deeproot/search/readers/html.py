"""HTML: the readable text, one line per block. Lines are those of the extracted text, not of the file."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from .. import Limits
from . import Format, Reading, Unreadable
from .layout import Layout
from .text import NOT_TEXT, decode

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_SILENT = frozenset(
    ("script", "style", "noscript", "template", "svg", "head", "iframe", "object", "select", "-comment")
)
_LINES = frozenset(("br", "caption", "dd", "dt", "figcaption", "li", "summary", "tr"))
_BLOCK_TAGS = """
    address article aside blockquote body details div dl fieldset figure footer form header hr html main nav ol p
    section table ul
"""
_BLOCKS = frozenset(_BLOCK_TAGS.split())
_CELLS = frozenset(("td", "th"))
_HEADING = re.compile(r"h([1-6])")
_CHARSET = re.compile(rb"<meta[^>]+charset=[\"']?([\w-]+)", re.IGNORECASE)


def read_html(data: bytes, limits: Limits) -> Reading | Unreadable:  # noqa: ARG001 - the signature of a reader
    markup = _decode(data)
    return NOT_TEXT if markup is None else reading_of(markup)


def _decode(data: bytes) -> str | None:
    declared = _CHARSET.search(data, 0, 2048)
    if declared:
        try:
            return data.decode(declared[1].decode("ascii"))
        except (LookupError, UnicodeDecodeError):
            pass
    return decode(data)


def reading_of(markup: str) -> Reading:
    """The readable text of some HTML, with its headings as sections."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(markup)
    layout = Layout()
    if tree.root is not None:
        _lay_out(tree.root, layout)
    title = tree.css_first("title")
    named = " ".join(title.text().split()) if title is not None else ""
    return layout.reading(named or layout.first_heading)


def _lay_out(root: LexborNode, layout: Layout) -> None:
    """Walk the tree without recursion, as pages may nest deeper than Python does. A function ends a block."""
    stack: list[LexborNode | Callable[[], None]] = [root]
    while stack:
        node = stack.pop()
        if callable(node):
            node()
            continue
        tag = node.tag or ""
        heading = _HEADING.fullmatch(tag)
        if tag == "-text":
            layout.say(node.text_content or "")
        elif heading:
            layout.head(int(heading[1]), node.text())
        elif tag == "pre":
            layout.show(node.text())
        elif tag not in _SILENT:
            end = _end_of(tag, layout)
            if end:
                end()
                stack.append(end)
            stack.extend(reversed(list(node.iter(include_text=True))))


def _end_of(tag: str, layout: Layout) -> Callable[[], None] | None:
    if tag in _BLOCKS:
        return layout.end_paragraph
    if tag in _LINES:
        return layout.end_line
    return partial(layout.say, " ") if tag in _CELLS else None


FORMAT = Format((".html", ".htm", ".xhtml"), read_html)
