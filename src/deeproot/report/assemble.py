"""The report, put together by code: headings from the tree, citation numbers, Sources, the warning banner."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from ..model import Finding, Source, Status, Topic, one_line
from ..state import Growth, State
from .closing import banner, coverage, disagreements, limitations
from .markdown import closed
from .methodology import methodology
from .numbering import Citation, Numbering


@dataclass(frozen=True, slots=True)
class Report:
    text: str
    citations: tuple[Citation, ...]

    def citations_json(self) -> str:
        """`citations.json`."""
        rows = [asdict(citation) for citation in self.citations]
        return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def assemble(state: State, dated: bool = True) -> Report:
    """The whole report as it stands. Pure: the same state gives the same bytes. For a prompt it is not `dated`."""
    draft = state.draft
    growths = list(state.walk())
    findings = findings_of(state)
    numbering = Numbering(findings, draft.checked.citations if draft.checked else ())
    summary = closed(numbering.number(draft.summary))
    body = [block for growth in growths for block in _section(state, growth, numbering)]
    blocks = [
        *([banner(state)] if banner(state) else []),
        f"# {one_line(draft.title or state.settings.question)}",
        "## Executive Summary",
        summary,
        "## Findings",
        *body,
        *listed("## Disagreements", disagreements(draft.checked, findings, numbering)),
        *listed("## Limitations", [numbering.number(line) for line in limitations(state)]),
        *listed("## Methodology", methodology(state, len(numbering.sources), dated)),
        *listed("## Coverage", coverage(state)),
        *listed("## Sources", [source_line(n, *entry) for n, entry in enumerate(numbering.sources, 1)]),
    ]
    text = "\n\n".join(block.strip("\n") for block in blocks) + "\n"
    return Report(text, tuple(numbering.citations))


def findings_of(state: State) -> dict[str, Finding]:
    """Every finding of the tree by its id."""
    return {f.id: f for growth in state.walk() if growth.document for f in growth.document.findings}


def heading(title: str) -> str:
    """A topic's title as it stands in a heading."""
    return one_line(title)


def _section(state: State, growth: Growth, numbering: Numbering) -> Iterator[str]:
    topic = growth.topic
    yield f"{'#' * min(6, 3 + topic.depth)} {heading(topic.title)}"
    section = state.draft.sections.get(topic.id)
    if section:
        yield closed(numbering.number(section.text.strip()))
    elif not growth.document:
        yield not_researched(state, topic)


def not_researched(state: State, topic: Topic) -> str:
    """What stands for the text of a topic that has no document."""
    return f"*Not researched: {_why_missing(state, topic)}.*"


def _why_missing(state: State, topic: Topic) -> str:
    if topic.status is Status.EXHAUSTED:
        return f"given up after repeated failures ({', '.join(topic.tags)})"
    if topic.status is Status.COMPLETE:
        return "marked complete in the plan"
    return state.limit.detail if state.limit else "it was not reached"


def listed(title: str, lines: Iterable[str]) -> list[str]:
    """A section that is a list, unless there is nothing to list."""
    items = "\n".join(f"- {line}" for line in lines)
    return [title, items] if items else []


def source_line(number: int, source: Source, findings: list[Finding]) -> str:
    title = f"{source.title.rstrip('. ')}. " if source.title and source.title != source.location else ""
    ranges = _joined(sorted({finding.lines for finding in findings if finding.lines}))
    lines = ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in ranges)
    noun = "line" if len(ranges) == 1 and ranges[0][0] == ranges[0][1] else "lines"
    return f"[{number}] {title}{source.location}" + (f", {noun} {lines}" if lines else "")


def _joined(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Line ranges in order, those that meet as one: a source that is cited often stays readable."""
    joined: list[tuple[int, int]] = []
    for first, last in ranges:
        if joined and first <= joined[-1][1] + 1:
            first, last = joined[-1][0], max(last, joined.pop()[1])
        joined.append((first, last))
    return joined
