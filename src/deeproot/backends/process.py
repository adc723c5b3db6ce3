"""Run one child process well: bounded in time and memory, and never left behind.

The command is not our direct child. Between us and it stands `leash.py`, a short script that holds the
reading end of a pipe. A time-out, a cancellation and our own death by `kill -9` all reach it the same way,
through that pipe, and it ends the command's whole process group, TERM first, then KILL. The alternatives are
weaker: a parent that was killed cannot signal anybody; Linux's parent-death signal reaches only the direct
child and must be set between fork and exec, where Python with threads may not run code; macOS has none. It
costs about 20 ms of CPU per call.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process

from ..errors import BackendError

LEASH = str(Path(__file__).with_name("leash.py"))
MAX_OUTPUT = 8 * 1024 * 1024
LAST_OUTPUT = 2.0
"""Seconds to read what is still in the pipes after the process has ended."""
LAST_RESORT = 15.0
"""Seconds after which `leash.py` itself, which needs at most half of them, must have been stopped by somebody."""


class MissingCommand(BackendError):
    """The program is not on PATH, or is not executable."""

    def __init__(self, command: str) -> None:
        super().__init__(f"The command `{command}` was not found on PATH.")
        self.command = command


@dataclass(frozen=True, slots=True)
class Finished:
    """The process ended by itself. `code` is as a shell gives it: 128 + n after signal n."""

    code: int
    stdout: str
    stderr: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Killed:
    """The process was ended by us: it took too long, or printed nothing for too long."""

    why: Literal["timed out", "idle"]
    stdout: str
    stderr: str
    seconds: float


def find_command(command: str, env: Mapping[str, str] | None = None) -> str:
    """The absolute path of a program, or MissingCommand."""
    path = shutil.which(command, path=(env or os.environ).get("PATH"))
    if path is None:
        raise MissingCommand(command)
    return os.path.abspath(path)  # noqa: PTH100 - a symbolic link keeps its name


async def run_process(
    command: Sequence[str],
    *,
    stdin: str,
    timeout: float,  # noqa: ASYNC109 - a time-out is an outcome here, not an exception
    idle_timeout: float,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    on_line: Callable[[str], None] | None = None,
    max_output: int = MAX_OUTPUT,
) -> Finished | Killed:
    """Run `command` with `stdin` as its input until it ends, `timeout` has passed, or it was silent too long.

    Of each stream the last `max_output` bytes are kept; `on_line` sees every line of standard output as it
    comes. However this returns or raises, the process and its group are gone.
    """
    program = find_command(command[0], env)
    started = anyio.current_time()
    stdout, stderr = _Output(max_output, on_line), _Output(max_output)
    watch = _Watch(started + timeout, idle_timeout)
    async with _leashed(env, cwd) as child, anyio.create_task_group() as streams:
        streams.start_soon(_feed, child.stdin, _header(program, command) + stdin.encode(errors="replace"))
        streams.start_soon(_drain, child.stdout, stdout, watch)
        streams.start_soon(_drain, child.stderr, stderr, watch)
        with watch.scope:
            await child.process.wait()
        if watch.expired:
            await child.end()
        streams.cancel_scope.deadline = anyio.current_time() + LAST_OUTPUT
    printed = stdout.text(), stderr.text(), anyio.current_time() - started
    return Killed(watch.why, *printed) if watch.expired else Finished(child.code, *printed)


@dataclass(frozen=True, slots=True)
class _Child:
    """A process on a leash, with our end of it."""

    process: Process
    stdin: ByteSendStream
    stdout: ByteReceiveStream
    stderr: ByteReceiveStream
    hand: int

    @property
    def code(self) -> int:
        assert self.process.returncode is not None
        return self.process.returncode

    async def end(self) -> None:
        """Have everything ended, and wait until it is, even while we are being cancelled."""
        with suppress(BrokenPipeError):
            os.write(self.hand, b".")
        with anyio.move_on_after(LAST_RESORT, shield=True):
            await self.process.wait()
            return
        self.process.kill()


@asynccontextmanager
async def _leashed(env: Mapping[str, str] | None, cwd: Path | None) -> AsyncIterator[_Child]:
    """A child that waits for its command on standard input; on leaving, it and what it started are gone."""
    leash, hand = os.pipe()
    try:
        child = await _start(leash, hand, env, cwd)
        try:
            yield child
        finally:
            await child.end()
            await child.process.aclose()
    finally:
        os.close(hand)


async def _start(leash: int, hand: int, env: Mapping[str, str] | None, cwd: Path | None) -> _Child:
    supervisor = [sys.executable, "-I", "-S", LEASH, str(leash)]
    try:
        process = await anyio.open_process(supervisor, env=env, cwd=cwd, start_new_session=True, pass_fds=(leash,))
    finally:
        os.close(leash)
    stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
    assert stdin is not None
    assert stdout is not None
    assert stderr is not None
    return _Child(process, stdin, stdout, stderr, hand)


def _header(program: str, command: Sequence[str]) -> bytes:
    """The words of the command as `leash.py` expects them: their length, then each, parted by NUL."""
    words = b"\0".join(os.fsencode(word) for word in (program, *command))
    return b"%d\n%s" % (len(words), words)


async def _feed(stream: ByteSendStream, data: bytes) -> None:
    """Give the process its input; one that ends without reading it has had enough."""
    with suppress(anyio.BrokenResourceError, OSError):
        await stream.send(data)
    await stream.aclose()


async def _drain(stream: ByteReceiveStream, output: _Output, watch: _Watch) -> None:
    async for chunk in stream:
        watch.heard()
        output.add(chunk)
    output.end()


class _Watch:
    """Puts off the hour of killing as long as the process prints, but not beyond its end."""

    def __init__(self, end: float, idle: float) -> None:
        self._end = end
        self._idle = idle
        self.scope = anyio.CancelScope()
        self.heard()

    def heard(self) -> None:
        if not self.scope.cancel_called:
            self.scope.deadline = min(self._end, anyio.current_time() + self._idle)

    @property
    def expired(self) -> bool:
        return self.scope.cancelled_caught

    @property
    def why(self) -> Literal["timed out", "idle"]:
        return "timed out" if self.scope.deadline >= self._end else "idle"


@dataclass(slots=True)
class _Output:
    """The last `limit` bytes of a stream; its lines, whole, go to `on_line` (a longer one in pieces)."""

    limit: int
    on_line: Callable[[str], None] | None = None
    _kept: deque[bytes] = field(default_factory=deque)
    _size: int = 0
    _line: bytearray = field(default_factory=bytearray)

    def add(self, chunk: bytes) -> None:
        self._kept.append(chunk)
        self._size += len(chunk)
        while self._size - len(self._kept[0]) >= self.limit:
            self._size -= len(self._kept.popleft())
        if self.on_line:
            self._split(chunk, self.on_line)

    def _split(self, chunk: bytes, on_line: Callable[[str], None]) -> None:
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            on_line((self._line + end).decode(errors="replace").removesuffix("\r"))
            self._line.clear()
        self._line += rest
        if len(self._line) > self.limit:
            self.end()

    def end(self) -> None:
        """Hand over the last line, which need not end with a line feed."""
        if self._line and self.on_line:
            self.on_line(self._line.decode(errors="replace"))
        self._line.clear()

    def text(self) -> str:
        return b"".join(self._kept)[-self.limit :].decode(errors="replace")
