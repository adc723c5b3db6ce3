"""Plain text, and the decoding every text-like reader shares."""

from __future__ import annotations

import codecs

from .. import Limits
from . import Format, Reading, Unreadable

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PROBE = 8192
_CONTROL = bytes(code for code in range(32) if code not in b"\t\n\r\f\b\x1b") + b"\x7f"


def decode(data: bytes) -> str | None:
    """The text of a file: by its byte order mark, as UTF-8, else as Windows Latin. None when it is no text.

    The end may fall inside a character, because a long file was cut there.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return codecs.getincrementaldecoder(encoding)("replace").decode(data)
    if _is_binary(data[:_PROBE]) or b"\0" in data:
        return None
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _is_binary(probe: bytes) -> bool:
    control = len(probe) - len(probe.translate(None, _CONTROL))
    return b"\0" in probe or control * 50 > len(probe)


NOT_TEXT = Unreadable("binary content")


def read_text(data: bytes, limits: Limits) -> Reading | Unreadable:  # noqa: ARG001 - the signature of a reader
    text = decode(data)
    return NOT_TEXT if text is None else Reading(text)


FORMAT = Format((".txt", ".text", ".log", ".tex", ".org", ".adoc", ".srt", ".vtt", ""), read_text)
