"""Undoing a content encoding while the bytes come in, never beyond a limit."""

from __future__ import annotations

import zlib
from collections.abc import Callable

_PLAIN = frozenset(("", "identity"))
_PACKED = frozenset(("gzip", "x-gzip", "deflate"))
_GZIP = b"\x1f\x8b"


class TooLarge(Exception):
    """More bytes than the limit says."""


class Malformed(Exception):
    """Not HTTP, cut off, or packed in a way that cannot be unpacked."""


class Unpacker:
    """Undoes a content encoding piece by piece, and stops where the limit is."""

    def __init__(self, open_packed: Callable[[bytes], zlib._Decompress] | None, limit: int) -> None:
        self._open, self._left, self._limit = open_packed, limit, limit
        self._packed: zlib._Decompress | None = None

    @classmethod
    def of(cls, encoding: str, limit: int) -> Unpacker:
        word = encoding.strip().lower()
        if word in _PLAIN:
            return cls(None, limit)
        if word not in _PACKED:
            raise Malformed(f"packed in a way nobody asked for ({word[:40]})")
        return cls(_open_deflate if word == "deflate" else lambda _: zlib.decompressobj(31), limit)

    def unpack(self, data: bytes) -> bytes:
        if self._open is None:
            return self._counted(data)
        parts = []
        while data:
            if self._packed is None:
                self._packed = self._open(data)
            elif self._packed.eof:
                if not _GZIP.startswith(data[:2]):
                    break  # padding after the last member
                self._packed = self._open(data)
            parts.append(self._counted(self._packed.decompress(data, self._left + 1)))
            data = self._packed.unconsumed_tail or self._packed.unused_data
        return b"".join(parts)

    def _counted(self, data: bytes) -> bytes:
        self._left -= len(data)
        if self._left < 0:
            raise TooLarge(f"unpacks to more than {megabytes(self._limit)}")
        return data

    def end(self) -> None:
        if self._packed and not self._packed.eof:
            raise Malformed("the packed body was cut off")


def _open_deflate(data: bytes) -> zlib._Decompress:
    """With the zlib header the standard asks for, or without it as some servers send it."""
    has_header = data[0] & 15 == 8 and (len(data) == 1 or (data[0] << 8 | data[1]) % 31 == 0)
    return zlib.decompressobj(15 if has_header else -15)


def megabytes(size: int) -> str:
    return f"{size / 1024 / 1024:.0f} MB"
