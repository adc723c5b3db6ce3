"""`mock`: deterministic answers for trying things out and for tests. It invents, and says so in every sentence."""

from __future__ import annotations

import json
from dataclasses import asdict

from .. import asks as a
from ..model import Document, Section, Verdict, one_line
from . import Abilities, BackendSettings


def open_backend(_settings: BackendSettings) -> MockBackend:
    return MockBackend()


class MockBackend:
    name = "mock"
    abilities = Abilities(tools=True)

    async def answer(self, ask: a.Ask) -> a.Reply | a.Failure:
        return a.Reply(json.dumps(asdict(_answer(ask.inputs))))

    async def aclose(self) -> None:
        """Nothing is held."""


def _answer(inputs: a.Inputs) -> a.Answer:
    match inputs:
        case a.PlanInputs(question=question, breadth=breadth):
            subject = one_line(question, 60)
            return a.PlanAnswer(tuple(_topic(f"Mock aspect {n} of {subject}") for n in range(1, breadth + 1)))
        case a.QueriesInputs(topic=topic):
            return a.QueriesAnswer((topic.title,))
        case a.DocumentInputs(topic=topic):
            return _document(topic.title)
        case a.ChildrenInputs(topic=topic, breadth=breadth):
            children = (_topic(f"Mock detail {topic.id}.{n}") for n in range(1, breadth + 1))
            return a.ChildrenAnswer(tuple(children))
        case a.ReviewInputs(topic=topic):
            return a.ReviewAnswer(tuple(a.CriterionVerdict(criterion, True) for criterion in topic.criteria))
        case a.SectionInputs(topics=topics):
            return a.SectionAnswer(tuple(Section(topic.id, _prose(document)) for topic, document in topics))
        case a.SynthesizeInputs(question=question, topics=topics):
            first = _prose(topics[0][1]) if topics else "Mock mode found nothing."
            return a.SynthesizeAnswer(f"Mock report: {one_line(question, 100)}", first, (_NOTE,))
        case a.FinalReviewInputs():
            fine = a.Opinion(True)
            return a.FinalReviewAnswer(fine, fine, fine, fine)
        case a.ReviseInputs(summary=summary):
            return a.ReviseAnswer(summary)
        case a.RecoverInputs(error=error):
            return a.RecoverAnswer(f"Repeat the step. It failed with: {one_line(error, 200)}")
        case a.JudgeInputs(claims=claims):
            return a.JudgeAnswer(tuple(a.Judged(n, Verdict.SUPPORTED) for n in range(1, len(claims) + 1)))
        case a.PickInputs(leaves=leaves, count=count):
            return a.PickAnswer(leaves[:count])
        case a.ScopeInputs(question=question, most=most):
            subject = one_line(question, 60)
            asked = tuple(a.SubQuestion(f"Mock subquestion {n} of {subject}") for n in range(1, most + 1))
            return a.ScopeAnswer(a.QueryType.FACTUAL, a.Tier.MEDIUM, asked)
        case a.DecideInputs():
            return a.DecideAnswer("Mock mode found what it invented.", (), False)
        case a.AnswerInputs():
            return _mock_answer(inputs)


_NOTE = "Mock mode: no model was asked and no source was read; every statement here is a placeholder."


def _topic(title: str) -> a.ProposedTopic:
    return a.ProposedTopic(title, "A placeholder topic.", (f"States one mock finding about {title}",))


def _mock_answer(inputs: a.AnswerInputs) -> a.AnswerAnswer:
    """A simple question brings its own finding; others have those of their subquestions."""
    title = one_line(inputs.question, 60)
    if not inputs.topics:
        document = _document(title)
        return a.AnswerAnswer(
            f"{_NOTE} {document.findings[0].claim} [F1-1]", title, (), document.findings, document.sources
        )
    text = f"{_NOTE} {_prose(inputs.topics[0][1])}"
    headings = (*(f"Mock part {n}" for n in range(1, 5)), "Conclusion")
    return a.AnswerAnswer(text, title, tuple(a.AnswerPart(h, text) for h in headings) if inputs.deep else ())


def _document(title: str) -> a.DocumentAnswer:
    sentence = f"This is a mock finding about {title}."
    finding = a.ProposedFinding(sentence, sentence, "S1")
    source = a.ProposedSource("S1", "mock:source", "Mock source")
    return a.DocumentAnswer(f"A mock document about {title}.", (finding,), (source,), ("Nothing was really read.",))


def _prose(document: Document) -> str:
    return " ".join(f"{finding.claim} [{finding.id}]" for finding in document.findings) or "Nothing was found."
