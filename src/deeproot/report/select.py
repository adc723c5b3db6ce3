"""Which findings enter the report."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Document, Topic


def select(documents: Sequence[tuple[Topic, Document]], words: int) -> tuple[tuple[Topic, Document], ...]:
    return tuple(documents)
