"""Eight processes race for one researcher's lock; every round must end with exactly one holder.

python tests/project/race_lock.py [--rounds 1000] [--racers 8] [--scenario fresh …]

Prints a table and exits 1 when any round had no holder or more than one.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from deeproot.errors import LockedError, LockLostError
from deeproot.project.disk import Disk
from deeproot.project.lock import NOTICE, ResearcherLock

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue

PATIENCE = 60.0
DONE = -1


def nothing(_folder: Path) -> None:
    """A folder nobody has locked yet."""


def stale_notice(folder: Path) -> None:
    """Another host's notice, silent for more than an hour."""
    _leave_notice(folder, pid=1, host="elsewhere.invalid", age=3601.0)


def dead_notice(folder: Path) -> None:
    """The fresh notice of a process of this host that has ended."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    _leave_notice(folder, pid=ended.pid, host=socket.gethostname(), age=0.0)


def _leave_notice(folder: Path, pid: int, host: str, age: float) -> None:
    seen = time.time() - age
    notice = {"lock_token": "0" * 32, "created": seen, "pid": pid, "host": host, "heartbeat": seen}
    (folder / NOTICE).write_text(json.dumps(notice))


def nobody(_number: int) -> bool:
    return False


def everybody(_number: int) -> bool:
    return True


def every_other(number: int) -> bool:
    return number % 2 == 0


class Scenario(NamedTuple):
    prepare: Callable[[Path], None]
    forces: Callable[[int], bool]


SCENARIOS = {
    "fresh": Scenario(nothing, nobody),
    "stale": Scenario(stale_notice, nobody),
    "dead-pid": Scenario(dead_notice, nobody),
    "all-force": Scenario(nothing, everybody),
    "some-force": Scenario(stale_notice, every_other),
}


def racer(root: Path, rounds: int, number: int, name: str, barrier: Barrier, results: SimpleQueue[int]) -> None:
    """Try once per round; report the round's number when this process holds the lock after all have tried."""
    scenario = SCENARIOS[name]
    try:
        for turn in range(rounds):
            barrier.wait(PATIENCE)
            lock = _try(root / str(turn), force=scenario.forces(number))
            barrier.wait(PATIENCE)
            if lock and _still_holds(lock):
                results.put(turn)
            elif lock and scenario.forces is nobody:
                raise AssertionError(f"round {turn}: lost a lock that nobody forced")
            barrier.wait(PATIENCE)
            intruder = None if lock else _try(root / str(turn), clock=two_days_ahead)
            if intruder:
                raise AssertionError(f"round {turn}: the holder's notice stands without its flock")
            barrier.wait(PATIENCE)
            if lock:
                lock.release()
    finally:
        results.put(DONE)


def two_days_ahead() -> float:
    """To this clock every notice is stale, so that only the flock can refuse."""
    return time.time() + 2 * 86400.0


def _try(folder: Path, clock: Callable[[], float] = time.time, force: bool = False) -> ResearcherLock | None:
    try:
        return ResearcherLock.acquire(folder, Disk(), clock, force)
    except LockedError:
        return None


def _still_holds(lock: ResearcherLock) -> bool:
    try:
        lock.beat()
        lock.check()
    except LockLostError:
        return False
    return True


def race(name: str, rounds: int, racers: int) -> list[int]:
    """How many processes held the lock at the end of each round."""
    spawn = multiprocessing.get_context("spawn")
    barrier, results = spawn.Barrier(racers), spawn.SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for turn in range(rounds):
            (root / str(turn)).mkdir()
            SCENARIOS[name].prepare(root / str(turn))
        field = [
            spawn.Process(target=racer, args=(root, rounds, number, name, barrier, results)) for number in range(racers)
        ]
        for process in field:
            process.start()
        holders = _count(results, racers)
        for process in field:
            process.join()
        if any(process.exitcode for process in field):
            raise SystemExit("a racer failed")
        if any(root.glob(f"*/{NOTICE}")):
            raise SystemExit("a notice was left behind")
    return [holders[turn] for turn in range(rounds)]


def _count(results: SimpleQueue[int], racers: int) -> Counter[int]:
    holders: Counter[int] = Counter()
    while holders[DONE] < racers:
        holders[results.get()] += 1
    return holders


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--racers", type=int, default=8)
    parser.add_argument("--scenario", choices=list(SCENARIOS), nargs="*", default=list(SCENARIOS))
    options = parser.parse_args()
    print(f"{'scenario':16} {'rounds':>7} {'one holder':>11} {'none':>6} {'several':>8} {'seconds':>8}")
    failed = False
    for scenario in options.scenario:
        started = time.monotonic()
        holders = race(scenario, options.rounds, options.racers)
        one, none = holders.count(1), holders.count(0)
        several = len(holders) - one - none
        seconds = time.monotonic() - started
        print(f"{scenario:16} {len(holders):7} {one:11} {none:6} {several:8} {seconds:8.1f}", flush=True)
        failed = failed or one != len(holders)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
