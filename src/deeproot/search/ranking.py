"""Ranking: BM25 over pages, softened by parts of words, then a second hop along names, then the best passages."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from .index import K1, IndexReader, Named, Row
from .words import STOP_WORDS, query_terms, stem, tokens

# How many of the best pages are looked at more closely, and how many of those are followed by name.
CLOSE, FOLLOWED = 50, 5
# Once the rarer terms have found this many pages, the commoner ones find no new ones.
ENOUGH = 500
SOFT_WEIGHT = 2.0
# What a name in the query adds, and what a page hands on to those it names, as shares of the best score.
NAMED_IN_QUERY, HANDED_ON, OWN_SHARE = 0.5, 0.6, 0.5
# A name that leads to more places than this says nothing.
MOST_PLACES = 4


def rank(reader: IndexReader, query: str, limit: int) -> list[tuple[Row, float]]:
    """The best passages for a query with their scores, best first."""
    terms = _weigh(reader, query)
    pages = _Hops(reader, _bm25(terms)).follow(query)
    return _best_passages(reader, pages, terms, limit) if limit > 0 else []


def _top(reader: IndexReader, scores: Mapping[int, float], count: int) -> list[int]:
    """The `count` best pages; of equal ones those that come first by place, as ids depend on the index's history."""
    if len(scores) <= count:
        return list(scores)
    least = heapq.nlargest(count, scores.values())[-1]
    better = [page for page, score in scores.items() if score > least]
    equal = [page for page, score in scores.items() if score == least]
    if len(better) + len(equal) > count:
        equal.sort(key=reader.places(equal).__getitem__)
    return (better + equal)[:count]


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


def _pieces(query: str) -> list[str]:
    """Every second run of four letters of the query's words, with the spaces around them."""
    words = dict.fromkeys(f" {word} " for word in tokens(query) if word not in STOP_WORDS)
    return list(dict.fromkeys(word[at : at + 4] for word in words for at in range(0, max(1, len(word) - 3), 2)))


class _Hops:
    """Pages by their own score, by names in the query, and by names on the best pages. All as shares of the best."""

    def __init__(self, reader: IndexReader, scores: Mapping[int, float]) -> None:
        self._reader = reader
        self._scores = scores
        self._highest = max(scores.values(), default=1.0)

    def follow(self, query: str) -> dict[int, float]:
        close = _top(self._reader, self._scores, CLOSE)
        alike = self._likeness(query, close)
        pages = {page: self._own(page) + SOFT_WEIGHT * alike[page] for page in close}
        for named in self._places(self._reader.names.keys_in(tokens(query))):
            pages[named.page] = pages.get(named.page, self._own(named.page)) + NAMED_IN_QUERY
        highest = max(pages.values(), default=1.0)
        return self._hand_on({page: score / highest for page, score in pages.items()})

    def _likeness(self, query: str, pages: Sequence[int]) -> dict[int, float]:
        """How much of the query's letters each page holds (0..1): four at a time, the rarer among these pages the more."""
        pieces = _pieces(query)
        counts = {}
        for page, text in self._reader.page_texts(pages).items():
            folded = " ".join(tokens(text))
            counts[page] = [folded.count(piece) for piece in pieces]
        held = [sum(1 for found in counts.values() if found[at]) for at in range(len(pieces))]
        weights = [log(1 + (len(pages) - n + 0.5) / (n + 0.5)) if n else 0.0 for n in held]
        whole = sum(weights) or 1.0
        return {
            page: sum(weight * n / (n + self._reader.norm(page)) for weight, n in zip(weights, found, strict=True) if n) / whole
            for page, found in counts.items()
        }

    def _own(self, page: int) -> float:
        return self._scores.get(page, 0.0) / self._highest

    def _hand_on(self, pages: dict[int, float]) -> dict[int, float]:
        first = _top(self._reader, pages, FOLLOWED)
        texts = self._reader.page_texts(first)
        mentions = {page: self._reader.names.keys_in(tokens(texts[page])) for page in first}
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
    chosen = _top(reader, pages, limit)
    weights = {_needle(one.term): one.weight for one in terms}
    scored = []
    best_on: dict[int, float] = {}
    for row in reader.passages(chosen, reader.page_texts(chosen)):
        own = _cover(row, weights)
        scored.append((row, own))
        best_on[row.page] = max(best_on.get(row.page, 0.0), own)
    ranked = [(row, pages[row.page] * (0.5 + 0.5 * own / (best_on[row.page] or 1.0))) for row, own in scored]
    ranked.sort(key=lambda found: (-found[1], found[0].location, found[0].first_line))
    return ranked[:limit]


def _cover(row: Row, weights: Mapping[str, float]) -> float:
    """How much of the query a passage holds, by the beginnings of words."""
    text = f" {row.section} {row.text}".lower()
    covered = 0.0
    for term, weight in weights.items():
        count = text.count(term)
        if count:
            covered += weight * count / (count + K1)
    return covered


def _needle(term: str) -> str:
    """What to look for instead of a stem: the letters it shares with its words; short ones at the start of a word."""
    letters = term[:-1] if len(term) > 4 and term.endswith("i") else term
    return letters if len(letters) > 3 or not letters.isascii() else f" {letters}"
