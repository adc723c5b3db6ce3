"""The shapes of run that the campaigns disturb: a manner, how many topics at once, and how deep the tree grows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "budget"))
sys.path.insert(0, str(Path(__file__).parents[1] / "web"))

from hourglass import Hourglass
from script import NOTES, answer
from world import World, article, means_of

from deeproot import asks as a
from deeproot.ask import ASK, settings_for, within_loops
from deeproot.backends import Abilities
from deeproot.engine.cycle import RESEARCH
from deeproot.researcher import Researcher
from deeproot.settings import Asking, Settings
from deeproot.testing import FakeClock, ScriptedBackend

NAME = "roots"
QUESTION = "How deep do roots grow in different soil?"
SECONDS_PER_ASK = 20
CALLS, MINUTES = 12, 4.0
PLACES = [f"http://{name}.example/roots" for name in NOTES]
SITE = "http://soil.example/"


@dataclass(frozen=True, slots=True)
class Shape:
    """`breadth`, `guided`: a backend with tools of its own. `files`, `web`, `ask`: it is given passages, and a judge
    is asked about citations in doubt. `calls`, `time`: a budget ends the run."""

    manner: str = "breadth"
    concurrency: int = 1
    depth: int = 1

    @classmethod
    def parse(cls, text: str) -> Self:
        """`4x1`, `guided-1x2`."""
        manner, _, size = text.rpartition("-")
        concurrency, _, depth = size.partition("x")
        return cls(manner or "breadth", int(concurrency), int(depth))

    def __str__(self) -> str:
        return f"{self.manner}, concurrency {self.concurrency}, depth {self.depth}"

    @property
    def in_flight(self) -> int:
        """How many asks may be under way at once; the picker takes no slot of the others."""
        return self.concurrency + (self.manner == "guided")

    @property
    def walks(self) -> frozenset[str]:
        """The asks that an undisturbed run must have made; without them it would show nothing."""
        own = {"guided": {"pick"}, "ask": {"scope", "decide", "answer"}}.get(self.manner, {"plan"})
        return frozenset({*own, "document"} | ({"judge"} if self.reads else set()))

    @property
    def is_timed(self) -> bool:
        """Time that a killed run used stays used: it may end sooner, with an ask cut off and so another report."""
        return self.manner == "time"

    @property
    def reads(self) -> bool:
        return self.manner in ("files", "web", "ask")

    @property
    def settings(self) -> Settings:
        plain = Settings(
            QUESTION,
            NAME,
            breadth=2,
            depth=self.depth,
            max_iterations=500,
            model="scripted",
            review_model="scripted",
            concurrency=self.concurrency,
            files=("notes",),
        )
        match self.manner:
            case "guided":
                return replace(plain, strategy="guided")
            case "ask":
                asked = replace(settings_for(QUESTION, NAME, Asking(), "scripted"), breadth=3, files=("notes",))
                return within_loops(replace(asked, concurrency=self.concurrency))
            case "calls":
                return replace(plain, calls=CALLS)
            case "time":
                return replace(plain, time=MINUTES)
            case "web":
                return replace(plain, web=True, sites=(SITE,))
            case _:
                return plain

    def researcher(self, project: Path) -> Researcher:
        return Researcher(project, NAME, cycle=ASK if self.manner == "ask" else RESEARCH)

    @contextmanager
    def means(self) -> Iterator[dict[str, Any]]:
        """What such a run works with beside its backend: its clock, and its web."""
        if self.manner == "web":
            pages = zip(PLACES, NOTES.items(), strict=True)
            texts = {place: article(title, f"{text} " * 4) for place, (title, (text, _)) in pages}
            home = article("Soil", f"Soil holds roots. <a href=/sand>Sand</a> and <a href=/clay>clay</a>. {'. ' * 40}")
            site = {SITE: home} | {f"{SITE}{name}": article(name, f"{name} is soil. " * 9) for name in ("sand", "clay")}
            world = World(texts | site, PLACES)
            with world.served() as network:
                yield {"web": means_of(network), "clock": FakeClock(speed=300)}
        else:
            yield {"clock": Hourglass()} if self.manner == "time" else {}


class LoggingBackend(ScriptedBackend):
    """Writes each ask down before it answers; where time is budgeted, an ask takes some of it."""

    def __init__(self, shape: Shape, log: Callable[[str], None], seconds: float, clock: object = None) -> None:
        super().__init__(answer, seconds=seconds, abilities=Abilities(tools=not shape.reads))
        self._log = log
        self._clock = clock

    async def answer(self, ask: a.Ask) -> a.Reply | a.Failure:
        self._log(subject(ask))
        if isinstance(self._clock, Hourglass):
            self._clock.turn(SECONDS_PER_ASK)
        return await super().answer(ask)


def subject(ask: a.Ask) -> str:
    """Which ask this is, in words that are the same in every run."""
    topic = getattr(ask.inputs, "topic", None)
    return f"{ask.kind}:{topic.id if topic else '-'}"


def write_notes(project: Path) -> None:
    """The files that are read. Not the researcher's: they are there before it."""
    folder = project / "notes"
    folder.mkdir(exist_ok=True)
    for name, (text, _) in NOTES.items():
        (folder / f"{name}.md").write_text(f"# {name.title()}\n\n{text}\n", encoding="utf-8")
