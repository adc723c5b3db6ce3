"""Measure guided search with a scripted backend: the cost of a pick, and what picking costs the makespan.

    python benchmarks/guided.py [--folder DIR] [--only picks|makespan|waves]

Picks: CPU to decide that a pick is due and to make what the picker is shown, in trees of 100, 1,000 and 10,000 topics.
Makespan: 500 topics at 16 slots, two asks of 200 to 800 ms per topic, and picks that take as long as a topic; against
the least time in which the same tree can be done by any order and without picks. Waves: 39 topics at 16 slots, a topic
takes 400 ms and a pick 100 ms; one pick per topic would take 4.4 s.

In virtual time sleeping is all that takes time: what is lost there is lost by the schedule, the same on every machine.
By the clock, the work of this machine and its disk comes on top. What is lost, and where, is printed: the time in which
slots stood empty, shared out over all slots. Exits 1 when a limit is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import selectors
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from itertools import count, pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import anyio
import anyio.to_thread

from deeproot import events as e
from deeproot.asks import Ask, Kind, PickInputs, Reply
from deeproot.backends import Abilities
from deeproot.engine.strategy import Guided
from deeproot.hats import CYCLE, routes
from deeproot.hats.pick import view_of
from deeproot.model import Status, Topic
from deeproot.researcher import Means
from deeproot.state import State
from deeproot.trees import TreeSearchConfig, TreeSearchResult, tree_search

SIZES = (100, 1_000, 10_000)
MOST_GROWTH = 2.5
MOST_STRETCH = 1.05
MOST_MEMORY = 1.25
WAVES_BOUND = 3 * 0.4 + 0.4 + 2 * 0.1


# Picks


def waiting_tree(topics: int, breadth: int = 10) -> State:
    """A tree whose inner topics are complete and whose leaves wait."""
    state = State(routes(CYCLE.values()))
    parents = (id for number in count() for id in list(state.growths)[number : number + 1])
    parent: str | None = None
    while len(state.growths) < topics:
        if state.growths:
            parent = next(parents)
            state.apply(e.TopicEdited(parent, state.topic(parent).title, "", (), Status.COMPLETE))
        for number in range(1, breadth + 1):
            id = f"{parent}.{number}" if parent else str(number)
            title = f"What is to be known about part {id}"
            state.apply(e.TopicAdded(Topic(id, title, f"part-{id.replace('.', '-')}", id.count("."), parent)))
    return state


def milliseconds_per_pick(state: State) -> float:
    """The best of several rounds: what the work takes, not what else the machine does."""
    strategy = Guided()
    best = float("inf")
    for _ in range(7):
        began = time.process_time()
        for _ in range(20):
            strategy.next(state, 16)
            view_of(state)
        best = min(best, (time.process_time() - began) / 20)
    return best * 1000


def show_picks() -> bool:
    print("topics   waiting   listed   lines   characters   ms CPU per pick")
    costs = []
    for size in SIZES:
        state = waiting_tree(size)
        outline, leaves = view_of(state)
        costs.append(milliseconds_per_pick(state))
        print(
            f"{len(state.growths):6}   {state.counts[Status.PENDING]:7}   {len(leaves):6}   "
            f"{len(outline.splitlines()):5}   {len(outline):10}   {costs[-1]:15.2f}"
        )
    return verdict("growth from smallest to largest tree", costs[-1] / costs[0], MOST_GROWTH)


# Time that passes only while the search waits for answers


class Sleeper(selectors.DefaultSelector):
    """Instead of waiting, lets the time jump; but never while a thread is at work."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.threads = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout is None or timeout <= 0:
            return ready or super().select(timeout)
        if self.threads:
            return super().select(0.001)
        self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._sleeper = Sleeper()
        super().__init__(self._sleeper)
        anyio.to_thread.run_sync = self._counted(anyio.to_thread.run_sync)

    def time(self) -> float:
        return self._sleeper.now

    def _counted(self, run_sync: Any) -> Any:
        async def counted(*arguments: Any, **options: Any) -> Any:
            self._sleeper.threads += 1
            try:
                return await run_sync(*arguments, **options)
            finally:
                self._sleeper.threads -= 1

        return counted


# Makespan


class Span(NamedTuple):
    """When an ask was sent and answered; `id` is its topic's, "" for the root and for picks."""

    kind: Kind
    id: str
    began: float
    ended: float


class Lost(NamedTuple):
    """Seconds of the makespan in which slots stood empty: all of them for one second, or half of them for two.

    While the root was asked for its children, which is in the bound too; then until the first level was done; until
    the first pick was answered; between asks until there was nothing more to begin, the engine's part; until the end.
    """

    root: float
    walk: float
    pick: float
    engine: float
    end: float


