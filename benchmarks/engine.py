"""Measure the engine with a scripted backend: CPU per step, growth with the tree, memory, and makespan.

    python benchmarks/engine.py [--folder DIR] [--skip-large]

Overhead: a backend that answers at once, trees of about 100, 1,000 and 10,000 topics. Makespan: a backend that takes
200 ms, 120 topics, against a lower bound that no scheduler can beat for that tree. Exits 1 when a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import anyio

from deeproot.asks import Ask, ChildrenInputs, DocumentInputs, Kind
from deeproot.project.journal import load
from deeproot.researcher import Means, Researcher
from deeproot.settings import Settings
from deeproot.testing import ScriptedBackend

MOST_MILLISECONDS = 5.0
MOST_GROWTH = 1.5
MOST_STRETCH = 1.05
SECONDS_PER_ASK = 0.2
REPEATS = 3
DEPTHS = (1, 2, 3)
CONCURRENCIES = (4, 16, 64)


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run took. `megabytes` is the peak of the whole process."""

    topics: int
    steps: int
    cpu: float
    wall: float
    bound: float
    megabytes: float

    @property
    def milliseconds_per_step(self) -> float:
        return self.cpu * 1000 / self.steps


def measure(folder: Path, breadth: int, depth: int, concurrency: int, seconds: float) -> Figures:
    """One run of a full tree in this process."""
    backend = ScriptedBackend(seconds=seconds)
    settings = Settings(
        question="How deep do roots grow?",
        name="roots",
        breadth=breadth,
        depth=depth,
        max_iterations=10**6,
        model="scripted",
        review_model="scripted",
        concurrency=concurrency,
    )
    means = Means(open_backend=lambda _name, _settings: backend)
    warm_up(folder)
    researcher = Researcher(folder, "roots")
    cpu, wall = time.process_time(), time.monotonic()
    outcome = anyio.run(researcher.start, settings, means)
    cpu, wall = time.process_time() - cpu, time.monotonic() - wall
    if outcome.exit_code:
        sys.exit(f"The run ended as {outcome}")
    return Figures(
        topics=len(backend.asked(Kind.DOCUMENT)),
        steps=len(backend.asks),
        cpu=cpu,
        wall=wall,
        bound=lower_bound(backend.asks, concurrency) * _seconds_per_ask(researcher.journal),
        megabytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def _seconds_per_ask(journal: Path) -> float:
    """What an ask really took: a timer of 200 ms comes late on a busy machine, whatever the engine does."""
    return statistics.fmean(entry.step.seconds for entry in load(journal).entries if entry.step)


def warm_up(folder: Path) -> None:
    """A first small run: imports, codecs and templates are start-up, not engine."""
    settings = Settings("?", "seed", breadth=1, depth=0, max_iterations=9, model="scripted", review_model="scripted")
    anyio.run(
        Researcher(folder, "seed").start, settings, Means(open_backend=lambda _name, _settings: ScriptedBackend())
    )


def measure_apart(folder: Path | None, *shape: float) -> Figures:
    """`measure` in a process of its own, so that its memory is its own."""
    with tempfile.TemporaryDirectory(dir=folder) as project:
        command = [sys.executable, __file__, "--one", project, *map(str, shape)]
        ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Figures(**json.loads(ended.stdout))


# The bound, in asks: every ask takes one unit of time, and at most `slots` run at once.


def lower_bound(asks: list[Ask], slots: int) -> int:
    """The least time in which these asks can be answered, one phase after the other."""
    phases = Counter(ask.kind for ask in asks)
    once = sum(phases[kind] for kind in (Kind.PLAN, Kind.SYNTHESIZE, Kind.FINAL_REVIEW))
    return once + _tree_bound(_intervals(asks), slots) + math.ceil(phases[Kind.SECTION] / slots)


def _intervals(asks: list[Ask]) -> Counter[tuple[int, int]]:
    """How many asks of the tree cannot start before `head`, and leave at least `tail` to do after them."""
    topics = {ask.inputs.topic.id for ask in asks if isinstance(ask.inputs, DocumentInputs)}
    parents = {ask.inputs.topic.id for ask in asks if isinstance(ask.inputs, ChildrenInputs)}
    height = _heights(topics)
    found: Counter[tuple[int, int]] = Counter()
    for id in topics:
        head, expands = 2 * id.count("."), id in parents
        below = 2 * height[id]
        found[head, max(1 + expands, below + expands)] += 1
        if expands:
            found[head + 1, max(1, below)] += 1
        found[head + 1 + expands, 0] += 1
    return found


def _heights(topics: set[str]) -> dict[str, int]:
    """Levels below each topic: 0 for a leaf."""
    height = dict.fromkeys(topics, 0)
    for id in sorted(topics, key=lambda id: -id.count(".")):
        parent = id.rpartition(".")[0]
        if parent:
            height[parent] = max(height[parent], height[id] + 1)
    return height


def _tree_bound(intervals: Counter[tuple[int, int]], slots: int) -> int:
    """For every head and tail: the asks between them have to fit between them, `slots` at a time."""
    heads, tails = ({key[side] for key in intervals} for side in (0, 1))
    return max(
        head + tail + math.ceil(sum(n for (h, t), n in intervals.items() if h >= head and t >= tail) / slots)
        for head, tail in product(heads, tails)
        if any(h >= head and t >= tail for h, t in intervals)
    )


def show_overhead(folder: Path | None, depths: tuple[int, ...]) -> bool:
    """The table of overhead; True when the limits hold."""
    print("topics   steps   ms CPU per step   peak MB   wall s")
    rows = []
    for depth in depths:
        row = measure_apart(folder, 10, depth, 16, 0.0)
        rows.append(row)
        print(
            f"{row.topics:6}  {row.steps:6}   {row.milliseconds_per_step:15.2f}   {row.megabytes:7.0f}  {row.wall:7.1f}"
        )
    growth = rows[-1].milliseconds_per_step / rows[0].milliseconds_per_step
    print(f"growth from smallest to largest: {growth:.2f} × (limit {MOST_GROWTH} ×); limit {MOST_MILLISECONDS:.0f} ms")
    return growth <= MOST_GROWTH and all(row.milliseconds_per_step <= MOST_MILLISECONDS for row in rows)


def show_makespan(folder: Path | None) -> bool:
    """The table of makespans, each the best of three; True when the limit holds."""
    print("\nconcurrency   topics   asks   lower bound s   measured s   ratio")
    held = True
    for concurrency in CONCURRENCIES:
        rows = [measure_apart(folder, 3, 3, concurrency, SECONDS_PER_ASK) for _ in range(REPEATS)]
        row = min(rows, key=lambda row: row.wall / row.bound)
        ratio = row.wall / row.bound
        held &= ratio <= MOST_STRETCH
        print(
            f"{concurrency:11}   {row.topics:6}   {row.steps:4}   {row.bound:13.2f}   {row.wall:10.2f}   {ratio:5.3f}"
        )
    print(f"limit {MOST_STRETCH} ×")
    return held


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where the projects go (default: the system's temporary folder)")
    parser.add_argument("--skip-large", action="store_true", help="leave out the tree of 10,000 topics")
    parser.add_argument("--one", nargs=5, metavar=("PROJECT", "BREADTH", "DEPTH", "CONCURRENCY", "SECONDS"))
    options = parser.parse_args()
    if options.one:
        project, breadth, depth, concurrency, seconds = options.one
        figures = measure(Path(project), int(breadth), int(depth), int(concurrency), float(seconds))
        print(json.dumps(asdict(figures)))
        return 0
    overhead = show_overhead(options.folder, DEPTHS[:-1] if options.skip_large else DEPTHS)
    return 0 if show_makespan(options.folder) and overhead else 1


if __name__ == "__main__":
    sys.exit(main())
