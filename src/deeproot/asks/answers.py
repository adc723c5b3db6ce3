"""The JSON object a reply must hold, per kind. Field names are the keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..model import Section, Verdict
from .kinds import AnswerPart, Kind, QueryType, SubQuestion, Tier


@dataclass(frozen=True, slots=True)
class ProposedTopic:
    title: str
    description: str = ""
    criteria: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanAnswer:
    topics: tuple[ProposedTopic, ...]


@dataclass(frozen=True, slots=True)
class QueriesAnswer:
    queries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProposedFinding:
    """`source` is a passage label ("S3": the third passage given) or the id of an entry of `sources`."""

    claim: str
    quote: str
    source: str
    weight: float = 0.5


@dataclass(frozen=True, slots=True)
class ProposedSource:
    id: str
    location: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class DocumentAnswer:
    summary: str
    findings: tuple[ProposedFinding, ...] = ()
    sources: tuple[ProposedSource, ...] = ()
    gaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChildrenAnswer:
    children: tuple[ProposedTopic, ...]


@dataclass(frozen=True, slots=True)
class CriterionVerdict:
    criterion: str
    met: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ReviewAnswer:
    """A topic is sent back when a criterion is not met and `actions` says what could be done about it."""

    criteria: tuple[CriterionVerdict, ...]
    gaps: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SectionAnswer:
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class SynthesizeAnswer:
    title: str
    summary: str
    limitations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Opinion:
    ok: bool
    issues: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FinalReviewAnswer:
    completeness: Opinion
    coherence: Opinion
    quality: Opinion
    professionalism: Opinion


@dataclass(frozen=True, slots=True)
class ReviseAnswer:
    """Only what changed: a new summary, and the rewritten sections."""

    summary: str | None = None
    sections: tuple[Section, ...] = ()


@dataclass(frozen=True, slots=True)
class RecoverAnswer:
    notes: str


@dataclass(frozen=True, slots=True)
class PickAnswer:
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on the `n`-th claim; it cannot be `unverifiable`."""

    n: int
    verdict: Verdict
    reason: str = ""


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    verdicts: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class ScopeAnswer:
    query_type: QueryType
    tier: Tier
    subquestions: tuple[SubQuestion, ...]


@dataclass(frozen=True, slots=True)
class DecideAnswer:
    """The loop decision. These keys are fixed: other programs read them."""

    summary: str
    gaps: tuple[str, ...]
    shouldContinue: bool
    nextSearchTopic: str | None = None
    urlToSearch: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerAnswer:
    """`text` cites findings: those given, or from passages its own `findings`, which are F1-1, F1-2 and so on."""

    text: str
    title: str = ""
    parts: tuple[AnswerPart, ...] = ()
    findings: tuple[ProposedFinding, ...] = ()
    sources: tuple[ProposedSource, ...] = ()
    gaps: tuple[str, ...] = ()


Answer = (
    PlanAnswer
    | QueriesAnswer
    | DocumentAnswer
    | ChildrenAnswer
    | ReviewAnswer
    | SectionAnswer
    | SynthesizeAnswer
    | FinalReviewAnswer
    | ReviseAnswer
    | RecoverAnswer
    | PickAnswer
    | JudgeAnswer
    | ScopeAnswer
    | DecideAnswer
    | AnswerAnswer
)

ANSWERS: Mapping[Kind, type[Answer]] = {
    Kind.PLAN: PlanAnswer,
    Kind.QUERIES: QueriesAnswer,
    Kind.DOCUMENT: DocumentAnswer,
    Kind.CHILDREN: ChildrenAnswer,
    Kind.REVIEW: ReviewAnswer,
    Kind.SECTION: SectionAnswer,
    Kind.SYNTHESIZE: SynthesizeAnswer,
    Kind.FINAL_REVIEW: FinalReviewAnswer,
    Kind.REVISE: ReviseAnswer,
    Kind.RECOVER: RecoverAnswer,
    Kind.PICK: PickAnswer,
    Kind.JUDGE: JudgeAnswer,
    Kind.SCOPE: ScopeAnswer,
    Kind.DECIDE: DecideAnswer,
    Kind.ANSWER: AnswerAnswer,
}
