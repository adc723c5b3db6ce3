"""Writing the index: sources come in and go out in batches, each batch in one transaction."""

from __future__ import annotations

import re
import sqlite3
from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import groupby, repeat
from operator import itemgetter

from .names import LONGEST, NameFilter
from .passages import Span, cut
from .readers import Reading
from .store import WORD_LIMIT, Stamp, page_lengths, transaction
from .words import STOP_WORDS, joined, name_key, name_parts, stem, tokens

BATCH_WORDS = 2_000_000
PAGE_CHARACTERS = 1_800
PART_CHARACTERS = 4_096
MOST_SEGMENTS, MERGED_SEGMENTS = 24, 16
LEAST_BURIED = 256
TITLE_WEIGHT = 2

_ASIDE = re.compile(r"\s*\([^()]*\)\s*$")


class _Lists(dict[str, list[int]]):
    """Inverted lists by word as written; words of one stem share a list, stop words one that is never stored."""

    def __init__(self) -> None:
        self.by_stem: dict[str, list[int]] = {}
        ignored: list[int] = []
        self.update(dict.fromkeys(STOP_WORDS, ignored))

    def __missing__(self, word: str) -> list[int]:
        found = self[word] = self.by_stem.setdefault(stem(word), [])
        return found


class _Batch:
    """Rows and lists on their way to the disk. Ids go on from where the index stands."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.lists = _Lists()
        self.words = 0
        self.lengths = array("H")
        self.sources: list[tuple[object, ...]] = []
        self.pages: list[tuple[int, ...]] = []
        self.passages: list[tuple[object, ...]] = []
        self.parts: list[tuple[int, str]] = []
        self.names: set[tuple[str, int, int]] = set()
        self.first_page = _next_page(db)
        self.first_part, self.first_passage, self.first_source = (
            _next_id(db, table) for table in ("parts", "passages", "sources")
        )

    @property
    def page(self) -> int:
        return self.first_page + len(self.pages)

    @property
    def passage(self) -> int:
        return self.first_passage + len(self.passages)

    @property
    def part(self) -> int:
        return self.first_part + len(self.parts)

    @property
    def source(self) -> int:
        return self.first_source + len(self.sources)


def _next_id(db: sqlite3.Connection, table: str) -> int:
    (last,) = db.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()
    return int(last) + 1


def _next_page(db: sqlite3.Connection) -> int:
    """Page ids are never used twice, as lists may still name a dead one."""
    last = db.execute("SELECT page + length(lengths) / 2 FROM batches ORDER BY page DESC LIMIT 1").fetchone()
    return int(last[0]) if last else 1


class IndexWriter:
    """Adds and removes sources. Nothing is on disk before `flush`, and then all of it at once."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._removed: list[int] = []
        self._restamped: list[tuple[int, int, int]] = []
        self._batch = _Batch(db)

    def add(self, location: str, stamp: Stamp, reading: Reading, file_name: str) -> None:
        """Take in a text. The file's name stands in for a missing title and is a name others may mention."""
        batch, title = self._batch, reading.title or file_name
        starts = (batch.page, batch.passage, batch.part)
        title_words = tokens(title) * TITLE_WEIGHT
        for part, offset, spans in self._parts(reading.text, list(cut(reading))):
            for page in _pages(spans):
                self._add_page(reading, title_words, part, offset, page)
        if batch.passage > starts[1]:
            for name in {title, _ASIDE.sub("", title), file_name, file_name.rpartition(".")[0]}:
                self._add_name(name, starts[0], starts[1])
        digest = sha256(reading.text.encode()).hexdigest()
        self._add_source(location, stamp, digest, title, reading.note, starts)
        if batch.words >= BATCH_WORDS:
            self.flush()

    def add_unreadable(self, location: str, stamp: Stamp, reason: str) -> None:
        """Remember that a file has no text for us, so that it is not tried again before it changes."""
        batch = self._batch
        self._add_source(location, stamp, None, "", reason, (batch.page, batch.passage, batch.part))

    def remove(self, source: int) -> None:
        self._removed.append(source)

    def restamp(self, source: int, stamp: Stamp) -> None:
        """The file was touched, its bytes are the same."""
        self._restamped.append((stamp.size, stamp.mtime_ns, source))

    def flush(self) -> None:
        """Write what was gathered, in one transaction."""
        with transaction(self._db, "IMMEDIATE"):
            for source in self._removed:
                _forget(self._db, source)
            self._db.executemany("UPDATE sources SET size=?, mtime_ns=? WHERE id=?", self._restamped)
            _write_rows(self._db, self._batch)
            if self._batch.pages:
                _write_lists(self._db, self._batch)
            _tidy(self._db)
        self._removed.clear()
        self._restamped.clear()
        self._batch = _Batch(self._db)

    def _parts(self, text: str, spans: Sequence[Span]) -> Iterator[tuple[int, int, list[Span]]]:
        """The text in storable parts: each part's id, where it begins, and the spans inside it."""
        begin, inside = 0, list[Span]()
        for span in spans:
            if span.start - begin >= PART_CHARACTERS:
                yield self._batch.part, begin, inside
                self._batch.parts.append((self._batch.part, text[begin : span.start]))
                begin, inside = span.start, []
            inside.append(span)
        yield self._batch.part, begin, inside
        self._batch.parts.append((self._batch.part, text[begin:]))

    def _add_page(
        self, reading: Reading, title_words: list[str], part: int, offset: int, spans: Sequence[Span]
    ) -> None:
        batch, page = self._batch, self._batch.page
        start, stop = spans[0].start, spans[-1].stop
        text = reading.text[start:stop]
        words = tokens(text)
        batch.lengths.append(min(len(words), WORD_LIMIT - 1) + 1)
        words += joined(text)
        if reading.lined:
            words += tokens(name_parts(text))
        words += title_words
        for section in dict.fromkeys(span.section for span in spans):
            words += tokens(section)
        deque(map(list.append, map(batch.lists.__getitem__, words), repeat(page)), maxlen=0)
        batch.words += len(words)
        first_passage = batch.passage
        for span in spans:
            self._add_passage(span, page, part, offset)
        batch.pages.append((page, part, start - offset, stop - offset, first_passage, len(spans)))

    def _add_passage(self, span: Span, page: int, part: int, offset: int) -> None:
        batch = self._batch
        if span.opens:
            name = span.section.rpartition(" > ")[2]
            self._add_name(name, page, batch.passage)
            self._add_name(name.rpartition(".")[2], page, batch.passage)
        batch.passages.append(
            (batch.passage, batch.source, page, part, span.start - offset, span.stop - offset,
             span.first_line, span.last_line, span.section)
        )  # fmt: skip

    def _add_name(self, name: str, page: int, passage: int) -> None:
        key = name_key(name)
        if key and key.count(" ") < LONGEST:
            self._batch.names.add((key, page, passage))

    def _add_source(
        self,
        location: str,
        stamp: Stamp,
        digest: str | None,
        title: str,
        note: str,
        starts: tuple[int, int, int],
    ) -> None:
        batch, (page, passage, part) = self._batch, starts
        batch.sources.append(
            (batch.source, location, stamp.size, stamp.mtime_ns, stamp.digest, digest, title, note, page,
             batch.page - page, passage, batch.passage - passage, part, batch.part - part)
        )  # fmt: skip


