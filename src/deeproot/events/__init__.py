"""What happened: the events of a researcher, in the order they were written to its journal.

An event is a fact, never a request. `State.apply` folds them; hats are woken by their names.
"""

from __future__ import annotations

from .question import BriefWritten, EvidenceSettled, LoopDecided, QuestionScoped
from .report import (
    CitationsChecked,
    CitationsDue,
    ConsistencyDue,
    ReportAccepted,
    ReportChecked,
    ReportConceded,
    ReportRejected,
    ReportRevised,
    ReportWritten,
    SectionRequested,
    SectionsSettled,
    SectionWritten,
    TreeSettled,
)
from .run import (
    BackendLost,
    CompletionRefused,
    GuidanceGiven,
    HandedOver,
    LeftOut,
    LimitReached,
    RecoveryNoted,
    ResearchRequested,
    RunEnded,
    RunStarted,
    SettingsChanged,
    SiteRead,
    TurnFailed,
    TurnParked,
    TurnStarted,
    Warned,
)
from .topic import (
    LeavesRanked,
    PlanMade,
    TagRaised,
    TopicAccepted,
    TopicAdded,
    TopicDropped,
    TopicEdited,
    TopicExhausted,
    TopicRejected,
    TopicReopened,
    TopicResearched,
)

__all__ = [
    "BackendLost",
    "BriefWritten",
    "CitationsChecked",
    "CitationsDue",
    "CompletionRefused",
    "ConsistencyDue",
    "Event",
    "EvidenceSettled",
    "GuidanceGiven",
    "HandedOver",
    "LeavesRanked",
    "LeftOut",
    "LimitReached",
    "LoopDecided",
    "PlanMade",
    "QuestionScoped",
    "RecoveryNoted",
    "ReportAccepted",
    "ReportChecked",
    "ReportConceded",
    "ReportRejected",
    "ReportRevised",
    "ReportWritten",
    "ResearchRequested",
    "RunEnded",
    "RunStarted",
    "SectionRequested",
    "SectionWritten",
    "SectionsSettled",
    "SettingsChanged",
    "SiteRead",
    "TagRaised",
    "TopicAccepted",
    "TopicAdded",
    "TopicDropped",
    "TopicEdited",
    "TopicExhausted",
    "TopicRejected",
    "TopicReopened",
    "TopicResearched",
    "TreeSettled",
    "TurnFailed",
    "TurnParked",
    "TurnStarted",
    "Warned",
]

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