@dataclass(frozen=True, slots=True)
class Figures:
    """One search. `wall` and `bound` in seconds."""

    topics: int
    twice: int
    picks: int
    wall: float
    bound: float
    cpu: float
    megabytes: float
    lost: Lost

    @property
    def stretch(self) -> float:
        return self.wall / self.bound


class Timed:
    """Answers after a time that depends on the ask alone, and keeps nothing but the times."""

    name = "timed"
    abilities = Abilities(tools=True, sessions=True, fork=True)

    def __init__(self, topics: int, roots: int, breadth: int, waves: bool) -> None:
        self._left = topics - roots
        self._roots = roots
        self._breadth = breadth
        self._waves = waves
        self.picks = 0
        self.spans: list[Span] = []

    async def answer(self, ask: Ask) -> Reply:
        topic = getattr(ask.inputs, "topic", None)
        id = topic.id if topic else ""
        began = anyio.current_time()
        await anyio.sleep(self._seconds(ask.kind, id))
        self.spans.append(Span(ask.kind, id, began, anyio.current_time()))
        return Reply(self._text(ask, id), session=f"session-{id or 'root'}")

    def _seconds(self, kind: Kind, id: str) -> float:
        if self._waves:
            return {Kind.PICK: 0.1, Kind.PLAN: 0.0, Kind.CHILDREN: 0.2}.get(kind, 0.4 if id.count(".") == 2 else 0.2)
        random = Random(f"{kind} {id} {self.picks if kind is Kind.PICK else ''}")
        return sum(random.uniform(0.2, 0.8) for _ in range(2 if kind is Kind.PICK else 1))

    def _text(self, ask: Ask, id: str) -> str:
        match ask.kind:
            case Kind.PICK:
                self.picks += 1
                assert isinstance(ask.inputs, PickInputs)
                return "<output>" + "\n".join(ask.inputs.leaves[: ask.inputs.count]) + "</output>"
            case Kind.DOCUMENT:
                return "# A document\n\n" + "It says what there is to say. " * 30
            case Kind.PLAN:
                return _listing(f"Part {n}" for n in range(1, self._roots + 1))
            case _:
                number = min(self._breadth, self._left)
                self._left -= number
                return _listing(f"Part {id}.{n}" for n in range(1, number + 1))

    async def aclose(self) -> None:
        """Nothing is held."""


# What was lost, and the least time there is


def lower_bound(spans: list[Span], slots: int) -> float:
    """The root, then the larger of all work shared out evenly and the longest chain from parent to child.

    It uses what the asks really took: a timer comes late on a busy machine, whatever the engine does.
    """
    work: dict[str, float] = defaultdict(float)
    for span in spans:
        if span.kind is not Kind.PICK:
            work[span.id] += span.ended - span.began
    root = work.pop("")
    chains: dict[str, float] = {}
    for id in sorted(work, key=lambda id: id.count(".")):
        chains[id] = chains.get(id.rpartition(".")[0], 0.0) + work[id]
    return root + max(sum(work.values()) / slots, max(chains.values()))


def losses(spans: list[Span], slots: int, began: float, ended: float) -> Lost:
    asks = [span for span in spans if span.id]
    starts = [span.began for span in asks if span.kind is Kind.DOCUMENT]
    walked = max(span.ended for span in asks if "." not in span.id)
    picked = max(walked, min((span.ended for span in spans if span.kind is Kind.PICK), default=walked))
    edges = [began, min(starts), walked, picked, max(picked, *starts), ended]
    return Lost(*(_empty(asks, slots, *window) for window in pairwise(edges)))


def _empty(asks: list[Span], slots: int, begin: float, end: float) -> float:
    busy = sum(max(0.0, min(span.ended, end) - max(span.began, begin)) for span in asks)
    return max(0.0, end - begin - busy / slots)


def _listing(titles: Iterable[str]) -> str:
    return json.dumps([{"title": title} for title in titles])


async def search(backend: Timed, folder: Path, slots: int, levels: int) -> TreeSearchResult:
    config = TreeSearchConfig(
        root_dir=folder,
        root_prompt="List the parts.",
        document_prompt=lambda node: f"Document {node.title}.",
        children_prompt=lambda node: f"Name the parts of {node.title}.",
        concurrency=slots,
        max_depth=levels,
        model="timed",
    )
    return await tree_search(config, Means(open_backend=lambda _name, _settings: backend))


