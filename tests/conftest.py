from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

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
