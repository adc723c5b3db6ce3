"""What can be asked, and the words questions and answers share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
