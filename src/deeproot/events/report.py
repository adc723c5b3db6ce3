"""What happens to the report: its parts, its gates, its reviews."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..asks import AnswerPart, FinalReviewAnswer
from ..checks import Checked, CitationCheck
from ..model import Section


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
