"""The index file: one SQLite database of texts, passages and inverted lists. A cache, never the truth.

A page is a few passages in a row, the unit that is ranked; passages are chosen inside the best pages. An inverted list
is the ids of the pages a term stands in, once per occurrence, as 32-bit numbers. Lists are written in segments,
one per batch of files, so an update rewrites nothing it does not change. A page of length 0 is dead: its
file changed or went away. Rankings count living pages only, so they do not depend on what came and went before.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

SCHEMA_VERSION = 3
WORD_LIMIT = 0xFFFF

_SCHEMA = """
CREATE TABLE sources(id INTEGER PRIMARY KEY, location TEXT UNIQUE NOT NULL, size INTEGER, mtime_ns INTEGER,
    digest BLOB, sha256 TEXT, title TEXT, note TEXT, page INTEGER, pages INTEGER, passages INTEGER);
CREATE TABLE pages(id INTEGER PRIMARY KEY, source INTEGER, words TEXT, text TEXT, passages TEXT);
CREATE TABLE names(key TEXT, page INTEGER, PRIMARY KEY(key, page)) WITHOUT ROWID;
CREATE TABLE name_filter(slots BLOB);
CREATE TABLE batches(page INTEGER PRIMARY KEY, lengths BLOB, buried INTEGER);
CREATE TABLE lists(segment INTEGER, term TEXT, pages BLOB, PRIMARY KEY(segment, term)) WITHOUT ROWID;
CREATE TABLE segments(id INTEGER PRIMARY KEY, words INTEGER);
"""


@dataclass(frozen=True, slots=True)
class Stamp:
    """How a file is recognised as unchanged: by size and time, and by the hash of its bytes when they differ."""

    size: int
    mtime_ns: int
    digest: bytes = b""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index knows of a file it has seen."""

    id: int
    stamp: Stamp


@dataclass(frozen=True, slots=True)
class Totals:
    """What the index holds: files with a text, their passages, their bytes on disk."""

    files: int
    passages: int
    bytes: int


class OtherSchema(sqlite3.DatabaseError):
    """The file was written by another version of this module."""


_DAMAGE = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB))


def is_unusable(error: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is at fault, so that only a new one helps; a full disk is another matter."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return isinstance(error, OtherSchema) or code in _DAMAGE


def connect(path: Path) -> sqlite3.Connection:
    """Open the index file, with its tables. Raises what `is_unusable` knows when it is damaged or old."""
    db = sqlite3.connect(path, timeout=60.0, isolation_level=None, check_same_thread=False)
    with ExitStack() as unless_usable:
        unless_usable.callback(db.close)
        # Write-ahead logging can corrupt a file with several writers in the SQLite versions still in use.
        db.execute("PRAGMA journal_mode=DELETE")
        db.execute("PRAGMA synchronous=NORMAL")
        # A batch that spilled early would lock readers out until it is finished.
        db.execute("PRAGMA cache_spill=OFF")
        _prepare(db)
        unless_usable.pop_all()
    return db


def _prepare(db: sqlite3.Connection) -> None:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version == SCHEMA_VERSION:
        return
    with transaction(db, "IMMEDIATE"):
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if version or tables:
            raise OtherSchema(f"index schema {version}, not {SCHEMA_VERSION}")
        for statement in _SCHEMA.split(";"):
            db.execute(statement)
        db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")


@contextmanager
def transaction(db: sqlite3.Connection, kind: str = "DEFERRED") -> Iterator[None]:
    db.execute(f"BEGIN {kind}")
    try:
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


def page_lengths(db: sqlite3.Connection) -> array[int]:
    """The length of every page by its id, plus one; 0 for a dead page and for the id 0, which no page has."""
    lengths = array("H", (0,))
    for (stored,) in db.execute("SELECT lengths FROM batches ORDER BY page"):
        lengths.frombytes(stored)
    return lengths


def discard(path: Path) -> None:
    """Remove an index file and what a killed writer left beside it."""
    for left in (path, path.with_name(path.name + "-journal")):
        left.unlink(missing_ok=True)
