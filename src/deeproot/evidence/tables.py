"""Tables in a source: the rows of a CSV, TSV or Markdown table, and sentences that give one cell by cell.

"Quarter: Q1; Budget: 200000" is the row `Q1,200000` below `Quarter,Budget`. Cells are compared letter for letter: what
says another number than its row is no row of the table.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from .prepared import Span, lowered

FEWEST_COLUMNS, FEWEST_ROWS = 2, 2
ALIKE = 0.8  # the share of a text's lines that have as many cells as its first one


@dataclass(frozen=True, slots=True)
class Row:
    cells: tuple[str, ...]
    span: Span


@dataclass(frozen=True)
class Table:
    """`mark` is what separates its cells."""

    names: tuple[str, ...]
    rows: tuple[Row, ...]
    mark: str

    @property
    def is_whole(self) -> bool:
        """Whether it is all of its text, and not a Markdown table in it."""
        return self.mark != "|"

    @cached_property
    def _label(self) -> re.Pattern[str]:
        names = sorted({name for name in self.names if name}, key=len, reverse=True)
        return re.compile(rf"(?:^|;\s+)({'|'.join(map(re.escape, names))}):\s+") if names else re.compile(r"(?!)")

    def cells_of(self, sentence: str) -> list[tuple[str, str]]:
        """What the sentence gives for which column; nothing unless all of it is of that form."""
        plain = _plain(sentence)
        labels = list(self._label.finditer(plain))
        if len(labels) < FEWEST_COLUMNS or labels[0].start():
            return []
        ends = [*(label.start() for label in labels[1:]), len(plain)]
        return [(label[1], _bare(plain[label.end() : end])) for label, end in zip(labels, ends, strict=True)]

    def row_with(self, cells: Collection[tuple[str, str]]) -> Row | None:
        """The first row that holds all of these cells, each below its name."""
        return next((row for row in self.rows if all(cell in self._named(row) for cell in cells)), None)

    def _named(self, row: Row) -> list[tuple[str, str]]:
        return list(zip(self.names, map(_bare, row.cells), strict=True))


@dataclass(frozen=True, slots=True)
class Lookup:
    """A sentence that gives cells of a table: the row that holds them, or None when none does."""

    row: Row | None


def look_up(sentence: str, known: Sequence[Table]) -> Lookup | None:
    """Where a sentence of the form "Column: cell; Column: cell" stands; None when it has another form."""
    given = [(table, cells) for table in known if (cells := table.cells_of(sentence))]
    rows = (row for table, cells in given if (row := table.row_with(cells)))
    return Lookup(next(rows, None)) if given else None


def tables(text: str) -> tuple[Table, ...]:
    """The tables of a text: the one it is, or those that stand in it as Markdown."""
    whole = _delimited(text)
    return (whole,) if whole else tuple(_markdown(text))


def cells_apart(text: str, table: Table) -> str:
    """The text of a delimited table, as long as it is, with tabs between the cells: `1,200` may be two of them."""
    return _CELL.sub(lambda found: found[0] if found[0][0] == '"' else found[0].replace(table.mark, "\t"), text)


def _delimited(text: str) -> Table | None:
    first = text.lstrip("\ufeff\n").partition("\n")[0]
    mark = max(",;\t", key=first.count)
    if mark not in first or first.lstrip().startswith(("|", "{", "[", "#")):
        return None
    records = _rows(text, mark)
    head = next(records)
    names = tuple(_plain(name.lstrip("\ufeff")) for name in head.cells)
    if len(names) < FEWEST_COLUMNS or not all(_NAME.fullmatch(name) for name in names):
        return None
    rows = [*islice(records, FEWEST_ROWS)]
    if any(len(row.cells) == len(names) for row in rows):  # otherwise prose: it need not be read to its end
        rows += records
    body = tuple(row for row in rows if len(row.cells) == len(names))
    return Table(names, body, mark) if len(body) >= max(FEWEST_ROWS, ALIKE * len(rows)) else None


def _rows(text: str, mark: str) -> Iterator[Row]:
    """Every record with where it stands; a cell in quotation marks may hold line breaks."""
    lines = text.splitlines(keepends=True)
    reader = csv.reader(lines, delimiter=mark)
    start = read = 0
    try:
        for cells in reader:
            end = start + sum(map(len, lines[read : reader.line_num]))
            if cells:
                yield Row(tuple(cells), Span(start, start + len(text[start:end].rstrip())))
            start, read = end, reader.line_num
    except csv.Error:
        return


def _markdown(text: str) -> Iterator[Table]:
    for head in _HEAD.finditer(text) if "|" in text else ():
        rows = tuple(_body(text, head.end()))
        names = tuple(map(_plain, _split(head[1])))
        yield Table(names, tuple(row for row in rows if len(row.cells) == len(names)), "|")


def _body(text: str, start: int) -> Iterator[Row]:
    for line in text[start:].splitlines(keepends=True):
        if not line.lstrip().startswith("|"):
            return
        yield Row(tuple(_split(line)), Span(start, start + len(line.rstrip())))
        start += len(line)


def _split(line: str) -> Sequence[str]:
    return line.strip().strip("|").split("|")


def _plain(text: str) -> str:
    return " ".join(text.split())


def _bare(cell: str) -> str:
    """A cell without white space, emphasis and the full stop that a sentence may have added."""
    return lowered(_plain(cell.replace("**", "").replace("`", "").translate(_STRAIGHT))).rstrip(" .")


# Brackets around a number in a report are made round: square ones are citations.
_STRAIGHT = str.maketrans("‘’“”[]", "''\"\"()")
_NAME = re.compile(r"[^\W\d].{0,79}")
_CELL = re.compile(r'"(?:[^"]|"")*"|[^"\n]+')
_HEAD = re.compile(r"^[ \t]*(\|.+\|)[ \t]*\n[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*\n", re.MULTILINE)
