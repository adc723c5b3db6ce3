"""What belongs to what within a sentence: "4 % in London and 2 % in Frankfurt" does not say 4 % in Frankfurt.

Only what stands behind a preposition is looked at, with the number or the telling word it hangs on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .figures import FIRST_YEAR, LAST_YEAR
from .lexicon import STOP, stem
from .units import SCALES

NEAR = 4  # words between a number and what hangs on it


@dataclass(frozen=True, slots=True)
class Attachment:
    """`what` stands behind the preposition `by` and hangs on `head`; a year hangs by "year", whatever leads to it."""

    head: str
    by: str
    what: frozenset[str]
    written: str


def detached(claim: str, sentence: str) -> Iterator[str]:
    """What the claim hangs on one thing and the sentence on another, where the one has something else in its place."""
    theirs = list(_attachments(sentence))
    for ours in _attachments(claim) if theirs else ():
        alike = [other for other in theirs if other.by == ours.by]
        elsewhere = [other for other in alike if other.what & ours.what]
        instead = [other for other in alike if other.head == ours.head and not other.what & ours.what]
        if instead and elsewhere and all(other.head != ours.head for other in elsewhere):
            yield f"“{ours.written}” here, “{instead[0].written}” in the source"


def _attachments(text: str) -> Iterator[Attachment]:
    for clause in _CLAUSES.split(text):
        for found in _BEHIND.finditer(clause):
            if head := _head(clause[: found.start()]):
                year = found[2].isdigit() and FIRST_YEAR <= int(found[2]) <= LAST_YEAR
                words = (word.lower() for word in found.groups()[1:] if word)
                what = frozenset(stem(word) for word in words if word not in STOP and word not in SCALES)
                yield Attachment(head, "year" if year else found[1].lower(), what, found[0])


def _head(before: str) -> str:
    """A number among the last words of the clause, or else its last telling word."""
    words = _WORD.findall(before.lower())
    numbers = [word for word in words[-NEAR:] if word[0].isdigit()]
    telling = [word for word in words if word not in STOP]
    return numbers[-1] if numbers else stem(telling[-1]) if telling else ""


_CLAUSES = re.compile(r"[,;]\s|\s(?:and|but|while|whereas)\s")
_BY = r"\b(?:in|against|for|by|of|at|on|to|with)\b"
_BEHIND = re.compile(rf"({_BY})\s(?:(?:the|a|an|its|their|his|her)\s)?(\w+)(?:\s(?!{_BY})(\w+))?", re.IGNORECASE)
_WORD = re.compile(r"\d(?:[\d.,]*\d)?(?!\w)|[^\W_]+")
