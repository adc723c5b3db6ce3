"""The index: one SQLite file that holds the texts, their passages and the inverted lists. A cache, never the truth.

An inverted list is the ids of the passages a term stands in, once per occurrence, as 32-bit numbers. Lists are
written in segments, one per batch of files, so that an update never rewrites what it does not change. A passage of
length 0 is dead: its file changed or went away. Every figure a ranking uses counts living passages only, so
the answer does not depend on the order in which files came and went.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby, repeat
from operator import itemgetter
from pathlib import Path

from .passages import Span, cut
from .readers import Reading
from .words import name_key, name_parts, stem, tokens

SCHEMA_VERSION = 1
BATCH_WORDS = 2_000_000
PART_CHARACTERS = 16_384
MOST_SEGMENTS, MERGED_SEGMENTS = 24, 16
LONGEST_NAME = 8
TITLE_WEIGHT, SECTION_WEIGHT = 2, 1

_SCHEMA = """
CREATE TABLE sources(id INTEGER PRIMARY KEY, location TEXT UNIQUE NOT NULL, size INTEGER, mtime_ns INTEGER,
    digest BLOB, sha256 TEXT, title TEXT, note TEXT, passage INTEGER, passages INTEGER, part INTEGER, parts INTEGER);
CREATE TABLE passages(id INTEGER PRIMARY KEY, source INTEGER, part INTEGER, start INTEGER, stop INTEGER,
    first_line INTEGER, last_line INTEGER, section TEXT);
