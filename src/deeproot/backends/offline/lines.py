"""The lines of a text: what kind each is, told by its look, and which go on from the one before."""

from __future__ import annotations

import re
from enum import Enum, auto

from .forms import Form

_WRAP_WIDTH = 50  # A line shorter than this was not wrapped: the text after it is another matter.
_RULE = re.compile(r"\s*(?:[=\-_*~#+]{3,}|```.*|~~~.*|<[!/]?\w[^>]*>)\s*$")
_HEADING = re.compile(r"\s*#{1,6}\s+\S")
_LABEL = re.compile(r"\s*(?:@[\w.-]+|[A-Z][\w-]*(?: [A-Z][\w-]*){0,3}):\s*(?P<value>.*)$")
ITEM = re.compile(r"\s*(?:[-*+•·–]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+")
MARGIN = re.compile(r"\s*(?:(?:>\s?)+|#+|//+|/?\*+|--+|;+|%+|[rbu]?\"\"\"|[rbu]?\'\'\')\s?")
_ROW = re.compile(r"\s*\|.*\|\s*$")
_TORN_ROW = re.compile(r"\s*\|")  # The passage ends inside it.
_TABLE_RULE = re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
_COMMENT = re.compile(r"\s*(?:#|//|/?\*|--|;;|[rbu]?\"\"\"|[rbu]?\'\'\')")
_CODE = re.compile(
    r"\s*(?:[fbru]?['\"]|[)\]}{(\[@<]|\w[\w.]*\s*(?:[=({\[:]|\+=|-=)"
    r"|(?:if|elif|else|for|while|return|yield|raise|assert|del|try|except|finally|with|async|await|def|class|import|from"
    r"|const|let|var|function|func|fn|pub|public|private|static|case|switch|package|struct|enum)\b.*[\w\])]?[(:={;_\[])"
)
# `width (int, optional): Width of …`, `:param width: Width of …`: what is said of an argument stands behind its name.
ARGUMENT = re.compile(
    r"\s*(?:\*{0,2}\w+ \([^()]*\b(?:str|int|bool|float|bytes|object|[Oo]ptional|Union|Callable|Any|[Ll]ist|[Dd]ict"
    r"|[Tt]uple|[Tt]ype)\b[^()]*\): |:(?:param|return|returns|raises|ivar)\b[^:\n]*: )(?=[A-Z`])"
)
# `__author__ = "…"`: what a program says about itself.
_FACT = re.compile(r"__[a-z]\w*__\s*=\s*(?P<mark>['\"])[^'\"\n]+(?P=mark)\s*$")
_PROMPT = re.compile(r"\s*(?:\$|>>>|\.\.\.|[\w.-]+@[\w.-]+[^\s]*[$#%])\s")
_PLAIN = re.compile(r"[(\"'“`*]*[^\W\d_]+(?:[-'’][^\W\d_]+)*[)\"'”`*.,:;!?]*$")
_TRIPLE = re.compile(r"\s*[rbu]?(?:\"\"\"|\'\'\')")  # A docstring begins like a comment and goes on like a text.
_FINAL = re.compile(r"[.!?…:;。！？][\"'”’)\]*_]*\s*$")


class Line(Enum):
    """What a line is, as far as it matters for cutting a text into sentences."""

    BLANK = auto()
    APART = auto()  # heading, rule, header, code: separates, and is not quoted
    ITEM = auto()
    ROW = auto()
    COMMENT = auto()
    TEXT = auto()


def kind_of(line: str, form: Form) -> Line:
    """The kind of a line, by its look alone."""
    if not line.strip():
        return Line.BLANK
    if _ROW.match(line):
        return Line.ROW
    if form is Form.CODE:
        return _kind_in_code(line)
    if any(mark.match(line) for mark in (_HEADING, _RULE, _TORN_ROW, _PROMPT)) or _is_label(line):
        return Line.APART
    return Line.ITEM if ITEM.match(line) else Line.TEXT


def _kind_in_code(line: str) -> Line:
    if _FACT.match(line):
        return Line.ROW
    if ARGUMENT.match(line):
        return Line.ITEM
    if _COMMENT.match(line):
        return Line.COMMENT if any(map(_PLAIN.match, line.split())) else Line.APART
    words = line.split()
    plain = sum(map(bool, map(_PLAIN.match, words)))
    return Line.APART if _CODE.match(line) or plain < 0.7 * len(words) else Line.TEXT


def is_shown(line: str) -> bool:
    """Whether a line that begins a paragraph is set in from the margin and reads like code."""
    return line.startswith(("    ", "\t")) and _kind_in_code(line) is Line.APART


def _is_label(line: str) -> bool:
    """`From: Jo <jo@x>`, `Message Body:`, `@jo:`; a sentence with a colon is not."""
    match = _LABEL.match(line)
    return match is not None and len(match["value"].split()) < 12 and not _FINAL.search(match["value"])


def goes_on(before: Line, last: str, kind: Line, line: str) -> bool:
    """Whether a line continues the one before: a wrapped line does, and so does one that begins in lower case."""
    same = kind is before or before is Line.ITEM or (before is Line.COMMENT and _TRIPLE.match(last))
    if kind not in (Line.TEXT, Line.COMMENT) or not same:
        return False
    return len(last.strip()) >= _WRAP_WIDTH or bare(line).lstrip()[:1].islower()


def is_table_rule(line: str) -> bool:
    """Whether it is the rule below the header of a table."""
    return _TABLE_RULE.match(line) is not None


def bare(line: str) -> str:
    """A line without what it begins with in a comment or in quoted mail."""
    mark = MARGIN.match(line)
    return line[mark.end() :] if mark else line
