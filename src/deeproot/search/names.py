"""Names in a text: what a second hop may follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from zlib import crc32

LONGEST = 8
_BITS = 22
_MASK = (1 << _BITS) - 1


class NameFilter:
    """Says of most words that no known name begins there, in half a megabyte whatever the number of names.

    One bit per name of a single word, and per first two words of a longer one; other words may share the bit.
    """

    def __init__(self, bits: bytes = b"") -> None:
        self._bits = bytearray(bits or (1 << _BITS) // 8)

    def add(self, key: str) -> None:
        place = crc32(" ".join(key.split(" ", 2)[:2]).encode()) & _MASK
        self._bits[place >> 3] |= 1 << (place & 7)

    def keys_in(self, words: Sequence[str]) -> dict[str, None]:
        """Every known name these words could hold (and a few that are none), in order of appearance."""
        return dict.fromkeys(self._candidates(words))

    def _candidates(self, words: Sequence[str]) -> Iterator[str]:
        bits, last = self._bits, len(words) - 1
        encoded = [word.encode() for word in words]
        for start, word in enumerate(encoded):
            one = crc32(word)
            place = one & _MASK
            if bits[place >> 3] >> (place & 7) & 1:
                yield words[start]
            if start < last:
                place = crc32(b" " + encoded[start + 1], one) & _MASK
                if bits[place >> 3] >> (place & 7) & 1:
                    for stop in range(start + 2, min(start + LONGEST, last + 1) + 1):
                        yield " ".join(words[start:stop])

    def to_bytes(self) -> bytes:
        return bytes(self._bits)
