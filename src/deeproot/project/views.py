"""Views: the files people read, rendered from the state. Pure: text in, text out."""

from __future__ import annotations

import json
from typing import Any

from ..events import TopicAccepted, TopicRejected
from ..model import Document, Status, Topic, one_line
from ..state import Growth, State

SCHEMA_VERSION = 1
RECENT = 10
PROMISE = "<promise>COMPLETE</promise>"


def render_document(topic: Topic, document: Document, children: tuple[Topic, ...] = ()) -> str:
    """`progress/<slug>.md`."""
    numbers: dict[str, int] = {}
    findings, sources = [], []
    for finding in document.findings:
        where = finding.source.location
        if where not in numbers:
            numbers[where] = len(numbers) + 1
            title = f"{finding.source.title}: " if finding.source.title not in ("", where) else ""
            sources.append(f"- Source {numbers[where]}: {title}{where}")
        lines = f", lines {finding.lines[0]}–{finding.lines[1]}" if finding.lines else ""
        findings.append(f"- {finding.claim} [{numbers[where]}]")
        findings.append(f"  > {one_line(finding.quote)} ({finding.id}{lines})")
    blocks = [
        f"# Progress: {topic.title}",
        document.summary,
        "## Findings\n" + ("\n".join(findings) or "- None."),
        "## Sources\n" + ("\n".join(sources) or "- None."),
        "## Knowledge Gaps\n" + ("\n".join(f"- {gap}" for gap in document.gaps) or "- None."),
    ]
    if children:
        notes = "\n".join(f"- {child.title}: {child.description}" for child in children)
        blocks.append("## Notes for Subtopics\n" + notes)
    return "\n\n".join(block for block in blocks if block) + "\n"


def render_progress(state: State, recent: list[str]) -> str:
    """`progress.md`."""
    total = sum(state.counts.values())
    activity = "\n".join(f"- {line}" for line in recent[-RECENT:][::-1]) or "- Nothing yet."
    return (
        "# Research Progress\n\n## Summary\n"
        f"- Iteration: {state.iteration}\n- Topics Completed: {state.counts[Status.COMPLETE]} of {total}\n\n"
        f"## Recent Activity\n{activity}\n"
    )


def render_accepted(state: State, verdict: TopicAccepted) -> str:
    """`review.accepted.md`."""
    topic = state.topic(verdict.topic)
    return _review("Accepted", topic, verdict) + _list("Remaining Knowledge Gaps", verdict.gaps)


def render_rejected(state: State, verdict: TopicRejected) -> str:
    """`review.rejected.md`."""
    topic = state.topic(verdict.topic)
    head = _review("Rejected", topic, verdict)
    return head + _list("Knowledge Gaps", verdict.gaps) + _list("Action Items", verdict.actions)


def _review(word: str, topic: Topic, verdict: TopicAccepted | TopicRejected) -> str:
    rows = [
        f"{'met' if v.met else 'not met'}: {v.criterion}" + (f" ({v.reason})" if v.reason else "")
        for v in verdict.criteria
    ]
    return f"# Review: {word}\n\n- Topic: {topic.id} {topic.title}\n" + _list("Criteria", rows)


def _list(heading: str, lines: tuple[str, ...] | list[str]) -> str:
    return f"\n## {heading}\n" + ("\n".join(f"- {line}" for line in lines) or "- None.") + "\n"


def render_report_review(accepted: bool, issues: tuple[str, ...]) -> str:
    """`review.accepted.md` or `review.rejected.md` of the final review."""
    return f"# Review: {'Accepted' if accepted else 'Rejected'}\n\n- Topic: the report\n" + _list("Issues", issues)


def render_recovery(state: State) -> str:
    """`recovery.notes.md`."""
    notes = [f"## {note.hat}{f' on topic {note.topic}' if note.topic else ''}\n\n{note.notes}" for note in state.notes]
    return "# Recovery Notes\n\n" + "\n\n".join(notes) + "\n"


def state_json(state: State) -> dict[str, Any]:
    """`state.json`: the seed's 18 keys, the researcher's name and the version of this layout."""
    settings = state.settings
    running = next(reversed(state.open.values()), None)
    return {
        "schema_version": SCHEMA_VERSION,
        "research_name": settings.name,
        "original_topic": settings.question,
        "breadth": settings.breadth,
        "depth": settings.depth,
        "iteration": state.iteration,
        "current_phase": running.phase if running else _resting_phase(state),
        "failed_phase": state.failed_phase,
        "retry_count": max((trouble.attempts for trouble in state.troubles.values()), default=0),
        "max_iterations": settings.max_iterations,
        "model": settings.model,
        "review_model": settings.review_model,
        "lock_token": state.token or None,
        "start_time": state.started,
        "phase_history": state.history,
        "last_error": state.last_error,
        "is_complete": state.finished and state.all_complete,
        "mock_mode": settings.mock_mode,
        "phase_recovered": any(trouble.notes for trouble in state.troubles.values()),
        "timeout": settings.timeout,
    }


def _resting_phase(state: State) -> str:
    if state.finished:
        return "COMPLETE" if state.all_complete else "ENDED"
    return "SYNTHESIZE" if state.settled else "RESEARCH"


def render_state(state: State) -> str:
    return json.dumps(state_json(state), indent=2, ensure_ascii=False) + "\n"


def describe(growth: Growth) -> str:
    """One line of recent activity about a topic."""
    document = growth.document
    found = f"{len(document.findings)} findings, {len(document.gaps)} gaps" if document else "nothing yet"
    return f"{growth.topic.title}: {growth.topic.status} ({found})"
