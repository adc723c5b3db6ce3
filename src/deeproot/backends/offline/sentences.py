"""Cutting a passage into the sentences that may be quoted. Every sentence is a slice of the passage, untouched.

Besides prose this knows lists, tables, quoted mail, comments and docstrings, and leaves out what is no statement:
headings, rules, mail headers, code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from .forms import Form

FEWEST_WORDS, MOST_WORDS = 5, 80
_WRAP_WIDTH = 50  # A line shorter than this was not wrapped: the text after it is another matter.

_RULE = re.compile(r"\s*(?:[=\-_*~#+]{3,}|```.*|~~~.*|<[!/]?\w[^>]*>)\s*$")
_HEADING = re.compile(r"\s*#{1,6}\s+\S")
_LABEL = re.compile(r"\s*(?:@[\w.-]+|[A-Z][\w-]*(?: [A-Z][\w-]*){0,3}):\s*(?P<value>.*)$")
_ITEM = re.compile(r"\s*(?:[-*+•·–]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+")
_MARGIN = re.compile(r"\s*(?:(?:>\s?)+|#+|//+|/?\*+|--+|;+|%+|[rbu]?\"\"\"|[rbu]?\'\'\')\s?")
_CLOSING = re.compile(r"\s*(?:\"\"\"|\'\'\'|\*/|-->)\s*$")
_ROW = re.compile(r"\s*\|.*\|\s*$")
_TABLE_RULE = re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
_COMMENT = re.compile(r"\s*(?:#|//|/?\*|--|;;|[rbu]?\"\"\"|[rbu]?\'\'\')")
_CODE = re.compile(
    r"\s*(?:[fbru]?['\"]|[)\]}{(\[@<]|\w[\w.]*\s*(?:[=({\[:]|\+=|-=)"
    r"|(?:if|elif|else|for|while|return|yield|raise|assert|del|try|except|finally|with|async|await|def|class|import|from"
    r"|const|let|var|function|func|fn|pub|public|private|static|case|switch|package|struct|enum)\b.*[\w\])]?[(:={;_\[])"
)
# `width (int, optional): Width of …`, `:param width: Width of …`: what is said of an argument stands behind its name.
_ARGUMENT = re.compile(
    r"\s*(?:\*{0,2}\w+ \([^()]*\b(?:str|int|bool|float|bytes|object|[Oo]ptional|Union|Callable|Any|[Ll]ist|[Dd]ict"
    r"|[Tt]uple|[Tt]ype)\b[^()]*\): |:(?:param|return|returns|raises|ivar)\b[^:\n]*: )(?=[A-Z`])"
)
_SYMBOL = re.compile(r"\w_\w|\(\)|::\w|->|=>")
_WRAPPED = re.compile("(?<=\\w)\u2010 (?=\\w)")  # The hyphen that manual pages break words with.
_PROMPT = re.compile(r"\s*(?:\$|>>>|\.\.\.|[\w.-]+@[\w.-]+[^\s]*[$#%])\s")
_PLAIN = re.compile(r"[(\"'“`*]*[^\W\d_]+(?:[-'’][^\W\d_]+)*[)\"'”`*.,:;!?]*$")
_END = re.compile(r"[.!?…]+[\"'”’)\]*_]*(?=\s|$)|[。！？]+[」』”’）]*")
_TRIPLE = re.compile(r"\s*[rbu]?(?:\"\"\"|\'\'\')")  # A docstring begins like a comment and goes on like a text.
_SHORT_FORM = re.compile(
    r"(?:^|[\s(\"“])(?:[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|No|Nr|vs|etc|cf|al|approx|Fig|Figs|Eq|Sec|Ch|Vol|pp|Inc|Ltd|Co"
    r"|Corp|Dept|Est|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|bzw|z\.B|d\.h|ca|usw|Abs|Art"
    r"|(?:[A-Za-z]\.)+[A-Za-z])\.$"
)
_FINAL = re.compile(r"[.!?…:;。！？][\"'”’)\]*_]*\s*$")


class _Line(Enum):
    BLANK = auto()
    APART = auto()  # heading, rule, header, code: separates, and is not quoted
    ITEM = auto()
    ROW = auto()
    COMMENT = auto()
    TEXT = auto()


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

    @property
    def words(self) -> int:
        return len(self.text.split())


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
            if _is_statement(sentence) and (form is not Form.CODE or _is_whole(sentence.text)):
                found.append(sentence)
    return tuple(found)


def readable(quote: str) -> str:
    """A quote on one line, without what its lines begin (bullets, `>`, `#`) and break off with."""
    return _WRAPPED.sub("", " ".join(" ".join(map(_bare, quote.splitlines())).split()))


def _bare(line: str) -> str:
    mark = _MARGIN.match(line)
    return line[mark.end() :] if mark else line


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
    before, last = _Line.BLANK, ""
    lines = list(_lines(text))
    for number, (start, end) in enumerate(lines):
        line = text[start:end]
        kind = _kind(line, form)
        if opened >= 0 and not _goes_on(before, last, kind, line):
            yield _Block(opened, stop, paragraph, row=False)
            opened = -1
        if opened < 0 and kind is _Line.TEXT and form is Form.PROSE and _is_shown(line):
            kind = _Line.APART
        header = header if kind is _Line.ROW else ""
        if kind in (_Line.BLANK, _Line.APART):
            paragraph += 1
        elif kind is _Line.ROW and _is_ruled(text, lines[number + 1 : number + 2]):
            header = line
        elif kind is _Line.ROW:
            yield _Block(start, end, paragraph, row=True, header=header)
        elif opened < 0:
            opened = start
        before, last, stop = kind, line, end
    if opened >= 0:
        yield _Block(opened, stop, paragraph, row=False)


def _is_ruled(text: str, following: Sequence[tuple[int, int]]) -> bool:
    """Whether the next line is the rule below the header of a table."""
    return any(_TABLE_RULE.match(text, start, end) for start, end in following)


def _kind(line: str, form: Form) -> _Line:
    if not line.strip():
        return _Line.BLANK
    if _ROW.match(line):
        return _Line.ROW
    if form is Form.CODE:
        return _kind_in_code(line)
    if _HEADING.match(line) or _RULE.match(line) or _is_label(line) or _PROMPT.match(line):
        return _Line.APART
    return _Line.ITEM if _ITEM.match(line) else _Line.TEXT


def _kind_in_code(line: str) -> _Line:
    if _ARGUMENT.match(line):
        return _Line.ITEM
    if _COMMENT.match(line):
        return _Line.COMMENT if any(map(_PLAIN.match, line.split())) else _Line.APART
    words = line.split()
    plain = sum(map(bool, map(_PLAIN.match, words)))
    return _Line.APART if _CODE.match(line) or plain < 0.7 * len(words) else _Line.TEXT


def _is_shown(line: str) -> bool:
    """Whether a line that begins a paragraph is set in from the margin and reads like code."""
    return line.startswith(("    ", "\t")) and _kind_in_code(line) is _Line.APART


def _is_label(line: str) -> bool:
    """`From: Jo <jo@x>`, `Message Body:`, `@jo:`; a sentence with a colon is not."""
    match = _LABEL.match(line)
    return match is not None and len(match["value"].split()) < 12 and not _FINAL.search(match["value"])


def _goes_on(before: _Line, last: str, kind: _Line, line: str) -> bool:
    """Whether a line continues the one before: a wrapped line does, and so does one that begins in lower case."""
    same = kind is before or before is _Line.ITEM or (before is _Line.COMMENT and _TRIPLE.match(last))
    if kind not in (_Line.TEXT, _Line.COMMENT) or not same:
        return False
    return len(last.strip()) >= _WRAP_WIDTH or _bare(line).lstrip()[:1].islower()


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
    for mark in (_ITEM, _MARGIN, _ARGUMENT):
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
