"""Writing the index: sources come in and go out in batches, each batch in one transaction."""

from __future__ import annotations

import json
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
from .words import STOP_WORDS, compared, joined, name_key, name_parts, stem, tokens

BATCH_WORDS = 2_000_000
PAGE_CHARACTERS = 1_800
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


class IndexWriter:
    """Adds and removes sources. Nothing is on disk before `flush`, and then all of it at once."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._removed: list[int] = []
        self._restamped: list[tuple[int, int, int]] = []
        self._batch = _Batch(db)

    def add(self, location: str, stamp: Stamp, reading: Reading, file_name: str) -> None:
        """Take in a text. The file's name stands in for a missing title and is a name others may mention."""
        batch, first = self._batch, self._batch.page
        title, spans = reading.title or file_name, list(cut(reading))
        if spans:
            for name in {title, _ASIDE.sub("", title), file_name, file_name.rpartition(".")[0]}:
                self._add_name(name, first)
        self._add_pages(reading, tokens(title) * TITLE_WEIGHT, spans)
        digest = sha256(reading.text.encode()).hexdigest()
        self._add_source(location, stamp, digest, title, reading.note, first, len(spans))
        if batch.words >= BATCH_WORDS:
            self.flush()

    def add_unreadable(self, location: str, stamp: Stamp, reason: str) -> None:
        """Remember that a file has no text for us, so that it is not tried again before it changes."""
        self._add_source(location, stamp, None, "", reason, self._batch.page, 0)

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
            _write(self._db, self._batch)
            _tidy(self._db)
        self._removed.clear()
        self._restamped.clear()
        self._batch = _Batch(self._db)

    def _add_pages(self, reading: Reading, title_words: list[str], spans: Sequence[Span]) -> None:
        """The whole text goes into pages: what stands between two passages to the page of the second."""
        begin, groups = 0, list(_grouped(spans))
        for number, group in enumerate(groups, 1):
            end = group[-1].stop if number < len(groups) else len(reading.text)
            self._add_page(reading, title_words, begin, end, group)
            begin = end
        if not groups:
            # A page of length 0 is never ranked, only kept.
            self._batch.lengths.append(0)
            self._batch.pages.append((self._batch.page, self._batch.source, "", reading.text, "[]"))

    def _add_page(self, reading: Reading, title_words: list[str], begin: int, end: int, spans: Sequence[Span]) -> None:
        batch, page = self._batch, self._batch.page
        text = reading.text[spans[0].start : spans[-1].stop]
        words = tokens(text)
        likeness = compared([*tokens(reading.text[begin : spans[0].start]), *words])
        batch.lengths.append(min(len(words), WORD_LIMIT - 1) + 1)
        words += joined(text)
        if reading.lined:
            words += tokens(name_parts(text))
        words += title_words
        for section in dict.fromkeys(span.section for span in spans):
            words += tokens(section)
        deque(map(list.append, map(batch.lists.__getitem__, words), repeat(page)), maxlen=0)
        batch.words += len(words)
        self._name_sections(spans, page)
        stored = [(s.start - begin, s.stop - begin, s.first_line, s.last_line, s.section) for s in spans]
        batch.pages.append((page, batch.source, likeness, reading.text[begin:end], json.dumps(stored)))

    def _name_sections(self, spans: Sequence[Span], page: int) -> None:
        for span in spans:
            if span.opens:
                name = span.section.rpartition(" > ")[2]
                self._add_name(name, page)
                self._add_name(name.rpartition(".")[2], page)

    def _add_name(self, name: str, page: int) -> None:
        key = name_key(name)
        if key and key.count(" ") < LONGEST:
            self._batch.names.add((key, page))

    def _add_source(
        self,
        location: str,
        stamp: Stamp,
        digest: str | None,
        title: str,
        note: str,
        first: int,
        passages: int,
    ) -> None:
        batch = self._batch
        batch.sources.append(
            (batch.source, location, stamp.size, stamp.mtime_ns, stamp.digest, digest, title, note,
             first, batch.page - first, passages)
        )  # fmt: skip


def _grouped(spans: Sequence[Span]) -> Iterator[list[Span]]:
    """Passages in a row, as many as fit on a page."""
    group: list[Span] = []
    for span in spans:
        if group and span.stop - group[0].start > PAGE_CHARACTERS:
            yield group
            group = []
        group.append(span)
    if group:
        yield group


def _write(db: sqlite3.Connection, batch: _Batch) -> None:
    db.executemany(f"INSERT INTO sources VALUES({','.join('?' * 11)})", batch.sources)
    db.executemany("INSERT INTO pages VALUES(?,?,?,?,?)", batch.pages)
    if batch.names:
        _write_names(db, batch)
    if batch.pages:
        _write_lists(db, batch)


def _write_names(db: sqlite3.Connection, batch: _Batch) -> None:
    db.executemany("INSERT INTO names VALUES(?,?)", sorted(batch.names))
    stored = db.execute("SELECT slots FROM name_filter").fetchone()
    names = NameFilter(stored[0] if stored else b"")
    for key, _ in batch.names:
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
