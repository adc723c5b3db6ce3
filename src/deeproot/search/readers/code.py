"""Source code: the text as it stands, with the nearest symbol as section, found by a light heuristic."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import Limits
from . import Format, Mark, Reading, Unreadable
from .text import NOT_TEXT, decode

_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|override|virtual|inline|"
    r"extern|pub(?:\([a-z]+\))?|unsafe|const|sealed|partial|open|data|case)[ \t]+)*"
)
_DEFINITION = re.compile(
    rf"^[ \t]*{_MODIFIERS}"
    r"(?:function\*?|func|fn|fun|def|class|struct|enum|interface|trait|impl|object|protocol|record|type|module|"
    r"namespace|package|sub|proc|defmodule|defn|CREATE[ \t]+(?:TABLE|VIEW|FUNCTION|PROCEDURE))[ \t]+"
    r"(?:\([^)\n]*\)[ \t]*)?(?P<name>[A-Za-z_$][\w$.:]*)"
    # C and its kin: a line from the margin on that opens a parameter list and is not ended by a semicolon.
    r"|^[A-Za-z_][\w:<>,*& \t]{0,120}[ \t*&](?P<c_name>[A-Za-z_]\w{0,80})[ \t]*\([^;\n]{0,300}$"
    r"|^(?:export[ \t]+)?(?:const|let|var)[ \t]+(?P<js_name>[A-Za-z_$][\w$]*)[ \t]*=[ \t]*"
    r"(?:async[ \t]*)?(?:\(|function)",
    re.MULTILINE,
)
_NOT_NAMES = frozenset(
    ("if", "for", "while", "switch", "return", "else", "catch", "case", "in", "new", "throw", "await")
)


def read_code(data: bytes, limits: Limits) -> Reading | Unreadable:  # noqa: ARG001 - the signature of a reader
    text = decode(data)
    return NOT_TEXT if text is None else reading_of(text)


def reading_of(text: str) -> Reading:
    return Reading(text, marks=tuple(_symbols(text)), lined=True)


def _symbols(text: str) -> Iterator[Mark]:
    for match in _DEFINITION.finditer(text):
        name = match["name"] or match["c_name"] or match["js_name"]
        opening = match[0].split(None, 1)[0]
        if name not in _NOT_NAMES and opening not in _NOT_NAMES:
            yield Mark(match.start(), match.start(), name.rstrip(".:"))


_LANGUAGES = """
    c h cc cpp cxx hpp hh m mm cs java kt kts scala groovy go rs swift zig nim v d pas
    js jsx mjs cjs ts tsx vue svelte css scss dart php rb pl pm lua r jl
    ex exs erl hs ml fs clj sh bash zsh fish ps1 sql proto sol
"""

FORMAT = Format(tuple(f".{suffix}" for suffix in _LANGUAGES.split()), read_code)
