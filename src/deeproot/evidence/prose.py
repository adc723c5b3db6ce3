"""The sentences of a Markdown text and where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from .prepared import Span
from .quotations import quotations, within

# Short forms that no sentence ends with, and those of months, which one may end with.
NEVER_LAST = "Mr|Mrs|Ms|Dr|Prof|St|No|Nos|vs|cf|approx|Fig|Figs|Eq|Eqs|Gen|Gov|Sen|Bros|ca"
SHORT_MONTHS = "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec"
CITATION = r"\[(?:\d+|F\d[\d.]*-\d+|evidence\?)(?:\s*[,;]\s*(?:\d+|F\d[\d.]*-\d+))*\]"


def sentences(text: str) -> list[Span]:
    """The sentences of a Markdown body, in order; citations belong to the sentence they follow.

    Headings, code, rules, comments, link definitions and the head of a table are no sentences; each further row of a
    table is one. What stands in one pair of quotation marks is not taken apart.
    """
    return [sentence for block in _blocks(text) for sentence in _split(text, block)]


class _Kind(Enum):
    APART = auto()  # belongs to no sentence and ends the one before
    OPENS = auto()  # a list item or a row: begins a block of its own
    GOES_ON = auto()


@dataclass(frozen=True, slots=True)
class _Line:
    kind: _Kind
    start: int
    end: int


def _blocks(text: str) -> Iterator[Span]:
    """Every paragraph, list item and table row; the lines of one paragraph stay together."""
    block: Span | None = None
    for line in _lines(text):
        if block and line.kind is not _Kind.GOES_ON:
            yield block
            block = None
        if line.kind is not _Kind.APART:
            block = Span(block.start if block else line.start, line.end)
    if block:
        yield block


def _lines(text: str) -> Iterator[_Line]:
    closing, start = "", 0  # what closes the fence or comment we are in
    raw = text.split("\n")
    for line, following in zip(raw, [*raw[1:], ""], strict=True):
        if not line and not closing:  # half the lines of a report
            yield _Line(_Kind.APART, start, start)
            start += 1
            continue
        inside, closing = bool(closing), _closing(line, closing)
        kind = _Kind.APART if inside or closing else _kind(line, following)
        lead = _MARGIN.match(line) if kind is not _Kind.APART else None
        yield _Line(kind, start + (lead.end() if lead else 0), start + len(line.rstrip()))
        start += len(line) + 1


def _closing(line: str, closing: str) -> str:
    """What must come before text is text again after this line; "" when nothing."""
    mark = line.strip()
    if closing:
        closed = closing in mark if closing == _COMMENT_END else mark.startswith(closing) and not mark.strip(closing[0])
        return "" if closed else closing
    if mark.startswith("<!--"):
        return "" if _COMMENT_END in mark else _COMMENT_END
    fence = _FENCE.match(mark)
    return fence[0] if fence else ""


def _kind(line: str, following: str) -> _Kind:
    row = _is_row(line)
    if _APART.match(line) or (line.strip() and _UNDERLINE.match(following)) or (row and _TABLE_RULE.match(following)):
        return _Kind.APART
    return _Kind.OPENS if row or _TABLE_RULE.match(line) or _ITEM.match(line) else _Kind.GOES_ON


def _is_row(line: str) -> bool:
    mark = line.strip()
    return len(mark) > 1 and mark[0] == mark[-1] == "|"


def _split(text: str, block: Span) -> Iterator[Span]:
    start = block.start
    quoted = quotations(block.of(text))
    for end in () if _is_row(block.of(text)) else _END.finditer(text, block.start, block.end):
        if not within(end.end() - block.start, quoted) and _ends(text, start, end):
            yield from _trimmed(text, start, end.end())
            start = end.end()
    yield from _trimmed(text, start, block.end)


def _ends(text: str, start: int, end: re.Match[str]) -> bool:
    """Whether this mark ends a sentence, and not a short form ("Dr. Weiss", "approx. 5", "the U.S. economy")."""
    if _GOES_ON.match(text, end.end()) and "[" not in end[0]:
        return False
    before = text[max(start, end.start() - 12) : end.start() + 1]
    if _TITLE.search(before):
        return False
    return not _SHORT_FORM.search(before) or _OPENER.match(text, end.end()) is not None


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    piece = text[start:end]
    if _WORD.search(piece):
        first = start + len(piece) - len(piece.lstrip())
        yield Span(first, start + len(piece.rstrip()))


_COMMENT_END = "-->"
_FENCE = re.compile(r"```+|~~~+")
_TABLE_RULE = re.compile(r"\s*+\|?+\s*+:?+-++:?+\s*+(?:\|\s*+:?+-*+:?+\s*+)+$")
_APART = re.compile(
    r"\s*+$|\s{0,3}#{1,6}(?:\s|$)|\s{0,3}(?:(?:-\s*+){3,}|(?:\*\s*+){3,}|(?:_\s*+){3,})$"
    r"|\s*+\|[\s:|-]++$|\s{0,3}\[[^\]]+\]:\s|\s{0,3}</?[a-z]\w*[^>]*>\s*+$|<!--"
)
_UNDERLINE = re.compile(r"\s{0,3}(?:=+|-{2,})\s*+$")
_ITEM = re.compile(r"\s*+(?:>\s?)*(?:[-*+•]|\(?\d{1,3}[.)])\s")
_MARGIN = re.compile(r"\s*+(?:>\s?)*(?:(?:[-*+•]|\(?\d{1,3}[.)])\s+)?(?:\[[ xX]\]\s+)?")
_WORD = re.compile(r"[^\W_]")
_END = re.compile(
    rf"[.!?…]+[\"'”’)*_]*(?:\s*{CITATION})*\.?(?=\s|$)|[。！？]+[」』”’）]*(?:\s*{CITATION})*"
    rf"|”(?:\s*{CITATION})+(?=\s+“)"  # a quotation without a full stop, cited, before the next one
)
_GOES_ON = re.compile(r"\s*+[a-z]")
_TITLE = re.compile(rf"(?:^|[\s(\[\"'“‘*_])(?:{NEVER_LAST})\.$")
# These may also end a sentence, which shows in the word that follows.
_SHORT_FORM = re.compile(
    r"(?:^|[\s(\[\"'“‘*_])(?:[A-Za-z]|(?:[A-Za-z]\.)+[A-Za-z]|Sr|Jr|etc|al|Sec|Ch|Vol|pp|Inc|Ltd|Co|Corp"
    rf"|{SHORT_MONTHS})\.$"
)
_OPENER = re.compile(
    r"\s*+(?:$|[\"'“‘(*_]*(?:The|This|That|These|Those|In|It|Its|A|An|He|She|They|We|But|And|However|By|On|At|For|From"
    r"|Since|After|Before|When|While|If|As|To|There|Their|His|Her|Most|Some|Many|All|Both|No|One|Two|Three)\b)"
)
