"""What happened: the events of a researcher, in the order they were written to its journal.

An event is a fact, never a request. `State.apply` folds them; hats are woken by their names.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .asks import AnswerPart, Brief, CriterionVerdict, DecideAnswer, FinalReviewAnswer, QueryType, SubQuestion, Tier
from .checks import Checked, CitationCheck
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
class TurnParked:
    """A budget cut the turn off. Its finished steps stay; it goes on when the budget is raised."""

    hat: str
    topic: str
    kind: Literal["turn.parked"] = "turn.parked"


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
    """`told` names the passages whose text stands in the session, by their fingerprints."""

    topic: str
    document: Document
    session: str | None = None
    queries: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
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
class QuestionScoped:
    """What kind of question it is and what it takes. `by` says who decided."""

    query_type: QueryType
    tier: Tier
    deep: bool = False
    subquestions: tuple[SubQuestion, ...] = ()
    by: str = "code"
    kind: Literal["question.scoped"] = "question.scoped"


@dataclass(frozen=True, slots=True)
class EvidenceSettled:
    """No subquestion is open. Whether the evidence is enough is decided next, for the `iteration`-th time."""

    iteration: int
    kind: Literal["evidence.settled"] = "evidence.settled"


@dataclass(frozen=True, slots=True)
class LoopDecided:
    """The decision as it holds. `overruled` says why the engine did not go on although the model wanted to.

    `topic` is the subquestion it opened.
    """

    decision: DecideAnswer
    iteration: int
    timeRemainingMinutes: float | None = None
    overruled: str = ""
    topic: str = ""
    kind: Literal["loop.decided"] = "loop.decided"


@dataclass(frozen=True, slots=True)
class BriefWritten:
    """The writer's order: the answer is due."""

    brief: Brief
    kind: Literal["brief.written"] = "brief.written"


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
    """Nothing is left to research, by completion or by a limit. The report is due, one section per part.

    A tree of documents wants no `report`: it is finished with this.
    """

    report: bool = True
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
    """`plain` says why code wrote it, word for word from the findings; empty when a writer did."""

    topic: str
    sections: tuple[Section, ...]
    plain: str = ""
    kind: Literal["section.written"] = "section.written"


@dataclass(frozen=True, slots=True)
class SectionsSettled:
    kind: Literal["sections.settled"] = "sections.settled"


@dataclass(frozen=True, slots=True)
class ReportWritten:
    """`plain` says why code wrote the summary; empty when a writer did.

    Of an answer, `summary` is the text, `parts` follow it in a long one, and `style` is what the lint still holds
    against it.
    """

    title: str
    summary: str
    limitations: tuple[str, ...] = ()
    plain: str = ""
    parts: tuple[AnswerPart, ...] = ()
    style: tuple[str, ...] = ()
    kind: Literal["report.written"] = "report.written"


@dataclass(frozen=True, slots=True)
class CitationsDue:
    """The answer goes to the citation gate."""

    kind: Literal["citations.due"] = "citations.due"


@dataclass(frozen=True, slots=True)
class ConsistencyDue:
    """The answer goes to the consistency gate."""

    kind: Literal["consistency.due"] = "consistency.due"


@dataclass(frozen=True, slots=True)
class CitationsChecked:
    """What the citation gate made of every citation of the report as it stands."""

    citations: tuple[CitationCheck, ...]
    kind: Literal["citations.checked"] = "citations.checked"


@dataclass(frozen=True, slots=True)
class ReportChecked:
    """What both gates made of the report as it stands."""

    checked: Checked
    kind: Literal["report.checked"] = "report.checked"


@dataclass(frozen=True, slots=True)
class ReportAccepted:
    """`verdicts` is None where no reviewer was asked: the answer to a question is judged by code alone."""

    verdicts: FinalReviewAnswer | None = None
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
    """It ends as it is, with these issues: still rejected after the last revision, or because of what `by` names.

    "failure": the reviewer or the reviser gave no usable answer. "limit": a budget was used up before they could.
    """

    issues: tuple[str, ...] = field(default=())
    by: Literal["reviewer", "failure", "limit"] = "reviewer"
    kind: Literal["report.conceded"] = "report.conceded"


@dataclass(frozen=True, slots=True)
class BackendLost:
    """The backend gave no answer for so long that the run stopped. What it cost the topics is forgiven."""

    message: str
    kind: Literal["backend.lost"] = "backend.lost"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many pages of a site were not read for one reason."""

    reason: str
    pages: int


@dataclass(frozen=True, slots=True)
class SiteRead:
    """How much of a site was read: pages found, pages read, and why the others were not."""

    site: str
    found: int
    read: int
    left_out: tuple[LeftOut, ...] = ()
    kind: Literal["site.read"] = "site.read"


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
    | TurnParked
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
    | QuestionScoped
    | EvidenceSettled
    | LoopDecided
    | BriefWritten
    | GuidanceGiven
    | CompletionRefused
    | LimitReached
    | TreeSettled
    | SectionRequested
    | SectionWritten
    | SectionsSettled
    | ReportWritten
    | CitationsDue
    | ConsistencyDue
    | CitationsChecked
    | ReportChecked
    | ReportAccepted
    | ReportRejected
    | ReportRevised
    | ReportConceded
    | BackendLost
    | SiteRead
    | Warned
)
