"""Let the n-th write of a researcher fail like a full or a broken disk, for every n; then resume on a good one.

    python tests/durability/fault.py [--sample N] [--seed 0] [--folder DIR] [--shapes 1x1 4x1]

Each run must end with exit code 1 and an error that names the path, leave every file readable, and resume to the
report of an undisturbed run. Prints a table and exits 1 when anything else happened.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from campaign import Reference, finish, fork, fresh, judge, memory, problems_at_rest, reference, spread
from child import Job

FAULTS = ("ENOSPC", "EIO")
SHAPES = ("1x1", "4x1")


def fail_at(job: Job, expected: Reference) -> list[str]:
    """One failing write, then a resume. What was wrong; nothing when the run ended before that write."""
    fresh(job.project)
    ended = fork(job)
    found = problems_at_rest(job.project)
    reached = ended.points >= job.at
    if reached and ended.code != 1:
        found.append(f"exit code {ended.code}: {ended.error[-300:]}")
    if reached and f"Cannot write {job.project}" not in ended.error:
        found.append(f"the error does not name the path: {ended.error[-300:]}")
    _, wrong = finish(replace(job, at=0), expected, iter(()))
    return found + wrong + judge(job.project, expected, job.concurrency)


def campaign(folder: Path, shape: str, fault: str, sample: int | None, dice: random.Random) -> int:
    """One row of the table; the number of problems."""
    concurrency, depth = map(int, shape.split("x"))
    job = Job(fresh(folder / "project"), fault=fault, concurrency=concurrency, depth=depth)
    expected = reference(job)
    problems: Counter[str] = Counter()
    points = spread(sample or expected.points, expected.points, dice)
    for at in points:
        problems.update(fail_at(replace(job, at=at), expected))
    total = sum(problems.values())
    print(f"{fault:7} concurrency {concurrency}, depth {depth}   writes {len(points):5}   problems {total}", flush=True)
    for problem, count in problems.most_common(20):
        print(f"    {count:4} × {problem}")
    return total


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, help="so many writes per row (default: all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=memory(), help="where the projects go (default: in memory)")
    parser.add_argument("--shapes", nargs="+", default=SHAPES, metavar="NxD")
    options = parser.parse_args(arguments)
    dice = random.Random(options.seed)
    rows = [(shape, fault) for shape in options.shapes for fault in FAULTS]
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        total = sum(campaign(Path(folder), shape, fault, options.sample, dice) for shape, fault in rows)
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
