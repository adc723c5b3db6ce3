"""HTML: the readable text, one line per block. Lines are those of the extracted text, not of the file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import Limits
from . import Format, Mark, Reading, Unreadable
from .charset import to_text
from .child import run_child
from .layout import Layout
from .tangle import is_tangled
from .text import NOT_TEXT

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


def read_html(data: bytes, limits: Limits) -> Reading | Unreadable:
    markup = to_text(data, "", markup=True)
    return NOT_TEXT if markup is None else read_markup(markup, limits)


def read_markup(markup: str, limits: Limits) -> Reading | Unreadable:
    """The reading of some HTML; what could keep the parser busy for long is left to a child process with limits."""
    if not is_tangled(markup):
        return reading_of(markup)
    told = run_child(f"{__package__}.html_child", markup.encode("utf-8", "replace"), limits.seconds)
    return told if isinstance(told, Unreadable) else _retold(json.loads(told))


def _retold(fields: dict[str, Any]) -> Reading:
    return Reading(**fields | {"marks": tuple(Mark(**mark) for mark in fields["marks"])})


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
