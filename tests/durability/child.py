"""A scripted researcher that can be killed: started, or resumed where it stopped, in a process of its own.

    python tests/durability/child.py PROJECT [--at N] [--fault kill|ENOSPC|EIO] [--concurrency N] [--depth N]

Its answers depend only on the ask. Some documents are rejected, some answers are garbage, one topic never gets
a usable answer, and the first report is sent back, so that every path of the engine is walked. Two logs beside
the project tell what an outsider saw: `asked` (before each ask) and `acknowledged` (after the entry was durable).
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import anyio

from deeproot import asks as a
from deeproot.engine.engine import Outcome
from deeproot.errors import DeeprootError
from deeproot.project.disk import Disk
from deeproot.project.journal import Entry
from deeproot.researcher import Means, Researcher
from deeproot.settings import Settings
from deeproot.state import State
from deeproot.testing import FaultyDisk, Scripted, ScriptedBackend

NAME = "roots"
ASKED, ACKNOWLEDGED = "asked.log", "acknowledged.log"
REJECTED_ONCE = ("1", "2.1", "1.1.2")
GARBAGE_ONCE = ("2", "1.1")
FAILS_ONCE = ("1.2", "2.1.1")
NEVER_USABLE = "2.2"
GARBAGE = "I am sorry, but here is a poem instead of JSON."


@dataclass(frozen=True, slots=True)
class Job:
    """What a child is to do. `at` is the write point at which the fault falls; 0 is never."""

    project: Path
    at: int = 0
    fault: str = "kill"
    concurrency: int = 1
    depth: int = 1
    seconds: float = 0.0


def answer(ask: a.Ask) -> Scripted | None:
    """The script: a pure function of the ask. None leaves the answer to the mock backend."""
    match ask.inputs:
        case a.DocumentInputs(topic=topic, actions=actions):
            return _document(ask, topic.id, bool(actions))
        case a.ChildrenInputs(topic=topic, breadth=breadth):
            # The same title under every parent: slugs have to tell them apart.
            titles = [f"Detail {topic.id}.{number}" for number in range(1, breadth)] + ["Outlook"]
            return a.ChildrenAnswer(tuple(a.ProposedTopic(title, "A branch.") for title in titles[-breadth:]))
        case a.ReviewInputs(topic=topic, document=document) if topic.id in REJECTED_ONCE:
            met = document.summary.startswith("Reworked")
            verdicts = tuple(a.CriterionVerdict(criterion, met) for criterion in topic.criteria)
            return a.ReviewAnswer(verdicts, actions=() if met else ("Look again.",))
        case a.FinalReviewInputs(report=report):
            coherence = a.Opinion(True) if "Revised." in report else a.Opinion(False, ("The summary is thin.",))
            return a.FinalReviewAnswer(a.Opinion(True), coherence, a.Opinion(True), a.Opinion(True))
        case a.ReviseInputs(summary=summary):
            return a.ReviseAnswer(f"{summary} Revised.")
        case _:
            return None


def _document(ask: a.Ask, id: str, reworked: bool) -> Scripted | None:
    again = "could not be used" in ask.prompt
    recovered = "It failed with:" in ask.prompt
    if id == NEVER_USABLE or (id in GARBAGE_ONCE and not again):
        return GARBAGE
    if id in FAILS_ONCE and not recovered:
        return a.Failure(a.Reason.FAILED, f"scripted failure on topic {id}")
    word = "Reworked" if reworked else "First"
    claims = [f"{word} claim {number} on {id}." for number in (1, 2)]
    findings = tuple(a.ProposedFinding(claim, claim, f"P{id}") for claim in claims)
    return a.DocumentAnswer(f"{word} summary of {id}.", findings, (a.ProposedSource(f"P{id}", f"notes/{id}.md"),))


def subject(ask: a.Ask) -> str:
    """Which ask this is, in words that are the same in every run."""
    topic = getattr(ask.inputs, "topic", None)
    return f"{ask.kind}:{topic.id if topic else '-'}"


class LoggingBackend(ScriptedBackend):
    """Writes each ask down before it answers."""

    def __init__(self, log: Callable[[str], None], seconds: float) -> None:
        super().__init__(answer, seconds=seconds)
        self._log = log

    async def answer(self, ask: a.Ask) -> a.Reply | a.Failure:
        self._log(subject(ask))
        return await super().answer(ask)


def line_log(path: Path) -> Callable[[str], None]:
    """A log whose lines are with the kernel, and so survive a kill, when the call returns."""

    def log(line: str) -> None:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.write(fd, f"{line}\n".encode())
        os.close(fd)

    return log


def disk_for(job: Job) -> FaultyDisk:
    return FaultyDisk(job.at, job.fault)


def settings_for(job: Job) -> Settings:
    return Settings(
        question="How deep do roots grow?",
        name=NAME,
        breadth=2,
        depth=job.depth,
        max_iterations=500,
        model="scripted",
        review_model="scripted",
        concurrency=job.concurrency,
    )


async def live(job: Job, disk: Disk) -> Outcome:
    """Start the researcher, or resume it where there is one."""
    acknowledge = line_log(job.project / ACKNOWLEDGED)

    def watch(entry: Entry, _state: State) -> None:
        if entry.step:
            acknowledge(json.dumps([entry.step.turn, entry.step.name, entry.step.hash]))

    backend = LoggingBackend(line_log(job.project / ASKED), job.seconds)
    means = Means(open_backend=lambda _name, _settings: backend, disk=disk, watch=watch)
    researcher = Researcher(job.project, NAME)
    if researcher.exists:
        return await researcher.resume(means=means)
    return await researcher.start(settings_for(job), means)


def main(arguments: list[str] | None = None) -> int:
    """Do a job; prints the number of write points passed. The exit code is the command line's."""
    parser = argparse.ArgumentParser()
    parser.add_argument("project", type=Path)
    parser.add_argument("--at", type=int, default=0)
    parser.add_argument("--fault", choices=("kill", *errno.errorcode.values()), default="kill")
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--depth", type=int, default=1)
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
