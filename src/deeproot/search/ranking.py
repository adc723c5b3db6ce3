"""Ranking: BM25 over pages, likeness by parts of words, a second hop along names, then the best passages.

Scores are shares of the best page's. The constants were chosen on the question sets in docs/search.md,
which says how much each step gains and how far its constant may move.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from math import log
from typing import NamedTuple

from ..model import Passage
from .index import K1, IndexReader, Page
from .words import LONGEST_WORD, compared, query_terms, stem, tokens

# How many of the best pages are compared letter by letter, with how many words, and how many are followed by name.
CLOSE, COMPARED, FOLLOWED = 32, 12, 5
# What asks for many passages compares more pages: about one for so many passages.
PASSAGES_A_PAGE = 3
# Pages are fetched by so many, as the first few usually hold all that is asked for.
FETCHED = 12
# Once the rarer terms have found this many pages, the commoner ones find no new ones.
ENOUGH = 500
LIKENESS_WEIGHT = 1.25
# What a name in the query adds, and what a page hands on to the pages it names.
NAMED_IN_QUERY, HANDED_ON, OWN_SHARE = 0.5, 0.6, 0.5


def rank(reader: IndexReader, query: str, limit: int) -> list[Passage]:
    """The best passages for a query, best first."""
    if limit <= 0:
        return []
    terms = _weigh(reader, query)
    hops = _Hops(reader, _bm25(reader, terms))
    scores = hops.follow(query, limit)
    chosen = sorted(_top(reader, scores, limit), key=scores.__getitem__, reverse=True)
    needles = {_needle(one.term): one.weight for one in terms}
    best = _best_passages(((page, scores[id]) for id, page in hops.fetch(chosen)), needles, limit)
    return [one.passage() for one in best]


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
    """A query term, how much it tells, and how often it stands on each page that holds it."""

    term: str
    weight: float
    counts: Mapping[int, int]


def _weigh(reader: IndexReader, query: str) -> list[_Weighted]:
    """The query's terms that occur at all, the rarest first."""
    found = []
    for term, times in Counter(query_terms(query)).items():
        counts = reader.counts(term)
        if counts:
            found.append(_Weighted(term, times * _rarity(len(counts), reader.living), counts))
    return sorted(found, key=lambda one: (len(one.counts), one.term))


def _rarity(holding: int, pages: int) -> float:
    return log(1 + (pages - holding + 0.5) / (holding + 0.5))


def _bm25(reader: IndexReader, terms: Iterable[_Weighted]) -> dict[int, float]:
    """The score of every page a rare term leads to; common terms only add to pages already found."""
    norms, scores = reader.norms, dict[int, float]()
    for one in terms:
        weight, counts = one.weight, one.counts
        if len(scores) < ENOUGH:
            for page, count in counts.items():
                scores[page] = scores.get(page, 0.0) + weight * count / (count + norms[page])
        else:
            for page in scores.keys() & counts.keys():
                scores[page] += weight * counts[page] / (counts[page] + norms[page])
    return scores


