"""Ranking: BM25 over pages, softened by parts of words, then a second hop along names, then the best passages."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from math import log

from .index import K1, IndexReader, Named, Row
from .names import keys_in, keys_of
from .words import STOP_WORDS, query_terms, stem, tokens

# How many of the best pages are looked at more closely, and how many of those are followed by name.
CLOSE, FOLLOWED = 50, 6
# Once the rarer terms have found this many pages, the commoner ones find no new ones.
ENOUGH = 500
SOFT_WEIGHT = 0.5
# What a name in the query adds, and what a page hands on to those it names, as shares of the best score.
NAMED_IN_QUERY, HANDED_ON, OWN_SHARE = 0.5, 0.6, 0.5
# A name that leads to more places than this says nothing.
MOST_PLACES = 4


def rank(reader: IndexReader, query: str, limit: int) -> list[tuple[Row, float]]:
    """The best passages for a query with their scores, best first."""
    terms = _weigh(reader, query)
    scores = _bm25(terms)
    if not scores or limit <= 0:
        return []
    pages = _Hops(reader, scores).follow(query)
    return _best_passages(reader, pages, terms, limit)


@dataclass(frozen=True, slots=True)
class _Weighted:
    """A query term, how much it tells, and what it adds to each page it stands on."""

    term: str
    weight: float
    gains: Mapping[int, float]


def _weigh(reader: IndexReader, query: str) -> list[_Weighted]:
    """The query's terms that occur at all, the rarest first."""
    found = []
    for term, times in Counter(query_terms(query)).items():
        gains = reader.gains(term)
        if gains:
            rarity = log(1 + (reader.living - len(gains) + 0.5) / (len(gains) + 0.5))
            found.append(_Weighted(term, times * rarity, gains))
    return sorted(found, key=lambda one: (len(one.gains), one.term))


def _bm25(terms: Iterable[_Weighted]) -> dict[int, float]:
    """The score of every page a rare term leads to; common terms only add to pages already found."""
    scores: dict[int, float] = {}
    for one in terms:
        weight, gains = one.weight, one.gains
        if len(scores) < ENOUGH:
            for page, gain in gains.items():
                scores[page] = scores.get(page, 0.0) + weight * gain
        else:
            for page in scores.keys() & gains.keys():
                scores[page] += weight * gains[page]
    return scores


class _Hops:
    """Pages by their own score, by names in the query, and by names on the best pages."""

    def __init__(self, reader: IndexReader, scores: Mapping[int, float]) -> None:
        self._reader = reader
        self._highest = max(scores.values())
        self._scores = scores

    def follow(self, query: str) -> dict[int, float]:
        best = heapq.nlargest(CLOSE, self._scores, key=lambda page: (self._scores[page], -page))
        pages = {page: self._scores[page] / self._highest for page in best}
        for named in self._places(keys_of(tokens(query))):
            pages[named.page] = pages.get(named.page, self._own(named.page)) + NAMED_IN_QUERY
        highest = max(pages.values())
        pages = {page: score / highest for page, score in pages.items()}
        return self._hand_on(pages)

    def _own(self, page: int) -> float:
        return self._scores.get(page, 0.0) / self._highest

    def _hand_on(self, pages: dict[int, float]) -> dict[int, float]:
        first = heapq.nlargest(FOLLOWED, pages, key=lambda page: (pages[page], -page))
        texts = self._reader.page_texts(first)
        mentions = {page: keys_in(texts[page]) for page in first}
        places = defaultdict(list)
        for named in self._places({key: None for keys in mentions.values() for key in keys}):
            places[named.key].append(named.page)
        reached = dict(pages)
        for page in first:
            for key in mentions[page]:
                for other in places.get(key, ()):
                    score = HANDED_ON * pages[page] + OWN_SHARE * pages.get(other, self._own(other))
                    if other != page and score > reached.get(other, 0.0):
                        reached[other] = score
        return reached

    def _places(self, keys: Mapping[str, None]) -> list[Named]:
        """Where names lead, without those that lead everywhere."""
        found = self._reader.named(keys) if keys else []
        times = Counter(named.key for named in found)
        return [named for named in found if times[named.key] <= MOST_PLACES and self._telling(named.key)]

    def _telling(self, key: str) -> bool:
        """A single word is a name only where it is rare."""
        if " " in key:
            return True
        if key in STOP_WORDS or len(key) < 3:
            return False
        return len(self._reader.gains(stem(key))) <= max(5, self._reader.living // 100)


def _best_passages(
    reader: IndexReader, pages: Mapping[int, float], terms: Iterable[_Weighted], limit: int
) -> list[tuple[Row, float]]:
    chosen = heapq.nlargest(limit, pages, key=lambda page: (pages[page], -page))
    weights = {one.term: one.weight for one in terms}
    beginnings = {term[:2] for term in weights}
    scored = []
    best_on: dict[int, float] = {}
    for row in reader.passages(chosen):
        own = _cover(row, weights, beginnings)
        scored.append((row, own))
        best_on[row.page] = max(best_on.get(row.page, 0.0), own)
    ranked = [(row, pages[row.page] * (0.5 + 0.5 * own / (best_on[row.page] or 1.0))) for row, own in scored]
    ranked.sort(key=lambda found: (-found[1], found[0].location, found[0].first_line))
    return ranked[:limit]


def _cover(row: Row, weights: Mapping[str, float], beginnings: Set[str]) -> float:
    """How much of the query a passage holds. A stem keeps the first two letters of its word, so most words fall out early."""
    words = tokens(f"{row.section} {row.text}")
    counts = Counter([stem(word) for word in words if word[:2] in beginnings])
    return sum(weight * counts[term] / (counts[term] + K1) for term, weight in weights.items() if term in counts)
