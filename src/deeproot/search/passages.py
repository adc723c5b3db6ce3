"""Cutting a text into passages: whole paragraphs where they fit, whole sentences or lines where they do not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .readers import Mark, Reading, is_exhibit

# In characters, because counting words would cost as much as indexing them: about 40, 75 and 120 English words.
SHORT, FULL, LONG = 240, 450, 720

# Possessive, so that a paragraph of a million lines needs no stack to fall back on.
_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\S\n]*+\S[^\n]*)*+")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*(?=\s)|[。！？]")
_LINE_END = re.compile(r"\n")
_SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Span:
    """A passage of a text: characters [start, stop), which stand on these lines (1-based, inclusive).

    opens: it is the first passage of its section, and the section has a name.
    """

    start: int
    stop: int
    first_line: int
    last_line: int
    section: str
    opens: bool


def cut(reading: Reading) -> Iterator[Span]:
    """The passages of a reading, in order. No passage crosses from one section into the next."""
    text, line, seen = reading.text, 1, 0
    opened: set[str] = {""}
    for section, begin, end in _regions(reading):
        opens = section not in opened and not is_exhibit(section)
        opened.add(section)
        for start, stop in _pieces(text, begin, end, reading.lined):
            line += text.count("\n", seen, start)
            last = line + text.count("\n", start, stop)
            yield Span(start, stop, line, last, section, opens)
            line, seen, opens = last, stop, False


def _regions(reading: Reading) -> Iterator[tuple[str, int, int]]:
    """Stretches of one section each. A heading is left out unless nothing stands below it."""
    marks = (Mark(0, 0, ""), *reading.marks, Mark(len(reading.text), 0, ""))
    for index, mark in enumerate(marks[:-1]):
        following = marks[index + 1]
        has_body = _PARAGRAPH.search(reading.text, mark.body, following.start)
        if has_body:
            yield mark.section, mark.body, following.start
        elif mark.section and mark.start < mark.body and not following.section.startswith(mark.section + " > "):
            yield mark.section, mark.start, following.start


def _pieces(text: str, begin: int, end: int, lined: bool) -> Iterator[tuple[int, int]]:
    """Paragraphs gathered until they are long enough, long ones cut."""
    start = stop = -1
    for paragraph in _PARAGRAPH.finditer(text, begin, end):
        first, last = paragraph.span()
        if start >= 0 and (last - start > LONG or stop - start >= SHORT):
            yield start, stop
            start = -1
        if last - first > LONG:
            if start >= 0:
                yield start, stop
            *whole, (first, last) = _slices(text, first, last, lined)
            yield from whole
            start = -1
        start, stop = (first, last) if start < 0 else (start, last)
    if start >= 0:
        yield start, _trimmed(text, start, stop)


def _slices(text: str, start: int, end: int, lined: bool) -> Iterator[tuple[int, int]]:
    while end - start > LONG:
        stop = _break(text, start, lined)
        yield start, _trimmed(text, start, stop)
        while stop < end and text[stop].isspace():
            stop += 1
        start = stop
    if start < end:
        yield start, _trimmed(text, start, end)


def _trimmed(text: str, start: int, stop: int) -> int:
    while stop > start and text[stop - 1].isspace():
        stop -= 1
    return stop


def _break(text: str, start: int, lined: bool) -> int:
    """Where to end a slice that begins at `start`: the best boundary nearest to a full passage."""
    kinds = (_LINE_END, _SENTENCE_END, _SPACE) if lined else (_SENTENCE_END, _LINE_END, _SPACE)
    for kind in kinds:
        ends = [match.end() for match in kind.finditer(text, start + SHORT, start + LONG)]
        if ends:
            return min(ends, key=lambda end: (abs(end - start - FULL), end))
    return start + LONG
