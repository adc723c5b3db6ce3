"""From an author's answer to a document: sources resolved, quotes looked up, findings numbered.

A quote that does not stand in the passage it cites goes back to the author once, with the nearest places. What is
still not there then is kept, marked as not found, and shown as such wherever it is cited.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..asks import DocumentAnswer, ProposedFinding
from ..evidence import find_quote, nearest_passages
from ..model import Document, Finding, Passage, Source, Topic, one_line

NEAREST = 2
NEAREST_LENGTH = 300


class Author:
    """Judges the answers of one document ask, one after the other."""

    def __init__(self, topic: Topic, passages: tuple[Passage, ...]) -> None:
        self._topic = topic
        self._passages = passages
        self._sent_back = False

    def problems(self, answer: DocumentAnswer) -> Sequence[str]:
        """What is wrong with an answer; missing quotes are held against it once only."""
        problems = self._shape(answer)
        if not problems and not self._sent_back:
            problems = self._missing_quotes(answer)
            self._sent_back = bool(problems)
        return problems

    def _shape(self, answer: DocumentAnswer) -> list[str]:
        if not answer.findings and not answer.gaps:
            return ["the document has neither findings nor gaps: give evidence, or say under gaps what is missing"]
        problems = [] if one_line(answer.summary) else ["summary: it is empty"]
        for number, finding in enumerate(answer.findings, 1):
            if not one_line(finding.claim) or not one_line(finding.quote):
                problems.append(f"finding {number}: claim and quote are both needed")
            if self._cited(finding) is None and self._named(finding, answer) is None:
                source = finding.source
                problems.append(f"finding {number}: source {source!r} is neither a passage label nor in sources")
        return problems

    def _missing_quotes(self, answer: DocumentAnswer) -> list[str]:
        problems = []
        for number, finding in enumerate(answer.findings, 1):
            passage = self._cited(finding)
            if passage and not find_quote(finding.quote, passage.text):
                near = nearest_passages(finding.quote, passage.text, NEAREST)
                places = " / ".join(one_line(place.span.of(passage.text), NEAREST_LENGTH) for place in near)
                hint = f" Nearest there: {places}" if places else ""
                problems.append(
                    f"finding {number}: the quote does not stand in {finding.source}. Copy it word for word, or drop "
                    f"the finding.{hint}"
                )
        return problems

    def document(self, answer: DocumentAnswer) -> Document:
        findings = [self._finding(number, finding, answer) for number, finding in enumerate(answer.findings, 1)]
        return Document(answer.summary.strip(), tuple(findings), tuple(map(one_line, answer.gaps)))

    def _finding(self, number: int, proposed: ProposedFinding, answer: DocumentAnswer) -> Finding:
        passage = self._cited(proposed)
        named = self._named(proposed, answer)
        source = passage.source if passage else named
        assert source is not None, "checked before"
        lines = _lines(passage, proposed.quote) if passage else None
        return Finding(
            id=f"F{self._topic.id}-{number}",
            claim=one_line(proposed.claim),
            quote=proposed.quote.strip(),
            source=source,
            lines=lines,
            weight=min(1.0, max(0.0, proposed.weight)),
            found=lines is not None if passage else None,
        )

    def _cited(self, finding: ProposedFinding) -> Passage | None:
        """The passage a finding cites by its label."""
        label = re.fullmatch(r"\[?S(\d{1,6})\]?", finding.source.strip())
        number = int(label[1]) if label else 0
        return self._passages[number - 1] if 1 <= number <= len(self._passages) else None

    def _named(self, finding: ProposedFinding, answer: DocumentAnswer) -> Source | None:
        """The source a finding cites from the author's own list."""
        wanted = finding.source.strip().strip("[]")
        for source in answer.sources:
            if wanted in (source.id.strip().strip("[]"), source.location):
                return Source(one_line(source.location), one_line(source.title))
        return None


def _lines(passage: Passage, quote: str) -> tuple[int, int] | None:
    """Where in its file a quote stands; None when it is not in the passage it cites."""
    span = find_quote(quote, passage.text)
    if span is None:
        return None
    first = passage.first_line + passage.text.count("\n", 0, span.start)
    return first, first + passage.text.count("\n", span.start, span.end)
