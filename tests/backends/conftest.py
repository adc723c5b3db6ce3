from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_agent import FakeAgent


@pytest.fixture
def fake_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], FakeAgent]:
    """Makes agent programs, found before any that are installed."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return lambda word: FakeAgent(folder, word)
