"""Let the n-th write of a researcher fail like a full or a broken disk, for every n; then resume on a good one.

    python tests/durability/fault.py [--sample N] [--seed 0] [--folder DIR] [--shapes 1x1 guided-4x1 …]

Full and broken take turns from write to write; an odd seed begins with the other. Each run must end with exit code 1
and an error that names the path, leave every file readable, and resume to the report of an undisturbed run. Prints a
table and exits 1 when anything else happened.
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
from shapes import Shape

FAULTS = ("EIO", "ENOSPC")
SHAPES = ("1x0", "4x1", "guided-4x1", "files-4x0", "ask-4x0", "web-4x0", "calls-1x1", "time-1x1")


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
    return found + wrong + judge(job, expected, 1)


def campaign(folder: Path, shape: Shape, sample: int | None, seed: int) -> int:
    """One row of the table; the number of problems."""
    job = Job(fresh(folder / "project"), shape=shape)
    expected = reference(job)
    problems: Counter[str] = Counter()
    points = spread(sample or expected.points, expected.points, random.Random(seed))
    for at in points:
        problems.update(fail_at(replace(job, at=at, fault=FAULTS[(at + seed) % 2]), expected))
    total = sum(problems.values())
    print(f"{shape!s:38}   writes {len(points):5}   problems {total}", flush=True)
    for problem, count in problems.most_common(20):
        print(f"    {count:4} × {problem}")
    return total


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, help="so many writes per row (default: all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=memory(), help="where the projects go (default: in memory)")
    parser.add_argument("--shapes", nargs="+", default=SHAPES, metavar="SHAPE")
    options = parser.parse_args(arguments)
    shapes = [Shape.parse(shape) for shape in options.shapes]
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        total = sum(campaign(Path(folder), shape, options.sample, options.seed) for shape in shapes)
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
