"""Short versions of the campaigns: a sample of what `make kill-test` does in full."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(HERE / script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "shape", ["1x1", "4x2", "guided-4x1", "files-4x1", "ask-4x0", "web-4x0", "calls-1x1", "time-1x1"]
)
def test_a_killed_researcher_resumes_to_the_same_report_and_asks_nothing_twice(shape: str) -> None:
    ended = run("kill.py", "--kills", "3", "--shapes", shape)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    kills = int(ended.stdout.splitlines()[-1].split()[0])
    assert kills >= 2, "most must have happened: the last write points may not come up when several work at once"


@pytest.mark.parametrize("shape", ["1x1", "4x1", "ask-4x0", "web-4x0"])
def test_a_refused_write_is_an_error_that_names_the_path_and_loses_nothing(shape: str) -> None:
    ended = run("fault.py", "--sample", "2", "--shapes", shape)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "writes     2" in ended.stdout, "the faults must have happened"
