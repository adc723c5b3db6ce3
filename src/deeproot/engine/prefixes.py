"""How much of what is sent repeats the beginning of something sent before: what a provider's cache can serve."""

from __future__ import annotations

from bisect import bisect, bisect_left, insort
from collections.abc import Sequence
from typing import NamedTuple

from ..asks import Ask, Reply

BLOCK = 64
MOST_CHARACTERS = 4_000_000


class Sent(NamedTuple):
    characters: int
    repeated: int


class Prefixes:
    """Remembers what the asks of a run have sent, in the order of the alphabet, and counts in whole blocks.

    What was not sent again for a long while is forgotten, as a provider forgets it, so the memory has a limit.
    """

    def __init__(self) -> None:
        self._recent: list[str] = []
        self._older: list[str] = []
        self._held = 0
        self._sessions: dict[str, int] = {}

    def count(self, ask: Ask) -> Sent:
        """The characters of an ask with its history, and how many of them repeat a prefix sent before."""
        history = self._sessions.get(ask.session or "", 0)
        if history:
            return Sent(history + len(ask.prompt), history)
        text = ask.context + ask.prompt
        blocks = max(_shared_blocks(text, self._recent), _shared_blocks(text, self._older))
        self._keep(text)
        return Sent(len(text), blocks * BLOCK)

    def _keep(self, text: str) -> None:
        if self._held >= MOST_CHARACTERS:
            self._older, self._recent, self._held = self._recent, [], 0
        insort(self._recent, text)
        self._held += len(text)

    def remember(self, sent: Sent, reply: Reply) -> None:
        """A session now holds what was sent and what was answered."""
        if reply.session:
            self._sessions[reply.session] = sent.characters + len(reply.text)


def _shared_blocks(text: str, texts: Sequence[str]) -> int:
    """The longest beginning shared with any of the sorted texts: that one would be a neighbour among them."""
    place = bisect(texts, text)
    return max((_common_blocks(text, near) for near in texts[max(0, place - 1) : place + 1]), default=0)


def _common_blocks(one: str, other: str) -> int:
    whole = min(len(one), len(other)) // BLOCK
    return bisect_left(range(1, whole + 1), True, key=lambda n: one[: n * BLOCK] != other[: n * BLOCK])
