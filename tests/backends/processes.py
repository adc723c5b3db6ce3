"""Looking at processes from outside, for tests that must know whether one is gone."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path


def pids_in(path: Path, count: int) -> list[int]:
    """The process ids that a fake agent and its children write to `path`, as soon as all have."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        words = path.read_text().split() if path.exists() else []
        if len(words) == count:
            return [int(word) for word in words]
        time.sleep(0.02)
    raise AssertionError(f"{path} never named {count} processes")


def alive(pid: int) -> bool:
    """Whether a process runs or waits to be reaped: an ended process that nobody collects counts as alive."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def survivors(pids: list[int], seconds: float = 15) -> list[int]:
    """Those still there after at most `seconds` (then killed, for the sake of the next test); none as a rule."""
    deadline = time.monotonic() + seconds
    while (left := [pid for pid in pids if alive(pid)]) and time.monotonic() < deadline:
        time.sleep(0.02)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left
