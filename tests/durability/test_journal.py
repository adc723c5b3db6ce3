"""A damaged journal: what a crash can leave at its end is dropped, anything else is an error that names the line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from campaign import entries
from child import Job, live
from shapes import NAME, Shape

from deeproot.errors import JournalError
from deeproot.project import journal
from deeproot.project.disk import Disk
from deeproot.researcher import Researcher


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose researcher has come to its end. To be copied, not changed."""
    project = tmp_path_factory.mktemp("finished")
    anyio.run(live, Job(project, shape=Shape(concurrency=4)), Disk())
    return project


@pytest.fixture
def project(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "project"))


def lines_of(project: Path) -> list[bytes]:
    return Researcher(project, NAME).journal.read_bytes().splitlines(keepends=True)


def write(project: Path, data: bytes) -> None:
    Researcher(project, NAME).journal.write_bytes(data)


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def resume(project: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "deeproot", "--name", NAME, "--resume", "--mock-mode"]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


def test_a_last_line_cut_at_any_byte_is_dropped_with_a_note(project: Path) -> None:
    *whole, last = lines_of(project)
    path = Researcher(project, NAME).journal
    write(project, b"".join(whole))
    before = journal.load(path)
    for length in range(1, len(last)):
        write(project, b"".join(whole) + last[:length])
        loaded = journal.load(path)
        assert (loaded.entries, loaded.size) == (before.entries, before.size)
        assert loaded.note is not None
        assert f"{path}:{len(whole) + 1}:" in loaded.note


@pytest.mark.parametrize("share", [0.1, 0.35, 0.6, 0.85, 1.0])
def test_a_run_resumes_from_a_journal_cut_in_the_middle_of_any_line(
    finished: Path, project: Path, share: float
) -> None:
    lines = lines_of(project)
    kept = max(2, int(len(lines) * share)) - 1
    write(project, b"".join(lines[:kept]) + lines[kept][: len(lines[kept]) // 2])
    anyio.run(live, Job(project, shape=Shape(concurrency=4)), Disk())
    report = Path("reports") / NAME / "report.md"
    assert (project / report).read_bytes() == (finished / report).read_bytes()
    events = [event for entry in entries(project) if "batch" in entry for event in entry["batch"]["events"]]
    notes = [event["message"] for event in events if event["kind"] == "warned"]
    assert any(f"journal.jsonl:{kept + 1}: the last line was cut off" in note for note in notes)


@pytest.mark.parametrize(
    "garbage",
    [
        b"\n",
        b"not json\n",
        b'{"at": 1}\n',
        b'{"at": 1, "batch": {"events": [{"kind": "no.such"}]}}\n',
        b"\0\0\0\0\n",
        b"\xff\n",
    ],
    ids=["empty", "prose", "neither", "unknown event", "zeros", "not text"],
)
def test_a_damaged_line_before_the_last_is_an_error_that_names_it_and_changes_nothing(
    project: Path, garbage: bytes
) -> None:
    lines = lines_of(project)
    number = len(lines) // 2
    write(project, b"".join([*lines[: number - 1], garbage, *lines[number:]]))
    before = snapshot(project)
    with pytest.raises(JournalError) as caught:
        Researcher(project, NAME).past()
    assert caught.value.line == number
    with pytest.raises(JournalError):
        anyio.run(live, Job(project, shape=Shape(concurrency=4)), Disk())
    assert snapshot(project) == before


def test_the_command_ends_with_exit_code_1_and_the_line_when_the_journal_is_damaged(project: Path) -> None:
    lines = lines_of(project)
    number = len(lines) // 2
    write(project, b"".join([*lines[: number - 1], b"not json\n", *lines[number:]]))
    before = snapshot(project)
    ended = resume(project)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert f"journal.jsonl:{number}: " in ended.stderr
    assert "Traceback" not in ended.stderr
    assert snapshot(project) == before


def test_half_a_line_in_the_middle_is_damage_and_not_a_torn_tail(project: Path) -> None:
    lines = lines_of(project)
    number = len(lines) // 2
    joined = lines[number - 1][: len(lines[number - 1]) // 2] + lines[number]
    write(project, b"".join([*lines[: number - 1], joined, *lines[number + 1 :]]))
    with pytest.raises(JournalError) as caught:
        Researcher(project, NAME).past()
    assert caught.value.line == number


@pytest.mark.parametrize("left", [b"", b'{"deep', None], ids=["nothing", "half a header", "a header"])
def test_a_start_that_was_cut_off_before_its_first_entry_can_be_started_again(
    tmp_path: Path, left: bytes | None
) -> None:
    researcher = Researcher(tmp_path, NAME)
    researcher.folder.mkdir(parents=True)
    header = b'{"deeproot":"journal","version":1}\n'
    researcher.journal.write_bytes(header if left is None else left)
    outcome = anyio.run(live, Job(tmp_path, shape=Shape(concurrency=4)), Disk())
    assert outcome.exit_code == 2
    assert researcher.report.exists()


def test_a_disk_that_refuses_by_itself_ends_the_command_with_the_path_and_exit_code_1(tmp_path: Path) -> None:
    """No scripted fault here: the operating system allows files of 8 kB at most."""
    start = [sys.executable, "-m", "deeproot", "Why?", "--name", NAME, "--mock-mode", "--breadth", "2", "--depth", "1"]
    limited = ["sh", "-c", 'ulimit -f 16; exec "$@"', "sh", *start]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(limited, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 1, ended.stderr
    assert f".research/{NAME}/journal.jsonl" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert resume(tmp_path).returncode == 0
    assert Researcher(tmp_path, NAME).report.exists()
