"""Markdown: the text as it stands, with its headings as sections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .. import Limits
from . import Format, Mark, Reading, Unreadable
from .text import NOT_TEXT, decode

_STRUCTURE = re.compile(
    r"^ {0,3}(?P<fence>```+|~~~+)"
    r"|^ {0,3}(?P<level>#{1,6})[ \t]+(?P<atx>[^\n]*?)[ \t]*(?:[ \t]#+[ \t]*)?\r?(?:\n|\Z)"
    r"|^ {0,3}(?P<setext>[^\s#>|*+-][^\n]*)\n {0,3}(?P<rule>=+|-{2,})[ \t]*\r?(?:\n|\Z)",
    re.MULTILINE,
)
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(?P<fields>.*?)^---[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TITLE_FIELD = re.compile(r"^title:[ \t]*[\"']?(?P<title>[^\n\"']+)", re.MULTILINE | re.IGNORECASE)
_ORNAMENT = re.compile(r"[*`]+|\[([^\]]*)\]\([^)]*\)|<[^>]+>")


def read_markdown(data: bytes, limits: Limits) -> Reading | Unreadable:  # noqa: ARG001 - the signature of a reader
    text = decode(data)
    if text is None:
        return NOT_TEXT
    front = _FRONT_MATTER.match(text)
    headings = list(_headings(text, front.end() if front else 0))
    named = _TITLE_FIELD.search(front["fields"]) if front else None
    title = named["title"].strip() if named else headings[0][3] if headings else ""
    marks = nest(headings)
    if front:
        marks = (Mark(0, front.end(), ""), *marks)
    return Reading(text, title, marks)


def _headings(text: str, begin: int) -> Iterator[tuple[int, int, int, str]]:
    """(start, body, level, words) of every heading outside fenced code."""
    fence = ""
    for match in _STRUCTURE.finditer(text, begin):
        mark = match["fence"]
        if mark:
            if not fence:
                fence = mark
            elif mark[0] == fence[0] and len(mark) >= len(fence):
                fence = ""
        elif not fence:
            level = len(match["level"]) if match["level"] else 1 if match["rule"][0] == "=" else 2
            words = _ORNAMENT.sub(r"\1", match["atx"] or match["setext"] or "").strip()
            if words:
                yield match.start(), match.end(), level, words


def nest(headings: Iterable[tuple[int, int, int, str]]) -> tuple[Mark, ...]:
    """Headings with their levels as marks with their paths: `Install > From source`."""
    path: list[tuple[int, str]] = []
    marks = []
    for start, body, level, words in headings:
        path = [(above, name) for above, name in path if above < level] + [(level, words)]
        marks.append(Mark(start, body, " > ".join(name for _, name in path)))
    return tuple(marks)


FORMAT = Format((".md", ".markdown", ".mdx", ".qmd", ".rmd"), read_markdown)
