"""Kill a researcher -9 at its write points and at random moments; every resume must end as if nothing had happened.

    python tests/durability/kill.py [--kills 2000] [--seed 0] [--folder DIR] [--shapes 4x1 ask-4x0 …]

A shape is a manner and concurrency x depth; each gets its share of the kills, a quarter of them at random moments.

Prints a table and exits 1 when anything was lost, doubled, unreadable or left over.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from campaign import finish, fork, fresh, judge, memory, problems_at_rest, reference, spread
from child import Job
from shapes import Shape

SHAPES = (
    *("1x1", "1x2", "4x1", "4x2", "guided-1x1", "guided-4x2", "files-1x1", "files-4x1"),
    *("ask-1x0", "ask-4x0", "web-4x0", "calls-1x1", "time-1x1"),
)
RANDOM_SHARE = 4


@dataclass(slots=True)
class Tally:
    """One row of the table."""

    name: str
    points: int
    runs: int = 0
    kills: int = 0
    problems: Counter[str] = field(default_factory=Counter)

    def add(self, kills: int, problems: list[str]) -> None:
        self.runs += 1
        self.kills += kills
        self.problems.update(problems)


class Campaign:
    """One shape of run, killed in every way; `folder` holds one project at a time."""

    def __init__(self, folder: Path, shape: Shape, dice: random.Random) -> None:
        self._dice = dice
        self._job = Job(fresh(folder / "project"), shape=shape)
        self._name = str(shape)
        self.expected = reference(self._job)

    def at_points(self, kills: int) -> Tally:
        """One kill per write point; every third resume is killed as well."""
        points = self.expected.points
        tally = Tally(f"{self._name}, write points", points)
        for at in spread(kills, points, self._dice):
            fresh(self._job.project)
            again = [self._dice.randint(1, points)] if self._dice.random() < 1 / 3 else []
            tally.add(*self._finish(self._job, iter([at, *again])))
        return tally

    def at_random(self, kills: int) -> Tally:
        """SIGKILL from outside, at any instruction, several times in a row."""
        tally = Tally(f"{self._name}, random moments", self.expected.points)
        slow = replace(self._job, seconds=0.004)
        while tally.kills < kills:
            fresh(self._job.project)
            dealt, found = 0, []
            for _ in range(self._dice.randint(1, 4)):
                ended = fork(slow, kill_after=self._dice.uniform(0, 0.5))
                dealt += ended.killed
                found += problems_at_rest(self._job.project)
            tally.add(dealt, found + self._finish(slow, iter(()), dealt)[1])
        return tally

    def _finish(self, job: Job, faults: Iterator[int], kills_before: int = 0) -> tuple[int, list[str]]:
        """Bring a run to its end and judge it. The kills dealt here, and what was wrong."""
        kills, found = finish(job, self.expected, faults)
        return kills, found + judge(job, self.expected, kills_before + kills)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=memory(), help="where the projects go (default: in memory)")
    parser.add_argument("--shapes", nargs="+", default=SHAPES, metavar="SHAPE")
    options = parser.parse_args(arguments)
    dice = random.Random(options.seed)
    share = max(2, options.kills // len(options.shapes))
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        tallies = list(chain.from_iterable(_shape(Path(folder), shape, share, dice) for shape in options.shapes))
    total = sum(tally.kills for tally in tallies)
    wrong = sum((tally.problems for tally in tallies), Counter[str]())
    print(f"{total} kills, {sum(wrong.values())} problems")
    return 1 if wrong else 0


def _shape(folder: Path, shape: str, share: int, dice: random.Random) -> Iterator[Tally]:
    """The rows for one shape, printed as they are made."""
    campaign = Campaign(folder, Shape.parse(shape), dice)
    at_random = max(1, share // RANDOM_SHARE)
    for tally in (campaign.at_points(share - at_random), campaign.at_random(at_random)):
        print(_row(tally), flush=True)
        yield tally


def _row(tally: Tally) -> str:
    row = f"{tally.name:52} points {tally.points:5}  runs {tally.runs:5}  kills {tally.kills:5}"
    lines = [f"    {count:4} × {problem}" for problem, count in tally.problems.most_common(20)]
    return "\n".join([f"{row}  problems {sum(tally.problems.values())}", *lines])


if __name__ == "__main__":
    sys.exit(main())
