from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake_agent import FakeAgent
from grove import Wood
from hypothesis import HealthCheck, settings

from commandline import Command, Ended, exit_code
from laboratory import MEMORY, Lab

# The tests start hundreds of processes. Where bytecode is not kept, each would compile all that it imports anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A few examples of each property, the same ones each time and however slow the machine is; `make fuzz` looks further.
settings.register_profile("fuzz", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("suite", settings.get_profile("fuzz"), max_examples=40, derandomize=True)
settings.load_profile("suite")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def memory_path() -> Iterator[Path]:
    """A folder in memory where there is such a thing: for tests that are not about what a disk keeps."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


@pytest.fixture
def project(memory_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty."""
    monkeypatch.chdir(memory_path)
    return memory_path


@pytest.fixture
def research(project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command line in the project folder, with nobody at the keyboard."""
    assert project.is_dir()
    monkeypatch.setattr("sys.stdin", io.StringIO(""))

    def run(*arguments: str) -> Ended:
        code = exit_code(arguments)
        said = capsys.readouterr()
        return Ended(code, said.out, said.err)

    return run


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
