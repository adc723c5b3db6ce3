"""The answer to a question, put together by code: citation numbers, Sources, what was given up, how it was made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..asks import AnswerPart, QueryType
from ..checks import CitationCheck
from ..events import LoopDecided
from ..model import Finding, Status, counted, one_line
from ..state import State
from .assemble import Report, findings_of, listed, source_line
from .closing import coverage
from .markdown import closed
from .methodology import begun, budgets, conduct
from .numbering import Numbering
from .style import Hit, check_style


@dataclass(frozen=True, slots=True)
class Written:
    """What a writer gave: the text, and in a long answer its title and its parts."""

    text: str
    title: str = ""
    parts: tuple[AnswerPart, ...] = ()


def body(written: Written, numbering: Numbering, deep: bool) -> str:
    """The answer as it is read, without what code adds at its end."""
    blocks = [_numbered(written.text, numbering)]
    if deep:
        blocks = [f"# {one_line(written.title)}", *blocks]
        for part in written.parts:
            blocks += [f"## {_plain(part.heading)}", _numbered(part.text, numbering)]
    return "\n\n".join(block.strip("\n") for block in blocks)


def _plain(heading: str) -> str:
    return one_line(heading).strip("# ") or "More"


def _numbered(text: str, numbering: Numbering) -> str:
    return numbering.number(closed(text.strip()))


def style_of(written: Written, findings: dict[str, Finding], kind: QueryType, deep: bool) -> tuple[Hit, ...]:
    """What the lint says of an answer, in the lines and columns of the numbered text."""
    return check_style(body(written, Numbering(findings), deep), kind, deep)


def assemble_answer(state: State) -> Report:
    """The answer with all that belongs to it. Pure: the same state gives the same bytes."""
    draft = state.draft
    checks: tuple[CitationCheck, ...] = draft.checked.citations if draft.checked else ()
    numbering = Numbering(findings_of(state), checks)
    written = Written(draft.summary, draft.title or state.settings.question, draft.headed)
    deep = bool(state.scope and state.scope.deep)
    blocks = [body(written, numbering, deep)]
    lines = (source_line(number, *entry) for number, entry in enumerate(numbering.sources, 1))
    blocks += listed("## Sources", lines)
    blocks += listed("## Methodology", _methodology(state, len(numbering.sources)))
    return Report("\n\n".join(blocks) + "\n", tuple(numbering.citations))


def _methodology(state: State, cited: int) -> Iterator[str]:
    scope, settings = state.scope, state.settings
    asked = sum(state.counts.values())
    kind = f"A {scope.tier} {scope.query_type} question, scoped by {scope.by}. " if scope else ""
    loops = f" in {counted(len(state.decisions), 'round')}" if state.decisions else ""
    yield (
        f"{kind}{counted(asked, 'subquestion')} ({_answered(state)} answered){loops}, "
        f"{counted(state.calls, 'call')} to {settings.model}; {counted(cited, 'source')} cited. "
        "Quotes were looked up, and numbers and sources made, by code."
    )
    yield from begun(state)
    if given := ", ".join(budgets(settings)):
        yield f"Limits: {given}."
    if state.decisions:
        yield from _ending(state.decisions[-1])
    if state.limit:
        yield f"Stopped early: {state.limit.detail}."
    yield from draft_notes(state)
    yield from (f"Site {line}." for line in coverage(state))
    yield from conduct(state)


def _answered(state: State) -> int:
    """How many were closed with evidence; a document that found nothing answers nothing."""
    closed = (growth for growth in state.walk() if growth.topic.status is Status.COMPLETE)
    return sum(bool(growth.document and growth.document.findings) for growth in closed)


def _ending(last: LoopDecided) -> Iterator[str]:
    if last.overruled:
        yield f"The research ended by a rule: {last.overruled}."
    if last.decision.gaps:
        yield "Still open: " + "; ".join(one_line(gap).rstrip(".") for gap in last.decision.gaps) + "."


def draft_notes(state: State) -> Iterator[str]:
    """Why code wrote what a writer did not, and what the lint still holds against the rest."""
    for why in dict.fromkeys(state.draft.plain.values()):
        yield f"Written by code: {why}."
    if state.draft.style:
        yield "Style rules still broken: " + "; ".join(state.draft.style) + "."
