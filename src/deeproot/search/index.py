"""Reading the index: one consistent state of it at a time."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from .names import NameFilter
from .store import Entry, Stamp, Totals, page_lengths, transaction

K1, B = 1.6, 0.75
MOST_CACHED = 200_000


class Page(NamedTuple):
    """A page as it is stored. Its passages are (start, stop, first line, last line, section), places in its text."""

    source: int
    text: str
    passages: list[tuple[int, int, int, int, str]]


class Origin(NamedTuple):
    """Where a page comes from."""

    location: str
    title: str
    sha256: str


class IndexReader:
    """Answers from the state the index had when `snapshot` was entered."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._version = -1
        self._segments = ""
        self.lengths = array("H")
        self.living = 0
        self.mean_length = 1.0
        self.names = NameFilter()
        # The most recently used terms last; a line of questions tends to share its words.
        self._gains: dict[str, dict[int, float]] = {}
        self._cached = 0

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with transaction(self._db):
            self._refresh()
            yield

    def _refresh(self) -> None:
        """Load the page lengths anew when another connection has written."""
        segments = self._db.execute("SELECT id FROM segments ORDER BY id").fetchall()
        (version,) = self._db.execute("PRAGMA data_version").fetchone()
        if version == self._version:
            return
        self._segments = ",".join(str(segment) for (segment,) in segments)
        self.lengths = page_lengths(self._db)
        self.living = len(self.lengths) - self.lengths.count(0)
        self.mean_length = max(1.0, sum(self.lengths) / max(1, self.living) - 1)
        stored = self._db.execute("SELECT slots FROM name_filter").fetchone()
        self.names = NameFilter(stored[0] if stored else b"")
        self._version = version
        self._gains.clear()
        self._cached = 0

    def _occurrences(self, term: str) -> array[int]:
        """The pages a term stands in, once per occurrence, dead ones included."""
        found = array("I")
        query = f"SELECT pages FROM lists WHERE segment IN ({self._segments}) AND term=?"
        for (pages,) in self._db.execute(query, (term,)):
            found.frombytes(pages)
        return found

    def gains(self, term: str) -> Mapping[int, float]:
        """The BM25 gain (0..1) of a term on every living page it stands on."""
        found = self._gains.pop(term, None)
        if found is None:
            found = self._compute_gains(term)
            self._cached += len(found)
        self._gains[term] = found
        while self._cached > MOST_CACHED and len(self._gains) > 1:
            self._cached -= len(self._gains.pop(next(iter(self._gains))))
        return found

    def norm(self, page: int) -> float:
        """What a count is set against: more on a longer page."""
        return K1 * (1 - B + B * self.lengths[page] / self.mean_length)

    def _compute_gains(self, term: str) -> dict[int, float]:
        lengths, fixed, slope = self.lengths, K1 * (1 - B), K1 * B / self.mean_length
        counts = Counter(self._occurrences(term)).items()
        return {page: count / (count + fixed + slope * lengths[page]) for page, count in counts if lengths[page]}

    def pages(self, ids: Collection[int]) -> dict[int, Page]:
        query = f"SELECT id, source, text, passages FROM pages WHERE id IN ({_list(ids)})"
        return {row[0]: Page(row[1], row[2], json.loads(row[3])) for row in self._db.execute(query)}

    def origins(self, sources: Collection[int]) -> dict[int, Origin]:
        query = f"SELECT id, location, title, sha256 FROM sources WHERE id IN ({_list(sources)})"
        return {row[0]: Origin(*row[1:]) for row in self._db.execute(query)}

    def places(self, pages: Collection[int]) -> dict[int, tuple[str, int]]:
        """What pages are ordered by: their location, and inside it their ids, which rise with the lines."""
        query = f"SELECT g.id, s.location FROM pages g JOIN sources s ON s.id = g.source WHERE g.id IN ({_list(pages)})"
        return {page: (location, page) for page, location in self._db.execute(query)}

    def named(self, keys: Collection[str]) -> dict[str, list[int]]:
        """The living pages these names lead to."""
        marks = ",".join("?" * len(keys))
        query = f"SELECT key, page FROM names WHERE key IN ({marks}) ORDER BY key, page"
        found: dict[str, list[int]] = {}
        for key, page in self._db.execute(query, tuple(keys)):
            if self.lengths[page]:
                found.setdefault(key, []).append(page)
        return found

    def entries(self) -> dict[str, Entry]:
        query = "SELECT location, id, size, mtime_ns, digest FROM sources"
        return {
            location: Entry(source, Stamp(size, mtime_ns, digest))
            for location, source, size, mtime_ns, digest in self._db.execute(query)
        }

    def totals(self) -> Totals:
        query = "SELECT count(*), total(passages), total(size) FROM sources WHERE sha256 IS NOT NULL"
        return Totals(*(int(figure) for figure in self._db.execute(query).fetchone()))

    def notes(self) -> list[tuple[str, str]]:
        """What was left out of which source, and why."""
        return self._db.execute("SELECT location, note FROM sources WHERE note != ''").fetchall()

    def source_text(self, location: str) -> str | None:
        query = "SELECT page, pages FROM sources WHERE location=? AND sha256 IS NOT NULL"
        found = self._db.execute(query, (location,)).fetchone()
        if found is None:
            return None
        first, count = found
        rows = self._db.execute("SELECT text FROM pages WHERE id >= ? AND id < ? ORDER BY id", (first, first + count))
        return "".join(text for (text,) in rows)


def _list(ids: Collection[int]) -> str:
    return ",".join(str(one) for one in ids)
