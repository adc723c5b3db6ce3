"""Rows of tables in words: each cell with the name of its column."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from .sentences import readable


def labelled(row: str, columns: str) -> str:
    """A row of a CSV or TSV file; as it stands when it does not match its columns."""
    cells = next(csv.reader([row], delimiter="\t" if "\t" in row else ","), [])
    names = [] if columns.endswith("…") else columns.split(",")
    return _paired(names, cells) or readable(row)


def spelled_out(row: str, header: str) -> str:
    """A row of a Markdown table below its header; without its rules where the two do not match."""
    return _paired(_cells(header), _cells(row)) or "; ".join(filter(None, map(readable, _cells(row))))


def _cells(line: str) -> list[str]:
    return line.strip().strip("|").split("|")


def _paired(names: Sequence[str], cells: Sequence[str]) -> str:
    if len(names) != len(cells):
        return ""
    pairs = ((" ".join(name.split()), " ".join(cell.split())) for name, cell in zip(names, cells, strict=True))
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)
