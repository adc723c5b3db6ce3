"""The page of a finished report: what the state and the assembled text give for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...checks import Checked, Excerpt
from ...model import Source, Status, Verdict, one_line
from ...state import State
from ..assemble import Report, heading
from ..methodology import day
from ..numbering import Citation
from .parts import CheckedCitation, Entry, Fact, Flaw, GateSummary, NumberedSource, Page

CUT = "…"
TELLING = 60  # characters of a sentence: enough to tell it from others
NAMES = {
    "support": "Citations supported",
    "sources": "Source texts held",
    "coverage": "Topics completed",
    "consistency": "Consistency",
}


def page_of(state: State, report: Report) -> Page:
    """The report as a page, as far as it was checked."""
    sources = {citation.n: _source(citation) for citation in report.citations}
    return Page(
        title=one_line(state.draft.title or state.settings.question),
        question=state.settings.question,
        body=report.text,
        outline=tuple(
            Entry(growth.topic.id, heading(growth.topic.title), growth.topic.depth, growth.topic.status)
            for growth in state.walk()
        ),
        citations=tuple(map(_citation, report.citations)),
        gate=_gate(state.draft.checked, report.citations),
        facts=tuple(_facts(state, len(sources))),
        sources=tuple(NumberedSource(n, source) for n, source in sorted(sources.items())),
    )


def _source(citation: Citation) -> Source:
    return Source(citation.source, citation.title, citation.sha256)


def _citation(citation: Citation) -> CheckedCitation:
    return CheckedCitation(
        n=citation.n,
        occurrence=citation.occurrence,
        sentence=citation.sentence,
        verdict=citation.verdict or Verdict.UNVERIFIABLE,
        source=_source(citation),
        quote=citation.quote,
        reasons=citation.reasons or (() if citation.verdict else ("not checked yet",)),
        locator=_lines(citation.locator),
        excerpt=_in_context(citation.excerpt) if citation.excerpt else None,
    )


def _lines(locator: str | None) -> str:
    first, _, last = (locator or "").partition("-")
    return f"lines {first}–{last}" if first != last else f"line {first}" if first else ""


def _in_context(excerpt: Excerpt) -> Excerpt:
    return replace(
        excerpt,
        before=excerpt.before and f"{CUT} {excerpt.before}",
        after=excerpt.after and f"{excerpt.after} {CUT}",
    )


def _gate(checked: Checked | None, citations: Sequence[Citation]) -> GateSummary | None:
    if checked is None or not checked.parts:
        return None
    gravest_first = sorted(checked.issues, key=lambda issue: not issue.grave)
    parts = tuple(replace(part, name=NAMES.get(part.name, part.name)) for part in checked.parts)
    doubted = [citation for citation in citations if citation.verdict is not Verdict.SUPPORTED]
    flaws = tuple(_flaw(issue.detail, doubted) for issue in gravest_first)
    return GateSummary(checked.grade, checked.score, parts, flaws)


def _flaw(detail: str, doubted: Sequence[Citation]) -> Flaw:
    """An issue about a citation begins with its number, verdict and sentence; the number becomes the way to it."""
    for citation in doubted:
        number = f"[{citation.n}] "
        if detail.startswith(f"{number}{citation.verdict}: ") and one_line(citation.sentence)[:TELLING] in detail:
            return Flaw(detail.removeprefix(number), (citation.n, citation.occurrence))
    return Flaw(detail)


def _facts(state: State, cited: int) -> Iterator[Fact]:
    settings = state.settings
    if state.started:
        yield Fact("Researched", day(state.started))
    yield Fact("Answered by", settings.model)
    if settings.review_model != settings.model:
        yield Fact("Reviewed by", settings.review_model)
    yield Fact("Topics", f"{state.counts[Status.COMPLETE]} of {sum(state.counts.values())} complete")
    yield Fact("Iterations", str(state.iteration))
    yield Fact("Sources", f"{cited} cited of {len(state.read)} read" if state.read else f"{cited} cited")
