"""Measure start-up: the CPU of `research --help` against `python -c pass`, and what it imports.

    python benchmarks/startup.py [--runs 20]

Exits 1 when --help costs more than 6 times an empty interpreter, or imports a library it has no use for.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence

LIMIT = 6.0
HEAVY = ("aiohttp", "anyio", "filelock", "httpx", "pydantic", "requests", "rich", "sqlite3", "tantivy", "yaml")
HELP = "from deeproot.cli import main; raise SystemExit(main(['--help']))"
LIST_MODULES = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "


def cpu(command: Sequence[str]) -> float:
    """User and system seconds of one run."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def medians(runs: int) -> tuple[float, float]:
    """The CPU of an empty interpreter and of --help, measured in turns so that both see the same machine."""
    empty, helped = [], []
    for _ in range(runs):
        empty.append(cpu([sys.executable, "-c", "pass"]))
        helped.append(cpu([sys.executable, "-c", HELP]))
    return statistics.median(empty), statistics.median(helped)


def heavy_imports() -> list[str]:
    """Libraries for models, networks, databases and screens that --help loads."""
    ended = subprocess.run([sys.executable, "-c", LIST_MODULES + HELP], capture_output=True, text=True, check=True)
    return sorted(set(HEAVY) & set(ended.stderr.split()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    empty, helped = medians(parser.parse_args().runs)
    heavy = heavy_imports()
    print(f"python -c pass   {empty * 1000:6.1f} ms CPU")
    print(f"research --help  {helped * 1000:6.1f} ms CPU = {helped / empty:.1f} × (limit {LIMIT:.0f} ×)")
    print(f"heavy imports    {', '.join(heavy) or 'none'}")
    return 1 if heavy or helped > LIMIT * empty else 0


if __name__ == "__main__":
    sys.exit(main())
