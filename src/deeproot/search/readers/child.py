"""Reading in a child process with limits on time and memory, for what can be made to use up both."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from . import Unreadable

_NEEDED = ("PATH", "PYTHONHOME", "LD_LIBRARY_PATH", "SYSTEMROOT", "TEMP", "TMP", "LANG", "LC_ALL")
_PACKAGES = Path(__file__).parents[3]
MEMORY = 1024**3


def environment() -> dict[str, str]:
    """What a Python needs to start: a process that reads what strangers wrote gets no keys."""
    kept = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    paths = (str(_PACKAGES), os.environ.get("PYTHONPATH", ""))
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


def run_child(module: str, data: bytes, seconds: float) -> bytes | Unreadable:
    """What a module says on its standard output about `data` on its standard input, within the limits."""
    command = [sys.executable, "-P", "-m", module, str(int(seconds) + 1)]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=seconds, check=False, env=environment())
    except subprocess.TimeoutExpired:
        return Unreadable(f"took longer than {seconds:g} seconds to parse")
    return done.stdout if done.returncode == 0 else Unreadable("reading it took too much time or memory")


def limit(seconds: int) -> None:
    """Called by the child before it reads anything."""
    try:
        import resource
    except ImportError:  # Windows: the parent's time limit is all there is.
        return
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
