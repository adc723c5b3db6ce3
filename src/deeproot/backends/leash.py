"""Runs one command on a leash: when the leash goes, the command and everything it started goes too.

A script of its own, started by `process.py` as `python -I -S leash.py FD`. FD is the reading end of a pipe;
the other end is held by our process alone, so the kernel closes it even when we are killed with -9. The words
of the command come first on standard input (out of sight of `ps`, where an agent should be seen once); what
follows them is the command's own input. Only built-in modules are imported, because this starts once per
call: `_signal` instead of `signal`, `open` instead of `pathlib`, save a third of the 20 ms it costs.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import os
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and `collections.abc` cost too much at run time
    from collections.abc import Callable

PATIENCE = 5.0
"""Seconds between TERM and KILL when our process asks for the end."""
ORPHANED = 2.0
"""The same when our process has died: nobody is left to read last words."""
LEFTOVERS = 1.0
"""The same for what a command leaves running in its group after it ended by itself."""
CANNOT_START = 127

PR_SET_CHILD_SUBREAPER = 36
PAUSE = 0.02


def main(leash: int) -> int:
    os.set_inheritable(leash, False)
    adopt_descendants()
    ended = wake_on_child_exit()
    try:
        child = start(read_command())
    except OSError as error:
        os.write(2, f"cannot start: {error}\n".encode())
        return CANNOT_START
    let_go_of_standard_streams()
    return guard(child, leash, ended)


def adopt_descendants() -> None:
    """On Linux, become the parent of every descendant whose own parent ends, so that none can slip away."""
    if sys.platform == "linux":
        try:
            import ctypes

            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        except (ImportError, OSError, AttributeError):
            pass  # the process group is still ours


def wake_on_child_exit() -> int:
    """A descriptor that becomes readable when a child ends."""
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    _signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    _signal.signal(_signal.SIGCHLD, lambda *_: None)
    return ended


def read_command() -> list[bytes]:
    """The path to run and its argument list, read to the byte: the rest of the input is the command's."""
    length = 0
    while (digit := os.read(0, 1)) != b"\n":
        if not digit:
            raise OSError("no command was given")
        length = length * 10 + int(digit)
    words = b""
    while len(words) < length:
        piece = os.read(0, length - len(words))
        if not piece:
            raise OSError("the command was cut short")
        words += piece
    return words.split(b"\0")


def start(words: list[bytes]) -> int:
    """Start the command in a process group of its own, with the signals Python ignores set back to normal."""
    path, *arguments = words
    ignored_by_python = [_signal.SIGPIPE, _signal.SIGXFSZ]
    return os.posix_spawn(path, arguments, os.environ, setpgroup=0, setsigdef=ignored_by_python)


def let_go_of_standard_streams() -> None:
    """The pipes must close when the command closes them, not when we end."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    for number in (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP):
        _signal.signal(number, _signal.SIG_IGN)  # only the leash ends us, never before the command


def guard(child: int, leash: int, ended: int) -> int:
    """Wait for the command or the leash, whichever comes first; the exit code as a shell gives it."""
    while True:
        ready, _, _ = select.select([leash, ended], [], [])
        if leash in ready:
            asked = os.read(leash, 1)
            return end_everything(child, PATIENCE if asked else ORPHANED)
        os.read(ended, 512)
        code = reap(child)
        if code is not None:
            end_group(child, LEFTOVERS)
            return code


def end_everything(child: int, patience: float) -> int:
    """End the group politely, then by force, then whatever left the group."""
    code = end_group(child, patience)
    deadline = time.monotonic() + LEFTOVERS
    while (adopted := children()) and time.monotonic() < deadline:
        for process in adopted:
            send(os.kill, process, _signal.SIGKILL)
        time.sleep(PAUSE)
        reap()
    return code


def end_group(group: int, patience: float) -> int:
    """TERM, `patience` seconds, KILL. The leader's exit code if it was still to be had."""
    code = 128 + int(_signal.SIGKILL)
    for number, seconds in ((_signal.SIGTERM, patience), (_signal.SIGKILL, LEFTOVERS)):
        deadline = time.monotonic() + seconds
        there = send(os.killpg, group, number)
        while there and time.monotonic() < deadline:
            code = reap(group) or code
            there = send(os.killpg, group, 0)
            if there:
                time.sleep(PAUSE)
    return code


def reap(wanted: int = 0) -> int | None:
    """Collect every ended child; the exit code of `wanted` when it was among them."""
    found = None
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if process == 0:
            return found
        if process == wanted:
            code = os.waitstatus_to_exitcode(status)
            found = code if code >= 0 else 128 - code


def children() -> list[int]:
    """Our living and ended children, where the system tells (Linux)."""
    try:
        with open("/proc/thread-self/children", "rb") as listing:  # noqa: PTH123
            return [int(word) for word in listing.read().split()]
    except OSError:
        return []


def send(kill: Callable[[int, int], None], target: int, number: int) -> bool:
    """Send a signal; False when there is nobody left to receive it."""
    try:
        kill(target, number)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    os._exit(main(int(sys.argv[1])))
