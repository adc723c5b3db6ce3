from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake_agent import FakeAgent
from grove import Wood

from laboratory import MEMORY, Lab


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def memory_path() -> Iterator[Path]:
    """A folder in memory where there is such a thing: for tests that are not about what a disk keeps."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


@pytest.fixture
def lab(memory_path: Path) -> Lab:
    """A project folder to run researchers in."""
    project = memory_path / "project"
    project.mkdir()
    return Lab(project)


@pytest.fixture
def wood(memory_path: Path) -> Wood:
    """A root folder for trees of documents; it is not there yet."""
    return Wood(memory_path / "wood")


@pytest.fixture
def fake_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], FakeAgent]:
    """Makes agent programs, found before any that are installed."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return lambda word: FakeAgent(folder, word)