class _Hops:
    """Pages by their own score and likeness, by names in the query, and by names on the best pages."""

    def __init__(self, reader: IndexReader, scores: Mapping[int, float]) -> None:
        self._reader = reader
        self._scores = scores
        self._highest = max(scores.values(), default=1.0)

    def follow(self, query: str, limit: int) -> dict[int, float]:
        """At least the `limit` best pages by their words, and those that names lead to, with what each comes to."""
        close = _top(self._reader, self._scores, max(CLOSE, limit // PASSAGES_A_PAGE))
        alike = self._likeness(_pieces(self._reader, query), close)
        pages = {page: self._own(page) + LIKENESS_WEIGHT * alike[page] for page in close}
        if limit > len(close):
            pages |= {page: self._own(page) for page in _top(self._reader, self._scores, limit) if page not in pages}
        pages = _shares(pages)
        for named in self._reader.leads(tokens(query)).values():
            for page in named:
                pages[page] = pages.get(page, self._own(page)) + NAMED_IN_QUERY
        return self._hand_on(_shares(pages))

    def fetch(self, ids: Sequence[int]) -> Iterator[tuple[int, Page]]:
        """These pages in order, from the index as they are needed."""
        for start in range(0, len(ids), FETCHED):
            some = ids[start : start + FETCHED]
            stored = self._reader.pages(some)
            yield from ((page, stored[page]) for page in some)

    def _own(self, page: int) -> float:
        return self._scores.get(page, 0.0) / self._highest

    def _likeness(self, pieces: Sequence[str], pages: Sequence[int]) -> dict[int, float]:
        """How many of these pieces of words each page holds (0..1), the rarer among the pages the more.

        It finds what stemming cannot: compounds, spelling variants, derived words.
        """
        norms, texts = self._reader.norms, self._reader.words(pages)
        alike, whole = dict.fromkeys(pages, 0.0), 0.0
        for piece in pieces:
            counts = [text.count(piece) for text in texts]
            weight = _rarity(len(pages) - counts.count(0), len(pages))
            whole += weight
            for page, count in zip(compress(pages, counts), filter(None, counts), strict=True):
                alike[page] += weight * count / (count + norms[page])
        return {page: share / (whole or 1.0) for page, share in alike.items()}

    def _hand_on(self, pages: dict[int, float]) -> dict[int, float]:
        """The pages, and those the best of them name: a share of the naming page's score is handed on."""
        first = _top(self._reader, pages, FOLLOWED)
        reached = dict(pages)
        for page, stored in self.fetch(first):
            for other in self._reader.links(page, stored):
                score = HANDED_ON * pages[page] + OWN_SHARE * pages.get(other, self._own(other))
                reached[other] = max(reached.get(other, 0.0), score)
        return reached


def _pieces(reader: IndexReader, query: str) -> list[str]:
    """The query's rarest words cut into pieces of four letters, the spaces around a word included."""
    words = compared(dict.fromkeys(tokens(query))).split()
    rarest = heapq.nsmallest(COMPARED, words, key=lambda word: len(reader.counts(stem(word))))
    spaced = (f" {word[:LONGEST_WORD]} " for word in rarest)
    # What is left over at the end of a word is too short to tell anything.
    return list(dict.fromkeys(word[at : at + 4] for word in spaced for at in range(0, max(1, len(word) - 3), 4)))


def _shares(scores: Mapping[int, float]) -> dict[int, float]:
    highest = max(scores.values(), default=1.0)
    return {page: score / highest for page, score in scores.items()}


class _Candidate(NamedTuple):
    """A passage of a page that may be among the best, in the order they are given out."""

    less: float
    location: str
    first_line: int
    number: int
    page: Page

    def passage(self) -> Passage:
        start, stop, first, last, section = self.page.spans[self.number]
        return Passage(self.page.source, self.page.text[start:stop], first, last, section, -self.less)


def _best_passages(pages: Iterable[tuple[Page, float]], needles: Mapping[str, float], limit: int) -> list[_Candidate]:
    """The `limit` best passages of these pages, which come best first.

    No passage scores more than its page, so a page below the worst that is kept ends the search.
    """
    found: list[_Candidate] = []
    highest: list[float] = []
    for page, score in pages:
        if len(highest) == limit and score < highest[0]:
            break
        for number, share in enumerate(_shares_of_query(page, needles)):
            own = score * (0.5 + 0.5 * share)
            found.append(_Candidate(-own, page.source.location, page.spans[number][2], number, page))
            (heapq.heappush if len(highest) < limit else heapq.heappushpop)(highest, own)
    return sorted(found, key=lambda one: one[:4])[:limit]


def _shares_of_query(page: Page, needles: Mapping[str, float]) -> list[float]:
    """How much of the query each passage of a page holds, as a share of the one that holds most."""
    if len(page.lowered) == 1:
        return [float(any(map(page.lowered[0].__contains__, needles)))]
    held = [_held(text, needles) for text in page.lowered]
    most = max(held) or 1.0
    return [share / most for share in held]


def _held(text: str, needles: Mapping[str, float]) -> float:
    """How much of the query a text holds."""
    counts = zip(map(text.count, needles), needles.values(), strict=True)
    return sum([weight * count / (count + K1) for count, weight in counts if count])


def _needle(term: str) -> str:
    """What to look for instead of a stem: the letters it shares with its words; short ones at the start of a word."""
    letters = term[:-1] if len(term) > 4 and term.endswith("i") else term
    return letters if len(letters) > 3 or not letters.isascii() else f" {letters}"