CREATE TABLE parts(id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE names(key TEXT, passage INTEGER, PRIMARY KEY(key, passage)) WITHOUT ROWID;
CREATE TABLE batches(passage INTEGER PRIMARY KEY, lengths BLOB, owners BLOB);
CREATE TABLE postings(segment INTEGER, term TEXT, passages BLOB, PRIMARY KEY(segment, term)) WITHOUT ROWID;
CREATE TABLE segments(id INTEGER PRIMARY KEY, words INTEGER);
"""


@dataclass(frozen=True, slots=True)
class Stamp:
    """How a file is recognised as unchanged: size and time first, the hash of its bytes when they differ."""

    size: int
    mtime_ns: int
    digest: bytes = b""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index knows of a file. `note` says what was left out of it; without a text it is why."""

    id: int
    stamp: Stamp
    note: str


@dataclass(frozen=True, slots=True)
class Totals:
    """What the index holds: files with a text, their passages, their bytes on disk."""

    files: int
    passages: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Row:
    """A passage as it is stored, with its source."""

    id: int
    source: int
    location: str
    title: str
    sha256: str
    section: str
    first_line: int
    last_line: int
    text: str


def connect(path: Path) -> sqlite3.Connection:
    """Open the index file, with its tables. Raises sqlite3.DatabaseError when it is damaged or of another kind."""
    db = sqlite3.connect(path, timeout=60.0, isolation_level=None, check_same_thread=False)
    try:
        # Write-ahead logging can corrupt a file with several writers in the SQLite versions still in use.
        db.execute("PRAGMA journal_mode=DELETE")
        db.execute("PRAGMA synchronous=NORMAL")
        # A batch that spilled early would lock readers out until it is finished.
        db.execute("PRAGMA cache_spill=OFF")
        _prepare(db)
    except BaseException:
        db.close()
        raise
    return db


def _prepare(db: sqlite3.Connection) -> None:
    with transaction(db, "IMMEDIATE"):
        (version,) = db.execute("PRAGMA user_version").fetchone()
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if version == 0 and tables == 0:
            for statement in _SCHEMA.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        elif version != SCHEMA_VERSION:
            raise sqlite3.DatabaseError(f"index schema {version}, not {SCHEMA_VERSION}")


@contextmanager
def transaction(db: sqlite3.Connection, kind: str = "DEFERRED") -> Iterator[None]:
    db.execute(f"BEGIN {kind}")
    try:
        yield
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


class _Lists(dict[str, list[int]]):
    """Inverted lists by word as written; words of one stem share a list."""

    def __init__(self) -> None:
        self.by_stem: dict[str, list[int]] = {}

    def __missing__(self, word: str) -> list[int]:
        found = self[word] = self.by_stem.setdefault(stem(word), [])
        return found


class IndexWriter:
    """Adds and removes sources. Nothing is on disk before `flush`, and then all of it at once."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._removed: list[int] = []
        self._begin()

    def _begin(self) -> None:
        self._lists = _Lists()
        self._words = 0
        self._lengths = bytearray()
        self._owners = array("I")
        self._sources: list[tuple[object, ...]] = []
        self._passages: list[tuple[object, ...]] = []
        self._parts: list[tuple[int, str]] = []
        self._names: dict[tuple[str, int], None] = {}
        self._removed.clear()
        self._first = self._next("passages")
        self._part = self._next("parts")
        self._source = self._next("sources")

    def _next(self, table: str) -> int:
        """The next id of a table. Passage ids are never used twice, as lists may still name a dead one."""
        (last,) = self._db.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()
        if table == "passages":
            found = self._db.execute(
                "SELECT passage + length(lengths) - 1 FROM batches ORDER BY passage DESC LIMIT 1"
            )
            last = max(last, *(row[0] for row in found), 0)
        return int(last) + 1

    def add(self, location: str, stamp: Stamp, reading: Reading, name: str) -> None:
        """Take in a text; `name` is the file's, for a source without a title and for those who mention it."""
        first_passage, first_part = self._first + len(self._lengths), self._part
        title = reading.title or name
        heading = tokens(title) * TITLE_WEIGHT
        spans = list(cut(reading))
        for span, part, offset in self._split(reading.text, spans):
            self._add_passage(reading, span, part, offset, heading)
        self._name((title, name, name.rpartition(".")[0]), first_passage, bool(spans))
        self._record(location, stamp, sha256(reading.text.encode("utf-8", "surrogatepass")).hexdigest(), title,
                     reading.note, first_passage, first_part)  # fmt: skip
        if self._words >= BATCH_WORDS:
            self.flush()

    def add_unreadable(self, location: str, stamp: Stamp, reason: str) -> None:
        """Remember that a file has no text for us, so that it is not tried again before it changes."""
        self._record(location, stamp, None, "", reason, self._first + len(self._lengths), self._part)

    def remove(self, source: int) -> None:
        self._removed.append(source)

    def restamp(self, source: int, stamp: Stamp) -> None:
        self._db.execute(
            "UPDATE sources SET size=?, mtime_ns=?, digest=? WHERE id=?",
            (stamp.size, stamp.mtime_ns, stamp.digest, source),
        )

    def _record(
        self, location: str, stamp: Stamp, digest: str | None, title: str, note: str, passage: int, part: int
    ) -> None:
        passages, parts = self._first + len(self._lengths) - passage, self._part - part
        self._sources.append(
            (self._source, location, stamp.size, stamp.mtime_ns, stamp.digest, digest, title, note,
             passage, passages, part, parts)
        )  # fmt: skip
        self._source += 1

    def _split(self, text: str, spans: Sequence[Span]) -> Iterator[tuple[Span, int, int]]:
        """Each span with the part of the text it stands in, and where that part begins."""
        begin = 0
        for span in spans:
            if span.start - begin >= PART_CHARACTERS:
                self._keep(text[begin : span.start])
                begin = span.start
            yield span, self._part, begin
        self._keep(text[begin:])

    def _keep(self, text: str) -> None:
        self._parts.append((self._part, text))
        self._part += 1

    def _add_passage(self, reading: Reading, span: Span, part: int, offset: int, heading: list[str]) -> None:
        number = self._first + len(self._lengths)
        text = reading.text[span.start : span.stop]
        words = tokens(text)
        length = len(words)
        if reading.lined:
            words += tokens(name_parts(text))
        words += heading
        if span.section:
            words += tokens(span.section) * SECTION_WEIGHT
            self._name((span.section.rpartition(" > ")[2],), number, True)
        deque(map(list.append, map(self._lists.__getitem__, words), repeat(number)), maxlen=0)
        self._words += len(words)
        self._lengths.append(min(length, 254) + 1)
        self._owners.append(self._source)
        self._passages.append(
            (number, self._source, part, span.start - offset, span.stop - offset, span.first_line, span.last_line,
             span.section)
        )  # fmt: skip

    def _name(self, names: Iterable[str], passage: int, living: bool) -> None:
        for name in names:
            key = name_key(name)
            if living and key and key.count(" ") < LONGEST_NAME:
                self._names[key, passage] = None

    def flush(self) -> None:
        """Write what was gathered, in one transaction."""
        with transaction(self._db, "IMMEDIATE"):
            for source in self._removed:
                _forget(self._db, source)
            self._write_rows()
            self._write_lists()
            _merge_segments(self._db)
        self._begin()

    def _write_rows(self) -> None:
        many = self._db.executemany
        many(f"INSERT INTO sources VALUES({','.join('?' * 12)})", self._sources)
        many("INSERT INTO passages VALUES(?,?,?,?,?,?,?,?)", self._passages)
        many("INSERT INTO parts VALUES(?,?)", self._parts)
        many("INSERT OR IGNORE INTO names VALUES(?,?)", sorted(self._names))

    def _write_lists(self) -> None:
        if not self._lengths:
            return
        self._db.execute(
            "INSERT INTO batches VALUES(?,?,?)", (self._first, bytes(self._lengths), self._owners.tobytes())
        )
        segment = self._db.execute("INSERT INTO segments(words) VALUES(?)", (self._words,)).lastrowid
        lists = self._lists.by_stem
        self._db.executemany(
            "INSERT INTO postings VALUES(?,?,?)",
            ((segment, term, array("I", lists[term]).tobytes()) for term in sorted(lists)),
        )


def _forget(db: sqlite3.Connection, source: int) -> None:
    """Remove a source's rows and mark its passages dead."""
    found = db.execute("SELECT passage, passages, part, parts FROM sources WHERE id=?", (source,)).fetchone()
    if found is None:
        return
    passage, passages, part, parts = found
    db.execute("DELETE FROM sources WHERE id=?", (source,))
    db.execute("DELETE FROM passages WHERE id >= ? AND id < ?", (passage, passage + passages))
    db.execute("DELETE FROM parts WHERE id >= ? AND id < ?", (part, part + parts))
    if passages:
        _bury(db, passage, passages)


def _bury(db: sqlite3.Connection, passage: int, count: int) -> None:
    batch, lengths = db.execute(
        "SELECT passage, lengths FROM batches WHERE passage <= ? ORDER BY passage DESC LIMIT 1", (passage,)
    ).fetchone()
    begin = passage - batch
    lengths = lengths[:begin] + bytes(count) + lengths[begin + count :]
    db.execute("UPDATE batches SET lengths=? WHERE passage=?", (lengths, batch))


def _merge_segments(db: sqlite3.Connection) -> None:
    """Join the smallest segments when there are many, so that a query stays a handful of reads per term."""
    segments = db.execute("SELECT id, words FROM segments ORDER BY words, id").fetchall()
    if len(segments) <= MOST_SEGMENTS:
        return
    chosen = segments[:MERGED_SEGMENTS]
    merged = db.execute(
        "INSERT INTO segments(words) VALUES(?)", (sum(words for _, words in chosen),)
    ).lastrowid
    marks = ",".join(str(int(segment)) for segment, _ in chosen)
    # The sort is finished before the first row comes out, so the new rows cannot disturb it. Segments are joined
    # in the order they were written: each list stays sorted by passage.
    rows = db.execute(
        f"SELECT term, passages FROM postings WHERE segment IN ({marks}) ORDER BY +term, +segment"
    )
    for term, same in groupby(rows, key=itemgetter(0)):
        db.execute("INSERT INTO postings VALUES(?,?,?)", (merged, term, b"".join(ids for _, ids in same)))
    db.execute(f"DELETE FROM postings WHERE segment IN ({marks})")
    db.execute(f"DELETE FROM segments WHERE id IN ({marks})")


class IndexReader:
    """Reads one consistent state of the index. Use inside `snapshot`."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._version = -1
        self.lengths = bytearray()
        self.owners = array("I")
        self.living = 0
        self.dead = 0
        self._segments = ""

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with transaction(self._db):
            self._refresh()
            yield

    def _refresh(self) -> None:
        segments = self._db.execute("SELECT id FROM segments ORDER BY id").fetchall()
        (version,) = self._db.execute("PRAGMA data_version").fetchone()
        if version == self._version:
            return
        self.lengths, self.owners = bytearray(1), array("I", (0,))
        for passage, lengths, owners in self._db.execute("SELECT * FROM batches ORDER BY passage"):
            gap = passage - len(self.lengths)
            self.lengths += bytes(gap) + lengths
            self.owners.frombytes(bytes(4 * gap) + owners)
        self.dead = self.lengths.count(0) - 1
        self.living = len(self.lengths) - 1 - self.dead
        self._segments = ",".join(str(segment) for (segment,) in segments)
        self._version = version

    def occurrences(self, term: str) -> array[int]:
        """The passages a term stands in, once per occurrence, dead ones included."""
        found = array("I")
        query = f"SELECT passages FROM postings WHERE segment IN ({self._segments}) AND term=?"
        for (ids,) in self._db.execute(query, (term,)):
            found.frombytes(ids)
        return found

    def rows(self, passages: Iterable[int]) -> dict[int, Row]:
        marks = ",".join(str(passage) for passage in passages)
        query = (
            "SELECT p.id, p.source, s.location, s.title, s.sha256, p.section, p.first_line, p.last_line, "
            "substr(t.text, p.start + 1, p.stop - p.start) FROM passages p JOIN sources s ON s.id = p.source "
            f"JOIN parts t ON t.id = p.part WHERE p.id IN ({marks})"
        )
        return {row[0]: Row(*row) for row in self._db.execute(query)}

    def named(self, keys: Sequence[str]) -> list[tuple[str, int]]:
        """The living passages known by these names, as (name, passage)."""
        marks = ",".join("?" * len(keys))
        query = f"SELECT key, passage FROM names WHERE key IN ({marks}) ORDER BY key, passage"
        return [
            (key, passage) for key, passage in self._db.execute(query, list(keys)) if self.lengths[passage]
        ]

    def entries(self) -> dict[str, Entry]:
        query = "SELECT location, id, size, mtime_ns, digest, note FROM sources"
        return {
            location: Entry(source, Stamp(size, mtime_ns, digest), note)
            for location, source, size, mtime_ns, digest, note in self._db.execute(query)
        }

    def totals(self) -> Totals:
        query = "SELECT count(*), coalesce(sum(passages), 0), coalesce(sum(size), 0) FROM sources WHERE sha256 IS NOT NULL"
        return Totals(*self._db.execute(query).fetchone())

    def notes(self) -> list[tuple[str, str]]:
        """What was left out of which source, and why."""
        return self._db.execute("SELECT location, note FROM sources WHERE note != ''").fetchall()

    def source_text(self, location: str) -> str | None:
        found = self._db.execute(
            "SELECT part, parts FROM sources WHERE location=? AND sha256 IS NOT NULL", (location,)
        ).fetchone()
        if found is None:
            return None
        part, parts = found
        query = "SELECT text FROM parts WHERE id >= ? AND id < ? ORDER BY id"
        return "".join(text for (text,) in self._db.execute(query, (part, part + parts)))
