"""Names in a text: what a second hop may follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from zlib import crc32

LONGEST = 8
_SLOTS = 1 << 19
_MASK = _SLOTS - 1
_WHOLE, _FIRST, _PAIR = 1, 2, 4


class NameFilter:
    """Says of most words that no known name begins there, in half a megabyte whatever the number of names.

    A slot for every word that is a name, for every first word of a longer one, and for its first two words
    together. Strangers may share a slot, so what it finds still has to be looked up.
    """

    def __init__(self, slots: bytes = b"") -> None:
        self._slots = bytearray(slots or _SLOTS)

    def add(self, key: str) -> None:
        first, *others = key.split(" ", 2)
        self._slots[crc32(first.encode()) & _MASK] |= _FIRST if others else _WHOLE
        if others:
            self._slots[crc32(f"{first} {others[0]}".encode()) & _MASK] |= _PAIR

    def keys_in(self, words: Sequence[str]) -> dict[str, None]:
        """Every known name these words could hold (and a few that are none), in order of appearance."""
        return dict.fromkeys(self._candidates(words))

    def _candidates(self, words: Sequence[str]) -> Iterator[str]:
        slots, end = self._slots, len(words)
        encoded = " ".join(words).encode().split()
        for start, code in enumerate(map(crc32, encoded)):
            mark = slots[code & _MASK]
            if mark & _WHOLE:
                yield words[start]
            if mark & _FIRST and start + 1 < end:
                pair = crc32(b" " + encoded[start + 1], code)
                if slots[pair & _MASK] & _PAIR:
                    for stop in range(start + 2, min(start + LONGEST, end) + 1):
                        yield " ".join(words[start:stop])

    def to_bytes(self) -> bytes:
        return bytes(self._slots)
