"""The reviewers: parts come from the model, the verdict is computed here."""

from __future__ import annotations

from collections.abc import Sequence

from ..asks import Ask, FinalReviewAnswer, FinalReviewInputs, Kind, Opinion, ReviewAnswer, ReviewInputs
from ..events import (
    Event,
    ReportAccepted,
    ReportConceded,
    ReportRejected,
    TopicAccepted,
    TopicExhausted,
    TopicRejected,
)
from ..model import Topic
from ..project.templates import fenced, listed
from ..report.assemble import assemble, shortcomings
from ..settings import REVISIONS, TOPIC_ROUNDS
from ..state import Task
from .turn import Turn, document_text, topic_of, topic_words

REPORT_CHARACTERS = 400_000


async def review(turn: Turn) -> list[Event]:
    """Accept a document, or send it back while a criterion is not met and something can be done about it."""
    topic = topic_of(turn)
    document = turn.state.growths[topic.id].document
    assert document is not None, "only a researched topic is reviewed"
    prompt = turn.render("review", **topic_words(topic), document=document_text(topic, document))
    ask = Ask(Kind.REVIEW, prompt, ReviewInputs(turn.settings.question, topic, document))
    answer = (await turn.ask("review", ReviewAnswer, ask, check=lambda a: _check_review(a, topic))).answer
    if all(verdict.met for verdict in answer.criteria) or not answer.actions:
        return [TopicAccepted(topic.id, answer.criteria, answer.gaps)]
    rejected = TopicRejected(topic.id, answer.criteria, answer.gaps, answer.actions)
    rounds = turn.state.rounds[Task("researcher", topic.id)]
    if rounds < TOPIC_ROUNDS:
        return [rejected]
    return [rejected, TopicExhausted(topic.id, f"still rejected after {rounds} rounds of research")]


def _check_review(answer: ReviewAnswer, topic: Topic) -> Sequence[str]:
    if len(answer.criteria) < len(topic.criteria):
        return [f"criteria: judge each of the {len(topic.criteria)} acceptance criteria"]
    return []


async def final_review(turn: Turn) -> list[Event]:
    """Accept the report, send it to the reviser, or, after the last revision, let it go with CAUTION."""
    report = assemble(turn.state)
    topics = tuple(growth.topic for growth in turn.state.walk())
    prompt = turn.render(
        "final_review",
        topics=listed([f"{topic.id} {topic.title}" for topic in topics]),
        report=fenced("report", report.text[:REPORT_CHARACTERS]),
    )
    ask = Ask(Kind.FINAL_REVIEW, prompt, FinalReviewInputs(turn.settings.question, topics, report.text))
    answer = (await turn.ask("final-review", FinalReviewAnswer, ask, check=_check_final)).answer
    issues = (
        *shortcomings(turn.state),
        *(issue for verdict in _verdicts(answer) for issue in verdict.issues),
    )
    if not issues:
        return [ReportAccepted(answer)]
    if turn.state.draft.revisions >= REVISIONS:
        return [ReportConceded(issues)]
    return [ReportRejected(issues, answer)]


def _verdicts(answer: FinalReviewAnswer) -> tuple[Opinion, ...]:
    """Those that are not ok."""
    four = (answer.completeness, answer.coherence, answer.quality, answer.professionalism)
    return tuple(verdict for verdict in four if not verdict.ok)


def _check_final(answer: FinalReviewAnswer) -> Sequence[str]:
    if any(not any(map(str.strip, verdict.issues)) for verdict in _verdicts(answer)):
        return ["a verdict that is not ok needs at least one issue that says what to change"]
    return []
