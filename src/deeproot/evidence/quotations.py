"""What a sentence gives in quotation marks, and where."""

from __future__ import annotations

from collections.abc import Sequence

from .prepared import Span

OPENING, CLOSING = "“", "”"


def quotations(text: str) -> list[Span]:
    """The outermost quotations of a text, without their marks. None goes over a line's end."""
    found: list[Span] = []
    opened: list[int] = []
    for at, char in enumerate(text):
        if char == OPENING:
            opened.append(at)
        elif char == "\n":
            opened.clear()
        elif char == CLOSING and opened:
            first = opened.pop()
            while found and found[-1].start > first:
                found.pop()
            found.append(Span(first + 1, at))
    return found


def within(place: int, spans: Sequence[Span]) -> bool:
    """Whether a place of the text is inside one of these."""
    return any(span.start <= place < span.end for span in spans)
