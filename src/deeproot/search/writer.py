"""Writing the index: sources come in and go out in batches, each batch in one transaction."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import deque
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import repeat
from pathlib import PurePath

from .names import LONGEST
from .passages import Span, cut
from .readers import Reading
from .segments import Batch, forget, tidy, write
from .store import WORD_LIMIT, Stamp, transaction
from .words import compared, joined, name_key, name_parts, tokens

BATCH_WORDS = 2_000_000
PAGE_CHARACTERS = 1_800
TITLE_WEIGHT = 2
FOLDERS = 2  # above a file, whose names are words of its pages

_ASIDE = re.compile(r"\s*\([^()]*\)\s*$")


class IndexWriter:
    """Adds and removes sources. Nothing is on disk before `flush`, and then all of it at once."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._removed: list[int] = []
        self._restamped: list[tuple[int, int, int]] = []
        self._batch = Batch(db)

    def add(self, location: str, stamp: Stamp, reading: Reading, file_name: str) -> None:
        """Take in a text. The file's name stands in for a missing title and is a name others may mention."""
        batch, first = self._batch, self._batch.page
        title, spans = reading.title or file_name, list(cut(reading))
        if spans:
            for name in {title, _ASIDE.sub("", title), file_name, file_name.rpartition(".")[0]}:
                self._add_name(name, first)
        around = tokens(title) * TITLE_WEIGHT + tokens(" ".join(PurePath(location).parts[-1 - FOLDERS : -1]))
        self._add_pages(reading, around, spans)
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
                forget(self._db, source)
            self._db.executemany("UPDATE sources SET size=?, mtime_ns=? WHERE id=?", self._restamped)
            write(self._db, self._batch)
            tidy(self._db)
        self._removed.clear()
        self._restamped.clear()
        self._batch = Batch(self._db)

    def _add_pages(self, reading: Reading, around: list[str], spans: Sequence[Span]) -> None:
        """The whole text goes into pages: what stands between two passages to the page of the second."""
        begin, groups = 0, list(_grouped(spans))
        for number, group in enumerate(groups, 1):
            end = group[-1].stop if number < len(groups) else len(reading.text)
            self._add_page(reading, around, begin, end, group)
            begin = end
        if not groups:
            # A page of length 0 is never ranked, only kept.
            self._batch.lengths.append(0)
            self._batch.pages.append((self._batch.page, self._batch.source, "", reading.text, "[]"))

    def _add_page(self, reading: Reading, around: list[str], begin: int, end: int, spans: Sequence[Span]) -> None:
        batch, page = self._batch, self._batch.page
        text = reading.text[spans[0].start : spans[-1].stop]
        words = tokens(text)
        likeness = compared([*tokens(reading.text[begin : spans[0].start]), *words])
        batch.lengths.append(min(len(words), WORD_LIMIT - 1) + 1)
        words += joined(text)
        if reading.lined:
            words += tokens(name_parts(text))
        words += around
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
