"""A folder of files to search, for the tests of this room."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from deeproot.model import Passage
from deeproot.search import IndexReport, Limits
from deeproot.search.files import FileSearch


class Corpus:
    """A folder of files to search, with its index beside it."""

    def __init__(self, folder: Path) -> None:
        self.files = folder / "files"
        self.index = folder / "index"
        self.files.mkdir()
        self._open: list[FileSearch] = []

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.files / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def open(self, *roots: Path, limits: Limits | None = None) -> FileSearch:
        search = FileSearch.open(roots or (self.files,), self.index, limits=limits or Limits())
        self._open.append(search)
        return search

    def report(self, limits: Limits | None = None) -> IndexReport:
        return self.open(limits=limits).report

    def skipped(self, limits: Limits | None = None) -> dict[str, str]:
        """Why files were left out, by name."""
        return {Path(left.location).name: left.reason for left in self.report(limits).skipped}

    def find(self, query: str, limit: int = 10) -> list[Passage]:
        return list(self.open().rank(query, limit))

    def best(self, query: str) -> Passage:
        return self.find(query)[0]

    def names(self, query: str) -> list[str]:
        """The files a query finds, best first, each once."""
        return list(dict.fromkeys(Path(passage.source.location).name for passage in self.find(query)))

    def close(self) -> None:
        for search in self._open:
            search.close()


@pytest.fixture(name="corpus")
def corpus_fixture(tmp_path: Path) -> Iterator[Corpus]:
    made = Corpus(tmp_path)
    yield made
    made.close()


@pytest.fixture(name="inside")
def inside_fixture(corpus: Corpus) -> Iterator[Corpus]:
    """The corpus, with its folder as the current one."""
    before = Path.cwd()
    os.chdir(corpus.files)
    yield corpus
    os.chdir(before)
