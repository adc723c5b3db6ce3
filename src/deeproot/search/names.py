"""Names in a text: what a second hop may follow."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .words import STOP_WORDS, tokens

LONGEST = 8
_CAPITAL = r"[A-Z0-9À-ÖØ-ÞĀ-ŽΑ-ΩА-Я]"
_REST = r"[\w'’.&/-]*"
_JOINING = "of|the|and|for|in|on|to|at|by|an?|with|from|or|de|del|della|di|da|du|des|la|le|les|el|van|von|der|den|al|y|e|&"
# A run of capitalised words and numbers, with a few small words between them.
_RUN = re.compile(rf"\b{_CAPITAL}{_REST}(?:\s(?:(?:{_JOINING})\s){{0,3}}{_CAPITAL}{_REST})*")
_SYMBOL = re.compile(r"\b[A-Za-z][a-z0-9]*(?:_[A-Za-z0-9]+|[A-Z][a-z0-9]+)[A-Za-z0-9_]*|\b[a-z][a-z0-9]{3,}(?=\()")


def keys_in(text: str) -> dict[str, None]:
    """Every name a text could mention, as keys in order of appearance: capitalised runs, their parts, code symbols."""
    found: dict[str, None] = {}
    for run in _RUN.findall(text):
        found.update(dict.fromkeys(_parts(tokens(run))))
    for symbol in _SYMBOL.findall(text):
        found[" ".join(tokens(symbol))] = None
    return found


def keys_of(words: list[str]) -> dict[str, None]:
    """Every name a query could mention: it may be typed without capitals."""
    return dict.fromkeys(_parts(words))


def _parts(words: list[str]) -> Iterator[str]:
    for start in range(len(words)):
        for stop in range(start + 1, min(len(words), start + LONGEST) + 1):
            if not (words[start] in STOP_WORDS and stop == start + 1):
                yield " ".join(words[start:stop])
