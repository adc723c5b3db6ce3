"""The report, put together by code: headings from the tree, citation numbers, Sources, the warning banner.

Writers cite finding ids (`[F1.2-3]`); here they become source numbers (`[4]`), each defined once under Sources.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from ..events import ReportConceded
from ..model import Finding, Source, Status, Topic, one_line
from ..state import Growth, State

_ID = r"F\d[\d.]*-\d+"
_MARKER = re.compile(rf"\[({_ID}(?:\s*[,;]\s*{_ID})*)\]")
_MARKERS = re.compile(rf"\s*(?:{_MARKER.pattern}\s*)*{_MARKER.pattern}")
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+(.*?)[ \t#]*$", re.MULTILINE)
_NUMBER = re.compile(r"\[(\d+)\]")
_BOUNDARY = re.compile(r"[.!?]['\"”’)\]*_]*\s+|\n")

BANNER = """---
⚠️ **WARNING: ITERATION LIMIT REACHED**

This report was generated before all research topics were completed due to reaching the maximum iteration limit. \
Some findings may be incomplete or missing.

- Topics completed: {completed} of {total}
- Iterations executed: {iterations} (limit: {limit})
- To complete this research, resume with higher --max-iterations or run again without the limit
---
"""


@dataclass(frozen=True, slots=True)
class Citation:
    """One cited finding in one sentence. `locator` is the line range in the source, where lines are known."""

    n: int
    sentence: str
    quote: str
    source: str
    locator: str | None
    sha256: str | None
    finding: str
    claim: str
    found: bool | None


@dataclass(frozen=True, slots=True)
class Report:
    text: str
    citations: tuple[Citation, ...]

    def citations_json(self) -> str:
        """`citations.json`."""
        rows = [asdict(citation) for citation in self.citations]
        return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def cited_ids(text: str) -> list[str]:
    """The finding ids a text cites, in order."""
    return [id for marker in _MARKER.finditer(text) for id in re.findall(_ID, marker[1])]


class Numbering:
    """Turns finding markers into source numbers, in the order the sources are first cited."""

    def __init__(self, findings: dict[str, Finding]) -> None:
        self._findings = findings
        self._numbers: dict[tuple[str, str | None], int] = {}
        self.sources: list[tuple[Source, list[Finding]]] = []
        self.citations: list[Citation] = []

    def number(self, text: str) -> str:
        """A writer's text with numbers for markers; what each stands for is added to `citations`.

        Numbers in brackets and headings that the text already has, from a writer or inside a quote, lose their form:
        both are made by code alone.
        """
        text = _HEADING.sub(r"**\1**", _NUMBER.sub(r"(\1)", text))
        pieces, end = [], 0
        for group in _MARKERS.finditer(text):
            sentence = _sentence(text, end, group.start())
            pieces += [text[end : group.start()], self._replacement(group[0], sentence)]
            end = group.end()
        return "".join([*pieces, text[end:]])

    def _replacement(self, markers: str, sentence: str) -> str:
        shown: dict[str, None] = {}
        doubts = ""
        for id in cited_ids(markers):
            finding = self._findings.get(id)
            if finding:
                shown[f"[{self._cite(finding, sentence)}]"] = None
            if finding is None or finding.found is False:
                doubts = " [evidence?]"
        space = " " if markers[:1].isspace() else ""
        return space + "".join(shown) + doubts + (" " if markers[-1:].isspace() else "")

    def _cite(self, finding: Finding, sentence: str) -> int:
        key = (finding.source.location, finding.source.sha256)
        if key not in self._numbers:
            self.sources.append((finding.source, []))
        number = self._numbers.setdefault(key, len(self.sources))
        self.sources[number - 1][1].append(finding)
        self.citations.append(
            Citation(
                n=number,
                sentence=sentence,
                quote=finding.quote,
                source=finding.source.location,
                locator=f"{finding.lines[0]}-{finding.lines[1]}" if finding.lines else None,
                sha256=finding.source.sha256,
                finding=finding.id,
                claim=finding.claim,
                found=finding.found,
            )
        )
        return number


def _sentence(text: str, start: int, end: int) -> str:
    """The sentence that ends at `end`, where a marker stands, looking back no further than `start`."""
    before = text[start:end].rstrip()
    last = 0
    for boundary in _BOUNDARY.finditer(before):
        if boundary.end() < len(before):
            last = boundary.end()
    return re.sub(r"^[-*>#\d.\s]+(?=\S)", "", before[last:]).strip() or before.strip()


def assemble(state: State) -> Report:
    """The whole report as it stands. Pure: the same state gives the same bytes."""
    draft = state.draft
    growths = list(state.walk())
    findings = {f.id: f for growth in growths if growth.document for f in growth.document.findings}
    numbering = Numbering(findings)
    summary = numbering.number(draft.summary)
    body = [block for growth in growths for block in _section(state, growth, numbering)]
    blocks = [
        *([banner(state)] if banner(state) else []),
        f"# {one_line(draft.title or state.settings.question)}",
        "## Executive Summary",
        summary,
        "## Findings",
        *body,
        *_listed("## Limitations", [numbering.number(line) for line in limitations(state)]),
        "## Methodology",
        methodology(state, len(numbering.sources)),
        *_listed("## Sources", [_source_line(n, *entry) for n, entry in enumerate(numbering.sources, 1)]),
    ]
    text = "\n\n".join(block.strip("\n") for block in blocks) + "\n"
    return Report(text, tuple(numbering.citations))


def banner(state: State) -> str:
    """The seed's warning, when the iteration limit ended the research early; otherwise nothing."""
    if not state.limit:
        return ""
    return BANNER.format(
        completed=state.counts[Status.COMPLETE],
        total=sum(state.counts.values()),
        iterations=state.iteration,
        limit=state.settings.max_iterations,
    )


