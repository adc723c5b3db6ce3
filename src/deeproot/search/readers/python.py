"""Python source: the text as it stands, with the path of the enclosing class or function as section."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from .. import Limits
from . import Format, Mark, Reading, Unreadable, code
from .text import NOT_TEXT, decode

Symbol = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def read_python(data: bytes, limits: Limits) -> Reading | Unreadable:  # noqa: ARG001 - the signature of a reader
    text = decode(data)
    if text is None:
        return NOT_TEXT
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code.reading_of(text)
    docstring = ast.get_docstring(tree) or ""
    return Reading(text, docstring.partition("\n")[0].strip(), _marks(text, tree), lined=True)


def _marks(text: str, tree: ast.Module) -> tuple[Mark, ...]:
    starts = _line_starts(text)
    changes = {starts[line - 1]: path for line, path in _changes(tree, "") if line <= len(starts)}
    return tuple(Mark(start, start, path) for start, path in sorted(changes.items()))


def _line_starts(text: str) -> list[int]:
    starts = [0]
    while (newline := text.find("\n", starts[-1])) >= 0:
        starts.append(newline + 1)
    return starts


def _changes(node: ast.AST, path: str) -> Iterator[tuple[int, str]]:
    """(line, path) wherever a symbol begins, and where what is around it goes on."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Symbol):
            inner = f"{path}.{child.name}" if path else child.name
            yield min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)]), inner
            yield from _changes(child, inner)
            yield (child.end_lineno or child.lineno) + 1, path
        elif isinstance(child, ast.If | ast.Try | ast.With):
            yield from _changes(child, path)


FORMAT = Format((".py", ".pyi", ".pyw"), read_python)
