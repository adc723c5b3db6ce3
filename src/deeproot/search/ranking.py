"""Ranking: BM25 over passages, the company a passage keeps in its document, and a second hop along names."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import log

from .index import IndexReader, Row
from .words import query_terms

K1, B, NOMINAL_WORDS = 1.2, 0.5, 75

_NORM = [K1 * (1 - B + B * max(0, length - 1) / NOMINAL_WORDS) for length in range(256)]


def score_passages(reader: IndexReader, terms: Counter[str]) -> dict[int, float]:
    """The BM25 score of every living passage that holds a term."""
    scores: defaultdict[int, float] = defaultdict(float)
    lengths = reader.lengths
    for term, times in sorted(terms.items()):
        counts = Counter(reader.occurrences(term))
        if reader.dead:
            counts = Counter({p: n for p, n in counts.items() if lengths[p]})
        weight = times * log(1 + (reader.living - len(counts) + 0.5) / (len(counts) + 0.5))
        for passage, count in counts.items():
            scores[passage] += weight * count / (count + _NORM[lengths[passage]])
    return scores


def rank(reader: IndexReader, query: str, limit: int) -> list[tuple[Row, float]]:
    scores = score_passages(reader, Counter(query_terms(query)))
    best = sorted(scores, key=scores.__getitem__, reverse=True)[:limit]
    rows = reader.rows(best)
    return sorted(((rows[p], scores[p]) for p in best), key=lambda f: (-f[1], f[0].location, f[0].first_line))
