from __future__ import annotations

from pathlib import Path

import pytest
from grove import Wood


@pytest.fixture
def wood(memory_path: Path) -> Wood:
    """A root folder for trees of documents; it is not there yet."""
    return Wood(memory_path / "wood")
