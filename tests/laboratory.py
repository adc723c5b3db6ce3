"""A laboratory for tests: it runs researchers against scripted backends, and keeps crash images of them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from deeproot import asks as a
from deeproot.asks import Ask, Failure, Kind, Reply
from deeproot.backends import Backend, BackendSettings
from deeproot.engine.engine import Outcome
from deeproot.events import Event
from deeproot.model import Status, Topic
from deeproot.project import journal
from deeproot.project.journal import Entry, Step
from deeproot.researcher import Means, Researcher
from deeproot.settings import Settings, min_iterations
from deeproot.state import State
from deeproot.testing import FakeClock, Script, Scripted, ScriptedBackend

MEMORY = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
QUESTION = "How does asyncio cancel a task?"
GATES = ("CITATION_GATE", "CONSISTENCY_GATE")
Plain = Script | Mapping[Kind, Sequence[Scripted]] | None
Answers = ScriptedBackend | Plain


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that came to its end, seen from all sides."""

    outcome: Outcome
    researcher: Researcher
    backend: ScriptedBackend
    live: State

    @property
    def state(self) -> State:
        """The state as the journal tells it."""
        return self.researcher.past().state

    @property
    def entries(self) -> list[Entry]:
        return journal.load(self.researcher.journal).entries

    @property
    def events(self) -> list[Event]:
        return [event for entry in self.entries if entry.batch for event in entry.batch.events]

    @property
    def steps(self) -> list[Step]:
        return [entry.step for entry in self.entries if entry.step]

    def of_kind(self, kind: str) -> list[Any]:
        return [event for event in self.events if event.kind == kind]

    @property
    def report(self) -> str:
        return self.researcher.report.read_text(encoding="utf-8")

    @property
    def verdicts(self) -> set[str]:
        """What the report's citations were found to be."""
        told = json.loads(self.researcher.report.with_name("citations.json").read_text(encoding="utf-8"))
        return {citation["verdict"] for citation in told}

    @property
    def state_json(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads(self.text("state.json"))
        return loaded

    def text(self, name: str) -> str:
        return (self.researcher.folder / name).read_text(encoding="utf-8")

    def archived(self, name: str) -> list[str]:
        """Every kept version of a file, oldest first."""
        copies = (self.researcher.folder / "archive").glob(f"*.*.{name}")
        mine = [path for path in copies if path.name.split(".", 2)[2] == name]
        ordered = sorted(mine, key=lambda path: int(path.name.split(".")[0]))
        return [path.read_text(encoding="utf-8") for path in ordered]


class Lab:
    """Runs researchers in one project folder. Small trees and a fast clock unless a test says otherwise."""

    def __init__(self, project: Path) -> None:
        self.project = project

    @property
    def folder(self) -> Path:
        return self.project / ".research" / "lab"

    @property
    def researcher(self) -> Researcher:
        return Researcher(self.project, "lab")

    def run(self, answers: Answers = None, *, means: Mapping[str, Any] | None = None, **settings: Any) -> Finished:
        return anyio.run(lambda: self.start(answers, means=means, **settings))

    def resume(
        self,
        answers: Answers = None,
        *,
        force: bool = False,
        means: Mapping[str, Any] | None = None,
        **changes: Any,
    ) -> Finished:
        async def go() -> Finished:
            backend = as_backend(answers)
            live: list[State] = []
            outcome = await self.researcher.resume(
                lambda before: replace(before, **changes), _means(backend, live, means), force
            )
            return Finished(outcome, self.researcher, backend, live[-1])

        return anyio.run(go)

    async def start(
        self, answers: Answers = None, *, means: Mapping[str, Any] | None = None, **chosen: Any
    ) -> Finished:
        settings = settings_for(**chosen)
        researcher = Researcher(self.project, settings.name)
        backend = as_backend(answers)
        live: list[State] = []
        outcome = await researcher.start(settings, _means(backend, live, means))
        return Finished(outcome, researcher, backend, live[-1])

    def crash_image(self, name: str = "crashed") -> Lab:
        """The project as a crash at this moment would leave it, in a folder beside this one."""
        target = self.project.with_name(name)
        shutil.copytree(self.project, target)
        return Lab(target)


def settings_for(**chosen: Any) -> Settings:
    """Breadth 2, depth 0 and the floor as the limit, unless chosen otherwise."""
    values: dict[str, Any] = {"question": QUESTION, "name": "lab", "breadth": 2, "depth": 0, "concurrency": 1} | chosen
    values.setdefault("max_iterations", min_iterations(values["breadth"], values["depth"]))
    return Settings(model="scripted", review_model="scripted", **values)


def as_backend(answers: Answers) -> ScriptedBackend:
    return answers if isinstance(answers, ScriptedBackend) else ScriptedBackend(answers)


def _means(backend: ScriptedBackend, live: list[State], chosen: Mapping[str, Any] | None) -> Means:
    def opened(_name: str, _settings: BackendSettings) -> Backend:
        return backend

    def watch(_entry: Entry, state: State) -> None:
        live[:] = [state]

    return Means(**{"open_backend": opened, "clock": FakeClock(speed=100), "watch": watch, **(chosen or {})})


# Scripts, in the words of the asks


def topic_of(ask: Ask) -> Topic:
    """The topic an ask is about."""
    topic = getattr(ask.inputs, "topic", None)
    assert isinstance(topic, Topic), f"{ask.kind} is about no single topic"
    return topic


def plan_of(*titles: str) -> a.PlanAnswer:
    return a.PlanAnswer(
        tuple(a.ProposedTopic(title, f"About {title}.", (f"Says what {title} is",)) for title in titles)
    )


def children_of(*titles: str) -> a.ChildrenAnswer:
    return a.ChildrenAnswer(plan_of(*titles).topics)


def document_about(title: str, *locations: str, gaps: tuple[str, ...] = ()) -> a.DocumentAnswer:
    """One finding per location."""
    places = locations or (f"https://example.org/{title}",)
    findings = tuple(
        a.ProposedFinding(f"{title} is claim {n}.", f"Quote {n} about {title}.", f"S{n}")
        for n in range(1, len(places) + 1)
    )
    sources = tuple(a.ProposedSource(f"S{n}", place, f"Page {n}") for n, place in enumerate(places, 1))
    return a.DocumentAnswer(f"Summary of {title}.", findings, sources, gaps)


def rejection(topic: Topic, action: str = "Search again") -> a.ReviewAnswer:
    verdicts = tuple(a.CriterionVerdict(criterion, False, "not shown") for criterion in topic.criteria)
    return a.ReviewAnswer(verdicts, ("A gap was seen",), (action,))


def final_verdict(*issues: str) -> a.FinalReviewAnswer:
    fine = a.Opinion(True)
    return a.FinalReviewAnswer(fine, fine, a.Opinion(not issues, issues), fine)


def failing(message: str = "no answer today") -> a.Failure:
    return a.Failure(a.Reason.FAILED, message)


def first(*scripts: Callable[[Ask], Scripted | None]) -> Script:
    """The answer of the first script that has one."""

    def script(ask: Ask) -> Scripted | None:
        return next((said for said in (each(ask) for each in scripts) if said is not None), None)

    return script


def once(kind: Kind, said: Scripted) -> Script:
    """Answers the first ask of this kind, and no other."""
    given: list[Ask] = []

    def script(ask: Ask) -> Scripted | None:
        if ask.kind is kind and not given:
            given.append(ask)
            return said
        return None

    return script


def at(kind: Kind, number: int, act: Callable[[], None]) -> Script:
    """Does something when the `number`-th ask of this kind comes in, before it is answered."""
    seen: list[Ask] = []

    def script(ask: Ask) -> None:
        if ask.kind is kind:
            seen.append(ask)
            if len(seen) == number:
                strictly(act)

    return script


def strictly(act: Callable[[], None]) -> None:
    """Do it, and end the test when it cannot be done: the engine would take an error for a failed turn."""
    try:
        act()
    except Exception as error:
        pytest.fail(f"{type(error).__name__}: {error}")


class PausingBackend(ScriptedBackend):
    """A scripted backend that does something, and may wait, before it answers the asks that `when` picks."""

    def __init__(
        self, when: Callable[[Ask], bool], pause: Callable[[], Awaitable[None]], answers: Plain = None
    ) -> None:
        super().__init__(answers)
        self._when, self._pause = when, pause

    async def answer(self, ask: Ask) -> Reply | Failure:
        if self._when(ask):
            await self._pause()
        return await super().answer(ask)


def statuses(state: State) -> dict[str, Status]:
    return {growth.topic.id: growth.topic.status for growth in state.walk()}


GOLDEN = Path(__file__).parent / "golden"


def golden(name: str, text: str) -> None:
    """Compare with the golden file of this name; with GOLDEN=write in the environment, write it."""
    path = GOLDEN / name
    if os.environ.get("GOLDEN") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{name} differs: read it, then GOLDEN=write"
