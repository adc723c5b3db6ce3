"""What happens to topics: planned, researched, judged, edited, ranked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..asks import CriterionVerdict
from ..model import Document, Status, Tag, Topic


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