def _pages(spans: Sequence[Span]) -> Iterator[list[Span]]:
    """Passages in a row, as many as fit on a page."""
    page: list[Span] = []
    for span in spans:
        if page and span.stop - page[0].start > PAGE_CHARACTERS:
            yield page
            page = []
        page.append(span)
    if page:
        yield page


def _write_rows(db: sqlite3.Connection, batch: _Batch) -> None:
    db.executemany(f"INSERT INTO sources VALUES({','.join('?' * 14)})", batch.sources)
    db.executemany("INSERT INTO parts VALUES(?,?)", batch.parts)
    db.executemany("INSERT INTO pages VALUES(?,?,?,?,?,?)", batch.pages)
    db.executemany("INSERT INTO passages VALUES(?,?,?,?,?,?,?,?,?)", batch.passages)
    if batch.names:
        _write_names(db, batch)


def _write_names(db: sqlite3.Connection, batch: _Batch) -> None:
    db.executemany("INSERT INTO names VALUES(?,?,?)", sorted(batch.names))
    stored = db.execute("SELECT slots FROM name_filter").fetchone()
    names = NameFilter(stored[0] if stored else b"")
    for key, _, _ in batch.names:
        names.add(key)
    db.execute("DELETE FROM name_filter")
    db.execute("INSERT INTO name_filter VALUES(?)", (names.to_bytes(),))


def _write_lists(db: sqlite3.Connection, batch: _Batch) -> None:
    db.execute("INSERT INTO batches VALUES(?,?,0)", (batch.first_page, batch.lengths.tobytes()))
    segment = db.execute("INSERT INTO segments(words) VALUES(?)", (batch.words,)).lastrowid
    lists = batch.lists.by_stem
    rows = ((segment, term, array("I", lists[term]).tobytes()) for term in sorted(lists))
    db.executemany("INSERT INTO lists VALUES(?,?,?)", rows)


def _forget(db: sqlite3.Connection, source: int) -> None:
    """Remove a source's rows and mark its pages dead."""
    columns = "page, pages, passage, passages, part, parts"
    page, pages, passage, passages, part, parts = db.execute(
        f"SELECT {columns} FROM sources WHERE id=?", (source,)
    ).fetchone()
    db.execute("DELETE FROM sources WHERE id=?", (source,))
    db.execute("DELETE FROM pages WHERE id >= ? AND id < ?", (page, page + pages))
    db.execute("DELETE FROM passages WHERE id >= ? AND id < ?", (passage, passage + passages))
    db.execute("DELETE FROM parts WHERE id >= ? AND id < ?", (part, part + parts))
    if pages:
        _bury(db, page, pages)


def _bury(db: sqlite3.Connection, page: int, count: int) -> None:
    first, stored = db.execute(
        "SELECT page, lengths FROM batches WHERE page <= ? ORDER BY page DESC LIMIT 1", (page,)
    ).fetchone()
    begin, end = 2 * (page - first), 2 * (page - first + count)
    lengths = stored[:begin] + bytes(2 * count) + stored[end:]
    db.execute("UPDATE batches SET lengths=?, buried=buried+? WHERE page=?", (lengths, count, first))


def _tidy(db: sqlite3.Connection) -> None:
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
