"""The reviewers: parts come from the model, the verdict is computed here."""

from __future__ import annotations

from collections.abc import Sequence

from ..asks import Ask, FinalReviewAnswer, FinalReviewInputs, Kind, Opinion, ReviewAnswer, ReviewInputs
from ..checks import Checked, Grade
from ..events import (
    Event,
    ReportAccepted,
    ReportConceded,
    ReportRejected,
    TopicAccepted,
    TopicExhausted,
    TopicRejected,
)
from ..gates.tags import of_review
from ..model import Topic
from ..project.templates import fenced, listed
from ..report.assemble import assemble
from ..settings import REVISIONS, TOPIC_ROUNDS
from ..state import State, Task
from .room import cut, room_beside
from .turn import Turn, document_text, topic_of, topic_words


async def review(turn: Turn) -> list[Event]:
    """Accept a document, or send it back while a criterion is not met and something can be done about it."""
    topic = topic_of(turn)
    document = turn.state.growths[topic.id].document
    assert document is not None, "only a researched topic is reviewed"
    prompt = turn.render("review", **topic_words(topic), document=document_text(topic, document))
    ask = Ask(Kind.REVIEW, prompt, ReviewInputs(turn.settings.question, topic, document))
    answer = (await turn.ask("review", ReviewAnswer, ask, check=lambda a: _check_review(a, topic))).answer
    if all(verdict.met for verdict in answer.criteria) or not answer.actions:
        return [TopicAccepted(topic.id, answer.criteria, answer.gaps), *of_review(topic, answer.criteria)]
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
    """Accept the report, send it to the reviser, or, after the last revision, let it go with CAUTION.

    What a gate failed goes back at once: no opinion could save it, so none is paid for.
    """
    if failed := _failed(turn.state.draft.checked):
        return [_sent_back(turn.state, failed)]
    report = assemble(turn.state, dated=False)  # no prompt holds a clock
    topics = tuple(growth.topic for growth in turn.state.walk())
    planned = listed([f"{topic.id} {topic.title}" for topic in topics])
    room = room_beside(turn, turn.render("final_review", topics=planned, report=""))
    prompt = turn.render("final_review", topics=planned, report=fenced("report", cut(report.text, room)))
    ask = Ask(Kind.FINAL_REVIEW, prompt, FinalReviewInputs(turn.settings.question, topics, report.text))
    answer = (await turn.ask("final-review", FinalReviewAnswer, ask, check=_check_final)).answer
    issues = tuple(issue for opinion in _opinions(answer) for issue in opinion.issues)
    return [_sent_back(turn.state, issues, answer)] if issues else [ReportAccepted(answer)]


def _failed(checked: Checked | None) -> tuple[str, ...]:
    """What the gates want mended, when they failed the report."""
    if checked is None or checked.grade is not Grade.FAIL:
        return ()
    return tuple(issue.detail for issue in checked.issues)


def _sent_back(
    state: State, issues: tuple[str, ...], answer: FinalReviewAnswer | None = None
) -> ReportRejected | ReportConceded:
    if state.draft.revisions >= REVISIONS:
        return ReportConceded(issues)
    return ReportRejected(issues, answer)


def _opinions(answer: FinalReviewAnswer) -> tuple[Opinion, ...]:
    """Those that are not ok."""
    four = (answer.completeness, answer.coherence, answer.quality, answer.professionalism)
    return tuple(opinion for opinion in four if not opinion.ok)


def _check_final(answer: FinalReviewAnswer) -> Sequence[str]:
    if any(not any(map(str.strip, opinion.issues)) for opinion in _opinions(answer)):
        return ["a verdict that is not ok needs at least one issue that says what to change"]
    return []
