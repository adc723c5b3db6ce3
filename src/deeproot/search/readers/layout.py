"""Extracted text while it is put together: lines, headings and where they fall."""

from __future__ import annotations

from . import Reading, with_exhibits
from .markdown import Heading, nest


class Layout:
    """A text that grows by lines; white space inside a line is folded."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._length = 0
        self._line: list[str] = []
        self._headings: list[Heading] = []
        self._exhibits: list[tuple[int, int]] = []

    def say(self, words: str) -> None:
        """Go on with the line."""
        self._line.append(words)

    def say_lines(self, text: str) -> None:
        """Whole lines; an empty one ends a paragraph."""
        for line in text.split("\n"):
            self.say(line)
            if line.strip():
                self.end_line()
            else:
                self.end_paragraph()

    def end_line(self) -> None:
        line = " ".join("".join(self._line).split())
        self._line.clear()
        if line:
            self._add(line + "\n")

    def end_paragraph(self) -> None:
        self.end_line()
        if self._lines and self._lines[-1] != "\n":
            self._add("\n")

    def head(self, level: int, words: str) -> None:
        """A heading on a line of its own."""
        self.end_paragraph()
        start = self._length
        self.say(words)
        self.end_line()
        if self._length > start:
            heading = " ".join(words.split())
            self._headings.append(Heading(start, self._length, level, heading))

    def show(self, text: str) -> None:
        """A block of code, line by line with its margins, in a section of its own."""
        self.end_paragraph()
        start = self._length
        for line in text.strip("\n").splitlines():
            self._add(line.rstrip() + "\n")
        if self._length > start:
            self._exhibits.append((start, self._length))
            self._add("\n")

    def _add(self, text: str) -> None:
        self._lines.append(text)
        self._length += len(text)

    @property
    def first_heading(self) -> str:
        return self._headings[0].words if self._headings else ""

    def reading(self, title: str, *, lined: bool = False) -> Reading:
        """The finished text."""
        self.end_line()
        marks = with_exhibits(nest(self._headings), self._exhibits)
        return Reading("".join(self._lines), title, marks, lined)
