"""The reviewers' answers, computed from what stands in a document or a report."""

from __future__ import annotations

import re
from collections import Counter

from ...asks import (
    CriterionVerdict,
    FinalReviewAnswer,
    FinalReviewInputs,
    JudgeAnswer,
    Judged,
    JudgeInputs,
    Opinion,
    ReviewAnswer,
    ReviewInputs,
)
from ...evidence import judge
from ...model import Document, Verdict, one_line
from .researcher import SEARCHED_AGAIN
from .words import terms

ENOUGH = 1 / 3

_QUOTED = re.compile(r"“([^”]+)”")
_LEFT_OVER = re.compile(r"\[F\d[\d.]*-\d+\]")
_HEADING = re.compile(r"^#{1,6} +(.+?)\s*$", re.MULTILINE)
_QUOTE_ALONE = re.compile(r"“[^”]{40,}”(?!\s*(?:\[\d+\]|\[evidence\?\]))")


def judge_claims(inputs: JudgeInputs) -> JudgeAnswer:
    """What code can tell of each passage; in doubt that it does not support the sentence."""
    verdicts = (judge(claim.sentence, claim.passage).verdict for claim in inputs.claims)
    told = (Verdict.UNSUPPORTED if verdict is Verdict.UNVERIFIABLE else verdict for verdict in verdicts)
    return JudgeAnswer(tuple(Judged(n, verdict) for n, verdict in enumerate(told, 1)))


def review(inputs: ReviewInputs) -> ReviewAnswer:
    """Each criterion by itself. Another search is asked for once, and only when there is nothing at all."""
    document, topic = inputs.document, inputs.topic
    verdicts = tuple(_verdict(criterion, document) for criterion in topic.criteria)
    words = [word for word in topic.title.split() if terms(word)]
    tried = any(gap.startswith(SEARCHED_AGAIN) for gap in document.gaps)
    actions = () if document.findings or tried or len(words) < 2 else tuple(dict.fromkeys(words))
    return ReviewAnswer(verdicts, document.gaps, actions)


def _verdict(criterion: str, document: Document) -> CriterionVerdict:
    if not document.findings:
        return CriterionVerdict(criterion, False, "There are no findings.")
    quoted = _QUOTED.search(criterion)
    matter = frozenset(terms(quoted[1] if quoted else criterion))
    said = {term for finding in document.findings for term in terms(f"{finding.quote} {finding.source.title}")}
    if not quoted or not matter or len(matter & said) >= ENOUGH * len(matter):
        unplaced = sum(finding.lines is None for finding in document.findings)
        reason = f"{len(document.findings)} findings" + (
            f", {unplaced} without lines." if unplaced else ", each with lines."
        )
        return CriterionVerdict(criterion, unplaced == 0, reason)
    return CriterionVerdict(criterion, False, "The findings do not speak about it.")


def final_review(inputs: FinalReviewInputs) -> FinalReviewAnswer:
    """What can be seen without judging the matter: gaps in the form, citations missing, text twice."""
    headings = {one_line(heading) for heading in _HEADING.findall(inputs.report)}
    missing = [
        f"Topic {topic.id} ({topic.title}) has no heading." for topic in inputs.topics if topic.title not in headings
    ]
    named = {one_line(inputs.question), *(topic.title for topic in inputs.topics)}
    quotes = [one_line(quote) for quote in _QUOTE_ALONE.findall(inputs.report)]
    bare = [f"This quote has no citation: {one_line(quote, 80)}" for quote in quotes if quote[1:-1] not in named]
    left_over = [f"{mark} stands in the text." for mark in dict.fromkeys(_LEFT_OVER.findall(inputs.report))]
    return FinalReviewAnswer(
        completeness=_judged(missing),
        coherence=_judged(_repeated_paragraphs(inputs.report)),
        quality=_judged(bare),
        professionalism=_judged(left_over),
    )


def _repeated_paragraphs(report: str) -> list[str]:
    paragraphs = [one_line(part) for part in report.split("\n\n") if len(part.split()) > 12]
    return [
        f"This paragraph stands twice: {one_line(part, 80)}" for part, count in Counter(paragraphs).items() if count > 1
    ]


def _judged(issues: list[str]) -> Opinion:
    return Opinion(not issues, tuple(issues))
