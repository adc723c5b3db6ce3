"""From a response to readable text: by its content type, its name and its first bytes, with the readers for files.

A page can be made to keep a parser busy for hours, so this runs in a process apart: see `apart`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from ...model import one_line
from .. import Limits
from ..readers import Format, Mark, Reading, Unreadable, formats, read
from ..readers.charset import to_text
from ..readers.html import reading_of
from .guard import Target, parse
from .prune import prune
from .response import Head, Response, bare_type

HTML = frozenset(("text/html", "application/xhtml+xml"))
_OFFICE = "application/vnd.openxmlformats-officedocument"
_SUFFIXES = {
    "application/pdf": ".pdf",
    "application/x-pdf": ".pdf",
    f"{_OFFICE}.wordprocessingml.document": ".docx",
    f"{_OFFICE}.presentationml.presentation": ".pptx",
    f"{_OFFICE}.spreadsheetml.sheet": ".xlsx",
    "application/vnd.ms-excel": ".xls",
    "application/vnd.oasis.opendocument.spreadsheet": ".ods",
    "application/json": ".json",
    "application/x-ndjson": ".ndjson",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "text/markdown": ".md",
    "text/x-rst": ".rst",
    "message/rfc822": ".eml",
}
# Types that say nothing: the name and the first bytes have to.
_VAGUE = frozenset(("", "application/octet-stream", "binary/octet-stream", "text/plain"))
_TEXTUAL = re.compile(r"text/.*|application/(?:.*\+)?(?:xml|json)|application/(?:javascript|x-yaml|yaml|toml)")
_MARKUP = re.compile(rb"\s*(?:<!--.{0,500}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
# Zero width, direction and tag characters: invisible to people, words to a model.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
LONGEST = 2_000_000
MOST_HEADINGS = 2_000
LIMITS = Limits(document_bytes=16 * 1024 * 1024, unpacked_bytes=16 * 1024 * 1024, seconds=20.0)


@dataclass(frozen=True, slots=True)
class WebReading:
    """A page's text, and the addresses it links to in their normal form."""

    reading: Reading
    links: tuple[str, ...] = ()


def is_readable(head: Head) -> bool:
    """Whether something of this type can have text for us."""
    found = head.content_type
    return found in HTML or found in _SUFFIXES or found in _VAGUE or bool(_TEXTUAL.fullmatch(found))


def read_response(response: Response, limits: Limits = LIMITS) -> WebReading | Unreadable:
    """The text of a page, whatever it is made of."""
    if is_markup(response):
        return _read_markup(response)
    outcome = read(*_format(response), limits)
    return outcome if isinstance(outcome, Unreadable) else web_reading(outcome)


def web_reading(reading: Reading) -> WebReading:
    """A reading as it is kept of the web: bounded, and without what nobody can see."""
    return WebReading(_bounded(_visible(reading)))


def is_pdf(response: Response) -> bool:
    return response.body.lstrip()[:5].startswith(b"%PDF")


def is_markup(response: Response) -> bool:
    found = bare_type(response.content_type)
    if is_pdf(response):
        return False
    return found in HTML or (found in _VAGUE and bool(_MARKUP.match(response.body[:1024])))


def content_type(response: Response) -> str | None:
    """What a page is made of, by its first bytes or the server's word; None where its name tells as much."""
    if is_pdf(response):
        return "application/pdf"
    found = bare_type(response.content_type)
    if found in _VAGUE:
        return "text/html" if is_markup(response) else None
    return found


def _read_markup(response: Response) -> WebReading | Unreadable:
    markup = to_text(response.body, response.content_type, markup=True)
    if markup is None:
        return Unreadable("binary content")
    pruned = prune(markup)
    reading = _bounded(_visible(reading_of(pruned.markup)))
    if not reading.text.strip():
        return Unreadable("no readable text (made by a script?)")
    targets = (parse(link.strip(), response.url) for link in pruned.links)
    links = dict.fromkeys(target.url for target in targets if isinstance(target, Target))
    return WebReading(reading, tuple(links))


def _format(response: Response) -> tuple[Format, bytes]:
    """The reader, and what it is to read: text in UTF-8, everything else as it came."""
    known = formats()
    found = bare_type(response.content_type)
    suffix = ".pdf" if is_pdf(response) else _SUFFIXES.get(found, "")
    if not suffix and found in _VAGUE:
        suffix = PurePosixPath(unquote(urlsplit(response.url).path)).suffix.lower()
    chosen = known.get(suffix, known[""])
    if chosen.packed:
        return chosen, response.body
    text = to_text(response.body, response.content_type, markup=False)
    return chosen, response.body if text is None else text.encode()


def _bounded(reading: Reading) -> Reading:
    """No more text and headings than anybody would read."""
    marks = tuple(mark for mark in reading.marks[:MOST_HEADINGS] if mark.body <= LONGEST)
    note = f"only the first {LONGEST:,} characters" if len(reading.text) > LONGEST else reading.note
    return replace(reading, text=reading.text[:LONGEST], marks=marks, note=note, title=one_line(reading.title, 300))


def _visible(reading: Reading) -> Reading:
    """The reading without invisible characters, its marks moved along."""
    if not _INVISIBLE.search(reading.text):
        return reading
    places = sorted({0, len(reading.text), *(place for mark in reading.marks for place in (mark.start, mark.body))})
    parts: list[str] = []
    moved = {0: 0}
    for start, stop in pairwise(places):
        parts.append(_INVISIBLE.sub("", reading.text[start:stop]))
        moved[stop] = moved[start] + len(parts[-1])
    marks = tuple(Mark(moved[mark.start], moved[mark.body], mark.section) for mark in reading.marks)
    return replace(reading, text="".join(parts), marks=marks, title=_INVISIBLE.sub("", reading.title))
