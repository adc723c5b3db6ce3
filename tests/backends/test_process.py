"""One child process: its input and output, its end, and that nothing of it is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import anyio
import pytest
from processes import alive, pids_in, survivors

from deeproot.backends.process import Finished, Killed, MissingCommand, run_process

pytestmark = pytest.mark.anyio

LONG = 60.0
FAMILY = Path(__file__).with_name("family.py")


async def run(*command: str, stdin: str = "", total: float = LONG, idle: float = LONG) -> Finished | Killed:
    return await run_process(command, stdin=stdin, timeout=total, idle_timeout=idle)


def python(tmp_path: Path, code: str) -> list[str]:
    script = tmp_path / "agent.py"
    script.write_text(textwrap.dedent(code))
    return [sys.executable, "-I", "-S", str(script)]


def family(pids: Path, *temper: str) -> list[str]:
    return [sys.executable, "-S", str(FAMILY), str(pids), *temper]


async def test_the_prompt_arrives_on_standard_input_to_the_byte() -> None:
    prompt = "5\nGrüße\0 from the 🌱\r\n" * 20_000
    finished = await run("cat", stdin=prompt)
    assert isinstance(finished, Finished)
    assert finished.stdout == prompt


async def test_arguments_arrive_as_they_were_given() -> None:
    finished = await run("printf", "%s|", "a b", "", "$HOME", "ü", "-n", "line\nfeed")
    assert isinstance(finished, Finished)
    assert finished.stdout == "a b||$HOME|ü|-n|line\nfeed|"


async def test_exit_code_and_both_streams_are_reported() -> None:
    finished = await run("sh", "-c", "echo out; echo err >&2; exit 3")
    assert (finished.stdout, finished.stderr) == ("out\n", "err\n")
    assert isinstance(finished, Finished)
    assert finished.code == 3


async def test_death_by_a_signal_is_reported_as_a_shell_does() -> None:
    finished = await run("sh", "-c", "echo half an ans; kill -9 $$")
    assert isinstance(finished, Finished)
    assert finished.code == 128 + signal.SIGKILL
    assert finished.stdout == "half an ans\n"


async def test_a_child_may_end_without_reading_a_long_prompt() -> None:
    finished = await run("true", stdin="x" * 1_000_000)
    assert isinstance(finished, Finished)
    assert finished.code == 0


async def test_environment_and_folder_are_the_ones_given(tmp_path: Path) -> None:
    finished = await run_process(
        ["sh", "-c", "echo $ROOT; pwd -L"],
        stdin="",
        timeout=LONG,
        idle_timeout=LONG,
        env={"PATH": os.environ["PATH"], "ROOT": "deep"},
        cwd=tmp_path,
    )
    assert finished.stdout.splitlines() == ["deep", str(tmp_path)]


async def test_a_missing_command_is_an_error_that_names_it() -> None:
    with pytest.raises(MissingCommand, match="no-such-agent"):
        await run("no-such-agent")


async def test_a_file_that_cannot_be_executed_fails_with_the_reason(tmp_path: Path) -> None:
    broken = tmp_path / "agent"
    broken.write_bytes(b"\x7fnot a program")
    broken.chmod(0o755)
    finished = await run(str(broken))
    assert isinstance(finished, Finished)
    assert finished.code == 127
    assert "Exec format error" in finished.stderr


async def test_a_child_that_takes_too_long_is_killed_with_its_output_kept() -> None:
    killed = await run("sh", "-c", "while :; do echo working; sleep 0.1; done", total=1.5)
    assert isinstance(killed, Killed)
    assert killed.why == "timed out"
    assert "working" in killed.stdout


async def test_a_silent_child_is_killed_as_idle() -> None:
    killed = await run("sh", "-c", "echo thinking; sleep 600", idle=1.5)
    assert isinstance(killed, Killed)
    assert killed.why == "idle"
    assert killed.stdout == "thinking\n"


@pytest.mark.parametrize("stream", ["1", "2"])
async def test_a_slow_child_that_still_prints_on_either_stream_is_not_idle(stream: str) -> None:
    slowly = f"for i in 1 2 3 4 5 6 7 8; do echo $i >&{stream}; sleep 0.25; done"
    finished = await run("sh", "-c", slowly, idle=1.5)
    assert isinstance(finished, Finished)
    assert finished.code == 0


async def test_a_time_out_takes_the_whole_family(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    killed = await run(*family(pids), total=3)
    assert isinstance(killed, Killed)
    assert survivors(pids_in(pids, 3)) == []


async def test_a_child_has_time_to_clean_up_after_term(tmp_path: Path) -> None:
    agent = python(
        tmp_path,
        """
        import signal, sys, time
        def leave(*_):
            print("saved", flush=True)
            sys.exit(0)
        signal.signal(signal.SIGTERM, leave)
        print("ready", flush=True)
        time.sleep(600)
        """,
    )
    killed = await run(*agent, idle=2)
    assert isinstance(killed, Killed)
    assert killed.stdout == "ready\nsaved\n"


async def test_cancellation_takes_the_whole_family_before_it_returns(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    async with anyio.create_task_group() as group:
        group.start_soon(run, *family(pids))
        members = await anyio.to_thread.run_sync(pids_in, pids, 3)
        group.cancel_scope.cancel()
    assert [pid for pid in members if alive(pid)] == []


async def test_what_a_child_leaves_running_in_its_group_ends_with_it(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    finished = await run("sh", "-c", f"sleep 600 & echo $! > {pids}; echo done")
    assert isinstance(finished, Finished)
    assert (finished.code, finished.stdout) == (0, "done\n")
    assert survivors(pids_in(pids, 1)) == []


def test_killing_the_parent_leaves_no_orphans(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    parent = subprocess.Popen([sys.executable, "-c", parent_of(family(pids, "stubborn"))])
    members = pids_in(pids, 3)
    parent.kill()
    parent.wait()
    assert survivors(members) == []


def parent_of(agent: list[str]) -> str:
    return textwrap.dedent(f"""
        import anyio
        from deeproot.backends.process import run_process

        async def main():
            await run_process({agent!r}, stdin="", timeout=600, idle_timeout=600)

        anyio.run(main)
    """)


async def test_a_hundred_megabytes_are_read_and_only_the_end_is_kept(tmp_path: Path) -> None:
    agent = python(
        tmp_path,
        """
        import os
        for _ in range(100):
            block = b"x" * 1_048_576
            while block:
                block = block[os.write(1, block):]
        os.write(1, b"THE END")
        """,
    )
    finished = await run_process(agent, stdin="", timeout=LONG, idle_timeout=LONG, max_output=1000)
    assert isinstance(finished, Finished)
    assert len(finished.stdout) == 1000
    assert finished.stdout.endswith("THE END")


async def test_lines_are_whole_even_when_their_letters_arrive_in_pieces(tmp_path: Path) -> None:
    agent = python(
        tmp_path,
        """
        import os, time
        for byte in "Wurzel 🌱\\r\\nÄste\\nlast".encode():
            os.write(1, bytes([byte]))
            time.sleep(0.001)
        """,
    )
    lines: list[str] = []
    await run_process(agent, stdin="", timeout=LONG, idle_timeout=LONG, on_line=lines.append)
    assert lines == ["Wurzel 🌱", "Äste", "last"]


async def test_an_endless_line_is_handed_over_in_bounded_pieces() -> None:
    pieces: list[str] = []
    command = ["head", "-c", "1000000", "/dev/zero"]
    await run_process(command, stdin="", timeout=LONG, idle_timeout=LONG, on_line=pieces.append, max_output=100_000)
    assert len(pieces) > 1
    assert sum(map(len, pieces)) == 1_000_000


async def test_bytes_that_are_no_text_do_not_end_the_call() -> None:
    finished = await run("printf", r"\377\376ok")
    assert finished.stdout == "\ufffd\ufffdok"


async def test_many_children_at_once_keep_their_streams_apart() -> None:
    answers: dict[int, str] = {}

    async def one(number: int) -> None:
        answers[number] = (await run("cat", stdin=f"prompt {number}")).stdout

    async with anyio.create_task_group() as group:
        for number in range(16):
            group.start_soon(one, number)
    assert answers == {number: f"prompt {number}" for number in range(16)}
