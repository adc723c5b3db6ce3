"""The command as a process: signals, exit codes, the opencode program, several at once."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from fake_opencode import FakeOpencode

from deeproot.researcher import Researcher

RESEARCH = [sys.executable, "-m", "deeproot"]
ARGUMENTS = ["How does fruit ripen?", "--name", "fruit", "--breadth", "2", "--depth", "0", "--timeout", "30"]
MODELS = ["--model", "opencode/minimax-m2.1-free", "--review-model", "opencode/big-pickle"]
PATIENCE = 50.0
"""Seconds a busy machine is given: fewer than the agent sleeps."""


@pytest.fixture
def project(memory_path: Path) -> Path:
    folder = memory_path / "project"
    folder.mkdir()
    return folder


def run(project: Path, *arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*RESEARCH, *arguments],
        cwd=project,
        env=env,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )


def start(project: Path, *arguments: str, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*RESEARCH, *arguments],
        cwd=project,
        env=env,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.02)


def test_the_default_models_are_asked_through_opencode(project: Path, memory_path: Path) -> None:
    """000-12, 000-13, 000-124, 000-28, X-06."""
    agent = FakeOpencode(memory_path / "agent")
    ended = run(project, *ARGUMENTS, env=agent.environment)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1] == "reports/fruit/report.md"
    assert agent.models("plan") == agent.models("document") == agent.models("section") == {"opencode/minimax-m2.1-free"}
    assert agent.models("review") == agent.models("final_review") == {"opencode/big-pickle"}
    assert {call[1] for call in agent.calls if call[2] == "opencode/big-pickle"} == {"review", "final_review"}
    assert all("How does fruit ripen?" in call[4] for call in agent.calls), "the prompt comes by standard input"
    report = (project / "reports" / "fruit" / "report.md").read_text()
    assert "- [1] A. https://example.org/a" in report
    log = json.loads(run(project, "log", "fruit", "--format", "json").stdout)
    starts = [call for call in agent.calls if call[0] == "start"]
    assert len(log) == len(starts)
    assert sum(row["tokens_in"] for row in log) == 100 * len(starts)
    status = json.loads(run(project, "status", "fruit", "--format", "json").stdout)
    assert status["calls"] == len(starts)
    assert f"{110 * len(starts):,} tokens" in ended.stdout
    assert f"${0.25 * len(starts):.4f}" in ended.stdout


def test_at_concurrency_one_two_agents_never_overlap(project: Path, memory_path: Path) -> None:
    """000-73."""
    agent = FakeOpencode(memory_path / "agent")
    assert run(project, *ARGUMENTS, *MODELS, "--concurrency", "1", env=agent.environment).returncode == 0
    assert [call[0] for call in agent.calls] == ["start", "end"] * (len(agent.calls) // 2)


def test_a_call_that_takes_too_long_is_killed_and_asked_again(project: Path, memory_path: Path) -> None:
    """000-14, 000-110."""
    agent = FakeOpencode(memory_path / "agent", sleep=["document"])
    ended = run(project, *ARGUMENTS[:-1], "1", *MODELS, "--concurrency", "1", env=agent.environment)
    assert ended.returncode == 0, ended.stderr
    state = Researcher(project, "fruit").past().state
    assert "timed out" in str(state.last_error)
    assert any(phase.startswith("RECOVERY") for phase in state.history)
    assert not agent.running


def test_a_failing_call_carries_what_the_program_said(project: Path, memory_path: Path) -> None:
    """000-124, 000-110, 000-115."""
    agent = FakeOpencode(memory_path / "agent", fail=["review"], garbage=["document"])
    ended = run(project, *ARGUMENTS, *MODELS, "--concurrency", "1", env=agent.environment)
    assert ended.returncode == 0, ended.stderr
    assert "the model fell over" in str(Researcher(project, "fruit").past().state.last_error)
    assert "the model fell over" in (project / ".research/fruit/logs/errors.log").read_text()


@pytest.mark.parametrize(("number", "code", "kind"), [(signal.SIGINT, 130, "review"), (signal.SIGTERM, 143, "plan")])
def test_a_signal_ends_the_run_in_order_and_it_can_be_resumed(
    project: Path, memory_path: Path, number: signal.Signals, code: int, kind: str
) -> None:
    """000-123, 000-20, X-18: long before the agent ends by itself; agents gone, lock released, nothing lost."""
    agent = FakeOpencode(memory_path / "agent", sleep=[kind])
    process = start(project, *ARGUMENTS, *MODELS, "--concurrency", "1", env=agent.environment)
    wait_until(lambda: any(call[1] == kind for call in agent.calls))
    process.send_signal(number)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == code, err
    assert "--resume" in err
    assert "Traceback" not in err
    wait_until(lambda: not agent.running)
    assert not (project / ".research/fruit/research.lock.json").exists()
    answered = sum(call[0] == "end" for call in agent.calls)
    again = run(project, "--name", "fruit", "--resume", env=agent.environment)
    assert again.returncode == 0, again.stderr
    assert sum(call[1] == "plan" and call[0] == "end" for call in agent.calls) == 1, "no answer is paid for twice"
    assert sum(call[0] == "end" for call in agent.calls) > answered


def test_a_killed_run_resumes_in_the_phase_and_iteration_it_was_in(project: Path, memory_path: Path) -> None:
    """000-15, 000-121: kill -9 in the review of iteration 2."""
    agent = FakeOpencode(memory_path / "agent")
    (memory_path / "agent" / "scenario").write_text('{"sleep": []}')
    process = start(project, *ARGUMENTS, *MODELS, "--concurrency", "1", env=agent.environment)
    wait_until(lambda: sum(call[1] == "document" and call[0] == "end" for call in agent.calls) == 1)
    (memory_path / "agent" / "scenario").write_text('{"sleep": ["review*"]}')
    wait_until(lambda: sum(call[1] == "review" and call[0] == "start" for call in agent.calls) >= 1)
    process.kill()
    process.communicate()
    before = Researcher(project, "fruit").past().state
    assert before.history[-1].startswith("REVIEW_")
    wait_until(lambda: not agent.running)
    (memory_path / "agent" / "scenario").write_text("{}")
    asked = len(agent.calls)
    again = run(project, "--name", "fruit", "--resume", env=agent.environment)
    assert again.returncode == 0, again.stderr
    assert agent.calls[asked][1] == "review", "it goes on with the review"
    assert Researcher(project, "fruit").past().state.history.count("PLAN") == 1
    assert Researcher(project, "fruit").past().state.iteration == 2


def test_a_missing_program_is_one_clear_error_before_anything_is_planned(project: Path) -> None:
    """000-125."""
    ended = run(project, *ARGUMENTS, *MODELS, env=os.environ | {"PATH": str(project)})
    assert ended.returncode == 1
    assert "`opencode`" in ended.stderr
    assert "--model" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (project / ".research" / "fruit").exists()


def test_of_several_that_start_the_same_name_at_once_one_runs(project: Path, memory_path: Path) -> None:
    """000-117: the others exit 75 and leave the first alone."""
    agent = FakeOpencode(memory_path / "agent", sleep=["document*"])
    racers = [start(project, *ARGUMENTS, *MODELS, env=agent.environment) for _ in range(3)]
    wait_until(lambda: sum(racer.poll() is not None for racer in racers) >= 2)
    running = [racer for racer in racers if racer.poll() is None]
    refused = [racer for racer in racers if racer.poll() is not None]
    assert len(running) == 1
    late = run(project, *ARGUMENTS, *MODELS, env=agent.environment)
    resumed = run(project, "--name", "fruit", "--resume", env=agent.environment)
    wait_until(lambda: any(call[1] == "document" for call in agent.calls))
    running[0].send_signal(signal.SIGTERM)
    running[0].communicate(timeout=PATIENCE)
    assert [racer.returncode for racer in refused] == [75, 75], [racer.communicate()[1] for racer in refused]
    assert (late.returncode, resumed.returncode) == (75, 75)
    assert re.search(rf"pid {running[0].pid}\b", resumed.stderr)
    assert running[0].returncode == 143
    assert sum(call[1] == "plan" and call[0] == "start" for call in agent.calls) == 1
    for racer in refused:
        racer.communicate()


def test_mock_mode_needs_no_program_and_no_network(project: Path) -> None:
    """000-17, and the first defect of the original: there is a report, and it is not empty."""
    ended = run(project, *ARGUMENTS, "--mock-mode", env=os.environ | {"PATH": str(project)})
    assert ended.returncode == 0, ended.stderr
    assert (project / "reports/fruit/report.md").stat().st_size > 500


def test_the_script_of_the_seed_is_a_door_too(project: Path) -> None:
    script = Path(__file__).parents[2] / "research.py"
    ended = subprocess.run(
        [sys.executable, str(script), "T", "--name", "a", "--mock-mode", "--depth", "0"],
        cwd=project,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1] == "reports/a/report.md"


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from deeproot.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"anyio", "asyncio", "pydantic", "rich", "sqlite3", "httpx", "http", "filelock", "tantivy", "ssl"}
    loaded = set(re.findall(r"'(\w+)'", ended.stderr))
    assert "deeproot" in loaded
    assert not heavy & loaded


def test_a_reader_that_goes_away_does_not_cost_the_run(project: Path) -> None:
    """`research … --json | head -1`: no traceback, and nothing that was paid for is lost."""
    process = start(project, *ARGUMENTS, "--mock-mode", "--json")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=PATIENCE)
    assert "Traceback" not in errors
    state = Researcher(project, "fruit").past().state
    assert state.outcome not in ("", "running"), "how it ended is written down"
    assert state.finished or run(project, "--name", "fruit", "--resume").returncode == 0


def on_a_terminal(project: Path, *arguments: str, answers: tuple[bytes, ...] = ()) -> tuple[int, str]:
    """The exit code and all that was shown. Each answer is typed when a line ends with a question."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*RESEARCH, *ARGUMENTS, "--mock-mode", *arguments],
        cwd=project,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100", "LINES": "40"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # else Ctrl-C is no signal
        start_new_session=True,
    )
    os.close(theirs)
    shown, typed = b"", 0
    with suppress(OSError):  # the other end was closed: that is the end of the file
        while chunk := os.read(ours, 65536):
            shown += chunk
            if typed < len(answers) and shown.endswith(b"? "):
                os.write(ours, answers[typed])
                typed += 1
    os.close(ours)
    return process.wait(timeout=PATIENCE), shown.decode()


@pytest.mark.parametrize(
    ("answers", "code", "asked"),
    [
        ((b"a\n",), 0, 1),
        ((b"f\n", b"what?\n", b"f Say more\n", b"a\n"), 0, 4),
        ((b"q\n",), 130, 1),
        ((b"\x03",), 130, 1),
    ],
    ids=["approved", "asked-again", "not-now", "ctrl-c"],
)
def test_a_person_approves_gives_feedback_or_leaves(
    project: Path, answers: tuple[bytes, ...], code: int, asked: int
) -> None:
    ended, text = on_a_terminal(project, "--approve", answers=answers)
    assert ended == code
    assert text.count("[a]pprove, [f]eedback and what to mend, [q]uit?") == asked
    assert "Traceback" not in text


def test_on_a_terminal_the_tree_is_shown_and_the_path_comes_last(project: Path) -> None:
    code, text = on_a_terminal(project)
    assert code == 0
    assert "✓ Mock aspect 1 of How does fruit ripen?" in text
    assert "RESEARCH COMPLETE: 2 of 2 topics" in text
    assert text.strip().splitlines()[-1].endswith("reports/fruit/report.md")
    assert "Traceback" not in text