def _section(state: State, growth: Growth, numbering: Numbering) -> Iterator[str]:
    topic = growth.topic
    yield f"{'#' * min(6, 3 + topic.depth)} {topic.title}"
    section = state.draft.sections.get(topic.id)
    if section:
        yield numbering.number(section.text.strip())
    elif not growth.document:
        yield f"*Not researched: {_why_missing(state, topic)}.*"


def _why_missing(state: State, topic: Topic) -> str:
    if topic.status is Status.EXHAUSTED:
        return f"given up after repeated failures ({', '.join(topic.tags)})"
    if topic.status is Status.COMPLETE:
        return "marked complete in the plan"
    return state.limit.detail if state.limit else "it was not reached"


def limitations(state: State) -> list[str]:
    """What the writer named, what the last review still asked for, and every branch that was not finished."""
    lines = list(state.draft.limitations)
    if isinstance(state.draft.verdict, ReportConceded):
        lines += [f"CAUTION, not mended after the last review: {issue}" for issue in state.draft.verdict.issues]
    for growth in state.walk():
        topic = growth.topic
        if topic.status is Status.EXHAUSTED:
            lines.append(f"{topic.title}: given up ({', '.join(topic.tags)}); what was found is incomplete.")
        elif not topic.status.closed:
            lines.append(f"{topic.title}: not finished ({topic.status}).")
    return list(dict.fromkeys(lines))


def methodology(state: State, cited: int) -> str:
    settings = state.settings
    total = sum(state.counts.values())
    models = (
        settings.model
        if settings.model == settings.review_model
        else f"{settings.model}, reviewed by {settings.review_model}"
    )
    return (
        f"{total} topic{'s' if total != 1 else ''} ({state.counts[Status.COMPLETE]} complete) in {state.iteration} "
        f"iterations, breadth {settings.breadth}, depth {settings.depth}, answered by {models}. "
        f"{cited} source{'s' if cited != 1 else ''} cited. Citation numbers, headings and this list of sources "
        "were made by code from the recorded findings."
    )


def _listed(heading: str, lines: list[str]) -> list[str]:
    return [heading, "\n".join(f"- {line}" for line in lines)] if lines else []


def _source_line(number: int, source: Source, findings: list[Finding]) -> str:
    title = f"{source.title.rstrip('. ')}. " if source.title and source.title != source.location else ""
    ranges = sorted({finding.lines for finding in findings if finding.lines})
    lines = ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in ranges)
    return f"[{number}] {title}{source.location}" + (f", lines {lines}" if lines else "")


def shortcomings(state: State) -> list[str]:
    """What is wrong with the report whatever a reviewer says: topics without text, citations of nothing."""
    draft = state.draft
    found = []
    known = set()
    for growth in state.walk():
        if growth.document:
            known |= {finding.id for finding in growth.document.findings}
            if growth.topic.id not in draft.sections or not draft.sections[growth.topic.id].text.strip():
                found.append(f"Topic {growth.topic.id} ({growth.topic.title}) has no text in the report.")
    texts = [draft.summary, *(section.text for section in draft.sections.values())]
    found += [f"[{id}] cites no finding." for text in texts for id in cited_ids(text) if id not in known]
    return found