async def measure(folder: Path, topics: int, roots: int, breadth: int, slots: int, waves: bool) -> Figures:
    """A first small search goes before: imports and codecs are start-up, not search."""
    await search(Timed(1, 1, 0, waves), folder / "seed", 1, 1)
    backend = Timed(topics, roots, breadth, waves)
    cpu, began = time.process_time(), anyio.current_time()
    result = await search(backend, folder / "tree", slots, 3 if waves else 50)
    ended = anyio.current_time()
    documents = Counter(span.id for span in backend.spans if span.kind is Kind.DOCUMENT)
    return Figures(
        topics=result.expanded + result.leaves,
        twice=sum(times > 1 for times in documents.values()),
        picks=backend.picks,
        wall=ended - began,
        bound=lower_bound(backend.spans, slots),
        cpu=time.process_time() - cpu,
        megabytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        lost=losses(backend.spans, slots, began, ended),
    )


def measure_apart(folder: Path | None, timing: str, *shape: int) -> Figures:
    """`measure` in a process of its own, so that its memory is its own."""
    with tempfile.TemporaryDirectory(dir=folder) as root:
        command = [sys.executable, __file__, "--one", timing, root, *map(str, shape)]
        ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures = json.loads(ended.stdout)
    return Figures(**figures | {"lost": Lost(*figures["lost"])})


HEAD = (
    "                                                                        lost: seconds of empty slots\n"
    "time      topics   twice   picks   bound s   measured s   ratio   CPU s   MB     walk    pick  engine     end"
)


def show(timing: str, row: Figures) -> None:
    lost = "".join(f"{seconds:8.2f}" for seconds in row.lost[1:])
    print(
        f"{timing:<7}   {row.topics:6}   {row.twice:5}   {row.picks:5}   {row.bound:7.2f}   {row.wall:10.2f}   "
        f"{row.stretch:5.3f}   {row.cpu:5.1f}   {row.megabytes:2.0f} {lost}"
    )


def show_makespan(folder: Path | None) -> bool:
    print(f"\n16 slots, 200 to 800 ms per ask, 400 to 1,600 ms per pick\n{HEAD}")
    small, scheduled = (measure_apart(folder, "virtual", topics, 16, 3, 16, 0) for topics in (100, 500))
    timed = measure_apart(folder, "clock", 500, 16, 3, 16, 0)
    for timing, row in (("virtual", small), ("virtual", scheduled), ("clock", timed)):
        show(timing, row)
    return all(
        [
            verdict("topics lost or twice", sum(abs(500 - r.topics) + r.twice for r in (scheduled, timed)), 0),
            verdict("500 topics in virtual time, × the bound", scheduled.stretch, MOST_STRETCH),
            verdict("500 topics by the clock, × the bound", timed.stretch, MOST_STRETCH),
            verdict("memory of 500 topics, × that of 100", scheduled.megabytes / small.megabytes, MOST_MEMORY),
        ]
    )


def show_waves(folder: Path | None) -> bool:
    print(f"\n16 slots, 400 ms per topic, 100 ms per pick\n{HEAD}")
    row = measure_apart(folder, "virtual", 39, 3, 3, 16, 1)
    show("virtual", row)
    print(f"one pick per topic: 4.40 s; four waves of topics and the two picks they wait for: {WAVES_BOUND:.2f} s")
    return verdict("measured, × that", row.wall / WAVES_BOUND, MOST_STRETCH)


def verdict(what: str, figure: float, limit: float) -> bool:
    ok = figure <= limit
    print(f"{what}: {figure:.3g} (limit {limit:g}): {'ok' if ok else 'MISSED'}")
    return ok


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where the trees go (default: the system's temporary folder)")
    parser.add_argument("--only", choices=("picks", "makespan", "waves"), help="one part of it")
    parser.add_argument("--one", nargs=7, metavar=("TIMING", "ROOT", "TOPICS", "ROOTS", "BREADTH", "SLOTS", "WAVES"))
    options = parser.parse_args()
    if options.one:
        timing, root, *numbers = options.one
        topics, roots, breadth, slots, waves = map(int, numbers)
        loop = {"loop_factory": VirtualLoop} if timing == "virtual" else {}
        shape = (topics, roots, breadth, slots, bool(waves))
        print(json.dumps(asdict(anyio.run(measure, Path(root), *shape, backend_options=loop))))
        return 0
    parts: dict[str, Callable[[], bool]] = {
        "picks": show_picks,
        "makespan": lambda: show_makespan(options.folder),
        "waves": lambda: show_waves(options.folder),
    }
    held = [part() for name, part in parts.items() if options.only in (None, name)]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
