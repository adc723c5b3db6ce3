"""Tables and records: CSV, TSV, JSON, JSON lines. The text as it stands, line by line."""

from __future__ import annotations

import re

from ...model import one_line
from .. import Limits
from . import Format, Mark, Reading, Unreadable
from .text import NOT_TEXT, decode

_KEY = re.compile(r"^(?P<indent>[ \t]*)\"(?P<key>[^\"\n]{1,80})\"[ \t]*:", re.MULTILINE)
_HEADER_LENGTH = 120
_MOST_COLUMNS = 400


def read_data(data: bytes, limits: Limits) -> Reading | Unreadable:  # noqa: ARG001 - the signature of a reader
    text = decode(data)
    if text is None:
        return NOT_TEXT
    marks = _keys(text) if text.lstrip()[:1] in ("{", "[") else _header(text)
    return Reading(text, marks=marks, lined=True)


def _header(text: str) -> tuple[Mark, ...]:
    """A table's first line names its columns; the rows below belong to it."""
    first, newline, _ = text.partition("\n")
    columns = [column.strip().strip('"') for column in re.split(r"[,;\t|]", first)]
    if (
        not newline
        or not 2 <= len(columns) <= _MOST_COLUMNS
        or not all(re.match(r"[^\W\d]", column) for column in columns)
    ):
        return ()
    return (Mark(0, len(first) + 1, one_line(", ".join(columns), _HEADER_LENGTH)),)


def _keys(text: str) -> tuple[Mark, ...]:
    """The outermost keys of indented JSON."""
    first = _KEY.search(text)
    if first is None or not first["indent"]:
        return ()
    outer = (match for match in _KEY.finditer(text) if match["indent"] == first["indent"])
    return tuple(Mark(match.start(), match.start(), match["key"]) for match in outer)


FORMAT = Format((".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".geojson"), read_data)
