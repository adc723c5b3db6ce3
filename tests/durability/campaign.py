"""What the campaigns share: run a job in a forked child, and judge the folder it leaves behind."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import anyio
from child import ACKNOWLEDGED, ASKED, Job, disk_for, live
from shapes import NAME

from deeproot.errors import DeeprootError, PlanError
from deeproot.knowledge.sources import FOLDER, SourceStore
from deeproot.project.disk import TEMPORARY, Disk
from deeproot.project.plan import parse_plan
from deeproot.researcher import ROOT, Researcher

MOST_RESUMES = 20
OUTPUT = "stderr.log"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended: killed, or with an exit code and the number of write points it passed."""

    killed: bool
    code: int
    points: int
    error: str


def fork(job: Job, kill_after: float | None = None) -> Ended:
    """Do a job in a forked child; kill it after so many seconds when asked to."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        _child(job, writing)
    os.close(writing)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(pid, signal.SIGKILL)
    with os.fdopen(reading) as pipe:
        points = pipe.read()
    _, status = os.waitpid(pid, 0)
    killed = os.WIFSIGNALED(status)
    error = (job.project / OUTPUT).read_text() if (job.project / OUTPUT).exists() else ""
    return Ended(killed, -1 if killed else os.WEXITSTATUS(status), int(points or 0), error)


def _child(job: Job, writing: int) -> None:
    """Never returns. What it says goes to a file, so that a table of thousands of runs stays readable."""
    code = 99
    try:
        fd = os.open(job.project / OUTPUT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(fd, 2)
        disk = disk_for(job)
        try:
            code = anyio.run(live, job, disk).exit_code
        except DeeprootError as error:
            code = error.exit_code
            os.write(2, str(error).encode())
        os.write(writing, str(disk.points).encode())
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


@dataclass(frozen=True, slots=True)
class Reference:
    """What an uninterrupted run of the same job left."""

    code: int
    points: int
    reports: Mapping[str, bytes]


def reference(job: Job) -> Reference:
    ended = fork(job)
    if ended.killed or ended.code not in (0, 2, 3):
        sys.exit(f"The uninterrupted run failed ({ended.code}): {ended.error}")
    asked = {line.partition(":")[0] for line in _lines(job.project / ASKED)}
    unwalked = [f"{kind} was never asked" for kind in sorted(job.shape.walks - asked)]
    found = [*problems_at_rest(job.project), *_leftovers(job.project), *_sources(job), *unwalked]
    if found:
        sys.exit(f"The uninterrupted run ({job.shape}) is no measure: " + "; ".join(found))
    return Reference(ended.code, ended.points, _reports(job.project))


def finish(job: Job, expected: Reference, faults: Iterator[int]) -> tuple[int, list[str]]:
    """Resume until done, with a fault at each of `faults` and then none. The kills, and what was wrong."""
    kills, found = 0, []
    for _ in range(MOST_RESUMES):
        ended = fork(replace(job, at=next(faults, 0)))
        if not ended.killed:
            if ended.code != expected.code:
                found.append(f"resume ended with {ended.code}: {ended.error[-300:]}")
            return kills, found
        kills += 1
        found += problems_at_rest(job.project)
    return kills, [*found, "never came to an end"]


def _reports(project: Path) -> dict[str, bytes]:
    folder = Researcher(project, NAME).reports
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def judge(job: Job, expected: Reference, kills: int) -> list[str]:
    """What is wrong with a finished folder after so many kills, compared with the uninterrupted run's."""
    project, shape = job.project, job.shape
    cut_off = 2 if shape.is_timed else 0  # when the time for research ends, and when all of it does
    repeated = (kills + cut_off) * shape.in_flight
    checks = (_compared(job, expected), _asks(project, repeated), _topics(job), _sources(job), _leftovers(project))
    return [*problems_at_rest(project), *chain.from_iterable(checks)]


def _compared(job: Job, expected: Reference) -> Iterator[str]:
    reports = _reports(job.project)
    for name in sorted(expected.reports.keys() ^ reports.keys()):
        yield f"{name} is missing or too much"
    for name in sorted(expected.reports.keys() & reports.keys()):
        if reports[name] != expected.reports[name] and not job.shape.is_timed:
            yield f"{name} differs"


