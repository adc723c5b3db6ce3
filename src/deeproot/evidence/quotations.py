"""What a sentence gives in quotation marks, and where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from .prepared import Span

CLOSING = {"“": "”", "«": "»", "„": "“”"}
FEWEST_WORDS = 3  # between straight or single marks; fewer are a title or a word held at a distance


def quotations(text: str) -> list[Span]:
    """The outermost quotations of a text, without their marks. None goes over a line's end.

    Straight and single marks count where they clearly quote: around several words, not in code, not for inches.
    """
    found: list[Span] = []
    for span in sorted(chain(_paired(text), _of_several_words(text)), key=lambda span: (span.start, -span.end)):
        if not found or span.start >= found[-1].end:
            found.append(span)
    return found


def within(place: int, spans: Sequence[Span]) -> bool:
    """Whether a place of the text is inside one of these."""
    return any(span.start <= place < span.end for span in spans)


def _paired(text: str) -> Iterator[Span]:
    opened: list[int] = []
    for mark in _MARK.finditer(text):
        if opened and mark[0] in CLOSING[text[opened[-1]]]:
            yield Span(opened.pop() + 1, mark.start())
        elif mark[0] in CLOSING:
            opened.append(mark.start())
        elif mark[0] == "\n":
            opened.clear()


def _of_several_words(text: str) -> Iterator[Span]:
    patterns = [pattern for mark, pattern in _OPENED_BY.items() if mark in text]
    code = [Span(*found.span()) for found in _CODE.finditer(text)] if patterns else []
    for found in chain.from_iterable(pattern.finditer(text) for pattern in patterns):
        if len(_WORD.findall(found[1])) >= FEWEST_WORDS and not within(found.start(), code):
            yield Span(*found.span(1))


_MARK = re.compile("[“”«»„\n]")
_CODE = re.compile(r"`[^`\n]+`")
_OPENS = r"(?<![^\s(\[—–*_])"
# An apostrophe inside a single quotation stands between letters; one at a word's end closes it.
_OPENED_BY = {
    '"': re.compile(rf'{_OPENS}"(?=\S)([^"\n]*[^"\s])"(?!\w)'),
    "'": re.compile(rf"{_OPENS}'(?=[^\W\d_])((?:[^'\n]|(?<=\w)'(?=\w))*[^'\s])'(?!\w)"),
    "‘": re.compile(rf"{_OPENS}‘(?=\w)((?:[^‘’\n]|(?<=\w)’(?=\w))*[^‘’\s])’(?!\w)"),
    "‚": re.compile(r"‚(?=\w)([^‚‘’\n]*[^‚‘’\s])[‘’](?!\w)"),
}
_WORD = re.compile(r"[^\W_]+")
