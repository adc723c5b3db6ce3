"""What keeps a sentence from being called supported: what it has that the source lacks, or has of something else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isclose

from .claims import Claim, Term, direction
from .conflicts import Leaning
from .coverage import Coverage, Window
from .figures import Figure, figures
from .lexicon import ABSOLUTES, GENERAL, SUPERLATIVES, stem
from .nuances import other_subject, stretched, widened
from .reading import Reading
from .rivals import agreements, misplaced_figures, other_figures
from .speech import MONTHS
from .weighty import WEIGHTY

MISSING_FIGURE, MISSING_NAME, ABSOLUTE, ELSEWHERE = 0.8, 0.9, 0.7, 0.8  # what the score keeps for each
MOST_COUNTED = 3
FEWEST_WORDS, LONG_NAME, MOST_PLACES = 2, 6, 20
ROUND = 12  # numbers in words up to this may be a manner of speaking
REST_HELD = 0.75  # a sentence that stands there but for the word it begins with has another subject


@dataclass(frozen=True, slots=True)
class Doubt:
    """`factor` is what the score keeps; `firm` when no opinion may outweigh it.

    `grave` when the sentence is not supported for this alone: it gives a number, or a name in another's place, that the
    source does not have.
    """

    reason: str
    factor: float
    firm: bool = True
    grave: bool = False


def missing(claim: Claim, source: Reading, coverage: Coverage, near: Window) -> Iterator[Doubt]:
    """Numbers, names and words that go further, which the sentence has and the source nowhere has."""
    numbers = [item.figure for item in coverage.items if item.figure is not None and not item.sentences]
    names = [term for term in unheld(claim, coverage) if term.named]
    for number in numbers[:MOST_COUNTED]:
        if both := _reckoned(number, source, coverage):
            yield Doubt(f"{number} can only be reckoned from {both}", MISSING_FIGURE, firm=False)
        else:
            yield Doubt(f"{number} is not in the source", MISSING_FIGURE, grave=_exact(number))
    replaced = _rest_held(coverage, coverage.best(1), {term.stem for term in names})
    for term in names[:MOST_COUNTED]:
        sure = term.stem in claim.names.sure or _rest_held(coverage, near, {term.stem})
        firm = sure and not _written_otherwise(term, source)
        yield Doubt(f"“{term.word}” is not named in the source", MISSING_NAME, firm, grave=firm and replaced)
    yield from _further(claim, source)
    yield from _unsaid(claim, source)
    yield from _scattered(claim, source, coverage)


def elsewhere(claim: Claim, source: Reading, coverage: Coverage) -> Iterator[Doubt]:
    """The first name of the claim, where the sentence that has all the rest speaks of somebody else.

    It does when the source has that name once and only later, and when another name stands there before the same verb.
    """
    first = next((item for item in coverage.items if item.key in claim.names.all), None)
    near = _sentence_of_rest(claim, coverage, first.key) if first else None
    if first and near is not None and near not in first.sentences:
        later = len(first.sentences) == 1 and min(first.sentences) > near
        if later or other_subject(claim, source.span(near, near).of(source.text)):
            yield Doubt(f"the source speaks of “{first.key}” only elsewhere", 1.0)


def _sentence_of_rest(claim: Claim, coverage: Coverage, name: str) -> int | None:
    """The sentence that has nearly all of the claim but for this name, or all of it but for any names; or None."""
    near = coverage.best(1)
    if _rest_held(coverage, near, {name}):
        return near.last
    rest = [item for item in coverage.items if item.key not in claim.names.all]
    places = Counter(place for item in rest for place in item.sentences)
    place, held = max(places.items(), key=lambda one: one[1], default=(0, 0))
    return place if rest and held == len(rest) else None


def uncertain(
    claim: Claim, against: Sequence[tuple[str, ...]], closest: Sequence[str], leaning: Leaning
) -> Iterator[Doubt]:
    """What speaks against a sentence though not all of the source contradicts it."""
    others = [
        found or (*other_figures(claim.figures, sentence), *misplaced_figures(claim, sentence))
        for found, sentence in zip(against, closest, strict=True)
    ]
    if others and all(others):
        yield Doubt(others[0][0], ELSEWHERE)
    for check, firm in ((stretched, True), (widened, False)):
        less = [tuple(check(claim, sentence)) for sentence in closest]
        if less and all(less):
            yield Doubt(less[0][0], 1.0, firm)
    if leaning.balance < 0:
        yield Doubt("the source points in the other direction more often than not", 1.0, firm=False)


def _exact(number: Figure) -> bool:
    """Whether a number was counted or measured: small ones in words may be a manner of speaking."""
    return number.value > ROUND or bool(number.unit) or number.written[:1].isdigit()


def _reckoned(number: Figure, source: Reading, coverage: Coverage) -> str:
    """The two percentages of the closest sentence that are so many percentage points apart, or ""."""
    if number.unit != "percentage points":
        return ""
    near = coverage.best(1)
    shares = [one for one in figures(source.span(near.first, near.last).of(source.text)) if one.unit == "%"]
    apart = (f"{one} and {two}" for one, two in pairwise(shares) if isclose(abs(two.value - one.value), number.value))
    return next(apart, "")


def unheld(claim: Claim, coverage: Coverage) -> list[Term]:
    """The terms that stand nowhere in the source."""
    return [term for term, item in zip(claim.terms, coverage.items, strict=False) if not item.sentences]


def _written_otherwise(term: Term, source: Reading) -> bool:
    """GABA in GABAergic; and any month, where the source may tell the time otherwise."""
    if term.stem in MONTHS:
        told = any(source.holding(month) or source.dated(month) for month in MONTHS)
        return not told or source.may_be_dated(term.stem)
    return (term.short or len(term.word) >= LONG_NAME) and source.has_beginning(term.word)


def _rest_held(coverage: Coverage, near: Window, names: Collection[str]) -> bool:
    """Whether a few sentences hold nearly all of the claim but for these names."""
    rest = coverage.total - sum(item.weight for item in coverage.items if item.key in names)
    return rest > 0 and near.share * coverage.total >= REST_HELD * rest


def _further(claim: Claim, source: Reading) -> Iterator[Doubt]:
    """Words that exclude, which the source lacks; superlatives, where it has none at all."""
    words = dict.fromkeys(claim.words)
    beyond = [word for word in words if (one := stem(word)) in ABSOLUTES and not source.holding(one)]
    yield from (Doubt(f"the source does not say “{word}”", ABSOLUTE) for word in beyond[:MOST_COUNTED])
    most = [word for word in words if word in SUPERLATIVES]
    if most and not any(map(source.has, ("most", *sorted(SUPERLATIVES)))):
        yield Doubt(f"the source does not say “{most[0]}”", 1.0)


def _unsaid(claim: Claim, source: Reading) -> Iterator[Doubt]:
    """Deeds and changes that the source does not speak of in any word."""
    for word, one in zip(claim.words, claim.stems, strict=True):
        group = WEIGHTY.get(one)
        if group and not any(map(source.holding, group)):
            yield Doubt(f"the source says nothing of “{word}”", ABSOLUTE, grave=True)
            return


def _scattered(claim: Claim, source: Reading, coverage: Coverage) -> Iterator[Doubt]:
    """Names and numbers that stand in the source and have nothing to do there with what the claim says of them."""
    places = sorted({place for item in coverage.items if item.figure is not None for place in item.sentences})
    signs = agreements(claim, (source.span(at, at).of(source.text) for at in places[:MOST_PLACES]))
    if 1 in signs:
        return
    if -1 in signs and 0 not in signs:
        yield Doubt("the source gives the number for the other direction", 1.0, grave=True)
    yield from (Doubt(f"{number} is of something else in the source", 1.0) for number in _alone(coverage))
    if _only_names(claim, coverage):
        yield Doubt("the source has names and numbers of it, and nothing of what it says of them", 1.0)


def _alone(coverage: Coverage) -> Iterator[Figure]:
    """Years and bare numbers of the source with nothing else of the claim in the same sentence or beside it."""
    words = frozenset[int]().union(*(item.sentences for item in coverage.items if item.figure is None))
    for item in coverage.items:
        if item.figure is not None and item.sentences and item.figure.written.isdigit():
            near = {place + step for place in item.sentences for step in (-1, 0, 1)}
            if words.isdisjoint(near):
                yield item.figure


def _only_names(claim: Claim, coverage: Coverage) -> bool:
    said = [item for item in coverage.items if item.figure is None and _says(item.key, claim)]
    return len(said) >= FEWEST_WORDS and not any(item.sentences for item in said)


def _says(key: str, claim: Claim) -> bool:
    return len(key) > 2 and key not in GENERAL and key not in claim.names.all and not direction(key)
