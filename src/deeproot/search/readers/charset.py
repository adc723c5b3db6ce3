"""From bytes to text, whatever the sender says about them."""

from __future__ import annotations

import codecs
import re

from .text import decode

_DECLARED = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{1,200}charset=[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_LOOKED_AT = 4096
# What browsers know. Python knows more, and some of that (punycode, idna) takes hours over a page.
_KNOWN = frozenset(
    """
    ascii big5 big5hkscs cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp866 cp874 cp932 cp949 euc_jp
    euc_kr gb18030 gb2312 gbk hz iso2022_jp iso2022_kr iso8859-1 iso8859-10 iso8859-11 iso8859-13 iso8859-14 iso8859-15
    iso8859-16 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-9 johab koi8-r koi8-u
    latin-1 mac-cyrillic mac-roman shift_jis tis-620 utf-16 utf-16-be utf-16-le utf-32 utf-8 utf-8-sig
    """.split()  # noqa: SIM905
)
_LATIN = frozenset(("ascii", "iso8859-1", "latin-1"))
# Their text is made of bytes that are also good UTF-8, so here the declaration decides.
_ASCII_LIKE = frozenset(("hz", "iso2022_jp", "iso2022_kr", "utf-16", "utf-16-be", "utf-16-le", "utf-32"))


def to_text(data: bytes, content_type: str, markup: bool) -> str | None:
    """The text; None when it is none. Declarations are hints: what proves to be UTF-8 is UTF-8."""
    declared = _codec(content_type, data if markup else b"")
    tried = (declared, "utf-8") if declared in _ASCII_LIKE else ("utf-8", declared)
    if not data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        for codec in filter(None, tried):
            try:
                text = data.decode(codec)
            except UnicodeDecodeError:
                continue
            return None if "\0" in text else text
    return decode(data)


def _codec(content_type: str, markup: bytes) -> str:
    """The codec for what the header or the page declares; empty when neither makes sense."""
    header = _DECLARED.search(content_type)
    meta = _META.search(markup, 0, _LOOKED_AT)
    for name in (header[1] if header else "", meta[1].decode("ascii", "ignore") if meta else ""):
        try:
            codec = codecs.lookup(name).name
        except (LookupError, ValueError):
            continue
        if codec in _KNOWN:
            return "cp1252" if codec in _LATIN else codec
    return ""
