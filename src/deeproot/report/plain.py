"""Text made by code from the findings, word for word: what stands in a report when no writer could be asked. Pure.

Code quotes only what is there: a finding whose quote was looked for and not found is left out.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..model import Document, Finding, Section, Topic, one_line

LEADS = 7  # findings in a summary
NOTHING = "Nothing was found on this."


def plain_section(topic: Topic, document: Document) -> Section:
    """Every finding of a topic as a line, the heaviest first: the claim, the quote it rests on, the citation."""
    lines = [f"- {_said(finding)} [{finding.id}]" for finding in _heaviest_first(quotable(document))]
    return Section(topic.id, "\n".join(lines) or one_line(document.summary) or NOTHING)


def plain_summary(topics: Iterable[tuple[Topic, Document]]) -> str:
    """The heaviest finding of each topic; claims only, since the sections have the quotes."""
    first = [finding for _, document in topics for finding in _heaviest_first(quotable(document))[:1]]
    lines = [f"- {one_line(finding.claim)} [{finding.id}]" for finding in _heaviest_first(first)[:LEADS]]
    if not lines:
        return "Nothing was found before the research ended."
    return "The strongest findings, one a topic:\n\n" + "\n".join(lines)


def quotable(document: Document) -> tuple[Finding, ...]:
    return tuple(finding for finding in document.findings if finding.found is not False)


def _heaviest_first(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: -finding.weight)


def _said(finding: Finding) -> str:
    claim, quote = one_line(finding.claim), one_line(finding.quote)
    return f"“{quote}”" if quote == claim else f"{claim} “{quote}”"
