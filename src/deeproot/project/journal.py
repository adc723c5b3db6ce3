"""The truth: `journal.jsonl`, one line per step and per batch of events, appended and made durable.

A resume reads this file and nothing else. A torn last line is what a crash leaves behind: it was never
acknowledged, so it is dropped with a note. A damaged line before the last is an error that names the line.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import anyio
import anyio.to_thread
from pydantic import Field, TypeAdapter, ValidationError

from ..asks import Failure, Reply
from ..errors import JournalError, StorageError
from ..events import Event
from ..model import Passage, Source, Tag
from .disk import Disk

VERSION = 1
NAME = "journal.jsonl"


@dataclass(frozen=True, slots=True)
class Step:
    """A costly or outside action of a turn and what came of it: a reply, a failure, or passages found.

    `hash` is over everything that went into it: a recorded step is used again only for the same hash. `characters`
    were sent, of which `repeated` stood at the beginning of something sent before. `sources` are what an agent read by
    itself for its reply; their texts are kept with the project's sources.
    """

    turn: str
    name: str
    hash: str
    model: str = ""
    seconds: float = 0.0
    characters: int = 0
    repeated: int = 0
    reply: Reply | None = None
    failure: Failure | None = None
    passages: tuple[Passage, ...] | None = None
    tags: tuple[Tag, ...] = ()
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """Events that became true together. `turn` names the turn they conclude."""

    events: tuple[Annotated[Event, Field(discriminator="kind")], ...]
    turn: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line. Exactly one of `step` and `batch` is there.

    `elapsed` counts the seconds of work in all runs up to here; unlike `at`, it never jumps. A batch without events
    records just that.
    """

    at: float
    step: Step | None = None
    batch: Batch | None = None
    elapsed: float | None = None


@dataclass(frozen=True, slots=True)
class Header:
    deeproot: str
    version: int


@cache
def _codec() -> TypeAdapter[Entry]:
    return TypeAdapter(Entry)


@cache
def _header_codec() -> TypeAdapter[Header]:
    return TypeAdapter(Header)


def encode(entry: Entry) -> bytes:
    return _codec().dump_json(entry, exclude_none=True) + b"\n"


@dataclass(frozen=True, slots=True)
class Loaded:
    entries: list[Entry]
    size: int
    note: str | None = None


def load(path: Path) -> Loaded:
    """Read a journal. `size` is where the next line belongs: after the last whole one."""
    entries: list[Entry] = []
    size, note = 0, None
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                note = f"{path}:{number}: the last line was cut off by a crash; it was dropped."
                break
            if number == 1:
                _check_header(path, line)
            else:
                entries.append(_decode(path, number, line))
            size += len(line)
    return Loaded(entries, size, note)


def begun(path: Path) -> bool:
    """Whether a first entry is there. A header alone, or less, is what a crash at the very start leaves."""
    try:
        with path.open("rb") as lines:
            return len([line for line in islice(lines, 2) if line.endswith(b"\n")]) == 2
    except FileNotFoundError:
        return False


def _check_header(path: Path, line: bytes) -> None:
    try:
        header = _header_codec().validate_json(line)
    except ValidationError:
        raise JournalError(path, 1, "this is not a deeproot journal.") from None
    if header.version > VERSION:
        raise JournalError(
            path,
            1,
            f"written by a newer deeproot (journal version {header.version}, this one reads {VERSION}); upgrade.",
        )


def _decode(path: Path, number: int, line: bytes) -> Entry:
    try:
        entry = _codec().validate_json(line)
    except ValidationError as error:
        first: Any = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise _damaged(path, number, f"{place or 'line'}: {first['msg']}") from None
    if (entry.step is None) == (entry.batch is None):
        raise _damaged(path, number, "neither a step nor a batch of events, or both")
    return entry


def _damaged(path: Path, number: int, problem: str) -> JournalError:
    return JournalError(
        path,
        number,
        f"the line is damaged ({problem}). Everything before it is good: keep a copy, delete this line and the lines "
        "after it, and --resume goes on from there.",
    )


class Journal:
    """The open journal of the process that holds the lock.

    Entries posted while a write is under way are written together with the next one, so many turns share
    one fsync. `guard` is called before every write and raises when the lock is lost.
    """

    def __init__(self, path: Path, disk: Disk, guard: Callable[[], None]) -> None:
        self.path = path
        self._disk = disk
        self._guard = guard
        self._fd = -1
        self._waiting: list[tuple[Entry, anyio.Event]] = []
        self._work = anyio.Event()

    def open(self, size: int) -> None:
        """Open for appending, cutting off what `load` did not count; write the header of a new journal."""
        try:
            self._fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StorageError(f"Cannot open {self.path}: {error.strerror}.") from error
        if os.fstat(self._fd).st_size > size:
            self._disk.truncate(self.path, self._fd, size)
        if size == 0:
            header = _header_codec().dump_json(Header("journal", VERSION)) + b"\n"
            self._disk.append(self.path, self._fd, header)
            self._disk.sync_names(self.path.parent)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def write(self, entries: list[Entry]) -> None:
        """Append and fsync, blocking."""
        self._guard()
        self._disk.append(self.path, self._fd, b"".join(encode(entry) for entry in entries))

    def post(self, entry: Entry) -> anyio.Event:
        """Queue an entry after those before it. The event is set when it is durable and `serve` has handed it on."""
        done = anyio.Event()
        self._waiting.append((entry, done))
        self._work.set()
        return done

    async def serve(self, committed: Callable[[Entry], None]) -> None:
        """Write what is posted, hand each entry on in journal order, wake its author. Runs until cancelled."""
        while True:
            await self._work.wait()
            self._work = anyio.Event()
            waiting, self._waiting = self._waiting, []
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self.write, [entry for entry, _ in waiting])
                for entry, done in waiting:
                    committed(entry)
                    done.set()


def rehome(path: Path, disk: Disk) -> None:
    """Give the journal a new inode, so that a late write of an ousted owner lands in a file nobody reads."""
    if path.exists():
        disk.replace(path, path.read_bytes())
