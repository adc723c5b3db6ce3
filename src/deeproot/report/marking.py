"""Which sentence a finding marker (`[F1.2-3]`) cites. Nothing that stands in a cited sentence goes unchecked."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..evidence import Span, sentences

ID = r"F\d[\d.]*-\d+"
MARKER = re.compile(rf"\[({ID}(?:\s*[,;]\s*{ID})*)\]")
FEWEST_WORDS = 3  # of a statement; what has fewer is an item of a list

_GROUP = re.compile(rf"\s*(?:{MARKER.pattern}[ \t]*\n?[ \t]*)*{MARKER.pattern}")  # within one paragraph
_WORD = re.compile(r"[^\W_]+")
_JOINT = re.compile(r"^[\s,;:]*(?:(?:and|but|or)\s+)?")
_LAST_ITEM = re.compile(r"(?:\s+(?:[A-Z\d€$£]\S*|%))+\s*$|\s+\S+\s*$")
_NEW_LINE = re.compile(r"\s*\n[ \t>]*")
# Where a statement may end inside a sentence: "grew in May [F1-1], but …"; not "did not [F1-1] grow".
_CLAUSE_END = re.compile(r"\s*(?:[^\w\s]|(?:although|and|but|or|though|whereas|while|yet)\b)")


@dataclass(frozen=True, slots=True)
class Marked:
    """Markers that stand together, with the space before them, and the sentence they cite."""

    start: int
    end: int
    markers: str
    sentence: str


def marked(text: str) -> list[Marked]:
    """Every group of markers, in order.

    A group cites what stands between the group before it in the sentence and itself; the last one also what follows it
    in the sentence, the only one all of it. Where the parts are no statements of their own each cites all of it.
    """
    units = _units(text)
    groups: dict[Span, list[re.Match[str]]] = defaultdict(list)
    for group in _GROUP.finditer(text):
        groups[_around(text, text.index("[", group.start()), units)].append(group)
    return [one for unit, together in groups.items() for one in _cited(text, unit, together)]


def _units(text: str) -> list[Span]:
    """The sentences of a text. One of nothing but markers belongs to the sentence before it."""
    units: list[Span] = []
    for span in sentences(text):
        if units and not _WORD.search(MARKER.sub("", span.of(text))):
            span = Span(units.pop().start, span.end)
        units.append(span)
    return units


def _around(text: str, place: int, units: Sequence[Span]) -> Span:
    """The sentence a place is in; outside of all of them, in the head of a table for one, it is the line."""
    at = bisect_right(units, place, key=lambda unit: unit.start) - 1
    if at >= 0 and place < units[at].end:
        return units[at]
    end = text.find("\n", place)
    return Span(text.rfind("\n", 0, place) + 1, end if end >= 0 else len(text))


def _cited(text: str, unit: Span, groups: Sequence[re.Match[str]]) -> Iterator[Marked]:
    starts = [unit.start, *(group.end() for group in groups)]
    pieces = [text[start : group.start()] for start, group in zip(starts, groups, strict=False)]
    rest = text[groups[-1].end() : unit.end]
    rest = rest if _WORD.search(rest) else ""
    parted = all(_CLAUSE_END.match(text, group.end()) for group in groups[:-1])
    statements = _statements(pieces, rest) if parted else ["".join([*pieces, rest])] * len(pieces)
    for group, statement in zip(groups, statements, strict=True):
        opens = group.start() <= unit.start  # the space before it parts it from the sentence before
        start = text.index("[", group.start()) if opens else group.start()
        yield Marked(start, group.end(), text[start : group.end()], _plain(statement))


def _statements(pieces: Sequence[str], rest: str) -> list[str]:
    """What each piece states. An item of a list ("Kent [F1-1], Surrey [F1-2]") is read with what is said of it."""
    first = pieces[0]
    if len(pieces) == 1 or not _is_item(first):
        lead = _LAST_ITEM.sub(" ", first)
        stated = [first, *(f"{lead}{_item(piece)}" if _is_item(piece) else piece for piece in pieces[1:])]
        return [*stated[:-1], stated[-1] + rest]
    if rest and all(map(_is_item, pieces)):
        return [_item(piece) + rest for piece in pieces]
    return ["".join([*pieces, rest])] * len(pieces)


def _is_item(piece: str) -> bool:
    return len(_WORD.findall(_item(piece))) < FEWEST_WORDS


def _item(piece: str) -> str:
    return _JOINT.sub("", piece)


def _plain(piece: str) -> str:
    """A sentence in one line, without the marks of a table or a quotation at its edges."""
    return _NEW_LINE.sub(" ", piece).strip(" \t\n|").lstrip(",;: ")
