"""What happens to a question that is asked for a quick answer: scoped, gathered for, decided on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..asks import Brief, DecideAnswer, QueryType, SubQuestion, Tier


@dataclass(frozen=True, slots=True)
class QuestionScoped:
    """What kind of question it is and what it takes. `by` says who decided."""

    query_type: QueryType
    tier: Tier
    deep: bool = False
    subquestions: tuple[SubQuestion, ...] = ()
    by: str = "code"
    kind: Literal["question.scoped"] = "question.scoped"


@dataclass(frozen=True, slots=True)
class EvidenceSettled:
    """No subquestion is open. Whether the evidence is enough is decided next, for the `iteration`-th time."""

    iteration: int
    kind: Literal["evidence.settled"] = "evidence.settled"


@dataclass(frozen=True, slots=True)
class LoopDecided:
    """The decision as it holds. `overruled` says why the engine did not go on although the model wanted to.

    `topic` is the subquestion it opened.
    """

    decision: DecideAnswer
    iteration: int
    timeRemainingMinutes: float | None = None
    overruled: str = ""
    topic: str = ""
    kind: Literal["loop.decided"] = "loop.decided"


@dataclass(frozen=True, slots=True)
class BriefWritten:
    """The writer's order: the answer is due."""

    brief: Brief
    kind: Literal["brief.written"] = "brief.written"
