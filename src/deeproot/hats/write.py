"""The writers: sections from findings, the summary from sections, revisions from the critique."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ..asks import (
    Ask,
    Kind,
    ReviseAnswer,
    ReviseInputs,
    SectionAnswer,
    SectionInputs,
    SynthesizeAnswer,
    SynthesizeInputs,
)
from ..events import Event, ReportRevised, ReportWritten, SectionRequested, SectionWritten
from ..model import Document, Section, Topic, one_line
from ..project.templates import fenced, listed
from ..report.numbering import cited_ids
from ..state import State
from .room import fair_shares, room_beside
from .turn import Turn

SUMMARY_SHARE = 0.15


async def write_section(turn: Turn) -> list[Event]:
    part = turn.state.draft.parts[turn.started.topic]
    topics = chosen(turn.state, part)
    frame = partial(turn.render, "section", words=str(part.words), guidance=listed(turn.guidance))
    texts = fair_shares([_findings_text(*pair) for pair in topics], room_beside(turn, frame(topics="")))
    prompt = frame(topics=fenced("findings", "\n\n".join(texts)))
    ask = Ask(Kind.SECTION, prompt, SectionInputs(turn.settings.question, topics, part.words))
    known = set(part.findings)
    asked = await turn.ask("section", SectionAnswer, ask, check=lambda a: _check_sections(a, part.topics, known))
    return [SectionWritten(part.topic, tuple(s for s in asked.answer.sections if s.topic in part.topics))]


def chosen(state: State, part: SectionRequested) -> tuple[tuple[Topic, Document], ...]:
    """The part's topics with the findings that were chosen for the report."""
    wanted = set(part.findings)
    pairs = []
    for id in part.topics:
        growth = state.growths[id]
        document = growth.document or Document("", gaps=("This topic was not researched.",))
        kept = tuple(finding for finding in document.findings if finding.id in wanted)
        pairs.append((growth.topic, replace(document, findings=kept)))
    return tuple(pairs)


def _findings_text(topic: Topic, document: Document) -> str:
    lines = [f"Topic {topic.id}: {topic.title}"]
    heaviest_first = sorted(document.findings, key=lambda finding: -finding.weight)
    lines += [f"[{f.id}] {f.claim}\n    quote: {one_line(f.quote)}" for f in heaviest_first]
    lines += [f"(gap) {gap}" for gap in document.gaps]
    return "\n".join(lines)


def _check_sections(answer: SectionAnswer, wanted: Sequence[str], known: set[str]) -> Sequence[str]:
    texts = {section.topic: section.text for section in answer.sections}
    problems = [f"sections: topic {id} has no text" for id in wanted if not texts.get(id, "").strip()]
    return problems + _unknown(" ".join(texts.values()), known)


def _unknown(text: str, known: set[str]) -> list[str]:
    """Markers that name no finding we gave: an invented citation."""
    return [f"[{id}] is not one of the findings given" for id in cited_ids(text) if id not in known]


async def synthesize(turn: Turn) -> list[Event]:
    state = turn.state
    sections = _written(state)
    topics = tuple(pair for part in state.draft.parts.values() for pair in chosen(state, part))
    words = max(60, int(turn.settings.words * SUMMARY_SHARE))
    frame = partial(turn.render, "synthesize", words=str(words), guidance=listed(turn.guidance))
    texts = fair_shares(_sections_texts(state, sections), room_beside(turn, frame(sections="")))
    prompt = frame(sections=fenced("sections", "\n\n".join(texts)))
    ask = Ask(Kind.SYNTHESIZE, prompt, SynthesizeInputs(turn.settings.question, topics, sections, words))
    known = _citable(state)
    answer = (await turn.ask("synthesize", SynthesizeAnswer, ask, check=lambda a: _check_summary(a, known))).answer
    title = one_line(answer.title, 200) or one_line(turn.settings.question, 200)
    return [ReportWritten(title, answer.summary.strip(), tuple(map(one_line, answer.limitations)))]


def _written(state: State) -> tuple[Section, ...]:
    """The sections there are, in tree order."""
    sections = state.draft.sections
    return tuple(sections[growth.topic.id] for growth in state.walk() if growth.topic.id in sections)


def _citable(state: State) -> set[str]:
    """The findings that were chosen for the report."""
    return {id for part in state.draft.parts.values() for id in part.findings}


def _check_summary(answer: SynthesizeAnswer, known: set[str]) -> Sequence[str]:
    problems = [] if answer.summary.strip() else ["summary: it is empty"]
    return problems + _unknown(answer.summary, known)


def _sections_texts(state: State, sections: Sequence[Section]) -> list[str]:
    return [f"Topic {section.topic}: {state.topic(section.topic).title}\n{section.text}" for section in sections]


async def revise(turn: Turn) -> list[Event]:
    """Of a section that was too long to be shown whole, a new version would be a shorter one: it is left as it was."""
    draft = turn.state.draft
    sections = _written(turn.state)
    issues, summary = fenced("issues", listed(draft.issues)), fenced("summary", draft.summary)
    frame = partial(turn.render, "revise", issues=issues, summary=summary)
    texts = _sections_texts(turn.state, sections)
    shown = fair_shares(texts, room_beside(turn, frame(sections="")))
    prompt = frame(sections=fenced("sections", "\n\n".join(shown)))
    ask = Ask(Kind.REVISE, prompt, ReviseInputs(turn.settings.question, draft.summary, sections, draft.issues))
    known = _citable(turn.state)
    answer = (await turn.ask("revise", ReviseAnswer, ask, check=lambda a: _check_revision(a, known))).answer
    whole = {section.topic for section, text in zip(sections, texts, strict=True) if text in shown}
    kept = tuple(section for section in answer.sections if section.topic in whole and section.text.strip())
    return [ReportRevised((answer.summary or "").strip() or None, kept)]


def _check_revision(answer: ReviseAnswer, known: set[str]) -> Sequence[str]:
    if not (answer.summary or "").strip() and not answer.sections:
        return ["nothing is revised: give a new summary or the sections you changed"]
    return _unknown(" ".join([answer.summary or "", *(section.text for section in answer.sections)]), known)
