"""How the text of a file is laid out, told from its name and its section."""

from __future__ import annotations

import re
from enum import Enum, auto

from ...model import Passage
from ...search.readers import is_exhibit

_TABLES = re.compile(r"\.(?:csv|tsv)$", re.IGNORECASE)
_PYTHON = re.compile(r"\.py[iw]?$", re.IGNORECASE)
_PROGRAMS = re.compile(
    r"\.(?:pyi?|jsx?|tsx?|go|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|swift|scala|sh|sql|lua)$", re.IGNORECASE
)


class Form(Enum):
    """How a text is laid out: sentences, rows, statements of a program with sentences in between, or none of these."""

    PROSE = auto()
    TABLE = auto()
    CODE = auto()
    EXHIBIT = auto()  # code, a console session or a diagram shown in a document: nothing of it is a sentence


def form_of(passage: Passage) -> Form:
    location = passage.source.location
    if is_exhibit(passage.section):
        return Form.EXHIBIT
    return Form.TABLE if is_table(location) else Form.CODE if is_program(location) else Form.PROSE


def is_table(location: str) -> bool:
    return bool(_TABLES.search(location))


def is_program(location: str) -> bool:
    return bool(_PROGRAMS.search(location))


def has_symbols(location: str) -> bool:
    """Whether the sections of a file are the symbols its sentences stand in; most languages have the nearest above."""
    return bool(_PYTHON.search(location))
