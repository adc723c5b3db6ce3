"""Ranking: BM25 over pages, likeness by parts of words, a second hop along names, then the best passages.

Scores are shares of the best page's. The constants were chosen on the question sets in docs/search.md,
which says how much each step gains and how far its constant may move.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from ..model import Passage, Source
from .index import K1, IndexReader, Origin, Page
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


def rank(reader: IndexReader, query: str, limit: int) -> list[Passage]:
    """The best passages for a query, best first."""
    if limit <= 0:
        return []
    terms = _weigh(reader, query)
    hops = _Hops(reader, _bm25(terms))
    scores = hops.follow(query)
    chosen = _top(reader, scores, limit)
    pages = hops.pages(chosen)
    origins = reader.origins({pages[page].source for page in chosen})
    needles = {_needle(one.term): one.weight for one in terms}
    found = [
        passage
        for page in chosen
        for passage in _passages(pages[page], origins[pages[page].source], scores[page], needles)
    ]
    found.sort(key=lambda passage: (-passage.score, passage.source.location, passage.first_line))
    return found[:limit]


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
        self._pages: dict[int, Page] = {}

    def follow(self, query: str) -> dict[int, float]:
        close = _top(self._reader, self._scores, CLOSE)
        alike = self._likeness(_pieces(self._reader, query), close)
        pages = {page: self._own(page) + LIKENESS_WEIGHT * alike[page] for page in close}
        pages = _shares(pages)
        for named in self._places(self._reader.names.keys_in(tokens(query))).values():
            for page in named:
                pages[page] = pages.get(page, self._own(page)) + NAMED_IN_QUERY
        return self._hand_on(_shares(pages))

    def pages(self, ids: Collection[int]) -> Mapping[int, Page]:
        """These pages, and those looked at before."""
        self._pages.update(self._reader.pages([page for page in ids if page not in self._pages]))
        return self._pages

    def _own(self, page: int) -> float:
        return self._scores.get(page, 0.0) / self._highest

    def _likeness(self, pieces: Sequence[str], pages: Sequence[int]) -> dict[int, float]:
        """How many of these pieces of words each page holds (0..1), the rarer among the pages the more.

        It finds what stemming cannot: compounds, spelling variants, derived words.
        """
        stored = self.pages(pages)
        counts = {page: list(map(flat(stored[page].text).count, pieces)) for page in pages}
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
        stored = self.pages(first)
        mentions = {page: self._reader.names.keys_in(tokens(stored[page].text)) for page in first}
        places = self._places({key: None for keys in mentions.values() for key in keys})
        reached = dict(pages)
        for page in first:
            for other in {other for key in mentions[page] for other in places.get(key, ())} - {page}:
                score = HANDED_ON * pages[page] + OWN_SHARE * pages.get(other, self._own(other))
                reached[other] = max(reached.get(other, 0.0), score)
        return reached

    def _places(self, keys: Collection[str]) -> dict[str, list[int]]:
        """The pages that names lead to, without names that lead everywhere."""
        found = self._reader.named(keys) if keys else {}
        return {key: pages for key, pages in found.items() if len(pages) <= MOST_PLACES and self._tells(key)}

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


def _passages(page: Page, origin: Origin, score: float, needles: Mapping[str, float]) -> Iterator[Passage]:
    """A page's passages. The one that holds most of the query has the page's score, one that holds none half of it."""
    source = Source(*origin)
    texts = [page.text[start:stop] for start, stop, *_ in page.passages]
    held = [_held(f" {span[4]} {text}".lower(), needles) for span, text in zip(page.passages, texts, strict=True)]
    most = max(held) or 1.0
    for (_, _, first, last, section), text, share in zip(page.passages, texts, held, strict=True):
        yield Passage(source, text, first, last, section, score * (0.5 + 0.5 * share / most))


def _held(text: str, needles: Mapping[str, float]) -> float:
    """How much of the query a text holds."""
    counts = zip(map(text.count, needles), needles.values(), strict=True)
    return sum(weight * count / (count + K1) for count, weight in counts if count)


def _needle(term: str) -> str:
    """What to look for instead of a stem: the letters it shares with its words; short ones at the start of a word."""
    letters = term[:-1] if len(term) > 4 and term.endswith("i") else term
    return letters if len(letters) > 3 or not letters.isascii() else f" {letters}"
