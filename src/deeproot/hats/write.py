"""The writers: sections from findings, the summary from sections, revisions from the critique."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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
from ..report.assemble import cited_ids
from ..state import State
from .turn import Turn

SUMMARY_SHARE = 0.15
PROMPT_CHARACTERS = 300_000


async def write_section(turn: Turn) -> list[Event]:
    part = turn.state.draft.parts[turn.started.topic]
    topics = _chosen(turn.state, part)
    prompt = turn.render(
        "section",
        words=str(part.words),
        guidance=listed(turn.guidance),
        topics=fenced("findings", "\n\n".join(_findings_text(*pair) for pair in topics)),
    )
    ask = Ask(Kind.SECTION, prompt, SectionInputs(turn.settings.question, topics, part.words))
    known = set(part.findings)
    asked = await turn.ask("section", SectionAnswer, ask, check=lambda a: _check_sections(a, part.topics, known))
    return [SectionWritten(part.topic, tuple(s for s in asked.answer.sections if s.topic in part.topics))]


def _chosen(state: State, part: SectionRequested) -> tuple[tuple[Topic, Document], ...]:
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
    sections = tuple(state.draft.sections[g.topic.id] for g in state.walk() if g.topic.id in state.draft.sections)
    topics = tuple(pair for part in state.draft.parts.values() for pair in _chosen(state, part))
    words = max(60, int(turn.settings.words * SUMMARY_SHARE))
    prompt = turn.render(
        "synthesize",
        words=str(words),
        guidance=listed(turn.guidance),
        sections=fenced("sections", _sections_text(state, sections)),
    )
    ask = Ask(Kind.SYNTHESIZE, prompt, SynthesizeInputs(turn.settings.question, topics, sections, words))
    known = {id for part in state.draft.parts.values() for id in part.findings}
    answer = (await turn.ask("synthesize", SynthesizeAnswer, ask, check=lambda a: _check_summary(a, known))).answer
    title = one_line(answer.title, 200) or one_line(turn.settings.question, 200)
    return [ReportWritten(title, answer.summary.strip(), tuple(map(one_line, answer.limitations)))]


def _check_summary(answer: SynthesizeAnswer, known: set[str]) -> Sequence[str]:
    problems = [] if answer.summary.strip() else ["summary: it is empty"]
    return problems + _unknown(answer.summary, known)


def _sections_text(state: State, sections: Sequence[Section]) -> str:
    """All sections, each cut to its fair share of what a prompt can hold."""
    share = PROMPT_CHARACTERS // max(1, len(sections))
    return "\n\n".join(f"Topic {s.topic}: {state.topic(s.topic).title}\n{s.text[:share]}" for s in sections)


async def revise(turn: Turn) -> list[Event]:
    draft = turn.state.draft
    sections = tuple(draft.sections[g.topic.id] for g in turn.state.walk() if g.topic.id in draft.sections)
    prompt = turn.render(
        "revise",
        issues=fenced("issues", listed(draft.issues)),
        summary=fenced("summary", draft.summary),
        sections=fenced("sections", _sections_text(turn.state, sections)),
    )
    ask = Ask(Kind.REVISE, prompt, ReviseInputs(turn.settings.question, draft.summary, sections, draft.issues))
    known = {id for part in draft.parts.values() for id in part.findings}
    answer = (await turn.ask("revise", ReviseAnswer, ask, check=lambda a: _check_revision(a, known))).answer
    kept = tuple(s for s in answer.sections if s.topic in draft.sections and s.text.strip())
    return [ReportRevised((answer.summary or "").strip() or None, kept)]


def _check_revision(answer: ReviseAnswer, known: set[str]) -> Sequence[str]:
    if not (answer.summary or "").strip() and not answer.sections:
        return ["nothing is revised: give a new summary or the sections you changed"]
    return _unknown(" ".join([answer.summary or "", *(section.text for section in answer.sections)]), known)
