"""Conversations, kept in memory: continued by id, branched by copying, and the oldest forgotten when there are many."""

from __future__ import annotations

from typing import Generic, TypeVar
from uuid import uuid4

M = TypeVar("M")

MOST_CHARACTERS = 50_000_000


class Sessions(Generic[M]):
    """A session never changes: what is said in it makes a new one. So a fork and its parent cannot disturb each other.

    Messages are shared between them, not copied.
    """

    def __init__(self, most: int = MOST_CHARACTERS) -> None:
        self._most = most
        self._kept: dict[str, tuple[tuple[M, ...], int]] = {}
        self._size = 0

    def history(self, session: str | None) -> tuple[M, ...] | None:
        """What was said so far; None when the session is not known (any more)."""
        found = self._kept.pop(session or "", None)
        if session is None or found is None:
            return None
        self._kept[session] = found
        return found[0]

    def keep(self, history: tuple[M, ...], size: int) -> str:
        """A new session with this history, of which `size` characters are new. Its id is unknown to other processes."""
        session = uuid4().hex
        self._kept[session] = (history, size)
        self._size += size
        while self._size > self._most and len(self._kept) > 1:
            oldest = next(iter(self._kept))
            self._size -= self._kept.pop(oldest)[1]
        return session
