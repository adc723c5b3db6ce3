"""The contract between hats and backends: what can be asked, with which inputs, for which answer.

An `Ask` carries a rendered prompt for backends that read prose, and the same matter as typed inputs for
backends that compute (`offline`, `mock`). Every backend replies with text that holds one JSON object of the
answer type named in `ANSWERS`; code, not the backend, decides what follows from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from .model import Document, Passage, Section, Topic, Usage, Verdict


class Kind(StrEnum):
    PLAN = "plan"
    QUERIES = "queries"
    DOCUMENT = "document"
    CHILDREN = "children"
    REVIEW = "review"
    SECTION = "section"
    SYNTHESIZE = "synthesize"
    FINAL_REVIEW = "final_review"
    REVISE = "revise"
    RECOVER = "recover"
    PICK = "pick"
    JUDGE = "judge"
    SCOPE = "scope"
    DECIDE = "decide"
    ANSWER = "answer"


class QueryType(StrEnum):
    """What kind of answer a question wants; each has its own form."""

    ACADEMIC = "academic"
    NEWS = "news"
    PEOPLE = "people"
    CODING = "coding"
    COMPARISON = "comparison"
    FACTUAL = "factual"


class Tier(StrEnum):
    """How much work a question is worth: one call, a loop of research, or a loop that ends in a long report."""

    SIMPLE = "simple"
    MEDIUM = "medium"
    DEEP = "deep"


class SearchStrategy(StrEnum):
    """How the queries for a subquestion are made. A retry never uses the one that failed."""

    DIRECT = "direct"
    ENTITIES = "entities"
    BROADER = "broader"
    NARROWER = "narrower"


@dataclass(frozen=True, slots=True)
class SubQuestion:
    """`id` is the id of the topic it becomes; whoever proposes one may leave it out."""

    text: str
    strategy: SearchStrategy = SearchStrategy.DIRECT
    id: str = ""


@dataclass(frozen=True, slots=True)
class TagNote:
    """A tag that was raised, and the subquestions it was raised on."""

    tag: str
    subquestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Brief:
    """What the writer of an answer is told beside the evidence."""

    query_type: QueryType
    audience: str
    tone: str
    constraints: tuple[str, ...] = ()
    ra_summary: tuple[TagNote, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """A part of a long answer. The heading is plain text."""

    heading: str
    text: str


# Inputs: what an answer may be made from. Nothing here names a clock, a machine path or a random order.


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """Split the question into at most `breadth` topics. `passages` is what a first search for it found."""

    question: str
    breadth: int
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class QueriesInputs:
    """Up to `breadth` search queries for a topic; `actions` is what a reviewer asked to look for."""

    question: str
    topic: Topic
    breadth: int
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentInputs:
    """Write a topic's document. `passages` is what the engine found; empty when the backend has its own tools."""

    question: str
    topic: Topic
    passages: tuple[Passage, ...] = ()
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChildrenInputs:
    """Name at most `breadth` subtopics worth researching; `others` are the titles the tree already has nearby."""

    question: str
    topic: Topic
    document: Document
    breadth: int
    passages: tuple[Passage, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewInputs:
    question: str
    topic: Topic
    document: Document


@dataclass(frozen=True, slots=True)
class SectionInputs:
    """Write the report's text for each of these topics, in at most `words` words together."""

    question: str
    topics: tuple[tuple[Topic, Document], ...]
    words: int


@dataclass(frozen=True, slots=True)
class SynthesizeInputs:
    """Write the executive summary over the finished sections. `documents` are the topics' documents, tree order."""

    question: str
    topics: tuple[tuple[Topic, Document], ...]
    sections: tuple[Section, ...]
    words: int


@dataclass(frozen=True, slots=True)
class FinalReviewInputs:
    question: str
    topics: tuple[Topic, ...]
    report: str


@dataclass(frozen=True, slots=True)
class ReviseInputs:
    """Rewrite what the critique names; `summary` and each section are given as they stand."""

    question: str
    summary: str
    sections: tuple[Section, ...]
    issues: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecoverInputs:
    hat: str
    topic: Topic | None
    error: str


@dataclass(frozen=True, slots=True)
class PickInputs:
    """Order the most valuable of `leaves` (slug paths), best first, at most `count`."""

    question: str
    outline: str
    leaves: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class ScopeInputs:
    """Say what kind of question it is and split it into at most `most` subquestions; of a `deep` one, more aspects."""

    question: str
    most: int
    passages: tuple[Passage, ...] = ()
    deep: bool = False


@dataclass(frozen=True, slots=True)
class DecideInputs:
    """Is the evidence enough? `given_up` are the subquestions that no strategy could answer."""

    question: str
    topics: tuple[tuple[Topic, Document], ...]
    given_up: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerInputs:
    """Answer the question, from `passages` (a simple question) or from the documents of its `topics`."""

    question: str
    brief: Brief
    words: int
    deep: bool = False
    topics: tuple[tuple[Topic, Document], ...] = ()
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class Claimed:
    """A sentence of the report and the passage of the source it cites."""

    sentence: str
    passage: str


@dataclass(frozen=True, slots=True)
class JudgeInputs:
    """Does each passage say what its sentence says?"""

    claims: tuple[Claimed, ...]


Inputs = (
    PlanInputs
    | QueriesInputs
    | DocumentInputs
    | ChildrenInputs
    | ReviewInputs
    | SectionInputs
    | SynthesizeInputs
    | FinalReviewInputs
    | ReviseInputs
    | RecoverInputs
    | PickInputs
    | JudgeInputs
    | ScopeInputs
    | DecideInputs
    | AnswerInputs
)


# Answers: the JSON object a reply must hold. Field names are the keys.


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


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to a backend.

    `context` is what a session would already know: a backend that continues or forks `session` leaves it out,
    any other puts it before `prompt`, so that equal prefixes stay equal. `free` says that the answer is not the
    kind's JSON object but text in a form the prompt describes. The answer to a `lasting` ask stands once it is on
    record, even if the ask would read differently when its turn is taken up again.
    """

    kind: Kind
    prompt: str
    inputs: Inputs
    context: str = ""
    session: str | None = None
    fork: bool = False
    free: bool = False
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What a backend answered. `session` can be continued or forked by a later ask."""

    text: str
    session: str | None = None
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    fork: str = ""


class Reason(StrEnum):
    """Why a backend gave no answer, as far as it decides what to do next."""

    TIMED_OUT = "timed out"
    UNAVAILABLE = "unavailable"
    RATE_LIMITED = "rate limited"
    FAILED = "failed"
    EMPTY = "empty answer"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Failure:
    """No answer, as a value. REFUSED (bad key, unknown model) is final for the run; the rest may be tried again."""

    reason: Reason
    message: str
    retry_after: float | None = None
