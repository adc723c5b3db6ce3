"""Cutting a passage into the sentences that may be quoted. Every sentence is a slice of the passage, untouched.

Besides prose this knows lists, tables, quoted mail, comments and docstrings, and leaves out what is no statement:
headings, rules, mail headers, code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .forms import Form
from .lines import ARGUMENT, ITEM, MARGIN, Line, bare, goes_on, is_shown, is_table_rule, kind_of

FEWEST_WORDS, MOST_WORDS = 5, 80

_CLOSING = re.compile(r"\s*(?:\"\"\"|\'\'\'|\*/|-->)\s*$")
_SYMBOL = re.compile(r"\w_\w|\(\)|::\w|->|=>")
_WRAPPED = re.compile("(?<=\\w)\u2010 (?=\\w)")  # The hyphen that manual pages break words with.
_END = re.compile(r"[.!?…]+[\"'”’)\]*_]*(?=\s|$)|[。！？]+[」』”’）]*")
_SHORT_FORM = re.compile(
    r"(?:^|[\s(\"“])(?:[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|No|Nr|vs|etc|cf|al|approx|Fig|Figs|Eq|Sec|Ch|Vol|pp|Inc|Ltd|Co"
    r"|Corp|Dept|Est|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|bzw|z\.B|d\.h|ca|usw|Abs|Art"
    r"|(?:[A-Za-z]\.)+[A-Za-z])\.$"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text[start:stop]` of a passage. `paragraph` numbers its paragraphs; `row` is a line of a table.

    header: the line above a row that names its columns, where the passage has it.
    """

    text: str
    start: int
    stop: int
    paragraph: int
    row: bool = False
    header: str = ""


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that belong together."""

    start: int
    stop: int
    paragraph: int
    row: bool
    header: str = ""


def sentences(text: str, form: Form = Form.PROSE) -> tuple[Sentence, ...]:
    """The sentences of a passage in order. In a table every line is one."""
    if form is Form.EXHIBIT:
        return ()
    found: list[Sentence] = []
    for block in _table_lines(text) if form is Form.TABLE else _blocks(text, form):
        for start, stop in ((block.start, block.stop),) if block.row else _split(text, block.start, block.stop):
            sentence = Sentence(text[start:stop], start, stop, block.paragraph, block.row, block.header)
            if _is_statement(sentence) and (form is not Form.CODE or block.row or _is_whole(sentence.text)):
                found.append(sentence)
    return tuple(found)


def readable(quote: str) -> str:
    """A quote on one line, without what its lines begin (bullets, `>`, `#`) and break off with."""
    return _WRAPPED.sub("", " ".join(" ".join(map(bare, quote.splitlines())).split()))


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, start + len(line.rstrip("\r\n"))
        start += len(line)


def _table_lines(text: str) -> Iterator[_Block]:
    for number, (start, stop) in enumerate(_lines(text)):
        yield _Block(start, stop, number, row=True)


def _blocks(text: str, form: Form) -> Iterator[_Block]:
    """Lines that were wrapped are joined; items, rows and short lines stand alone."""
    paragraph, opened, stop, header = 0, -1, 0, ""
    before, last = Line.BLANK, ""
    lines = list(_lines(text))
    for number, (start, end) in enumerate(lines):
        line = text[start:end]
        kind = kind_of(line, form)
        if opened >= 0 and not goes_on(before, last, kind, line):
            yield _Block(opened, stop, paragraph, row=False)
            opened = -1
        if opened < 0 and kind is Line.TEXT and form is Form.PROSE and is_shown(line):
            kind = Line.APART
        header = header if kind is Line.ROW else ""
        if kind in (Line.BLANK, Line.APART):
            paragraph += 1
        elif kind is Line.ROW and any(is_table_rule(text[a:b]) for a, b in lines[number + 1 : number + 2]):
            header = line
        elif kind is Line.ROW:
            yield _Block(start, end, paragraph, row=True, header=header)
        elif opened < 0:
            opened = start
        before, last, stop = kind, line, end
    if opened >= 0:
        yield _Block(opened, stop, paragraph, row=False)


def _split(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    begin = start
    for match in _END.finditer(text, start, stop):
        if _ends_here(text, begin, match.start(), match.end(), stop):
            yield _trim(text, begin, match.end())
            begin = match.end()
    if text[begin:stop].strip():
        yield _trim(text, begin, stop)


def _ends_here(text: str, begin: int, mark: int, end: int, stop: int) -> bool:
    if text[mark] != ".":
        return True
    following = text[end:stop].lstrip(" \t\r\n>#*\"'“‘([")
    return not (following[:1].islower() or _SHORT_FORM.search(text[begin : mark + 1]))


def _trim(text: str, start: int, stop: int) -> tuple[int, int]:
    """Without white space around, without the bullet or margin in front, without the end of a docstring."""
    closing = _CLOSING.search(text, start, stop)
    stop = closing.start() if closing else stop
    while stop > start and text[stop - 1].isspace():
        stop -= 1
    for mark in (ITEM, MARGIN, ARGUMENT):
        found = mark.match(text, start, stop)
        if found:
            start = found.end()
    while start < stop and text[start].isspace():
        start += 1
    return start, stop


def _is_statement(sentence: Sentence) -> bool:
    """Long enough to say something, short enough to be quoted, and made of words rather than of code."""
    pieces = sentence.text.split()
    if sentence.row:
        return 0 < len(pieces) <= MOST_WORDS and any(mark.isalnum() for mark in sentence.text)
    letters = sum(mark.isalpha() or mark.isspace() for mark in sentence.text)
    long_enough = len(pieces) >= FEWEST_WORDS or (not sentence.text.isascii() and len(sentence.text) >= 12)
    symbols = sum(map(bool, map(_SYMBOL.search, pieces)))
    return (
        long_enough and len(pieces) <= MOST_WORDS and letters >= 0.7 * len(sentence.text) and 3 * symbols <= len(pieces)
    )


def _is_whole(text: str) -> bool:
    """Between statements of a program only what looks like a sentence is one."""
    return not text[0].islower() and text[-1] in ".!?)`"
