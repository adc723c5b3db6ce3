"""Bringing the index up to date with the files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

from . import IndexReport, Limits, Skipped
from .index import IndexReader
from .readers import Format, Reading, Unreadable, formats, read
from .store import Entry, Stamp, connect
from .walk import Found, walk
from .writer import IndexWriter

Progress = Callable[[int, int], None]

ATTEMPTS = 3


def update(path: Path, roots: Sequence[Path], limits: Limits, progress: Progress | None) -> IndexReport:
    """Take in what is new or changed under `roots`, let go of what is gone, and say what happened."""
    with closing(connect(path)) as db:
        return _Update(IndexReader(db), IndexWriter(db), limits, progress).run(roots)


class _Update:
    def __init__(self, reader: IndexReader, writer: IndexWriter, limits: Limits, progress: Progress | None) -> None:
        self._reader = reader
        self._writer = writer
        self._limits = limits
        self._progress = progress or _ignore
        self._formats: Mapping[str, Format] = formats()
        self._skipped: list[Skipped] = []
        self._changed = 0

    def run(self, roots: Sequence[Path]) -> IndexReport:
        known = self._reader.entries()
        files = list(walk(roots, self._skipped.append))
        gone = set(known) - {file.location for file in files}
        for location in gone:
            self._writer.remove(known[location].id)
        for done, file in enumerate(files):
            self._progress(done, len(files))
            self._take(file, known.get(file.location))
        self._writer.flush()
        self._progress(len(files), len(files))
        return self._report(len(gone))

    def _report(self, removed: int) -> IndexReport:
        holds = self._reader.totals()
        self._skipped.extend(Skipped(location, note) for location, note in self._reader.notes())
        skipped = tuple(sorted(self._skipped, key=lambda left: (left.location, left.reason)))
        return IndexReport(holds.files, self._changed, removed, holds.passages, holds.bytes, skipped)

    def _take(self, file: Found, known: Entry | None) -> None:
        """Read a file unless it is the one we know."""
        if known is not None and (known.stamp.size, known.stamp.mtime_ns) == (file.size, file.mtime_ns):
            return
        found = self._formats.get(file.path.suffix.lower(), self._formats[""])
        bytes_read = _read_steadily(file.path, self._limits.document_bytes if found.packed else self._limits.file_bytes)
        if isinstance(bytes_read, str):
            self._skipped.append(Skipped(file.location, bytes_read))
            if known is not None:
                self._writer.remove(known.id)
            return
        data, stamp = bytes_read
        if known is not None and known.stamp.digest == stamp.digest:
            self._writer.restamp(known.id, stamp)
            return
        if known is not None:
            self._writer.remove(known.id)
        self._changed += 1
        self._add(file, found, data, stamp)

    def _add(self, file: Found, found: Format, data: bytes, stamp: Stamp) -> None:
        if found.packed and stamp.size > len(data):
            outcome: Reading | Unreadable = Unreadable(f"larger than {_megabytes(len(data))}, not opened")
        else:
            outcome = read(found, data, self._limits)
        if isinstance(outcome, Unreadable):
            self._writer.add_unreadable(file.location, stamp, outcome.reason)
            return
        if stamp.size > len(data):
            note = f"only the first {_megabytes(len(data))} of {_megabytes(stamp.size)} are indexed"
            outcome = Reading(outcome.text, outcome.title, outcome.marks, outcome.lined, note)
        self._writer.add(file.location, stamp, outcome, file.location.rpartition("/")[2])


def _ignore(_done: int, _total: int) -> None:
    """Nobody asked how far it is."""


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB"


def _read_steadily(path: Path, most: int) -> tuple[bytes, Stamp] | str:
    """At most `most` bytes of a file and its stamp, or why not. A file that is being written is read again.

    When it will not hold still, what was read is used under a stamp that no file has, so the next run looks again.
    """
    try:
        for _ in range(ATTEMPTS):
            with path.open("rb") as file:
                before = os.fstat(file.fileno())
                data = file.read(most)
                after = os.fstat(file.fileno())
            if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
                return data, Stamp(before.st_size, before.st_mtime_ns, _digest(data, before.st_size))
    except OSError as error:
        return error.strerror or str(error)
    return data, Stamp(max(before.st_size, len(data)), -1, _digest(data, before.st_size))


def _digest(data: bytes, size: int) -> bytes:
    return blake2b(data, digest_size=16, salt=size.to_bytes(8, "little")).digest()
