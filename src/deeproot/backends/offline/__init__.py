"""The embedded default: answers computed from the inputs of an ask, without a model, a key or a network.

It quotes and never invents: whatever it reports is a sentence of a passage it was given. The same inputs always
give the same answer. `docs/offline.md` explains how.
"""

from __future__ import annotations

import dataclasses
import json

import anyio.to_thread

from ...asks import (
    Answer,
    AnswerInputs,
    Ask,
    ChildrenInputs,
    DecideInputs,
    DocumentInputs,
    FinalReviewInputs,
    Inputs,
    JudgeInputs,
    PickInputs,
    PlanInputs,
    QueriesInputs,
    RecoverInputs,
    Reply,
    ReviewInputs,
    ReviseInputs,
    ScopeInputs,
    SectionInputs,
    SynthesizeInputs,
)
from .. import Abilities, BackendSettings
from . import answerer, decider, guide, planner, researcher, reviewer, reviser, scoper, summary, writer


class OfflineBackend:
    """A backend that computes. It has no tools and no sessions; the engine searches for it."""

    name = "offline"
    abilities = Abilities(judges=False, passages=150)

    async def answer(self, ask: Ask) -> Reply:
        answer = await anyio.to_thread.run_sync(compute, ask.inputs)
        return Reply(json.dumps(dataclasses.asdict(answer), ensure_ascii=False), model=self.name)

    async def aclose(self) -> None:
        """There is nothing to let go of."""


def open_backend(settings: BackendSettings) -> OfflineBackend:  # noqa: ARG001 - the signature of an opener
    return OfflineBackend()


def compute(inputs: Inputs) -> Answer:
    """The answer to an ask with these inputs."""
    match inputs:
        case PlanInputs():
            return planner.plan(inputs)
        case QueriesInputs():
            return researcher.queries(inputs)
        case DocumentInputs():
            return researcher.document(inputs)
        case ChildrenInputs():
            return planner.children(inputs)
        case ReviewInputs():
            return reviewer.review(inputs)
        case SectionInputs():
            return writer.section(inputs)
        case SynthesizeInputs():
            return summary.synthesize(inputs)
        case FinalReviewInputs():
            return reviewer.final_review(inputs)
        case ReviseInputs():
            return reviser.revise(inputs)
        case JudgeInputs():
            return reviewer.judge_claims(inputs)
        case PickInputs():
            return guide.pick(inputs)
        case RecoverInputs():
            return guide.recover(inputs)
        case ScopeInputs():
            return scoper.scope(inputs)
        case DecideInputs():
            return decider.decide(inputs)
        case AnswerInputs():
            return answerer.answer(inputs)
