"""Word, PowerPoint and spreadsheet files. Lines are those of the extracted text.

The first two are XML in a zip file and are read here, bounded, in a hundred lines; spreadsheets need number and date
formats and are read by calamine.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from xml.parsers import expat

from .. import Limits
from . import Format, Reading, Unreadable
from .layout import Layout

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main "
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main "
_HEADING_STYLE = re.compile(r"(?:heading|title|berschrift|titre|ttulo)\D*(\d?)", re.IGNORECASE)
_SLIDE = re.compile(r"ppt/slides/slide(\d+)\.xml")


class _TooLarge(Exception):
    pass


class _Doctype(Exception):
    """Office files declare no document type; one that does is an attack on the parser."""


def read_office(data: bytes, limits: Limits) -> Reading | Unreadable:
    """What the file holds decides, not its name."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = _Members(archive, limits.unpacked_bytes)
            if "word/document.xml" in members.names:
                return _read_word(members)
            if "ppt/presentation.xml" in members.names:
                return _read_slides(members)
            members.check()
    except _TooLarge:
        return Unreadable(f"unpacks to more than {limits.unpacked_bytes / 1_000_000:.1f} MB")
    except _Doctype:
        return Unreadable("holds a document type declaration")
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, expat.ExpatError) as error:
        if not data.startswith(b"\xd0\xcf\x11\xe0"):  # the container of .xls files, and of encrypted ones
            return Unreadable(f"broken or encrypted: {type(error).__name__}")
    return _read_sheets(data)


class _Members:
    """The files in an archive, with one allowance for all that is unpacked. Sizes in its directory may lie."""

    def __init__(self, archive: zipfile.ZipFile, allowance: int) -> None:
        self._archive = archive
        self._allowance = allowance
        self.names = frozenset(archive.namelist())

    def read(self, name: str) -> bytes:
        with self._archive.open(name) as member:
            data = member.read(self._allowance + 1)
        self._allowance -= len(data)
        if self._allowance < 0:
            raise _TooLarge
        return data

    def check(self) -> None:
        for name in sorted(self.names):
            self.read(name)


def _parse(data: bytes, start: Callable[[str, dict[str, str]], None], end: Callable[[str], None],
           text: Callable[[str], None]) -> None:  # fmt: skip
    def refuse(*_: object) -> None:
        raise _Doctype

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.Parse(data, True)


class _Paragraphs:
    """Text runs to lines. A paragraph in a heading style becomes a heading."""

    def __init__(self, layout: Layout, space: str, text: str = "t", paragraph: str = "p") -> None:
        self._layout = layout
        self._text, self._paragraph = space + text, space + paragraph
        self._breaks = {f"{space}br", f"{space}cr", f"{space}tab"}
        self._style = f"{space}pStyle"
        self._inside = False
        self._level = 0
        self._words: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == self._text:
            self._inside = True
        elif name in self._breaks:
            self._words.append(" ")
        elif name == self._style:
            style = _HEADING_STYLE.match(attributes.get(f"{_WORD}val", ""))
            self._level = int(style[1] or 1) if style else 0

    def end(self, name: str) -> None:
        if name == self._text:
            self._inside = False
        if name == self._paragraph:
            words = "".join(self._words)
            if self._level:
                self._layout.head(self._level, words)
            else:
                self._layout.say(words)
                self._layout.end_paragraph()
            self._level = 0
            self._words.clear()

    def text(self, words: str) -> None:
        if self._inside:
            self._words.append(words)


def _read_word(members: _Members) -> Reading:
    layout = Layout()
    for name in ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"):
        if name in members.names:
            handler = _Paragraphs(layout, _WORD)
            _parse(members.read(name), handler.start, handler.end, handler.text)
    return layout.reading(_core_title(members) or layout.first_heading)


def _read_slides(members: _Members) -> Reading:
    layout = Layout()
    slides = sorted((int(match[1]), name) for name in members.names if (match := _SLIDE.fullmatch(name)))
    for number, name in slides:
        layout.head(1, f"slide {number}")
        for part in (name, f"ppt/notesSlides/notesSlide{number}.xml"):
            if part in members.names:
                handler = _Paragraphs(layout, _DRAWING)
                _parse(members.read(part), handler.start, handler.end, handler.text)
    return layout.reading(_core_title(members))


def _core_title(members: _Members) -> str:
    """The title in the document's properties, if somebody filled it in."""
    if "docProps/core.xml" not in members.names:
        return ""
    layout = Layout()
    handler = _Paragraphs(layout, "http://purl.org/dc/elements/1.1/ ", text="title", paragraph="title")
    _parse(members.read("docProps/core.xml"), handler.start, handler.end, handler.text)
    return " ".join(layout.reading("").text.split())


def _read_sheets(data: bytes) -> Reading | Unreadable:
    from python_calamine import CalamineError, CalamineWorkbook

    layout = Layout()
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        for name in workbook.sheet_names:
            layout.head(1, name)
            for row in workbook.get_sheet_by_name(name).iter_rows():
                layout.say(" | ".join(_cell(value) for value in row).strip(" |"))
                layout.end_line()
    except (CalamineError, ValueError, OSError) as error:
        return Unreadable(f"broken or encrypted: {type(error).__name__}")
    return layout.reading("", lined=True)


def _cell(value: int | float | str | bool | time | date | datetime | timedelta) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime):
        return value.isoformat(" ") if value.time() != time() else value.date().isoformat()
    return str(value)


FORMAT = Format(
    (".docx", ".docm", ".pptx", ".pptm", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), read_office, packed=True
)
