"""reStructuredText: the text as it stands, with its underlined titles as sections."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import Limits
from . import Format, Reading, Unreadable, with_exhibits
from .markdown import Heading, nest
from .text import NOT_TEXT, decode

_TITLE = re.compile(
    r"^(?:(?P<over>([^\w\s])\2{2,})[ \t]*\r?\n)?(?P<words>[^\s][^\n]*)\n(?P<under>([^\w\s])\5{2,})[ \t]*\r?(?:\n|\Z)",
    re.MULTILINE,
)


# What is indented below a line that ends in `::`, or below a directive that shows code.
_LITERAL = re.compile(
    r"^(?P<margin>[ \t]{0,40})(?:\.\. (?:code-block|code|sourcecode|highlight|literalinclude|parsed-literal|doctest"
    r"|testcode|graphviz|mermaid|prompt)::[^\n]*|(?!\.\. )[^\n]{0,400}::[ \t]{0,40})\n"
    r"(?P<block>(?:(?:[ \t]*+\n)*+(?P=margin)[ \t]++[^\n]+(?:\n|\Z))+)",
    re.MULTILINE,
)


def read_rst(data: bytes, limits: Limits) -> Reading | Unreadable:  # noqa: ARG001 - the signature of a reader
    text = decode(data)
    if text is None:
        return NOT_TEXT
    headings = list(_headings(text))
    marks = with_exhibits(nest(headings), _literal_blocks(text))
    return Reading(text, headings[0].words if headings else "", marks)


def _headings(text: str) -> Iterator[Heading]:
    """A title's level is the order in which its kind of line first appears."""
    levels: dict[str, int] = {}
    for match in _TITLE.finditer(text):
        words = match["words"].strip()
        if len(match["under"]) >= len(words):
            kind = ("=" if match["over"] else "") + match["under"][0]
            yield Heading(match.start(), match.end(), levels.setdefault(kind, len(levels) + 1), words)


def _literal_blocks(text: str) -> Iterator[tuple[int, int]]:
    return (match.span("block") for match in _LITERAL.finditer(text))


FORMAT = Format((".rst", ".rest"), read_rst)
