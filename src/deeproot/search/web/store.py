"""Pages as they were read: their texts among the kept sources, and in `.research/knowledge/pages/` what else is known
of them, a file per address and per site, named by hash.

What is here is not fetched again, by whichever researcher of the project. Delete the folder to read everything anew.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from ...knowledge.sources import SourceStore, text_hash
from ...model import Source
from ...project.disk import Disk
from .. import Skipped
from ..readers import Mark, Reading

FOLDER = "pages"


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was when read. `location` is where it came from after all redirects."""

    location: str
    reading: Reading
    links: tuple[str, ...] = ()
    read_at: float = 0.0
    content_type: str | None = None

    @property
    def source(self) -> Source:
        return Source(self.location, self.reading.title, text_hash(self.reading.text), self.content_type)


@dataclass(frozen=True, slots=True)
class _Record:
    """What is written down about an address; `text` is the hash of its text."""

    address: str
    location: str
    title: str
    text: str
    read_at: float
    lined: bool
    marks: tuple[Mark, ...]
    links: tuple[str, ...]
    note: str = ""
    content_type: str | None = None


@dataclass(frozen=True, slots=True)
class Coverage:
    """What of a site was read: how many pages are known to exist, which were read, and which were not and why."""

    site: str
    found: int
    read: tuple[str, ...]
    skipped: tuple[Skipped, ...] = ()

    @property
    def left_out(self) -> tuple[tuple[str, int], ...]:
        """How many pages were not read for which reason, the most frequent first."""
        return tuple(Counter(skipped.reason for skipped in self.skipped).most_common())


_RECORD = TypeAdapter(_Record)
_COVERAGE = TypeAdapter(Coverage)


class PageStore:
    """Any number of processes may share it: every file is written whole, and what is damaged counts as not there."""

    def __init__(self, knowledge: Path, disk: Disk) -> None:
        self._addresses = knowledge / FOLDER / "addresses"
        self._sites = knowledge / FOLDER / "sites"
        self._sources = SourceStore(knowledge, disk)
        self._disk = disk

    def keep(self, address: str, page: Page) -> None:
        """Under the address that was asked for, and under the one it was found at."""
        reading, source = page.reading, page.source
        self._sources.keep(source, reading.text, page.read_at)
        self._disk.make_folder(self._addresses)
        for each in dict.fromkeys((address, page.location)):
            record = _Record(
                each,
                page.location,
                reading.title,
                text_hash(reading.text),
                page.read_at,
                reading.lined,
                reading.marks,
                page.links,
                reading.note,
                page.content_type,
            )
            self._disk.replace(self._path(each), _RECORD.dump_json(record, indent=1), durable=False)

    def find(self, address: str) -> Page | None:
        """The page kept for this address, if its files are whole."""
        try:
            record = _RECORD.validate_json(self._path(address).read_bytes())
            text = self._sources.text(record.text)
        except (OSError, ValueError):
            return None
        if record.address != address or not isinstance(text, str):
            return None
        reading = Reading(text, record.title, record.marks, record.lined, record.note)
        return Page(record.location, reading, record.links, record.read_at, record.content_type)

    def keep_site(self, coverage: Coverage) -> None:
        self._disk.make_folder(self._sites)
        path = self._sites / f"{text_hash(coverage.site)}.json"
        self._disk.replace(path, _COVERAGE.dump_json(coverage, indent=1), durable=False)

    def find_site(self, site: str) -> Coverage | None:
        """How far a site was read before."""
        try:
            coverage = _COVERAGE.validate_json((self._sites / f"{text_hash(site)}.json").read_bytes())
        except (OSError, ValidationError):
            return None
        return coverage if coverage.site == site else None

    def _path(self, address: str) -> Path:
        return self._addresses / f"{text_hash(address)}.json"
