"""The passages of pages that are nearest to a query: BM25 over passages, with the words of the file index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log

from ...model import Passage
from ..index import K1, B
from ..passages import cut
from ..words import STOP_WORDS, query_terms, stem, tokens
from .store import Page


@dataclass(frozen=True, slots=True)
class _Candidate:
    passage: Passage
    counts: Counter[str]
    length: int


def rank_pages(pages: Iterable[Page], query: str, limit: int) -> tuple[Passage, ...]:
    """At most `limit` passages, best first. Scores are shares of the best one's, as those of files are."""
    candidates = [candidate for page in pages for candidate in _candidates(page)]
    terms = Counter(query_terms(query))
    scores = _scores(candidates, terms)
    highest = max(scores, default=0.0)
    if not highest:
        return ()
    scored = (
        Passage(p.source, p.text, p.first_line, p.last_line, p.section, score / highest)
        for p, score in zip((candidate.passage for candidate in candidates), scores, strict=True)
        if score
    )
    return tuple(sorted(scored, key=lambda p: (-p.score, p.source.location, p.first_line))[:limit])


def nearest(page: Page, query: str, limit: int) -> tuple[Passage, ...]:
    """The passages of one page for a query; its first ones where the query has no word in common with it."""
    return rank_pages([page], query, limit) or tuple(each.passage for each in islice(_candidates(page), limit))


def _candidates(page: Page) -> Iterable[_Candidate]:
    reading, source = page.reading, page.source
    for span in cut(reading):
        text = reading.text[span.start : span.stop]
        heading = f"{reading.title} {span.section}"
        words = [stem(word) for word in tokens(f"{heading} {text}") if word not in STOP_WORDS]
        passage = Passage(source, text, span.first_line, span.last_line, span.section)
        yield _Candidate(passage, Counter(words), len(words))


def _scores(candidates: Sequence[_Candidate], terms: Counter[str]) -> list[float]:
    count = len(candidates) or 1
    mean = sum(candidate.length for candidate in candidates) / count or 1.0
    holding = {term: sum(1 for candidate in candidates if term in candidate.counts) for term in terms}
    weights = {
        term: times * log(1 + (count - holding[term] + 0.5) / (holding[term] + 0.5)) for term, times in terms.items()
    }
    return [_score(candidate, weights, K1 * (1 - B + B * candidate.length / mean)) for candidate in candidates]


def _score(candidate: _Candidate, weights: dict[str, float], norm: float) -> float:
    counts = candidate.counts
    return sum(weight * counts[term] / (counts[term] + norm) for term, weight in weights.items() if term in counts)
