"""Ranking: BM25 over pages, likeness by parts of words, a second hop along names, then the best passages.

Scores are shares of the best page's. The constants were chosen on one half of four question sets and checked on the
other; each may be halved or doubled without losing what its step gains.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from .index import K1, IndexReader, Named, Row
from .words import LONGEST_WORD, STOP_WORDS, flat, query_terms, stem, tokens

# How many of the best pages are compared letter by letter, with how many words, and how many are followed by name.
CLOSE, COMPARED, FOLLOWED = 50, 12, 5
# Once the rarer terms have found this many pages, the commoner ones find no new ones.
ENOUGH = 500
LIKENESS_WEIGHT = 2.0
# What a name in the query adds, and what a page hands on to the pages it names.
NAMED_IN_QUERY, HANDED_ON, OWN_SHARE = 0.5, 0.6, 0.5
# A name that leads to more places than this says nothing.
MOST_PLACES = 4


def rank(reader: IndexReader, query: str, limit: int) -> list[tuple[Row, float]]:
    """The best passages for a query with their scores, best first."""
    terms = _weigh(reader, query)
    hops = _Hops(reader, _bm25(terms))
    pages = hops.follow(query)
    if limit <= 0:
        return []
    chosen = _top(reader, pages, limit)
    rows = reader.passages(chosen, hops.texts(chosen))
    return _order_passages(rows, pages, terms)[:limit]


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
            found.append(_Weighted(term, times * _rarity(len(gains), reader.living), gains))
    return sorted(found, key=lambda one: (len(one.gains), one.term))


def _rarity(holding: int, pages: int) -> float:
    return log(1 + (pages - holding + 0.5) / (holding + 0.5))


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
    """Pages by their own score and likeness, by names in the query, and by names on the best pages."""

    def __init__(self, reader: IndexReader, scores: Mapping[int, float]) -> None:
        self._reader = reader
        self._scores = scores
        self._highest = max(scores.values(), default=1.0)
        self._texts: dict[int, str] = {}

    def follow(self, query: str) -> dict[int, float]:
        close = _top(self._reader, self._scores, CLOSE)
        alike = self._likeness(_pieces(self._reader, query), close)
        pages = {page: self._own(page) + LIKENESS_WEIGHT * alike[page] for page in close}
        pages = _shares(pages)
        for named in self._places(self._reader.names.keys_in(tokens(query))):
            pages[named.page] = pages.get(named.page, self._own(named.page)) + NAMED_IN_QUERY
        return self._hand_on(_shares(pages))

    def texts(self, pages: Collection[int]) -> Mapping[int, str]:
        """The texts of these pages, and of those looked at before."""
        self._texts.update(self._reader.page_texts([page for page in pages if page not in self._texts]))
        return self._texts

    def _own(self, page: int) -> float:
        return self._scores.get(page, 0.0) / self._highest

    def _likeness(self, pieces: Sequence[str], pages: Sequence[int]) -> dict[int, float]:
        """How many of these pieces of words each page holds (0..1), the rarer among the pages the more.

        It finds what stemming cannot: compounds, spelling variants, derived words.
        """
        texts = self.texts(pages)
        counts = {page: list(map(flat(texts[page]).count, pieces)) for page in pages}
        weights = [_rarity(len(pages) - column.count(0), len(pages)) for column in zip(*counts.values(), strict=True)]
        whole = sum(weights) or 1.0
        alike = {}
        for page, found in counts.items():
            norm = self._reader.norm(page)
            alike[page] = sum(w * n / (n + norm) for w, n in zip(weights, found, strict=True) if n) / whole
        return alike

    def _hand_on(self, pages: dict[int, float]) -> dict[int, float]:
        """The pages, and those the best of them name: a share of the naming page's score is handed on."""
        first = _top(self._reader, pages, FOLLOWED)
        texts = self.texts(first)
        mentions = {page: self._reader.names.keys_in(tokens(texts[page])) for page in first}
        places = defaultdict(list)
        for named in self._places({key: None for keys in mentions.values() for key in keys}):
            places[named.key].append(named.page)
        reached = dict(pages)
        for page in first:
            for other in {other for key in mentions[page] for other in places.get(key, ())} - {page}:
                score = HANDED_ON * pages[page] + OWN_SHARE * pages.get(other, self._own(other))
                reached[other] = max(reached.get(other, 0.0), score)
        return reached

    def _places(self, keys: Collection[str]) -> list[Named]:
        """Where names lead, without those that lead everywhere."""
        found = self._reader.named(keys) if keys else []
        times = Counter(named.key for named in found)
        return [named for named in found if times[named.key] <= MOST_PLACES and self._tells(named.key)]

    def _tells(self, key: str) -> bool:
        """A single word is a name only where it is rare."""
        if " " in key:
            return True
        if key in STOP_WORDS or len(key) < 3:
            return False
        return len(self._reader.gains(stem(key))) <= max(5, self._reader.living // 100)


def _pieces(reader: IndexReader, query: str) -> list[str]:
    """Every third run of four letters in the query's rarest words, the spaces around a word included."""
    words = [word for word in dict.fromkeys(tokens(query)) if word not in STOP_WORDS]
    rarest = heapq.nsmallest(COMPARED, words, key=lambda word: len(reader.gains(stem(word))))
    spaced = (f" {word[:LONGEST_WORD]} " for word in rarest)
    return list(dict.fromkeys(word[at : at + 4] for word in spaced for at in range(0, max(1, len(word) - 3), 3)))


def _shares(scores: Mapping[int, float]) -> dict[int, float]:
    highest = max(scores.values(), default=1.0)
    return {page: score / highest for page, score in scores.items()}


def _order_passages(
    rows: Iterable[Row], pages: Mapping[int, float], terms: Iterable[_Weighted]
) -> list[tuple[Row, float]]:
    """Passages by their page's score, the ones that hold less of the query than the page's best down to half of it."""
    weights = {_needle(one.term): one.weight for one in terms}
    held = [(row, _held(row, weights)) for row in rows]
    most: dict[int, float] = {}
    for row, share in held:
        most[row.page] = max(most.get(row.page, 0.0), share)
    ranked = [(row, pages[row.page] * (0.5 + 0.5 * share / (most[row.page] or 1.0))) for row, share in held]
    return sorted(ranked, key=lambda found: (-found[1], found[0].location, found[0].first_line))


def _held(row: Row, weights: Mapping[str, float]) -> float:
    """How much of the query a passage and its section hold."""
    text = f" {row.section} {row.text}".lower()
    counts = zip(map(text.count, weights), weights.values(), strict=True)
    return sum(weight * count / (count + K1) for count, weight in counts if count)


def _needle(term: str) -> str:
    """What to look for instead of a stem: the letters it shares with its words; short ones at the start of a word."""
    letters = term[:-1] if len(term) > 4 and term.endswith("i") else term
    return letters if len(letters) > 3 or not letters.isascii() else f" {letters}"
