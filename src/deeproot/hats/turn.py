"""What a hat may do while it is on. The engine supplies the object; hats see only this contract."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from ..answers import Invalid
from ..asks import Ask, Failure
from ..backends import Abilities
from ..events import TurnStarted
from ..knowledge.sources import Altered
from ..model import Document, Passage, Topic
from ..project.templates import fenced
from ..project.views import render_document
from ..settings import Settings
from ..state import State

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Asked(Generic[A]):
    """A checked answer and the session it was given in."""

    answer: A
    session: str | None


class StepFailed(Exception):
    """A step got no usable answer. A hat may go on without it; otherwise the turn becomes `turn.failed`."""

    def __init__(self, step: str, error: str) -> None:
        super().__init__(f"{step}: {error}")
        self.step = step
        self.error = error


class Turn(Protocol):
    """Every step has a name that is the same each time the turn runs; its recorded answer is used again.

    The whole text of every source that comes through here is stored before anything of it is used.
    """

    @property
    def state(self) -> State: ...
    @property
    def started(self) -> TurnStarted: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def abilities(self) -> Abilities: ...
    @property
    def guidance(self) -> tuple[str, ...]: ...

    @property
    def minutes_left(self) -> float | None:
        """Of the time budget: until research ends, or in the ending until everything does. None is unlimited.

        Not for prompts: a prompt that tells the time is another one after a crash.
        """

    def render(self, template: str, **variables: str) -> str:
        """A prompt from a template and the variables it names."""

    async def ask(
        self,
        step: str,
        answer: type[A] | Callable[[str], A | Invalid],
        ask: Ask,
        check: Callable[[A], Sequence[str]] = lambda _: (),
        tries: int = 3,
    ) -> Asked[A]:
        """An answer that parses and passes `check` (which returns what is wrong with it).

        `answer` is the type of JSON object wanted, or a parser of its own. A bad answer is asked again with what
        is wrong, until `tries` are used up; then the turn fails here.
        """

    async def search(self, step: str, query: str, limit: int) -> tuple[Passage, ...]:
        """Passages for a query, best first. The turn fails here when the search does."""

    async def read(self, step: str, location: str, query: str, limit: int) -> tuple[Passage, ...] | Failure:
        """The passages of one page or file nearest to a query; what cannot be read is told, and fails nothing."""

    def texts_of(self, location: str) -> Sequence[str]:
        """The texts held of a source: those the backend read by itself, or else the searcher's; none when unheld."""

    async def kept(self, digests: Collection[str]) -> Mapping[str, str | Altered]:
        """The kept texts of these sources by their hash; those that were never kept are left out."""


def topic_of(turn: Turn) -> Topic:
    return turn.state.topic(turn.started.topic)


def topic_words(topic: Topic) -> dict[str, str]:
    """The template variables that describe a topic."""
    criteria = "\n".join(f"- {criterion}" for criterion in topic.criteria) or "- The topic is answered with evidence"
    return {"topic_title": topic.title, "topic_description": topic.description, "criteria": criteria}


def document_text(topic: Topic, document: Document) -> str:
    return fenced("document", render_document(topic, document))
