"""What happened: the events of a researcher, in the order they were written to its journal.

An event is a fact, never a request. `State.apply` folds them; hats are woken by their names.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .asks import CriterionVerdict, FinalReviewAnswer
from .model import Document, Section, Status, Tag, Topic
from .settings import Settings


@dataclass(frozen=True, slots=True)
class ResearchRequested:
    settings: Settings
    kind: Literal["research.requested"] = "research.requested"


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """A resume asked for other limits or models. A higher limit reopens research that had stopped at the old one."""

    settings: Settings
    kind: Literal["settings.changed"] = "settings.changed"


@dataclass(frozen=True, slots=True)
class RunStarted:
    token: str
    at: float
    kind: Literal["run.started"] = "run.started"


@dataclass(frozen=True, slots=True)
class RunEnded:
    outcome: str
    reason: str = ""
    elapsed: float = 0.0
    kind: Literal["run.ended"] = "run.ended"


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A hat took up a topic ("" is the run as a whole). `guidance` counts the notes from people it was given."""

    turn: str
    hat: str
    phase: str
    topic: str = ""
    iteration: int = 0
    guidance: int = 0
    kind: Literal["turn.started"] = "turn.started"


@dataclass(frozen=True, slots=True)
class TurnFailed:
    """A turn could not go on. Its finished steps stay; only `step` is taken again."""

    turn: str
    hat: str
    topic: str
    step: str
    error: str
    attempt: int
    kind: Literal["turn.failed"] = "turn.failed"


@dataclass(frozen=True, slots=True)
class RecoveryNoted:
    hat: str
    topic: str
    notes: str
    kind: Literal["recovery.noted"] = "recovery.noted"


@dataclass(frozen=True, slots=True)
class PlanMade:
    """`dropped` names the topics that were proposed beyond the breadth."""

    dropped: tuple[str, ...] = ()
    kind: Literal["plan.made"] = "plan.made"


@dataclass(frozen=True, slots=True)
class TopicAdded:
    topic: Topic
    kind: Literal["topic.added"] = "topic.added"


@dataclass(frozen=True, slots=True)
class TopicResearched:
    topic: str
    document: Document
    session: str | None = None
    queries: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    kind: Literal["topic.researched"] = "topic.researched"


@dataclass(frozen=True, slots=True)
class TopicAccepted:
    topic: str
    criteria: tuple[CriterionVerdict, ...] = ()
    gaps: tuple[str, ...] = ()
    kind: Literal["topic.accepted"] = "topic.accepted"


@dataclass(frozen=True, slots=True)
class TopicRejected:
    topic: str
    criteria: tuple[CriterionVerdict, ...] = ()
    gaps: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    kind: Literal["topic.rejected"] = "topic.rejected"


@dataclass(frozen=True, slots=True)
class TopicExhausted:
    topic: str
    reason: str
    kind: Literal["topic.exhausted"] = "topic.exhausted"


@dataclass(frozen=True, slots=True)
class TagRaised:
    """Code noticed something a reader of the report has to know. `topic` is "" for the run as a whole."""

    tag: Tag
    topic: str = ""
    note: str = ""
    kind: Literal["tag.raised"] = "tag.raised"


@dataclass(frozen=True, slots=True)
class TopicReopened:
    """A person asked for it again: by a plan edit, or by deleting its files."""

    topic: str
    by: str
    kind: Literal["topic.reopened"] = "topic.reopened"


@dataclass(frozen=True, slots=True)
class TopicDropped:
    """A person took it, and everything below it, out of the plan."""

    topic: str
    kind: Literal["topic.dropped"] = "topic.dropped"


@dataclass(frozen=True, slots=True)
class TopicEdited:
    """A person changed its words or its status in the plan."""

    topic: str
    title: str
    description: str
    criteria: tuple[str, ...]
    status: Status
    kind: Literal["topic.edited"] = "topic.edited"


@dataclass(frozen=True, slots=True)
class LeavesRanked:
    """Which leaves are next, best first. `by` says who decided; `note` why it was not the picker."""

    topics: tuple[str, ...]
    by: str
    note: str = ""
    kind: Literal["leaves.ranked"] = "leaves.ranked"


@dataclass(frozen=True, slots=True)
class GuidanceGiven:
    text: str
    kind: Literal["guidance.given"] = "guidance.given"


@dataclass(frozen=True, slots=True)
class CompletionRefused:
    by: str
    missing: tuple[str, ...]
    kind: Literal["completion.refused"] = "completion.refused"


@dataclass(frozen=True, slots=True)
class LimitReached:
    limit: str
    detail: str
    kind: Literal["limit.reached"] = "limit.reached"


@dataclass(frozen=True, slots=True)
class TreeSettled:
    """Nothing is left to research, by completion or by a limit. The report is due, one section per part."""

    kind: Literal["tree.settled"] = "tree.settled"


@dataclass(frozen=True, slots=True)
class SectionRequested:
    """`topic` heads a part of the report; `topics` are written with it, in tree order, from the chosen `findings`."""

    topic: str
    topics: tuple[str, ...]
    findings: tuple[str, ...]
    words: int
    kind: Literal["section.requested"] = "section.requested"


@dataclass(frozen=True, slots=True)
class SectionWritten:
    topic: str
    sections: tuple[Section, ...]
    kind: Literal["section.written"] = "section.written"


@dataclass(frozen=True, slots=True)
class SectionsSettled:
    kind: Literal["sections.settled"] = "sections.settled"


@dataclass(frozen=True, slots=True)
class ReportWritten:
    title: str
    summary: str
    limitations: tuple[str, ...] = ()
    kind: Literal["report.written"] = "report.written"


@dataclass(frozen=True, slots=True)
class ReportAccepted:
    verdicts: FinalReviewAnswer
    kind: Literal["report.accepted"] = "report.accepted"


@dataclass(frozen=True, slots=True)
class ReportRejected:
    issues: tuple[str, ...]
    verdicts: FinalReviewAnswer | None = None
    kind: Literal["report.rejected"] = "report.rejected"


@dataclass(frozen=True, slots=True)
class ReportRevised:
    summary: str | None = None
    sections: tuple[Section, ...] = ()
    kind: Literal["report.revised"] = "report.revised"


@dataclass(frozen=True, slots=True)
class ReportConceded:
    """Still rejected after the last revision: it ends as it is, marked CAUTION."""

    issues: tuple[str, ...] = field(default=())
    kind: Literal["report.conceded"] = "report.conceded"


@dataclass(frozen=True, slots=True)
class BackendLost:
    """The backend gave no answer for so long that the run stopped. What it cost the topics is forgiven."""

    message: str
    kind: Literal["backend.lost"] = "backend.lost"


@dataclass(frozen=True, slots=True)
class Warned:
    message: str
    kind: Literal["warned"] = "warned"


Event = (
    ResearchRequested
    | SettingsChanged
    | RunStarted
    | RunEnded
    | TurnStarted
    | TurnFailed
    | RecoveryNoted
    | PlanMade
    | TopicAdded
    | TopicResearched
    | TopicAccepted
    | TopicRejected
    | TopicExhausted
    | TagRaised
    | TopicReopened
    | TopicDropped
    | TopicEdited
    | LeavesRanked
    | GuidanceGiven
    | CompletionRefused
    | LimitReached
    | TreeSettled
    | SectionRequested
    | SectionWritten
    | SectionsSettled
    | ReportWritten
    | ReportAccepted
    | ReportRejected
    | ReportRevised
    | ReportConceded
    | BackendLost
    | Warned
)
