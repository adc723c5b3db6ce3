"""Search strategies: how the queries for a subquestion are made. Pure; a retry never repeats a query."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...asks import SearchStrategy
from ...search.words import STOP_WORDS

BROAD_WORDS = 2
TERSE = 3  # words that carry matter; a subquestion with no more is a title, not a question
# Added where a strategy would repeat a query that was made before.
_WIDENING = ("overview", "explained", "documentation", "introduction")
_WORD = re.compile(r"[\w.'’+#-]*\w[+#]*")
_NAME = re.compile(r"[A-Z0-9_]|\w\.\w|\w_\w")


def strategy_for(first: SearchStrategy, attempt: int) -> SearchStrategy:
    """The strategy of the `attempt`-th attempt: first the one that was planned, then the others in their order."""
    order = [first, *(strategy for strategy in SearchStrategy if strategy is not first)]
    return order[(attempt - 1) % len(order)]


def attempts(text: str, question: str, first: SearchStrategy, count: int) -> list[tuple[str, ...]]:
    """The queries of each of the first `count` attempts; no query is made twice."""
    made: list[tuple[str, ...]] = []
    used: set[frozenset[str]] = set()
    for attempt in range(1, count + 1):
        wanted = queries(text, question, strategy_for(first, attempt))
        fresh = tuple(query for query in wanted if _key(query) not in used) or (_widened(text, used),)
        used |= {_key(query) for query in fresh}
        made.append(fresh)
    return made


def queries(text: str, question: str, strategy: SearchStrategy) -> tuple[str, ...]:
    match strategy:
        case SearchStrategy.DIRECT:
            return (" ".join([*text.split(), *_subject(text, question)]),)
        case SearchStrategy.ENTITIES:
            return (" ".join(_names(text) or _telling(text)[:1]),)
        case SearchStrategy.BROADER:
            return (" ".join(_longest(_telling(text), BROAD_WORDS)),)
        case SearchStrategy.NARROWER:
            return (" ".join(dict.fromkeys([*_telling(text), *_telling(question)])),)


def _subject(text: str, question: str) -> list[str]:
    """What the question is about, where a subquestion says little ("The cost"): it finds nothing alone."""
    here, there = _telling(text), _telling(question)
    known = {word.casefold() for word in here}
    new = [word for word in there if word.casefold() not in known]
    terse = len(here) <= TERSE and len(new) > len(there) / 2
    return new if terse or len(new) == len(there) else []


def _telling(text: str) -> list[str]:
    """The words that carry matter, in order, each once; all words when none does."""
    words = list(dict.fromkeys(_WORD.findall(text)))
    return [word for word in words if word.casefold() not in STOP_WORDS] or words


def _names(text: str) -> list[str]:
    """Names of things: capitals (not that of the first word), digits, dots and underscores inside."""
    return list(_named(_WORD.findall(text)))


def _named(words: Sequence[str]) -> Iterator[str]:
    for place, word in enumerate(words):
        inner = word[1:] if place == 0 else word
        if _NAME.search(inner) and word.casefold() not in STOP_WORDS:
            yield word


def _longest(words: Sequence[str], count: int) -> list[str]:
    kept = sorted(words, key=len, reverse=True)[:count]
    return [word for word in words if word in kept]


def _key(query: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(query))


def _widened(text: str, used: set[frozenset[str]]) -> str:
    matter = " ".join(_telling(text))
    return next((each for word in _WIDENING if _key(each := f"{matter} {word}") not in used), f"about {matter}")
