"""What in a passage speaks against a claim: opposite directions, denials, opposites, other numbers.

Each check returns a reason a person can act on, or nothing. They look at one sentence that is already known to be
about the same matter; on other sentences they would mean nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import fsum

from .claims import NEGATION_REACH, Claim, direction, directions, stem_list, word_list
from .dates import other_dates
from .lexicon import NEGATIONS, PIVOT_VERBS, PIVOTS, stem
from .nuances import changed
from .opposites import OPPOSITES
from .rivals import turned_figures

NUMBER = 1.0  # what a number weighs among the terms that tell what a direction word speaks of
REACH = 3  # words on either side that tell what a direction word speaks of


@dataclass(frozen=True, slots=True)
class Leaning:
    """How strongly the directions of a source agree with those of a claim, and how strongly they differ."""

    agreeing: float
    differing: float

    @property
    def balance(self) -> float:
        """1 when all agree, -1 when all differ, 0 when nothing can be said."""
        return (self.agreeing - self.differing) / (self.agreeing + self.differing + 0.1)


def lean(claim: Claim, weights: dict[str, float], sentences: Iterable[str]) -> Leaning:
    """Compare every direction word of the claim with those that speak of the same terms in the sentences.

    A sentence about what lacks something ("it fell in insulin-deficient mice") is left out: code cannot tell which way
    it points. Weights are added with `fsum`, whose result does not depend on the order in which sets are walked.
    """
    pointing = directions(claim.stems)
    matter = {term: weight for term, weight in weights.items() if not direction(term)}
    total = fsum(matter.values()) or 1.0
    sums = {True: 0.0, False: 0.0}
    lacking = _LACKING.search(claim.text) is not None
    for sentence in sentences if pointing else ():
        if not lacking and _LACKING.search(sentence):
            continue
        stems = stem_list(sentence)
        closeness = fsum(matter[term] for term in matter.keys() & set(stems)) / total
        for sign, there, shared in _pairs(claim, pointing, matter, stems):
            sums[sign == there] += shared * closeness
    return Leaning(sums[True], sums[False])


def _pairs(
    claim: Claim, pointing: dict[int, int], matter: dict[str, float], stems: Sequence[str]
) -> Iterator[tuple[int, int, float]]:
    """For each direction of the claim and each of a sentence: both signs, and the share of terms both speak of."""
    others = directions(stems)
    turn = -1 if swapped(claim.stems, stems, matter) else 1
    for at, sign in pointing.items():
        around = matter.keys() & set(_around(claim.stems, at))
        total = fsum(matter[term] for term in around)
        for place, there in others.items() if total else ():
            shared = around & set(_around(stems, place))
            if shared:
                suffered = -1 if _suffers(shared, stems, place, claim) else 1
                yield sign, there * turn * suffered, fsum(matter[term] for term in shared) / total


def _suffers(shared: Collection[str], stems: Sequence[str], place: int, claim: Claim) -> bool:
    """Whether what both speak of is beaten, exceeded or overtaken there: "A beat B" is a loss of B's."""
    word = stems[place]
    return word in PIVOT_VERBS and word not in claim.stems and set(shared).isdisjoint(stems[:place])


def swapped(claim: Sequence[str], sentence: Sequence[str], matter: Collection[str]) -> bool:
    """Whether both compare two sides ("than", "exceed") and what stands on one side here stands on the other there."""
    pivot = next((word for word in PIVOTS if word in claim and word in sentence), None)
    if pivot is None or ("by" in claim) != ("by" in sentence):
        return False
    left, right = _sides(claim, pivot, matter)
    other_left, other_right = _sides(sentence, pivot, matter)
    return bool(left & other_right) and bool(right & other_left)


def _sides(stems: Sequence[str], pivot: str, matter: Collection[str]) -> tuple[set[str], set[str]]:
    """The terms that stand only before, and those that stand only after the pivot."""
    at = list(stems).index(pivot)
    left, right = set(stems[:at]).intersection(matter), set(stems[at + 1 :]).intersection(matter)
    return left - right, right - left


def _around(stems: Sequence[str], at: int) -> Sequence[str]:
    return stems[max(0, at - REACH) : at + REACH + 1]


def conflicts(claim: Claim, sentence: str, weights: dict[str, float]) -> tuple[str, ...]:
    """Why this sentence of the source, about the same matter, says otherwise; nothing when it does not."""
    words = word_list(sentence)
    stems = tuple(map(stem, words))
    numbers = {word: NUMBER for word in claim.stems if word.isdigit()}
    leaning = lean(claim, weights | numbers, [sentence])
    found = [f"“{here}” here, “{there}” in the source" for here, there in _opposites(claim, words, stems)]
    if leaning.differing > leaning.agreeing:
        found.append("the source points in the other direction")
    elif _negated(claim.stems, stems, weights):
        found.append("one of the two is negated")
    elif not directions(claim.stems) and swapped(claim.stems, stems, weights):
        found.append("the two sides stand the other way round")
    return (*found, *turned_figures(claim, sentence), *other_dates(claim.text, sentence), *changed(claim, sentence))


def _negated(claim: Sequence[str], stems: Sequence[str], weights: dict[str, float]) -> bool:
    """Whether one denies what the other says; "no longer supports" and "dropped support" are the same."""
    ours, theirs = _denials(claim, stems, weights), _denials(stems, claim, weights)
    here, there = bool(ours - theirs), bool(theirs - ours)
    if here == there:
        return False
    plain, other = (stems, claim) if here else (claim, stems)
    return not any(direction(word) < 0 for word in set(plain).difference(other))


def _opposites(claim: Claim, words: Sequence[str], stems: Sequence[str]) -> Iterator[tuple[str, str]]:
    for word, one in zip(claim.words, claim.stems, strict=True):
        for other in sorted(OPPOSITES.get(one, ())):
            if other in stems and one not in stems and other not in claim.stems:
                yield word, words[stems.index(other)]


def _denials(stems: Sequence[str], other: Sequence[str], weights: dict[str, float]) -> set[tuple[str, str]]:
    """Every negation with the term after it that both texts hold; a denied direction is a direction, not a denial."""
    shared = weights.keys() & set(stems) & set(other)
    found = set()
    for at, word in enumerate(stems):
        reach = stems[at + 1 : at + 1 + NEGATION_REACH] if word in NEGATIONS else ()
        if reach and not any(map(direction, reach)):
            found |= {(word, term) for term in islice((term for term in reach if term in shared), 1)}
    return found


_LACKING = re.compile(r"-(?:block|deficien|deplet|free|inhibit|knock|lack|negative|null|resist)")
