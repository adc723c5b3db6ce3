"""The index on disk: batches come in as segments, sources go out, small segments are joined."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from .names import NameFilter
from .store import page_lengths
from .words import STOP_WORDS, stem

MOST_SEGMENTS, MERGED_SEGMENTS = 24, 16
LEAST_BURIED = 256


class _Lists(dict[str, list[int]]):
    """Inverted lists by word as written; words of one stem share a list, stop words one that is never stored."""

    def __init__(self) -> None:
        self.by_stem: dict[str, list[int]] = {}
        ignored: list[int] = []
        self.update(dict.fromkeys(STOP_WORDS, ignored))

    def __missing__(self, word: str) -> list[int]:
        found = self[word] = self.by_stem.setdefault(stem(word), [])
        return found


class Batch:
    """Rows and lists on their way to the disk. Ids go on from where the index stands."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.lists = _Lists()
        self.words = 0
        self.lengths = array("H")
        self.sources: list[tuple[object, ...]] = []
        self.pages: list[tuple[int, int, str, str, str]] = []
        self.names: set[tuple[str, int]] = set()
        self.first_page = _next_page(db)
        (last,) = db.execute("SELECT coalesce(max(id), 0) FROM sources").fetchone()
        self.first_source = int(last) + 1

    @property
    def page(self) -> int:
        return self.first_page + len(self.pages)

    @property
    def source(self) -> int:
        return self.first_source + len(self.sources)


def _next_page(db: sqlite3.Connection) -> int:
    """Page ids are never used twice, as lists may still name a dead one."""
    last = db.execute("SELECT page + length(lengths) / 2 FROM batches ORDER BY page DESC LIMIT 1").fetchone()
    return int(last[0]) if last else 1


def write(db: sqlite3.Connection, batch: Batch) -> None:
    """Add a batch, as a segment of its own."""
    db.executemany(f"INSERT INTO sources VALUES({','.join('?' * 11)})", batch.sources)
    db.executemany("INSERT INTO pages VALUES(?,?,?,?,?)", batch.pages)
    if batch.names:
        _write_names(db, batch)
    if batch.pages:
        _write_lists(db, batch)


def _write_names(db: sqlite3.Connection, batch: Batch) -> None:
    db.executemany("INSERT INTO names VALUES(?,?)", sorted(batch.names))
    stored = db.execute("SELECT slots FROM name_filter").fetchone()
    names = NameFilter(stored[0] if stored else b"")
    for key, _ in batch.names:
        names.add(key)
    db.execute("DELETE FROM name_filter")
    db.execute("INSERT INTO name_filter VALUES(?)", (names.to_bytes(),))


def _write_lists(db: sqlite3.Connection, batch: Batch) -> None:
    db.execute("INSERT INTO batches VALUES(?,?,0)", (batch.first_page, batch.lengths.tobytes()))
    segment = db.execute("INSERT INTO segments(words) VALUES(?)", (batch.words,)).lastrowid
    lists = batch.lists.by_stem
    rows = ((segment, term, array("I", lists[term]).tobytes()) for term in sorted(lists))
    db.executemany("INSERT INTO lists VALUES(?,?,?)", rows)


def forget(db: sqlite3.Connection, source: int) -> None:
    """Remove a source's rows and mark its pages dead."""
    page, pages = db.execute("SELECT page, pages FROM sources WHERE id=?", (source,)).fetchone()
    db.execute("DELETE FROM sources WHERE id=?", (source,))
    db.execute("DELETE FROM pages WHERE id >= ? AND id < ?", (page, page + pages))
    if pages:
        _bury(db, page, pages)


def _bury(db: sqlite3.Connection, page: int, count: int) -> None:
    first, stored = db.execute(
        "SELECT page, lengths FROM batches WHERE page <= ? ORDER BY page DESC LIMIT 1", (page,)
    ).fetchone()
    begin, end = 2 * (page - first), 2 * (page - first + count)
    lengths = stored[:begin] + bytes(2 * count) + stored[end:]
    db.execute("UPDATE batches SET lengths=?, buried=buried+? WHERE page=?", (lengths, count, first))


def tidy(db: sqlite3.Connection) -> None:
    """Join the smallest segments when there are many, and all of them when they hold more dead than living pages."""
    segments = db.execute("SELECT id FROM segments ORDER BY words, id").fetchall()
    (buried,) = db.execute("SELECT coalesce(sum(buried), 0) FROM batches").fetchone()
    (living,) = db.execute("SELECT count(*) FROM pages").fetchone()
    if buried > max(LEAST_BURIED, living):
        _merge(db, [segment for (segment,) in segments])
        db.execute("UPDATE batches SET buried=0")
        db.execute("DELETE FROM names WHERE page NOT IN (SELECT id FROM pages)")
    elif len(segments) > MOST_SEGMENTS:
        _merge(db, [segment for (segment,) in segments[:MERGED_SEGMENTS]])


def _merge(db: sqlite3.Connection, segments: Sequence[int]) -> None:
    """Make one segment of several, without the dead pages."""
    lengths = page_lengths(db)
    marks = ",".join(str(segment) for segment in segments)
    merged = db.execute("INSERT INTO segments(words) VALUES(0)").lastrowid
    # Sorting by an expression makes SQLite finish the sort before the first row, so the inserts cannot disturb it.
    rows = db.execute(f"SELECT term, pages FROM lists WHERE segment IN ({marks}) ORDER BY +term, +segment")
    words = 0
    for term, same in groupby(rows, key=itemgetter(0)):
        joined = array("I", b"".join(pages for _, pages in same))
        living = array("I", [page for page in joined if lengths[page]])
        words += len(living)
        if living:
            db.execute("INSERT INTO lists VALUES(?,?,?)", (merged, term, living.tobytes()))
    db.execute("UPDATE segments SET words=? WHERE id=?", (words, merged))
    db.execute(f"DELETE FROM lists WHERE segment IN ({marks})")
    db.execute(f"DELETE FROM segments WHERE id IN ({marks})")
