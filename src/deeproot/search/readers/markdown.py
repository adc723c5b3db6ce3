"""Markdown: the text as it stands, with its headings as sections."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .. import Limits
from . import Format, Mark, Reading, Unreadable, with_exhibits
from .text import NOT_TEXT, decode

_STRUCTURE = re.compile(
    r"^(?:[ \t]*(?:>[ \t]?)*(?P<fence>```+|~~~+)"
    r"| {0,3}(?P<level>#{1,6})[ \t]+(?P<atx>[^\n]*)(?:\n|\Z)"
    r"| {0,3}(?P<rule>==+|--+)[ \t]*\r?(?:\n|\Z))",
    re.MULTILINE,
)
# What may stand above a rule to make it a heading: a line of words, no table, list or quotation.
_UNDERLINED = re.compile(r"(?:\A|\n) {0,3}(?P<words>[^\s#>|*+`~-][^\n]*)\n\Z")
_LONGEST_LINE = 400
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(?P<fields>.*?)^---[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TITLE_FIELD = re.compile(r"^title:[ \t]*[\"']?(?P<title>[^\n\"']+)", re.MULTILINE | re.IGNORECASE)
_ORNAMENT = re.compile(r"[*`]+|\[([^\]]*)\]\([^)]*\)|<[^>]+>")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at characters [start, body) of a text; level 1 is the highest."""

    start: int
    body: int
    level: int
    words: str


def read_markdown(data: bytes, limits: Limits) -> Reading | Unreadable:  # noqa: ARG001 - the signature of a reader
    text = decode(data)
    if text is None:
        return NOT_TEXT
    front = _FRONT_MATTER.match(text)
    headings, blocks = _structure(text, front.end() if front else 0)
    named = _TITLE_FIELD.search(front["fields"]) if front else None
    title = named["title"].strip() if named else headings[0].words if headings else ""
    marks = with_exhibits(nest(headings), blocks)
    if front:
        marks = (Mark(0, front.end(), ""), *marks)
    return Reading(text, title, marks)


def _structure(text: str, begin: int) -> tuple[list[Heading], list[tuple[int, int]]]:
    """Every heading outside fenced code, and the fenced blocks; one that is never closed ends with the text."""
    headings: list[Heading] = []
    blocks: list[tuple[int, int]] = []
    fence, opened = "", 0
    for match in _STRUCTURE.finditer(text, begin):
        mark = match["fence"]
        if mark and not fence:
            fence, opened = mark, match.start()
        elif mark and mark[0] == fence[0] and len(mark) >= len(fence):
            blocks.append((opened, _line_end(text, match.end())))
            fence = ""
        elif not fence:
            heading = _underlined(text, begin, match) if match["rule"] else _atx(match)
            if heading and heading.words:
                headings.append(heading)
    if fence:
        blocks.append((opened, len(text)))
    return headings, blocks


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end + 1


def _atx(match: re.Match[str]) -> Heading | None:
    if match["level"] is None:
        return None
    return Heading(match.start(), match.end(), len(match["level"]), _plain(match["atx"]))


def _underlined(text: str, begin: int, match: re.Match[str]) -> Heading | None:
    above = _UNDERLINED.search(text[max(begin, match.start() - _LONGEST_LINE) : match.start()])
    if above is None:
        return None
    start = match.start() - len(above[0].lstrip("\n"))
    return Heading(start, match.end(), 1 if match["rule"][0] == "=" else 2, _plain(above["words"]))


def _plain(words: str) -> str:
    """A heading without its markup and closing marks; endless ones are cut."""
    closed = words[:_LONGEST_LINE].strip()
    return _ORNAMENT.sub(r"\1", re.sub(r"[ \t]#+\Z", "", closed)).strip()


def nest(headings: Iterable[Heading]) -> tuple[Mark, ...]:
    """Headings with their levels as marks with their paths: `Install > From source`."""
    path: list[tuple[int, str]] = []
    marks = []
    for heading in headings:
        path = [(level, name) for level, name in path if level < heading.level] + [(heading.level, heading.words)]
        marks.append(Mark(heading.start, heading.body, " > ".join(name for _, name in path)))
    return tuple(marks)


FORMAT = Format((".md", ".markdown", ".mdx", ".qmd", ".rmd"), read_markdown)
