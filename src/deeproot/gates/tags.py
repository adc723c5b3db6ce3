"""Tags that code can raise from what a turn brought home. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..asks import CriterionVerdict
from ..events import TagRaised
from ..model import Document, Passage, Tag, Topic, one_line

SHOWN = 80

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_COMMANDING = re.compile(
    r"\b(?:ignore|disregard|forget)\b[^.\n]{0,40}\b(?:instructions?|prompts?|rules?)\b"
    r"|\byou (?:are now|must now|will now)\b[^.\n]{0,60}\b(?:assistant|model|agent|system)\b"
    r"|\b(?:emit|print|output|write|reply with)\b[^.\n]{0,20}(?:RESEARCH_COMPLETE|completed?\.md|<promise>)"
    r"|<\|?(?:system|im_start|assistant)\|?>",
    re.IGNORECASE,
)


def of_research(
    question: str, topic: Topic, document: Document, passages: Sequence[Passage], dropped: Sequence[str]
) -> Iterator[TagRaised]:
    """What a reader has to know of a topic's document."""
    if all(finding.found is False for finding in document.findings):
        yield TagRaised(Tag.LOW_EVIDENCE, topic.id)
    suspects = suspect(document, passages)
    if suspects:
        yield TagRaised(Tag.SUSPECT_SOURCE, topic.id, f"Seen in {', '.join(suspects)}.")
    if year := out_of_date(question, document):
        yield TagRaised(Tag.OUT_OF_DATE, topic.id, f"The newest year in the evidence is {year}.")
    if dropped:
        yield scope_exceeded(topic.id, dropped)


def of_review(topic: Topic, criteria: Sequence[CriterionVerdict]) -> Iterator[TagRaised]:
    """A topic is let go although nothing that was asked of it was shown."""
    if criteria and not any(verdict.met for verdict in criteria) and Tag.LOW_EVIDENCE not in topic.tags:
        yield TagRaised(Tag.LOW_EVIDENCE, topic.id)


def scope_exceeded(topic: str, dropped: Sequence[str]) -> TagRaised:
    titles = "; ".join(one_line(title, SHOWN) for title in dropped)
    return TagRaised(Tag.SCOPE_EXCEEDED, topic, f"Proposed beyond the breadth and left out: {titles}.")


def suspect(document: Document, passages: Sequence[Passage]) -> list[str]:
    """The cited sources whose passages talk to their reader as if they could command it."""
    cited = {finding.source.location for finding in document.findings}
    commanding = (p.source.location for p in passages if p.source.location in cited and _COMMANDING.search(p.text))
    return list(dict.fromkeys(commanding))


def out_of_date(question: str, document: Document) -> int | None:
    """The newest year the evidence speaks of, when the question asks about a later one."""
    asked = [int(year) for year in _YEAR.findall(question)]
    told = [int(year) for finding in document.findings for year in _YEAR.findall(finding.quote)]
    return max(told) if asked and told and max(told) < max(asked) else None
