"""Names in a text: what a second hop may follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress
from zlib import crc32

LONGEST = 8
_SLOTS = 1 << 19
_MASK = _SLOTS - 1
_NAME, _FIRST, _PAIR = 1, 2, 4
_MOST_MARKS = 50_000


class _Marks(dict[str, int]):
    """What the slots say of single words, kept for the words met before: most words are met often."""

    def __init__(self, slots: bytearray) -> None:
        self._slots = slots

    def __missing__(self, word: str) -> int:
        found = self[word] = self._slots[crc32(word.encode()) & _MASK]
        return found

    def forget(self) -> None:
        """Let go of everything once it is much."""
        if len(self) > _MOST_MARKS:
            self.clear()


class NameFilter:
    """Says of most words that no known name begins there, in half a megabyte whatever the number of names.

    A slot for every name, for every first word of a longer one, and for its first two words together. Strangers may
    share a slot, so what it finds still has to be looked up.
    """

    def __init__(self, slots: bytes = b"") -> None:
        self._slots = bytearray(slots or _SLOTS)
        self._marks = _Marks(self._slots)

    def add(self, key: str) -> None:
        self._marks.clear()
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
        # Most words begin no name: they are passed over without a line of Python for each.
        marks = bytes(map(self._marks.__getitem__, words))
        self._marks.forget()
        for start in compress(range(len(words)), marks):
            if marks[start] & _NAME:
                yield words[start]
            if marks[start] & _FIRST and start + 1 < len(words):
                code = crc32(f"{words[start]} {words[start + 1]}".encode())
                if self._slots[code & _MASK] & _PAIR:
                    yield from self._longer(words, start, code)

    def _longer(self, words: Sequence[str], start: int, code: int) -> Iterator[str]:
        """Names of two words and more; `code` is that of the first two."""
        for stop in range(start + 2, min(start + LONGEST, len(words)) + 1):
            if stop > start + 2:
                code = crc32(f" {words[stop - 1]}".encode(), code)
            if self._slots[code & _MASK] & _NAME:
                yield " ".join(words[start:stop])

    def to_bytes(self) -> bytes:
        return bytes(self._slots)
