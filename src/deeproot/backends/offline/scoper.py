"""Reading a question before any work is done: what kind it is, how much it is worth, which subquestions it has."""

from __future__ import annotations

import re

from ...asks import (
    DocumentInputs,
    PlanInputs,
    ProposedTopic,
    QueryType,
    ScopeAnswer,
    ScopeInputs,
    SearchStrategy,
    SubQuestion,
    Tier,
)
from ...model import Topic, slugify
from .planner import plan as plan_topics
from .question import aspects
from .researcher import document as document_on

SHORT, LONG = 12, 30  # words of a question that one look can answer, and of one that asks a lot
SIDE_WORDS = 6

# In this order: the first that fits. A question about code that compares is a comparison.
_SIGNS: tuple[tuple[QueryType, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            QueryType.COMPARISON,
            r"\bcompar(?:e|es|ed|ing|ison)\b|\bvs\b\.?|\bversus\b|\bdifferences? between\b|\bdiffers? from\b"
            r"|\b(?:better|faster|cheaper|safer|worse|slower) than\b|\bpros and cons\b|\bwhich is \w+er\b",
        ),
        (
            QueryType.CODING,
            r"```|\b(?:code|snippet|script|function|regex|stack ?trace|unit test)\b.*\b(?:for|that|to|in)\b"
            r"|\b(?:write|implement|refactor|debug|fix)\b.*\b(?:function|class|method|script|loop|query|test|code|bug)\b"
            r"|\bhow (?:do|can|would|should) (?:i|you|we)\b.*\b(?:in|with|using) (?:python|java|javascript|typescript"
            r"|rust|go|c\+\+|c#|ruby|php|sql|bash|asyncio|anyio)\b|\b(?:example|sample) code\b|\bcode example\b",
        ),
        (
            QueryType.PEOPLE,
            r"\bwho (?:is|was|are|were)\b|\bbiograph|\bborn\b|\b(?:life|career) of\b|\bwhat did [A-Z]\w+ [A-Z]\w+ do\b",
        ),
        (
            QueryType.NEWS,
            r"\b(?:news|headlines?|latest|breaking|today|yesterday|this (?:week|month|year)|announced|recent(?:ly)?"
            r"|last (?:week|month))\b|\bwhat happened\b",
        ),
        (
            QueryType.ACADEMIC,
            r"\b(?:study|studies|literature|papers?|meta-analys[ie]s|trials?|hypothes[ie]s|theor(?:y|ies)|peer.reviewed"
            r"|empirical|scholars?|researchers?)\b|\beffects? of\b.*\bon\b|\bevidence (?:for|that|on)\b",
        ),
    )
)
_DEEP = re.compile(
    r"\b(?:in[- ]depth|comprehensive(?:ly)?|thorough(?:ly)?|exhaustive|detailed (?:report|analysis|overview)|deep dive"
    r"|state of the art|survey of|analy[sz]e|evaluate)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(r"\s*(?:how (?!many|much|old|long|far|tall|big|large|often)|why\b|explain|describe|discuss)", re.I)
_CLAUSES = re.compile(r"[;?]\s+\S|,?\s+(?:and|or)\s+(?:what|how|which|why|who|where|when|does|is|are)\b", re.I)
_END = r"(?=\s+(?:in|for|when|with respect|regarding|on|under|as|by|do|does)\b|[?!,;:]|\.(?:\s|$)|$)"
_SIDES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bdifferences? between (?P<one>.+?) and (?P<other>.+?){_END}",
        rf"\bcompar\w* (?P<one>.+?) (?:and|with|to|against) (?P<other>.+?){_END}",
        rf"\b(?:do|does|is|are) (?P<one>.+?) (?:differ(?:ent)? from|\w+er than) (?P<other>.+?){_END}",
        rf"(?P<one>[\w.'’-]+(?: [\w.'’-]+){{0,3}}?) (?:vs\.?|versus|compared (?:to|with)) (?P<other>.+?){_END}",
        rf"[:,] (?P<one>.+?) or (?P<other>.+?){_END}",
    )
)
_ARTICLE = re.compile(r"^(?:the|a|an|between|using|use of)\s+", re.IGNORECASE)


def scope(inputs: ScopeInputs) -> ScopeAnswer:
    """A comparison is split into its sides, any other question as a plan is."""
    kind = query_type(inputs.question)
    sides = compared(inputs.question) if kind is QueryType.COMPARISON else ()
    question = " ".join(inputs.question.split())
    titles = [question, *sides] if sides else _planned(inputs) or [question]
    asked = tuple(SubQuestion(title, SearchStrategy.DIRECT) for title in titles[: inputs.most])
    return ScopeAnswer(kind, tier(inputs.question), asked)


def _planned(inputs: ScopeInputs) -> list[str]:
    """What the question asks; for a long report also what the files say most about it."""
    if not inputs.deep:
        return aspects(inputs.question, {}) or [" ".join(inputs.question.split())]
    plan = plan_topics(PlanInputs(inputs.question, inputs.most, inputs.passages))
    return [topic.title for topic in plan.topics if _is_answered(topic, inputs)]


def _is_answered(topic: ProposedTopic, inputs: ScopeInputs) -> bool:
    """A title made of key phrases may hold nothing by itself; what is not found now is no subquestion."""
    asked = Topic("1", topic.title, slugify(topic.title), 0)
    found = document_on(DocumentInputs(inputs.question, asked, inputs.passages))
    return bool(found.findings) or not inputs.passages


def query_type(question: str) -> QueryType:
    """Told by the words of the question alone; what fits nothing else is a question of fact."""
    return next((kind for kind, sign in _SIGNS if sign.search(question)), QueryType.FACTUAL)


def tier(question: str) -> Tier:
    """Simple: short, one thing asked, and answered by naming it. Deep: long, or it says so itself."""
    words = len(question.split())
    clauses = len(_CLAUSES.findall(question))
    if _DEEP.search(question) or words > LONG or clauses >= 2:
        return Tier.DEEP
    kind = query_type(question)
    if kind is QueryType.CODING and not clauses:
        return Tier.SIMPLE
    if words > SHORT or clauses or _OPEN.match(question) or kind in (QueryType.COMPARISON, QueryType.ACADEMIC):
        return Tier.MEDIUM
    return Tier.SIMPLE


def compared(question: str) -> tuple[str, ...]:
    """The two things a question compares; nothing when they cannot be told."""
    for pattern in _SIDES:
        found = pattern.search(question)
        if found:
            sides = tuple(_ARTICLE.sub("", found[name].strip(" \t\n'\"“”`")) for name in ("one", "other"))
            if all(0 < len(side.split()) <= SIDE_WORDS for side in sides):
                return sides
    return ()
