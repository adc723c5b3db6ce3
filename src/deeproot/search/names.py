"""Names in a text: what a second hop may follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress
from zlib import crc32

LONGEST = 8
_SLOTS = 1 << 19
_MASK = _SLOTS - 1
_NAME, _FIRST, _PAIR = 1, 2, 4


class NameFilter:
    """Says of most words that no known name begins there, in half a megabyte whatever the number of names.

    A slot for every name, for every first word of a longer one, and for its first two words together. Strangers may
    share a slot, so what it finds still has to be looked up.
    """

    def __init__(self, slots: bytes = b"") -> None:
        self._slots = bytearray(slots or _SLOTS)

    def add(self, key: str) -> None:
        slots, encoded = self._slots, key.encode()
        slots[crc32(encoded) & _MASK] |= _NAME
        first, *others = encoded.split(b" ", 2)
        if others:
            slots[crc32(first) & _MASK] |= _FIRST
            slots[crc32(b" ".join((first, others[0]))) & _MASK] |= _PAIR

    def keys_in(self, words: Sequence[str]) -> dict[str, None]:
        """Every known name these words could hold (and a few that are none), in order of appearance."""
        return dict.fromkeys(self._candidates(words))

    def _candidates(self, words: Sequence[str]) -> Iterator[str]:
        encoded = " ".join(words).encode().split()
        codes = list(map(crc32, encoded))
        # Most words begin no name: they are passed over without a line of Python for each.
        marks = bytes(map(self._slots.__getitem__, map(_MASK.__and__, codes)))
        for start in compress(range(len(words)), marks):
            if marks[start] & _NAME:
                yield words[start]
            if marks[start] & _FIRST and start + 1 < len(words):
                code = crc32(b" " + encoded[start + 1], codes[start])
                if self._slots[code & _MASK] & _PAIR:
                    yield from self._longer(words, encoded, start, code)

    def _longer(self, words: Sequence[str], encoded: Sequence[bytes], start: int, code: int) -> Iterator[str]:
        """Names of two words and more; `code` is that of the first two."""
        for stop in range(start + 2, min(start + LONGEST, len(words)) + 1):
            if stop > start + 2:
                code = crc32(b" " + encoded[stop - 1], code)
            if self._slots[code & _MASK] & _NAME:
                yield " ".join(words[start:stop])

    def to_bytes(self) -> bytes:
        return bytes(self._slots)
