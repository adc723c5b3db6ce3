"""Python source: the text as it stands, with the path of the enclosing class or function as section."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from itertools import accumulate

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
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    changes = {starts[line - 1]: path for line, path in _changes(tree, "", lines) if line <= len(lines)}
    return tuple(Mark(start, start, path) for start, path in sorted(changes.items()))


def _changes(node: ast.AST, path: str, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """(line, path) wherever a symbol begins, and where what is around it goes on."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Symbol):
            inner = f"{path}.{child.name}" if path else child.name
            yield min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)]), inner
            yield from _changes(child, inner, lines)
            yield _end(child, lines) + 1, path
        elif isinstance(child, ast.If | ast.Try | ast.With):
            yield from _changes(child, path, lines)


def _end(symbol: Symbol, lines: Sequence[str]) -> int:
    """The last line of a symbol, with the comments that end its body; the tree does not know comments."""
    end = symbol.end_lineno or symbol.lineno
    while end < len(lines):
        bare = lines[end].lstrip()
        if not bare.startswith("#") or len(lines[end]) - len(bare) <= symbol.col_offset:
            break
        end += 1
    return end


FORMAT = Format((".py", ".pyi", ".pyw"), read_python)
