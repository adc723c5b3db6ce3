"""What a model file says about itself, read from its head without loading the model."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

MAGIC = b"GGUF"
LENGTH = ".context_length"
STRING, ARRAY = 8, 9
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of a value by its type: integers, floats, booleans."""
UNSIGNED = {4: "<I", 10: "<Q"}
MOST_ENTRIES = 10_000
LONGEST_KEY = 65_535


class Damaged(ValueError):
    """The head of the file ends too early, or is no such head."""


def is_model(path: Path) -> bool:
    """Whether the file begins as a model does. OSError when it cannot be read."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def context_length(path: Path) -> int | None:
    """How many tokens the model was made for, when the file says so. OSError when it cannot be read."""
    with path.open("rb") as file:
        try:
            return next(_lengths(file), None)
        except Damaged:
            return None


def _lengths(file: BinaryIO) -> Iterator[int]:
    """The values of the entries that tell the length of the context; there is one at most."""
    if _take(file, len(MAGIC)) != MAGIC:
        raise Damaged
    _version, _tensors, entries = struct.unpack("<IQQ", _take(file, 20))
    for _ in range(min(entries, MOST_ENTRIES)):
        key = _take(file, min(_number(file, "<Q"), LONGEST_KEY)).decode(errors="replace")
        kind = _number(file, "<I")
        if key.endswith(LENGTH) and kind in UNSIGNED:
            yield _number(file, UNSIGNED[kind])
        else:
            _pass_over(file, kind)


def _pass_over(file: BinaryIO, kind: int, count: int = 1) -> None:
    if kind == STRING:
        for _ in range(count):
            file.seek(_number(file, "<Q"), 1)
    elif kind == ARRAY:
        inner, length = _number(file, "<I"), _number(file, "<Q")
        if inner == ARRAY:
            raise Damaged
        _pass_over(file, inner, length)
    elif kind in SIZES:
        file.seek(SIZES[kind] * count, 1)
    else:
        raise Damaged


def _number(file: BinaryIO, form: str) -> int:
    (value,) = struct.unpack(form, _take(file, struct.calcsize(form)))
    return int(value)


def _take(file: BinaryIO, count: int) -> bytes:
    data = file.read(count)
    if len(data) < count:
        raise Damaged
    return data
