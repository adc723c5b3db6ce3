"""Reading the index: one consistent state of it at a time."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from ..model import Source
from .names import NameFilter
from .recent import Recent
from .store import Entry, Stamp, Totals, page_lengths, transaction
from .words import STOP_WORDS, stem, tokens

K1, B = 1.6, 0.75
# What is kept between questions: occurrences of terms on pages, pages, and the pages they link to.
MOST_COUNTS, MOST_PAGES = 400_000, 4_000
# A name that leads to more places than this says nothing.
MOST_PLACES = 4


@dataclass(frozen=True)
class Page:
    """A page as it is stored; what is made of its text is made when it is first needed."""

    source: Source
    text: str
    stored: str

    @cached_property
    def spans(self) -> list[tuple[int, int, int, int, str]]:
        """Its passages: start, stop (places in its text), first line, last line, section."""
        return json.loads(self.stored)  # type: ignore[no-any-return]  # written by IndexWriter

    @cached_property
    def lowered(self) -> list[str]:
        """Its passages with their sections, in lower case."""
        return [f" {section} {self.text[start:stop]}".lower() for start, stop, _, _, section in self.spans]


class IndexReader:
    """Answers from the state the index had when `snapshot` was entered."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._version = -1
        self._segments = ""
        self._lengths = array("H")
        self._names = NameFilter()
        self._counts: Recent[str, Mapping[int, int]] = Recent(MOST_COUNTS, len)
        self._words: Recent[int, str] = Recent(MOST_PAGES)
        self._pages: Recent[int, Page] = Recent(MOST_PAGES)
        self._links: Recent[int, frozenset[int]] = Recent(MOST_PAGES)
        self.living = 0
        # What a count is set against, by page: more on a longer one.
        self.norms: list[float] = []

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
        self._lengths = page_lengths(self._db)
        self.living = len(self._lengths) - self._lengths.count(0)
        mean_length = max(1.0, sum(self._lengths) / max(1, self.living) - 1)
        # Pages of one length share their number, so the list is no larger than its pointers.
        by_length = [K1 * (1 - B + B * length / mean_length) for length in range(max(self._lengths) + 1)]
        self.norms = list(map(by_length.__getitem__, self._lengths))
        stored = self._db.execute("SELECT slots FROM name_filter").fetchone()
        self._names = NameFilter(stored[0] if stored else b"")
        for kept in (self._counts, self._words, self._pages, self._links):
            kept.clear()
        self._version = version

    def _occurrences(self, term: str) -> array[int]:
        """The pages a term stands in, once per occurrence, dead ones included."""
        found = array("I")
        query = f"SELECT pages FROM lists WHERE segment IN ({self._segments}) AND term=?"
        for (pages,) in self._db.execute(query, (term,)):
            found.frombytes(pages)
        return found

    def counts(self, term: str) -> Mapping[int, int]:
        """How often a term stands on every living page that holds it."""
        known = self._counts.get(term)
        if known is not None:
            return known
        counts = Counter(self._occurrences(term))
        if self.living < len(self._lengths) - 1:
            counts = Counter({page: count for page, count in counts.items() if self._lengths[page]})
        return self._counts.put(term, counts)

    def words(self, ids: Sequence[int]) -> list[str]:
        """The words of each of these pages that pieces of words are looked for in."""
        known = {page: self._words.get(page) for page in ids}
        missing = tuple(page for page, words in known.items() if words is None)
        query = f"SELECT id, words FROM pages WHERE id IN ({_marks(missing)})"
        for page, words in self._db.execute(query, missing) if missing else ():
            known[page] = self._words.put(page, words)
        return [words or "" for words in known.values()]

    def pages(self, ids: Collection[int]) -> dict[int, Page]:
        known = {page: self._pages.get(page) for page in ids}
        missing = tuple(page for page, stored in known.items() if stored is None)
        query = (
            "SELECT g.id, s.location, s.title, s.sha256, g.text, g.passages FROM pages g JOIN sources s "
            f"ON s.id = g.source WHERE g.id IN ({_marks(missing)})"
        )
        for page, location, title, sha256, text, passages in self._db.execute(query, missing) if missing else ():
            known[page] = self._pages.put(page, Page(Source(location, title, sha256), text, passages))
        return {page: stored for page, stored in known.items() if stored}

    def places(self, pages: Collection[int]) -> dict[int, tuple[str, int]]:
        """What pages are ordered by: their location, and inside it their ids, which rise with the lines."""
        # Written out: there may be more of them than a statement takes parameters.
        ids = ",".join(map(str, pages))
        query = f"SELECT g.id, s.location FROM pages g JOIN sources s ON s.id = g.source WHERE g.id IN ({ids})"
        return {page: (location, page) for page, location in self._db.execute(query)}

    def leads(self, words: Sequence[str]) -> dict[str, list[int]]:
        """The living pages that the names among these words lead to, without names that lead everywhere."""
        keys = tuple(self._names.keys_in(words))
        query = f"SELECT key, page FROM names WHERE key IN ({_marks(keys)}) ORDER BY key, page"
        found: dict[str, list[int]] = {}
        for key, page in self._db.execute(query, keys) if keys else ():
            if self._lengths[page]:
                found.setdefault(key, []).append(page)
        return {key: pages for key, pages in found.items() if len(pages) <= MOST_PLACES and self._tells(key)}

    def _tells(self, key: str) -> bool:
        """A single word is a name only where it is rare."""
        if " " in key:
            return True
        if key in STOP_WORDS or len(key) < 3:
            return False
        return len(self.counts(stem(key))) <= max(5, self.living // 100)

    def links(self, id: int, page: Page) -> frozenset[int]:
        """The other pages that a page names."""
        known = self._links.get(id)
        if known is not None:
            return known
        found = frozenset(other for pages in self.leads(tokens(page.text)).values() for other in pages)
        return self._links.put(id, found - {id})

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


def _marks(values: Collection[object]) -> str:
    return ",".join("?" * len(values))
