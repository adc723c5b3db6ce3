"""Reading the question: what it is about, and the aspects it names itself."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .naming import joined, names
from .words import terms

MOST_PHRASES = 3
SHORT = 12  # words; a question no longer than this is its own title

_CLAUSE = re.compile(
    r"[?;]\s+|[,;]?\s+(?:and|und|et|y)\s+(?=(?:what|how|which|why|who|where|when|was|wie|welche\w*|warum|quels?|comment"
    r"|qué|cómo)\b)",
    re.IGNORECASE,
)
_ITEM = r"[^\W\d_][\w'’-]*(?: [\w'’-]+)?"
_LIST = re.compile(
    rf"(?P<items>{_ITEM}(?:, {_ITEM})*,? (?:and|or|und|oder|et|ou|y|o) {_ITEM}) "
    r"(?P<link>of|for|von|für|de|des|pour|para) (?P<matter>[^\s,;?.!]+(?: [^\s,;?.!]+){0,6})(?=[,;?.!]|$)",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r",? (?:and|or|und|oder|et|ou|y|o) |, ", re.IGNORECASE)
_ARTICLES = re.compile(r"^(?:(?:what|which|are|is|were|the|main|key|der|die|das|les?|las?|los|el)\s+)+", re.IGNORECASE)


def headline(question: str, rare: Mapping[str, float]) -> str:
    """What the question is about, as a title: its most telling phrases in its own order."""
    if len(question.split()) <= SHORT:
        return _capital(" ".join(question.split()).rstrip(" ?!.？。"))
    found = names(question)
    telling = sorted(found, key=lambda name: (len(terms(name)) < 2, -sum(rare.get(term, 0.0) for term in terms(name))))
    kept = [name for name in found if name in telling[:MOST_PHRASES]]
    return _capital(joined(kept) or " ".join(question.split()).rstrip(" ?!."))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def clauses(question: str) -> list[str]:
    """The several things a question asks; most ask one."""
    return _CLAUSE.split(question)


def aspects(question: str, rare: Mapping[str, float]) -> list[str]:
    """The aspects the question lists ("benefits and risks of X"), or else its clauses when it asks several things."""
    listed = _LIST.search(question)
    if listed:
        items = [_ARTICLES.sub("", item).strip() for item in _SEPARATOR.split(listed["items"])]
        if all(len(terms(item)) == len(item.split()) > 0 for item in items):
            return [f"{_capital(item)} {listed['link']} {listed['matter']}" for item in items]
    asked = [clause for clause in clauses(question) if len(set(terms(clause))) >= 2]
    titles = dict.fromkeys(headline(clause, rare) for clause in asked)
    return list(titles) if len(titles) > 1 else []
