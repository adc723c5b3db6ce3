"""A model that says as little as a run can go on with."""

from __future__ import annotations

import re

from .. import asks as a
from ..asks import Answer, Kind
from ..model import Section
from .requests import ModelRequest, Served


def oblige(request: ModelRequest) -> Served:
    """The least answer to an ask that a run can go on with. An ask without a form is taken for the picker's."""
    text = request.text
    match request.kind:
        case Kind.PLAN:
            return a.PlanAnswer(tuple(map(a.ProposedTopic, _numbered("Aspect ", text))))
        case Kind.QUERIES:
            return a.QueriesAnswer((_last(r"^The topic: (.+)$", text),))
        case Kind.DOCUMENT:
            return _obliging_document(text)
        case Kind.CHILDREN:
            titles = _numbered(_last(r"^The topic: (.+)$", text) + ".", text)
            return a.ChildrenAnswer(tuple(map(a.ProposedTopic, titles)))
        case Kind.REVIEW:
            wanted = _last(r"^Its acceptance criteria:\n((?:- .+\n)+)", text).splitlines()
            return a.ReviewAnswer(tuple(a.CriterionVerdict(line[2:], True) for line in wanted))
        case Kind.SECTION:
            ids = dict.fromkeys(re.findall(r"^Topic ([\d.]+):", text, re.MULTILINE))
            return a.SectionAnswer(tuple(Section(id, "Nothing more was found.") for id in ids))
        case Kind.SYNTHESIZE:
            return a.SynthesizeAnswer("A report", "It was looked into.")
        case Kind.FINAL_REVIEW:
            return a.FinalReviewAnswer(*[a.Opinion(True)] * 4)
        case Kind.REVISE:
            return a.ReviseAnswer()
        case Kind.RECOVER:
            return a.RecoverAnswer("Repeat the step.")
        case Kind.SCOPE:
            asked = tuple(map(a.SubQuestion, _numbered("Aspect ", text)))
            return a.ScopeAnswer(a.QueryType.FACTUAL, a.Tier.MEDIUM, asked)
        case Kind.DECIDE:
            return a.DecideAnswer("It was looked into.", (), False)
        case Kind.ANSWER:
            return _obliging_answer(text)
        case _:
            paths = re.findall(r"\[unexpanded\] \((.+)\)$", text, re.MULTILINE)
            return f"<output>{chr(10).join(paths)}</output>"


def _obliging_document(text: str) -> Answer:
    place = re.escape(_last(r"^\[S1\] (\S+)", text))
    quote = _last(rf"^\[S\d+\] {place}.*\n(.+)$", text) or _last(rf"^{place}.*\n(.+)$", text) if place else ""
    if not quote:
        return a.DocumentAnswer("Nothing was found.", gaps=("No passage was given.",))
    return a.DocumentAnswer(quote, (a.ProposedFinding(quote, quote, "S1"),))


def _obliging_answer(text: str) -> Answer:
    """From the first finding it was given, or from the first passage."""
    given = re.search(r"^- \[(F[\d.]+-\d+)\] (.+) \(S\d+\)$", text, re.MULTILINE)
    if given:
        return a.AnswerAnswer(f"{given[2]} [{given[1]}]")
    document = _obliging_document(text)
    assert isinstance(document, a.DocumentAnswer), "that is what it makes"
    said = f"{document.summary} [F1-1]" if document.findings else document.summary
    return a.AnswerAnswer(said, findings=document.findings, gaps=document.gaps)


def _numbered(begin: str, text: str) -> list[str]:
    """As many titles as the last ask allows."""
    return [f"{begin}{number}" for number in range(1, int(_last(r"^- At most (\d+) ", text) or 1) + 1)]


def _last(pattern: str, text: str) -> str:
    found: list[str] = re.findall(pattern, text, re.MULTILINE)
    return found[-1] if found else ""
