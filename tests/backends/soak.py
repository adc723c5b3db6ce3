"""Whole runs against a model server on loopback, well behaved or failing in every way a server can.

    python tests/backends/soak.py 1000

runs a tree of about that many topics with a fifth of all calls failing. Exits 1 when a topic is left open, or when more
is asked than 1.1 × what the tree needs plus what failed.
"""

from __future__ import annotations

import random
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio

from deeproot.backends import Backend, BackendSettings, http
from deeproot.engine.engine import Outcome
from deeproot.model import Passage, Source
from deeproot.researcher import Means, Researcher
from deeproot.settings import Settings
from deeproot.state import State
from deeproot.testing import FakeClock, HttpError, ListSearcher, Mishap, ModelRequest, ModelServer, Served, oblige

SHARE = 0.2
FAULTS: tuple[Served, ...] = (
    HttpError(408),
    HttpError(429),
    HttpError(429, headers={"Retry-After": "2"}),
    HttpError(500),
    HttpError(503, kind="overloaded"),
    HttpError(400, kind="context_length_exceeded"),
    Mishap.SILENT,
    Mishap.STALLED,
    Mishap.CUT,
    Mishap.GARBLED,
    "",
    '{"topics": [',
)


class Fickle:
    """Serves as asked, except that a share of all calls fails, in one way after the other."""

    def __init__(self, share: float = SHARE) -> None:
        self.faults = 0
        self._share = share
        self._random = random.Random(20)
        self._lock = threading.Lock()

    def __call__(self, request: ModelRequest) -> Served:
        with self._lock:
            if self._random.random() >= self._share:
                return oblige(request)
            self.faults += 1
            return FAULTS[self.faults % len(FAULTS)]


def model_at(server: ModelServer, shape: str) -> str:
    """A model of this provider, as this server serves it."""
    match shape:
        case "anthropic":
            return f"claude-haiku-4-5@{server.root}"
        case "google":
            return f"gemini-2.5-flash@{server.root}"
        case "openrouter":
            return f"openai/gpt-5-mini@{server.router}"
        case _:
            return f"scripted@{server.address}"


@dataclass(frozen=True, slots=True)
class Ran:
    outcome: Outcome
    state: State
    researcher: Researcher


def notes(count: int = 60) -> list[Passage]:
    sentence = "Aspect {}: the tide pulls boat {} along its chain and lets it go when the moon has passed. "
    texts = [sentence.format(number, number * 7) * 4 for number in range(count)]
    return [Passage(Source(f"notes/{number}.md"), text, 1, 1) for number, text in enumerate(texts)]


async def run(
    server: ModelServer,
    project: Path,
    shape: str = "openai",
    idle: float = 10,
    resume: bool = False,
    passages: Sequence[Passage] = (),
    **chosen: Any,
) -> Ran:
    """A whole run whose every ask goes to this server; or the rest of one."""
    model = model_at(server, shape)
    opener: Callable[[BackendSettings], Backend] = getattr(http, f"open_{shape}")
    researcher = Researcher(project, "served")
    name = f"{shape}:{model}"
    settings = Settings("What moves a boat?", "served", model=name, review_model=name, **chosen)
    means = Means(
        open_backend=lambda _name, options: opener(replace(options, model=model, idle_timeout=idle)),
        searcher=ListSearcher(passages or notes()),
        clock=FakeClock(speed=50),
    )
    outcome = await (researcher.resume(means=means) if resume else researcher.start(settings, means))
    return Ran(outcome, researcher.past().state, researcher)


def ideal_calls(state: State) -> int:
    """What the tree needs when nothing fails: a plan, queries, document and review for each, and the report."""
    topics = list(state.walk())
    parents = sum(growth.topic.depth < state.settings.depth for growth in topics)
    return 1 + 3 * len(topics) + parents + len(state.draft.parts) + 2


def soak(topics: int, project: Path) -> tuple[Ran, ModelServer, Fickle]:
    """A tree of two levels with about this many topics, on a fickle server."""
    breadth = round(topics**0.5)
    fickle = Fickle()
    with ModelServer(fickle) as server:
        limits = {"breadth": breadth, "depth": 1, "max_iterations": 10**6, "concurrency": 8}
        ran = anyio.run(lambda: run(server, project, idle=1.0, **limits))
    return ran, server, fickle


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        ran, server, fickle = soak(int(sys.argv[1]), Path(folder))
    ideal = ideal_calls(ran.state)
    most = 1.1 * ideal + fickle.faults
    statuses = Counter(growth.topic.status for growth in ran.state.walk())
    print(f"{ran.outcome.ending}: " + ", ".join(f"{count} {status}" for status, count in statuses.items()))
    print(f"{len(server.requests)} calls, {ideal} needed, {fickle.faults} failed (limit {most:.0f})")
    return 0 if all(status.closed for status in statuses) and len(server.requests) <= most else 1


if __name__ == "__main__":
    sys.exit(main())
