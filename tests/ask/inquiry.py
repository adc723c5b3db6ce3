"""Questions for tests: `research ask` against scripted backends and searchers that are lists."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

import anyio

from deeproot import asks as a
from deeproot.ask import ASK, settings_for, within_loops
from deeproot.asks import Ask, Failure, Kind
from deeproot.backends import Abilities, Backend, BackendSettings
from deeproot.engine.engine import Watch
from deeproot.engine.outcome import Outcome
from deeproot.events import LoopDecided
from deeproot.model import Passage, Source
from deeproot.project.journal import Entry
from deeproot.researcher import Means, Researcher
from deeproot.search import Found
from deeproot.settings import Asking
from deeproot.state import State
from deeproot.testing import FakeClock, ListSearcher, Scripted, ScriptedBackend
from laboratory import Answers, Finished, Lab, as_backend

SIMPLE = "What is the default port of the server?"
OPEN = "How does asyncio cancel a task?"
READING = Abilities(tools=False)
"""A backend that searches nothing by itself: the engine does."""

TEXT = "The server listens on port 8000 by default.\nCancelling a task throws CancelledError into it."
PASSAGE = Passage(Source("docs/server.md", "Server", "ab" * 32), TEXT, 10, 11)
PORT = "The server listens on port 8000 by default."


def inquire(lab: Lab, answers: Answers = None, question: str = OPEN, **chosen: Any) -> Finished:
    """Ask a question in the lab. `means` are handed on, names of `Asking` go there, the rest is settings."""
    means, asking = chosen.pop("means", None), _asking(chosen)
    made = settings_for(question, "lab", asking)
    settings = within_loops(replace(made, model="scripted", review_model="scripted", **chosen))
    return _run(lab, answers, means, lambda researcher, made: researcher.start(settings, made))


def resume(lab: Lab, answers: Answers = None, means: Mapping[str, Any] | None = None, **changes: Any) -> Finished:
    return _run(
        lab, answers, means, lambda researcher, made: researcher.resume(lambda before: replace(before, **changes), made)
    )


def _asking(chosen: dict[str, Any]) -> Asking:
    names = ("deep", "query_type", "tier", "max_loops", "gates")
    return Asking(**{name: chosen.pop(name) for name in names if name in chosen})


Go = Callable[[Researcher, Means], Awaitable[Outcome]]


def _run(lab: Lab, answers: Answers, chosen: Mapping[str, Any] | None, go: Go) -> Finished:
    backend = as_backend(answers)
    live: list[State] = []
    means = dict(chosen or {})
    also: Watch = means.pop("watch", lambda _entry, _state: None)
    researcher = Researcher(lab.project, "lab", cycle=ASK)

    def opened(_name: str, _settings: BackendSettings) -> Backend:
        return backend

    def watch(entry: Entry, state: State) -> None:
        live[:] = [state]
        also(entry, state)

    made = Means(**{"open_backend": opened, "clock": FakeClock(speed=100), "watch": watch, **means})
    outcome = anyio.run(go, researcher, made)
    return Finished(outcome, researcher, backend, live[-1])


def reading(script: Any = None) -> ScriptedBackend:
    return ScriptedBackend(script, abilities=READING)


def searching(*passages: Passage) -> dict[str, Any]:
    return {"searcher": ListSearcher(passages or (PASSAGE,))}


class FailingSearcher:
    """Fails so many searches after the first `good` ones; the rest is found among its passages."""

    def __init__(self, failures: int, good: int = 0, failure: Failure | None = None) -> None:
        self.queries: list[str] = []
        self._list = ListSearcher([PASSAGE])
        self._failing = range(good, good + failures)
        self._failure = failure or Failure(a.Reason.UNAVAILABLE, "500 from the provider")

    async def search(self, query: str, limit: int) -> Found | Failure:
        self.queries.append(query)
        return self._failure if len(self.queries) - 1 in self._failing else await self._list.search(query, limit)

    async def read(self, location: str, query: str, limit: int) -> Found | Failure:
        return await self._list.read(location, query, limit)

    def source_text(self, location: str) -> str | None:
        return self._list.source_text(location)


# Scripts


def scoped(*texts: str, kind: a.QueryType = a.QueryType.FACTUAL, tier: a.Tier = a.Tier.MEDIUM) -> a.ScopeAnswer:
    return a.ScopeAnswer(kind, tier, tuple(map(a.SubQuestion, texts)))


def decision(*gaps: str, go_on: bool = True, topic: str = "", url: str = "") -> a.DecideAnswer:
    return a.DecideAnswer("Something was learned.", gaps, go_on, topic, url)


def always(kind: Kind, said: Callable[[Ask], Scripted] | Scripted) -> Callable[[Ask], Scripted | None]:
    def script(ask: Ask) -> Scripted | None:
        if ask.kind is not kind:
            return None
        return said(ask) if callable(said) else said

    return script


def decisions(done: Finished) -> list[LoopDecided]:
    return done.of_kind("loop.decided")


def the_answer(done: Finished) -> str:
    """The answer without what code adds at its end."""
    return done.report.partition("\n## Sources")[0].partition("\n## Methodology")[0]
