"""Search over local files: the index is brought up to date when it is opened, then asked."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

import anyio.to_thread
from filelock import FileLock

from ..model import Passage, Source
from . import IndexReport, Limits
from .index import IndexReader, Row
from .ranking import rank
from .store import connect, discard
from .update import update

Progress = Callable[[int, int], None]


class FileSearch:
    """A searcher over the files under some paths. Threads may share it."""

    def __init__(self, path: Path, report: IndexReport) -> None:
        self.report = report
        self._db = connect(path)
        self._reader = IndexReader(self._db)
        self._turn = threading.Lock()

    @classmethod
    def open(
        cls,
        roots: Sequence[Path],
        index_folder: Path,
        *,
        progress: Progress | None = None,
        limits: Limits = Limits(),  # noqa: B008 - frozen
    ) -> FileSearch:
        """Bring the index of these paths up to date and open it. Blocks while another process does the same.

        `progress` is told how many files of how many are done.
        """
        index_folder.mkdir(parents=True, exist_ok=True)
        path = index_folder / f"index-{_key(roots)}.db"
        with FileLock(path.with_suffix(".lock")):
            try:
                report = update(path, roots, limits, progress)
            except sqlite3.DatabaseError:
                # Damaged, or written by another version. The files are the truth; start again from them.
                discard(path)
                report = update(path, roots, limits, progress)
            return cls(path, report)

    async def search(self, query: str, limit: int) -> tuple[Passage, ...]:
        return await anyio.to_thread.run_sync(self.rank, query, limit)

    def rank(self, query: str, limit: int) -> tuple[Passage, ...]:
        """The same as `search`, blocking."""
        with self._turn, self._reader.snapshot():
            return tuple(_passage(row, score) for row, score in rank(self._reader, query, limit))

    def source_text(self, location: str) -> str | None:
        """The text the passages of that location were cut from."""
        with self._turn, self._reader.snapshot():
            return self._reader.source_text(location)

    def close(self) -> None:
        with self._turn:
            self._db.close()


def _passage(row: Row, score: float) -> Passage:
    source = Source(row.location, row.title, row.sha256)
    return Passage(source, row.text, row.first_line, row.last_line, row.section, score)


def _key(roots: Sequence[Path]) -> str:
    """One index per set of paths, so that terminals with different ones do not undo each other's work."""
    named = "\0".join(f"{root}\0{root.resolve()}" for root in roots)
    return sha256(named.encode("utf-8", "surrogateescape")).hexdigest()[:12]
