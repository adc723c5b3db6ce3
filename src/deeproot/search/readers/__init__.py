"""Readers: bytes of a file in, text with its sections out. A reader is found by the suffix of the file's name.

Every reader is a `Format` named in the entry point group `deeproot.readers`; another package adds one the same
way, and an entry with the name of a built-in takes its place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points

from ...model import one_line
from .. import Limits

ENTRY_POINTS = "deeproot.readers"

# What pyproject.toml declares, for a checkout that is on the path without being installed.
BUILT_IN = ("text", "markdown", "rst", "html", "pdf", "office", "mail", "data", "python", "code")


# The last part of the section of what is shown rather than said: code, console sessions, diagrams in a document.
EXHIBIT = "(code)"


@dataclass(frozen=True, slots=True)
class Mark:
    """From `start` on the text belongs to `section`; what comes before `body` is the heading itself."""

    start: int
    body: int
    section: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader made of a file. Marks are in order of `start`.

    lined: a line, not a sentence, is the smallest unit (code, tables). note: what had to be left out, if anything.
    """

    text: str
    title: str = ""
    marks: tuple[Mark, ...] = ()
    lined: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a file has no text for us."""

    reason: str


def is_exhibit(section: str) -> bool:
    """Whether a section is a block of code in a document, which can be found but says nothing in sentences."""
    return section.rpartition(" > ")[2] == EXHIBIT


def with_exhibits(marks: Sequence[Mark], blocks: Iterable[tuple[int, int]]) -> tuple[Mark, ...]:
    """The marks, and between them every block [start, stop) in a section of its own; both in order.

    A block belongs to the section it stands in, and what follows it goes on with that section.
    """
    found = list(marks)
    for start, stop in blocks:
        around = marks[at - 1].section if (at := bisect_right(marks, start, key=_start_of)) else ""
        found.append(Mark(start, start, f"{around} > {EXHIBIT}" if around else EXHIBIT))
        if at == len(marks) or marks[at].start > stop:
            found.append(Mark(stop, stop, around))
    return tuple(sorted(found, key=_start_of))


def _start_of(mark: Mark) -> int:
    return mark.start


Read = Callable[[bytes, Limits], Reading | Unreadable]


@dataclass(frozen=True, slots=True)
class Format:
    """A reader and the suffixes it takes. `packed` files are opened whole or not at all; others may be cut."""

    suffixes: tuple[str, ...]
    read: Read
    packed: bool = False


def formats() -> Mapping[str, Format]:
    """Every format by suffix (`.md`), built-in and installed."""
    loaded: dict[str, Format] = {name: import_module(f"{__name__}.{name}").FORMAT for name in BUILT_IN}
    for point in sorted(entry_points(group=ENTRY_POINTS)):
        loaded[point.name] = point.load()
    return {suffix: loaded[name] for name in loaded for suffix in loaded[name].suffixes}


def read(found: Format, data: bytes, limits: Limits) -> Reading | Unreadable:
    """Read a file, whatever it holds."""
    try:
        outcome = found.read(data, limits)
    except Exception as error:  # A parser given a hostile file may raise anything; one file never stops the rest.
        return Unreadable(one_line(f"cannot be parsed: {type(error).__name__}: {error}", 200))
    if isinstance(outcome, Reading) and "\0" in outcome.text:
        return Unreadable("binary content")
    return outcome
