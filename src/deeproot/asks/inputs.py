"""What an answer may be made from. Nothing here names a clock, a machine path or a random order."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Document, Passage, Section, Topic
from .kinds import Brief


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """Split the question into at most `breadth` topics. `passages` is what a first search for it found."""

    question: str
    breadth: int
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class QueriesInputs:
    """Up to `breadth` search queries for a topic; `actions` is what a reviewer asked to look for."""

    question: str
    topic: Topic
    breadth: int
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentInputs:
    """Write a topic's document. `passages` is what the engine found; empty when the backend has its own tools."""

    question: str
    topic: Topic
    passages: tuple[Passage, ...] = ()
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChildrenInputs:
    """Name at most `breadth` subtopics worth researching; `others` are the titles the tree already has nearby."""

    question: str
    topic: Topic
    document: Document
    breadth: int
    passages: tuple[Passage, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewInputs:
    question: str
    topic: Topic
    document: Document


@dataclass(frozen=True, slots=True)
class SectionInputs:
    """Write the report's text for each of these topics, in at most `words` words together."""

    question: str
    topics: tuple[tuple[Topic, Document], ...]
    words: int


@dataclass(frozen=True, slots=True)
class SynthesizeInputs:
    """Write the executive summary over the finished sections, in at most `words` words. All stand in tree order."""

    question: str
    topics: tuple[tuple[Topic, Document], ...]
    sections: tuple[Section, ...]
    words: int


@dataclass(frozen=True, slots=True)
class FinalReviewInputs:
    question: str
    topics: tuple[Topic, ...]
    report: str


@dataclass(frozen=True, slots=True)
class ReviseInputs:
    """Rewrite what the critique names; `summary` and each section are given as they stand."""

    question: str
    summary: str
    sections: tuple[Section, ...]
    issues: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecoverInputs:
    hat: str
    topic: Topic | None
    error: str


@dataclass(frozen=True, slots=True)
class PickInputs:
    """Order the most valuable of `leaves` (slug paths), best first, at most `count`."""

    question: str
    outline: str
    leaves: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class ScopeInputs:
    """Say what kind of question it is and split it into at most `most` subquestions; of a `deep` one, more aspects."""

    question: str
    most: int
    passages: tuple[Passage, ...] = ()
    deep: bool = False


@dataclass(frozen=True, slots=True)
class DecideInputs:
    """Is the evidence enough? `given_up` are the subquestions that no strategy could answer."""

    question: str
    topics: tuple[tuple[Topic, Document], ...]
    given_up: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerInputs:
    """Answer the question, from `passages` (a simple question) or from the documents of its `topics`."""

    question: str
    brief: Brief
    words: int
    deep: bool = False
    topics: tuple[tuple[Topic, Document], ...] = ()
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class Claimed:
    """A sentence of the report and the passage of the source it cites."""

    sentence: str
    passage: str


@dataclass(frozen=True, slots=True)
class JudgeInputs:
    """Does each passage say what its sentence says?"""

    claims: tuple[Claimed, ...]


Inputs = (
    PlanInputs
    | QueriesInputs
    | DocumentInputs
    | ChildrenInputs
    | ReviewInputs
    | SectionInputs
    | SynthesizeInputs
    | FinalReviewInputs
    | ReviseInputs
    | RecoverInputs
    | PickInputs
    | JudgeInputs
    | ScopeInputs
    | DecideInputs
    | AnswerInputs
)
