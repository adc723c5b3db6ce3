"""From an author's answer to a document: sources resolved, quotes looked up, findings numbered.

A quote that does not stand in what it cites goes back to the author once, with the nearest places. What is still
not there then is kept, marked as not found, and shown as such wherever it is cited.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..asks import DocumentAnswer, ProposedFinding
from ..evidence import find_quote, nearest_passages
from ..knowledge.sources import text_hash
from ..model import Document, Finding, Passage, Source, Topic, one_line

NEAREST = 2
NEAREST_LENGTH = 300


@dataclass(frozen=True, slots=True)
class Cited:
    """What a finding cites: a source and, where it is held, the text that begins at `first_line` of it."""

    source: Source
    text: str | None = None
    first_line: int = 1
    section: str | None = None


class Author:
    """Judges the answers of one document ask, one after the other.

    `texts_of` gives the texts of a source by its location, as far as they are held. An author with `tools` may cite
    what only it saw; any other that names a source nobody holds has invented it.
    """

    def __init__(
        self, topic: Topic, passages: tuple[Passage, ...], texts_of: Callable[[str], Sequence[str]], tools: bool
    ) -> None:
        self._topic = topic
        self._passages = passages
        self._texts_of = texts_of
        self._tools = tools
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
            if self._cited(finding, answer) is None:
                source = finding.source
                problems.append(f"finding {number}: source {source!r} is neither a passage label nor in sources")
        return problems

    def _missing_quotes(self, answer: DocumentAnswer) -> list[str]:
        return [
            f"finding {number}: {problem}"
            for number, finding in enumerate(answer.findings, 1)
            if (problem := self._missing_quote(finding, answer))
        ]

    def _missing_quote(self, finding: ProposedFinding, answer: DocumentAnswer) -> str:
        cited = self._cited(finding, answer)
        assert cited is not None, "checked before"
        if cited.text is None:
            return "" if self._tools else f"{cited.source.location} was not given to you. Cite a passage, or drop it."
        if find_quote(finding.quote, cited.text):
            return ""
        near = nearest_passages(finding.quote, cited.text, NEAREST)
        places = " / ".join(one_line(place.span.of(cited.text), NEAREST_LENGTH) for place in near)
        hint = f" Nearest there: {places}" if places else ""
        return f"the quote does not stand in {finding.source}. Copy it word for word, or drop the finding.{hint}"

    def document(self, answer: DocumentAnswer) -> Document:
        findings = [self._finding(number, finding, answer) for number, finding in enumerate(answer.findings, 1)]
        return Document(answer.summary.strip(), tuple(findings), tuple(map(one_line, answer.gaps)))

    def _finding(self, number: int, proposed: ProposedFinding, answer: DocumentAnswer) -> Finding:
        cited = self._cited(proposed, answer)
        assert cited is not None, "checked before"
        lines = _lines(cited, proposed.quote)
        seen_by_agent = cited.text is None and self._tools
        return Finding(
            id=f"F{self._topic.id}-{number}",
            claim=one_line(proposed.claim),
            quote=proposed.quote.strip(),
            source=cited.source,
            lines=lines,
            weight=min(1.0, max(0.0, proposed.weight)),
            found=None if seen_by_agent else lines is not None,
            section=cited.section,
        )

    def _cited(self, finding: ProposedFinding, answer: DocumentAnswer) -> Cited | None:
        """What a finding cites: a passage by its label, or a source from the author's own list."""
        label = re.fullmatch(r"\[?S(\d{1,6})\]?", finding.source.strip())
        number = int(label[1]) if label else 0
        if 1 <= number <= len(self._passages):
            passage = self._passages[number - 1]
            return Cited(passage.source, passage.text, passage.first_line, passage.section or None)
        return self._named(finding, answer)

    def _named(self, finding: ProposedFinding, answer: DocumentAnswer) -> Cited | None:
        wanted = finding.source.strip().strip("[]")
        for proposed in answer.sources:
            if wanted in (proposed.id.strip().strip("[]"), proposed.location):
                source = Source(one_line(proposed.location), one_line(proposed.title))
                text = _fitting(self._texts_of(source.location), finding.quote)
                if text is None:
                    return Cited(source)
                return Cited(Source(source.location, source.title, text_hash(text)), text)
        return None


def _fitting(texts: Sequence[str], quote: str) -> str | None:
    """The text a quote stands in, where a source was read several times; otherwise the first."""
    if len(texts) > 1:
        return next((text for text in texts if find_quote(quote, text)), texts[0])
    return texts[0] if texts else None


def _lines(cited: Cited, quote: str) -> tuple[int, int] | None:
    """Where in its source a quote stands; None when it is not in what it cites."""
    span = find_quote(quote, cited.text) if cited.text is not None else None
    if span is None or cited.text is None:
        return None
    first = cited.first_line + cited.text.count("\n", 0, span.start)
    return first, first + cited.text.count("\n", span.start, span.end)
