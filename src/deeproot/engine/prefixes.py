"""How much of what is sent repeats the beginning of something sent before: what a provider's cache can serve."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

from ..asks import Ask, Reply

BLOCK = 64
MOST_BLOCKS = 100_000


class Sent(NamedTuple):
    characters: int
    repeated: int


class Prefixes:
    """Remembers the beginnings of the asks of a run, in blocks; constant time per block.

    What was not sent again for a long while is forgotten, as a provider forgets it, so the memory has a limit.
    """

    def __init__(self) -> None:
        self._recent: set[bytes] = set()
        self._older: set[bytes] = set()
        self._sessions: dict[str, int] = {}

    def count(self, ask: Ask) -> Sent:
        """The characters of an ask with its history, and how many of them repeat a prefix sent before."""
        history = self._sessions.get(ask.session or "", 0)
        if history:
            return Sent(history + len(ask.prompt), history)
        text = ask.context + ask.prompt
        chain, repeated, fresh = b"", 0, False
        for start in range(0, len(text) - BLOCK + 1, BLOCK):
            block = text[start : start + BLOCK].encode("utf-8", "replace")
            chain = blake2b(chain + block, digest_size=12).digest()
            fresh = fresh or not (chain in self._recent or chain in self._older)
            self._keep(chain)
            repeated += 0 if fresh else BLOCK
        return Sent(len(text), repeated)

    def _keep(self, chain: bytes) -> None:
        if len(self._recent) >= MOST_BLOCKS:
            self._older, self._recent = self._recent, set()
        self._recent.add(chain)

    def remember(self, sent: Sent, reply: Reply) -> None:
        """A session now holds what was sent and what was answered."""
        if reply.session:
            self._sessions[reply.session] = sent.characters + len(reply.text)
