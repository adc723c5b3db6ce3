"""One researcher, one writer, seen from outside: processes that race, stop, take over, and clocks that jump."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import anyio
import pytest
from campaign import entries
from script import answer
from shapes import NAME

from deeproot.asks import Ask
from deeproot.errors import LockedError
from deeproot.project.disk import Disk
from deeproot.project.lock import ResearcherLock, read_holder
from deeproot.researcher import Means, Researcher
from deeproot.settings import Settings
from deeproot.testing import FakeClock, Scripted, ScriptedBackend

# A tree of thousands of topics, one at a time: it is still growing when a test has seen enough.
ENDLESS = ["--mock-mode", "--breadth", "5", "--depth", "4", "--concurrency", "1", "--yes", "--quiet"]
PATIENCE = 60.0

Process = subprocess.Popen[str]


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail("waited in vain")
        time.sleep(0.01)


@contextmanager
def research(project: Path, *arguments: str) -> Iterator[Process]:
    """The command, running in `project`; killed at the end if it still runs."""
    command = [sys.executable, "-m", "deeproot", *arguments]
    process = subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.kill()
        process.communicate()


def freeze(process: Process) -> None:
    process.send_signal(signal.SIGSTOP)
    stat = Path(f"/proc/{process.pid}/stat")
    if stat.exists():
        until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T")


def kinds(project: Path) -> list[str]:
    return [event["kind"] for entry in entries(project) if "batch" in entry for event in entry["batch"]["events"]]


def contents(project: Path) -> dict[str, bytes]:
    """Every file with its text, except for the empty files that only carry a lock."""
    files = (path for path in project.rglob("*") if path.is_file() and path.stat().st_size)
    return {str(path.relative_to(project)): path.read_bytes() for path in files}


def test_of_eight_processes_that_start_one_name_one_runs_and_the_others_exit_75(tmp_path: Path) -> None:
    with ExitStack() as stack:
        racers = [stack.enter_context(research(tmp_path, "Why?", "--name", NAME, *ENDLESS)) for _ in range(8)]
        until(lambda: sum(racer.poll() is not None for racer in racers) == 7)
        lost = [racer for racer in racers if racer.poll() is not None]
        assert [racer.returncode for racer in lost] == [75] * 7
        assert all("in use by pid" in racer.communicate()[1] for racer in lost)
        winner = next(racer for racer in racers if racer.poll() is None)
        winner.terminate()
        assert winner.wait(PATIENCE) == 128 + signal.SIGTERM
    assert kinds(tmp_path).count("research.requested") == 1
    assert kinds(tmp_path).count("run.started") == 1


def test_an_owner_that_was_stopped_and_ousted_writes_nothing_more_and_exits_1(tmp_path: Path) -> None:
    folder = Researcher(tmp_path, NAME).folder
    with ExitStack() as stack:
        old = stack.enter_context(research(tmp_path, "Why?", "--name", NAME, *ENDLESS))
        until(lambda: "topic.accepted" in kinds(tmp_path))
        freeze(old)
        new = stack.enter_context(research(tmp_path, "--name", NAME, "--force-resume", "--mock-mode", "--quiet"))
        until(lambda: kinds(tmp_path).count("run.started") == 2)
        freeze(new)
        before, holder = contents(tmp_path), read_holder(folder)
        old.send_signal(signal.SIGCONT)
        assert old.wait(PATIENCE) == 1
        assert "Traceback" not in old.communicate()[1]
        assert contents(tmp_path) == before
        assert holder is not None
        assert holder.pid == new.pid
        accepted = kinds(tmp_path).count("topic.accepted")
        new.send_signal(signal.SIGCONT)
        until(lambda: kinds(tmp_path).count("topic.accepted") > accepted)
    Researcher(tmp_path, NAME).past()


def settings(name: str, question: str = "How deep do roots grow?", concurrency: int = 4) -> Settings:
    return Settings(
        question=question,
        name=name,
        breadth=2,
        depth=1,
        max_iterations=100,
        model="scripted",
        review_model="scripted",
        concurrency=concurrency,
    )


HOUR, DAY = 3600.0, 86400.0


def undated(report: Path) -> str:
    """The report without the day on which it was made: that is the clock's to tell."""
    return re.sub(r"\d{4}-\d\d-\d\d", "DAY", report.read_text(encoding="utf-8"))


@pytest.mark.parametrize("jump", [HOUR, -HOUR, DAY, -DAY])
def test_a_clock_that_jumps_changes_neither_the_report_nor_the_owner(tmp_path: Path, jump: float) -> None:
    clock = FakeClock(speed=100.0)
    jumping = Researcher(tmp_path / "jumping", NAME)
    steady = Researcher(tmp_path / "steady", NAME)
    refused = []

    def jump_and_intrude(ask: Ask) -> Scripted | None:
        clock.jump(jump)
        try:
            ResearcherLock.acquire(jumping.folder, Disk(), clock.now)
        except LockedError:
            refused.append(ask.kind)
        return answer(ask)

    backend = ScriptedBackend(jump_and_intrude)
    outcome = anyio.run(jumping.start, settings(NAME), Means(lambda _name, _settings: backend, clock=clock))
    quiet = Means(lambda _name, _settings: ScriptedBackend(answer))
    assert outcome == anyio.run(steady.start, settings(NAME), quiet)
    assert undated(jumping.report) == undated(steady.report)
    assert len(refused) == len(backend.asks) > 0
    assert 0 <= jumping.past().state.elapsed < HOUR


def test_two_researchers_of_one_project_run_at_once_and_their_files_never_cross(tmp_path: Path) -> None:
    questions = {"oak": "How deep do oaks grow?", "elm": "How tall do elms grow?"}

    async def together(project: Path, names: list[str]) -> None:
        async with anyio.create_task_group() as group:
            for name in names:
                means = Means(lambda _name, _settings: ScriptedBackend(answer, seconds=0.005))
                group.start_soon(Researcher(project, name).start, settings(name, questions[name]), means)

    anyio.run(together, tmp_path / "both", ["oak", "elm"])
    for name, other in (("oak", "elm"), ("elm", "oak")):
        anyio.run(together, tmp_path / name, [name])
        alone, beside = Researcher(tmp_path / name, name), Researcher(tmp_path / "both", name)
        assert beside.report.read_bytes() == alone.report.read_bytes()
        texts = [*contents(beside.folder).values(), *contents(beside.reports).values()]
        assert texts
        assert not any(f"{other}s grow".encode() in text for text in texts)
        assert json.loads((beside.folder / "state.json").read_text())["research_name"] == name
