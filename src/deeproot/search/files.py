"""Search over local files: the index is brought up to date when it is opened, then asked."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import anyio.to_thread
from filelock import FileLock

from ..asks import Failure, Reason
from ..model import Passage
from . import Found, Limits
from .index import IndexReader
from .ranking import rank
from .store import SCHEMA_VERSION, connect, discard, is_unusable
from .update import update

READ_AHEAD = 500  # passages among which those of one file are looked for

Progress = Callable[[int, int], None]
Answer = TypeVar("Answer")


class FileSearch:
    """A searcher over the files under some paths. Threads may share it; `report` says what the last update did."""

    def __init__(self, roots: Sequence[Path], path: Path, limits: Limits, progress: Progress | None) -> None:
        self._roots, self._path, self._limits, self._progress = tuple(roots), path, limits, progress
        self._turn = threading.RLock()
        self._bring_up_to_date()

    @classmethod
    def open(
        cls,
        roots: Sequence[Path],
        index_folder: Path,
        *,
        progress: Progress | None = None,
        limits: Limits = Limits(),  # noqa: B008 - frozen
    ) -> FileSearch:
        """Bring the index of these paths up to date and open it. Waits while another process does the same.

        `progress` is told how many files of how many are done.
        """
        index_folder.mkdir(parents=True, exist_ok=True)
        return cls(roots, index_folder / f"index-{_key(roots)}-v{SCHEMA_VERSION}.db", limits, progress)

    def _bring_up_to_date(self) -> None:
        with FileLock(self._path.with_suffix(".lock")):
            try:
                self.report = update(self._path, self._roots, self._limits, self._progress)
            except sqlite3.DatabaseError as error:
                if not is_unusable(error):
                    raise
                # The files are the truth: start again from them.
                discard(self._path)
                self.report = update(self._path, self._roots, self._limits, self._progress)
            self._db = connect(self._path)
            self._reader = IndexReader(self._db)

    async def search(self, query: str, limit: int) -> Found:
        return Found(await anyio.to_thread.run_sync(self.rank, query, limit))

    async def read(self, location: str, query: str, limit: int) -> Found | Failure:
        if await anyio.to_thread.run_sync(self.source_text, location) is None:
            return Failure(Reason.REFUSED, f"{location} is not among the files")
        ranked = await anyio.to_thread.run_sync(self.rank, query, READ_AHEAD)
        return Found(tuple(passage for passage in ranked if passage.source.location == location)[:limit])

    def rank(self, query: str, limit: int) -> tuple[Passage, ...]:
        """The same as `search`, blocking."""
        return tuple(self._ask(lambda reader: rank(reader, query, limit)))

    def source_text(self, location: str) -> str | None:
        """The text the passages of that location were cut from."""
        return self._ask(lambda reader: reader.source_text(location))

    def _ask(self, question: Callable[[IndexReader], Answer]) -> Answer:
        """Ask one state of the index; one that proves damaged is made anew and asked again."""
        with self._turn:
            try:
                with self._reader.snapshot():
                    return question(self._reader)
            except sqlite3.DatabaseError as error:
                if not is_unusable(error):
                    raise
                self._db.close()
                discard(self._path)
                self._bring_up_to_date()
                with self._reader.snapshot():
                    return question(self._reader)

    def close(self) -> None:
        with self._turn:
            self._db.close()


def _key(roots: Sequence[Path]) -> str:
    """One index per set of paths, so that terminals with different ones do not undo each other's work."""
    named = "\0".join(f"{root}\0{root.resolve()}" for root in roots)
    return sha256(named.encode("utf-8", "surrogateescape")).hexdigest()[:12]