def problems_at_rest(project: Path) -> list[str]:
    """Files that cannot be read. Holds at any moment, also right after a kill."""
    found = []
    for path in project.rglob("*.json"):
        try:
            json.loads(path.read_bytes())
        except ValueError as error:
            found.append(f"{path.name}: {error}")
    for path in (project / ROOT / "knowledge" / FOLDER).glob("*.md"):
        if not isinstance(_store(project).text(path.stem), str):
            found.append(f"{path.name}: not the text it is named after")
    for path in project.rglob("*research_plan.md"):
        try:
            parse_plan(path.read_text(encoding="utf-8"), path.name)
        except PlanError as error:
            found.append(str(error))
    return found


def entries(project: Path) -> list[dict[str, Any]]:
    """The whole lines of the journal after its header, as plain JSON: what a stranger would read."""
    path = Researcher(project, NAME).journal
    lines = path.read_bytes().split(b"\n")[1:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def _asks(project: Path, most_repeated: int) -> Iterator[str]:
    """Nothing acknowledged is lost or asked again; no more is repeated than was in flight."""
    steps = [entry["step"] for entry in entries(project) if "step" in entry]
    keys = Counter((step["turn"], step["name"], step["hash"]) for step in steps)
    acknowledged = Counter(tuple(json.loads(line)) for line in _lines(project / ACKNOWLEDGED))
    for key in acknowledged - keys:
        yield f"acknowledged more often than it is in the journal: {key[:2]}"
    yield from _asked_again(project)
    repeated = len(_lines(project / ASKED)) - sum(bool(step["model"]) for step in steps)
    if repeated > most_repeated:
        yield f"{repeated} asks were repeated; {most_repeated} could have been in flight"


def _asked_again(project: Path) -> Iterator[str]:
    """Answers recorded twice. What a failed turn could not use is no answer: its step may be asked again."""
    answered: set[tuple[str, str, str]] = set()
    for entry in entries(project):
        step = entry.get("step", {})
        key = (step.get("turn"), step.get("name"), step.get("hash"))
        if "reply" in step and key in answered:
            yield f"asked again after it was answered: {key[:2]}"
        if "reply" in step:
            answered.add(key)
        for event in entry.get("batch", {}).get("events", ()):
            if event["kind"] == "turn.failed":
                answered = {k for k in answered if k[0] != event["turn"] or k[1].split("#")[0] != event["step"]}


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def _topics(job: Job) -> Iterator[str]:
    """No topic twice: not by id, not by slug, not by title under one parent."""
    events = [event for entry in entries(job.project) if "batch" in entry for event in entry["batch"]["events"]]
    topics = [event["topic"] for event in events if event["kind"] == "topic.added"]
    grown = job.shape.researcher(job.project).past().state.growths
    for what, keys in (
        ("id", [topic["id"] for topic in topics]),
        ("slug", [growth.topic.slug for growth in grown.values()]),
        ("title", [(topic.get("parent"), topic["title"]) for topic in topics]),
    ):
        twice = [key for key, count in Counter(keys).items() if count > 1]
        if twice:
            yield f"{what} given twice: {twice[:3]}"


def _sources(job: Job) -> Iterator[str]:
    """Every source that a finding cites by its hash is kept."""
    state = job.shape.researcher(job.project).past().state
    findings = [finding for growth in state.walk() if growth.document for finding in growth.document.findings]
    cited = {finding.source.sha256 for finding in findings if finding.source and finding.source.sha256}
    if job.shape.reads and not cited:
        yield "no finding cites a kept source"
    for digest in sorted(cited):
        if not isinstance(_store(job.project).text(digest), str):
            yield f"a cited source is not kept: {digest}"


def _store(project: Path) -> SourceStore:
    return SourceStore(project / ROOT / "knowledge", Disk())


def _leftovers(project: Path) -> Iterator[str]:
    left = [str(path.relative_to(project)) for path in project.rglob(f"*{TEMPORARY}")]
    if left:
        yield f"temporary files left: {left[:3]}"


def memory() -> Path | None:
    """A folder in memory where there is one: a kill leaves there what it leaves on a disk, only sooner."""
    return Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else None


def fresh(folder: Path) -> Path:
    """An empty project folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def spread(count: int, points: int, dice: random.Random) -> list[int]:
    """`count` write points out of 1..`points`: all of them when there are enough runs, else a sample, in order."""
    rounds, rest = divmod(count, points)
    return sorted([*range(1, points + 1)] * rounds + dice.sample(range(1, points + 1), rest))
