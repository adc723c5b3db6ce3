"""What code puts in the place of a turn of the ending when a budget is used up: there is always a report. Pure."""

from __future__ import annotations

from ..events import Event, ReportConceded, ReportWritten, SectionWritten
from ..model import one_line
from ..report.plain import plain_section, plain_summary
from ..state import State, Task
from .write import chosen


def section_by_code(state: State, task: Task, why: str) -> list[Event]:
    part = state.draft.parts[task.topic]
    sections = tuple(plain_section(*pair) for pair in chosen(state, part))
    return [SectionWritten(part.topic, sections, plain=why)]


def summary_by_code(state: State, _task: Task, why: str) -> list[Event]:
    topics = [pair for part in state.draft.parts.values() for pair in chosen(state, part)]
    return [ReportWritten(one_line(state.settings.question, 200), plain_summary(topics), plain=why)]


def concede(state: State, _task: Task, why: str) -> list[Event]:
    """The report stays as it is, with what was still wrong with it."""
    return [ReportConceded((*state.draft.issues, f"the review did not come to its end: {why}"), by="limit")]
