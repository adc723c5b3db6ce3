"""reStructuredText: the text as it stands, with its underlined titles as sections."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import Limits
from . import Format, Reading, Unreadable
from .markdown import Heading, nest
from .text import NOT_TEXT, decode

_TITLE = re.compile(
    r"^(?:(?P<over>([^\w\s])\2{2,})[ \t]*\r?\n)?(?P<words>[^\s][^\n]*)\n(?P<under>([^\w\s])\5{2,})[ \t]*\r?(?:\n|\Z)",
    re.MULTILINE,
)


def read_rst(data: bytes, limits: Limits) -> Reading | Unreadable:  # noqa: ARG001 - the signature of a reader
    text = decode(data)
    if text is None:
        return NOT_TEXT
    headings = list(_headings(text))
    return Reading(text, headings[0].words if headings else "", nest(headings))


def _headings(text: str) -> Iterator[Heading]:
    """A title's level is the order in which its kind of line first appears."""
    levels: dict[str, int] = {}
    for match in _TITLE.finditer(text):
        words = match["words"].strip()
        if len(match["under"]) >= len(words):
            kind = ("=" if match["over"] else "") + match["under"][0]
            yield Heading(match.start(), match.end(), levels.setdefault(kind, len(levels) + 1), words)


FORMAT = Format((".rst", ".rest"), read_rst)
