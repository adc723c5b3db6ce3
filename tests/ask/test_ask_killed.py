"""A question killed -9 at its write points goes on to the same answer."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deeproot.project import journal

CHILD = Path(__file__).with_name("asking_child.py")
SHARES = (0.2, 0.55, 0.9)


def live(project: Path, at: int = 0) -> subprocess.CompletedProcess[str]:
    project.mkdir(exist_ok=True)
    return subprocess.run([sys.executable, str(CHILD), str(project), str(at)], capture_output=True, text=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int, int]:
    """The answer of a run that nothing happens to, its calls, and its write points."""
    project = tmp_path_factory.mktemp("whole")
    done = live(project)
    assert done.returncode == 0, done.stderr
    return answer(project), len(replies(project)), int(done.stdout)


def answer(project: Path) -> str:
    return (project / "reports" / "killed" / "answer.md").read_text(encoding="utf-8")


def replies(project: Path) -> list[tuple[str, str]]:
    entries = journal.load(project / ".research" / "killed" / "journal.jsonl").entries
    return [(entry.step.turn, entry.step.name) for entry in entries if entry.step and entry.step.reply]


def kill(folder: Path, at: int) -> Path:
    """A project whose run was killed at this write point; a quick run has fewer, as views are written together."""
    for attempt in range(5):
        project = folder / str(attempt)
        if live(project, max(1, at)).returncode == -signal.SIGKILL:
            return project
        at = at * 4 // 5
    raise AssertionError("no run was killed")


@pytest.mark.parametrize("share", SHARES)
def test_a_kill_loses_nothing_that_was_answered(memory_path: Path, whole: tuple[str, int, int], share: float) -> None:
    expected, calls, points = whole
    project = kill(memory_path, int(points * share))
    resumed = live(project)
    assert resumed.returncode == 0, resumed.stderr
    assert answer(project) == expected
    answered = replies(project)
    assert len(answered) == len(set(answered)) == calls
