"""A scripted researcher that can be killed: started, or resumed where it stopped, in a process of its own.

    python tests/durability/child.py PROJECT [--at N] [--fault kill|ENOSPC|EIO] [--shape ask-4x0]

Two logs beside the project tell what an outsider saw: `asked` (before each ask) and `acknowledged` (after the entry
was durable).
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from shapes import LoggingBackend, Shape, write_notes

from deeproot.engine.engine import Outcome
from deeproot.errors import DeeprootError
from deeproot.project.disk import Disk
from deeproot.project.journal import Entry
from deeproot.researcher import Means
from deeproot.state import State
from deeproot.testing import FaultyDisk

ASKED, ACKNOWLEDGED = "asked.log", "acknowledged.log"


@dataclass(frozen=True, slots=True)
class Job:
    """What a child is to do. `at` is the write point at which the fault falls; 0 is never."""

    project: Path
    at: int = 0
    fault: str = "kill"
    shape: Shape = field(default_factory=Shape)
    seconds: float = 0.0


def line_log(path: Path) -> Callable[[str], None]:
    """A log whose lines are with the kernel, and so survive a kill, when the call returns."""

    def log(line: str) -> None:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.write(fd, f"{line}\n".encode())
        os.close(fd)

    return log


def disk_for(job: Job) -> FaultyDisk:
    return FaultyDisk(job.at, job.fault)


async def live(job: Job, disk: Disk) -> Outcome:
    """Start the researcher, or resume it where there is one."""
    acknowledge = line_log(job.project / ACKNOWLEDGED)

    def watch(entry: Entry, _state: State) -> None:
        if entry.step:
            acknowledge(json.dumps([entry.step.turn, entry.step.name, entry.step.hash]))

    if job.shape.reads:
        write_notes(job.project)
    with job.shape.means() as given:
        backend = LoggingBackend(job.shape, line_log(job.project / ASKED), job.seconds, given.get("clock"))
        means = Means(open_backend=lambda _name, _settings: backend, disk=disk, watch=watch, **given)
        researcher = job.shape.researcher(job.project)
        if researcher.exists:
            return await researcher.resume(means=means)
        return await researcher.start(job.shape.settings, means)


def main(arguments: list[str] | None = None) -> int:
    """Do a job; prints the number of write points passed. The exit code is the command line's."""
    parser = argparse.ArgumentParser()
    parser.add_argument("project", type=Path)
    parser.add_argument("--at", type=int, default=0)
    parser.add_argument("--fault", choices=("kill", *errno.errorcode.values()), default="kill")
    parser.add_argument("--shape", type=Shape.parse, default=Shape())
    parser.add_argument("--seconds", type=float, default=0.0)
    job = Job(**vars(parser.parse_args(arguments)))
    disk = disk_for(job)
    try:
        outcome = anyio.run(live, job, disk)
    except DeeprootError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(disk.points)
    return outcome.exit_code


if __name__ == "__main__":
    sys.exit(main())
