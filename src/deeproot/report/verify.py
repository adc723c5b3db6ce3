"""Checking a finished report again, by code alone: is every quote in its stored source, and what does it support?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from ..evidence import find_quote, judge, prepare, read
from .assemble import Citation


class Check(StrEnum):
    """What became of one citation. The first three are failures."""

    QUOTE_MISSING = "quote not in source"
    SOURCE_ALTERED = "source altered"
    SOURCE_MISSING = "source not kept"
    NOT_HELD = "text never held"
    FOUND = "quote found"

    @property
    def failed(self) -> bool:
        return self in (Check.QUOTE_MISSING, Check.SOURCE_ALTERED, Check.SOURCE_MISSING)


@dataclass(frozen=True, slots=True)
class Checked:
    """`support` says what code can tell of the sentence against the whole source: a verdict with its reasons."""

    citation: Citation
    check: Check
    support: str = "unverifiable"
    reasons: tuple[str, ...] = ()


class Text:
    """A stored source, prepared once for many citations."""

    def __init__(self, text: str) -> None:
        self.prepared = prepare(text)
        self.reading = read(text)


TextOf = Callable[[str], Text | Check]


def check_citations(citations: tuple[Citation, ...], text_of: TextOf) -> list[Checked]:
    return [_check(citation, text_of) for citation in citations]


def _check(citation: Citation, text_of: TextOf) -> Checked:
    if citation.sha256 is None:
        return Checked(citation, Check.NOT_HELD)
    text = text_of(citation.sha256)
    if isinstance(text, Check):
        return Checked(citation, text)
    judgement = judge(citation.sentence, text.reading)
    found = find_quote(citation.quote, text.prepared) is not None
    check = Check.FOUND if found else Check.QUOTE_MISSING
    return Checked(citation, check, judgement.verdict, judgement.reasons)
