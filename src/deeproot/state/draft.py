"""The report in the making: a fold over the events of its writing, checking and review."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import singledispatchmethod

from .. import events as e
from ..asks import AnswerPart, Brief
from ..checks import Checked
from ..model import Section


@dataclass(slots=True)
class Draft:
    """The report in the making; none is `wanted` of a tree of documents."""

    wanted: bool = True
    parts: dict[str, e.SectionRequested] = field(default_factory=dict)
    sections: dict[str, Section] = field(default_factory=dict)
    title: str = ""
    summary: str = ""
    limitations: tuple[str, ...] = ()
    brief: Brief | None = None
    gated: tuple[str, ...] = ()
    headed: tuple[AnswerPart, ...] = ()
    style: tuple[str, ...] = ()
    written: bool = False
    revisions: int = 0
    issues: tuple[str, ...] = ()
    checked: Checked | None = None
    verdict: e.ReportAccepted | e.ReportRejected | e.ReportConceded | None = None
    plain: dict[str, str] = field(default_factory=dict)
    """Why code wrote the section of a topic, or the summary (""), in the place of a writer."""

    @property
    def finished(self) -> bool:
        return not self.wanted or isinstance(self.verdict, e.ReportAccepted | e.ReportConceded)

    @singledispatchmethod
    def apply(self, event: e.Event) -> None:
        """Events that are not the report's change nothing."""

    @apply.register
    def _(self, event: e.SectionRequested) -> None:
        self.parts[event.topic] = event

    @apply.register
    def _(self, event: e.SectionWritten) -> None:
        self.sections |= {section.topic: section for section in event.sections}
        self._note_plain([section.topic for section in event.sections], event.plain)

    @apply.register
    def _(self, event: e.BriefWritten) -> None:
        self.brief = event.brief

    @apply.register
    def _(self, event: e.ReportWritten) -> None:
        self._note_plain([""], event.plain)
        self.title, self.summary, self.limitations = event.title, event.summary, event.limitations
        self.headed, self.style, self.gated = event.parts, event.style, ()
        self.written = True

    @apply.register(e.CitationsDue)
    @apply.register(e.ConsistencyDue)
    def _(self, event: e.CitationsDue | e.ConsistencyDue) -> None:
        self.gated = (*self.gated, event.kind)

    @apply.register
    def _(self, event: e.CitationsChecked) -> None:
        self.checked = Checked(event.citations)

    @apply.register
    def _(self, event: e.ReportChecked) -> None:
        self.checked = event.checked

    @apply.register
    def _(self, event: e.ReportRejected) -> None:
        self.issues = event.issues
        self.verdict = event

    @apply.register
    def _(self, event: e.ReportRevised) -> None:
        self.summary = event.summary or self.summary
        self.sections |= {section.topic: section for section in event.sections}
        rewritten = [section.topic for section in event.sections]
        self._note_plain(["", *rewritten] if event.summary else rewritten, "")
        self.revisions += 1

    @apply.register(e.ReportAccepted)
    @apply.register(e.ReportConceded)
    def _(self, event: e.ReportAccepted | e.ReportConceded) -> None:
        self.verdict = event

    def _note_plain(self, parts: Iterable[str], why: str) -> None:
        """Remember, or forget, that code stood in for the writer of these parts."""
        for part in parts:
            self.plain.pop(part, None)
            if why:
                self.plain[part] = why
