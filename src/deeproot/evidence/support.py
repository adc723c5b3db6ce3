"""Does this source say what that sentence says? A judgement by code alone, with its reasons.

The score is how much of the sentence stands in the source and stands together there, lowered by what is missing
(numbers, names, words that exclude) and by directions that differ. A verdict is given only where that decides it:
word overlap finds invented and wrong sources, contradictions only where a number, a direction, an opposite or a
negation shows them. In doubt the verdict is `partial`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from .claims import Claim, direction, read_claim, word_list
from .conflicts import Leaning, conflicts, lean, other_figures
from .coverage import Coverage, cover
from .lexicon import ABSOLUTES, GENERAL, OPPOSITES, stem
from .prepared import Span
from .quotes import find_quote
from .reading import Reading, read

MISSING_FIGURE, MISSING_NAME, ABSOLUTE = 0.8, 0.9, 0.7  # what the score keeps for each that is missing
ELSEWHERE, CONTRADICTED = 0.8, 0.5
MOST_COUNTED = 3
DIRECTION = 0.4  # how far the directions of the source can move the score
SUPPORTED, UNSUPPORTED = 0.7, 0.33
TOGETHER, FEW = 0.75, 3  # and this share of a supported sentence stands within a few sentences
CLOSE = 0.7  # the share of a claim's matter a sentence must hold before it can contradict the claim


class Verdict(StrEnum):
    SUPPORTED = "supported"
    PARTIAL = "partial"
    UNSUPPORTED = "unsupported"
    REFUTED = "refuted"
    UNVERIFIABLE = "unverifiable"


@dataclass(frozen=True, slots=True)
class Judgement:
    """`score` says how supported a sentence is (0..1), `passage` where the source comes closest to it."""

    score: float
    verdict: Verdict
    reasons: tuple[str, ...] = ()
    passage: Span | None = None


def judge(sentence: str, evidence: str | Reading) -> Judgement:
    """Judge a sentence against the source it cites."""
    claim = read_claim(sentence)
    source = read(evidence) if isinstance(evidence, str) else evidence
    if not source.text.strip():
        return Judgement(0.0, Verdict.UNVERIFIABLE, ("the source has no text",))
    if not claim.terms and not claim.figures:
        return Judgement(0.0, Verdict.UNVERIFIABLE, ("the sentence states nothing that can be looked up",))
    coverage = cover(claim, source)
    if not coverage.held:
        return Judgement(0.0, Verdict.UNSUPPORTED, ("nothing of it is in the source",))
    passage = _passage(coverage, source)
    if find_quote(claim.text, passage.of(source.text)):
        return Judgement(1.0, Verdict.SUPPORTED, ("it stands there word for word",), passage)
    return _weigh(claim, source, coverage, passage)


def _weigh(claim: Claim, source: Reading, coverage: Coverage, passage: Span) -> Judgement:
    weights = {item.key: item.weight for item in coverage.items if item.figure is None}
    leaning = _leaning(claim, source, coverage, weights)
    closest = _closest(source, coverage)
    found = _contradictions(claim, closest, coverage, weights)
    against = found[0] if found and all(found) else ()
    doubts = (*_missing(claim, source, coverage), *(() if against else _uncertain(claim, found, closest, leaning)))
    score = min(1.0, coverage.mean() * (1 + DIRECTION * leaning.balance)) * (CONTRADICTED if against else 1)
    for doubt in doubts:
        score *= doubt.factor
    together = coverage.best(FEW).share >= TOGETHER
    verdict = _verdict(score, bool(against), together and not doubts)
    reasons = (*against, *(doubt.reason for doubt in doubts))
    if verdict is not Verdict.SUPPORTED and (absent := _absent(claim, coverage)):
        reasons = (*reasons, "not in the source: " + ", ".join(absent))
    return Judgement(round(score, 6), verdict, reasons, passage)


def _verdict(score: float, contradicted: bool, clean: bool) -> Verdict:
    if contradicted:
        return Verdict.REFUTED
    if score < UNSUPPORTED:
        return Verdict.UNSUPPORTED
    return Verdict.SUPPORTED if clean and score >= SUPPORTED else Verdict.PARTIAL


@dataclass(frozen=True, slots=True)
class _Doubt:
    reason: str
    factor: float


def _missing(claim: Claim, source: Reading, coverage: Coverage) -> tuple[_Doubt, ...]:
    """Numbers, names and words that exclude, which the sentence has and the source nowhere has."""
    numbers = [item.figure for item in coverage.items if item.figure is not None and not item.sentences]
    names = [word for word, one in _unheld(claim, coverage) if one in claim.names]
    beyond = [word for word in dict.fromkeys(claim.words) if stem(word) in ABSOLUTES and not source.holding(stem(word))]
    return (
        *(_Doubt(f"{number} is not in the source", MISSING_FIGURE) for number in numbers[:MOST_COUNTED]),
        *(_Doubt(f"“{name}” is not named in the source", MISSING_NAME) for name in names[:MOST_COUNTED]),
        *(_Doubt(f"the source does not say “{word}”", ABSOLUTE) for word in beyond[:MOST_COUNTED]),
    )


def _uncertain(
    claim: Claim, against: Sequence[tuple[str, ...]], closest: Sequence[str], leaning: Leaning
) -> Iterator[_Doubt]:
    """What keeps a sentence from being called supported though not all of the source contradicts it."""
    others = [
        found or tuple(other_figures(claim.figures, sentence)) for found, sentence in zip(against, closest, strict=True)
    ]
    if others and all(others):
        yield _Doubt(others[0][0], ELSEWHERE)
    if leaning.balance < 0:
        yield _Doubt("the source points in the other direction more often than not", 1.0)


def _unheld(claim: Claim, coverage: Coverage) -> list[tuple[str, str]]:
    """The words, with their stems, of the terms that stand nowhere in the source."""
    return [
        (term.word, term.stem) for term, item in zip(claim.terms, coverage.items, strict=False) if not item.sentences
    ]


def _absent(claim: Claim, coverage: Coverage) -> list[str]:
    """Telling words that the source nowhere has and no doubt has named yet."""
    return [word for word, one in _unheld(claim, coverage) if one not in claim.names and one not in GENERAL]


def _leaning(claim: Claim, source: Reading, coverage: Coverage, weights: dict[str, float]) -> Leaning:
    if not any(map(direction, claim.stems)):
        return Leaning(0.0, 0.0)
    return lean(claim, weights, [_stems(source.sentence(at)) for at in sorted(coverage.held)])


def _contradictions(
    claim: Claim, closest: Sequence[str], coverage: Coverage, weights: dict[str, float]
) -> list[tuple[str, ...]]:
    """For each of the sentences closest to the claim, why it contradicts the claim; empty when it does not."""
    absent = [item.figure for item in coverage.items if item.figure is not None and not item.sentences]
    return [(*conflicts(claim, sentence, weights), *other_figures(absent, sentence)) for sentence in closest]


def _closest(source: Reading, coverage: Coverage) -> tuple[str, ...]:
    """The sentences that speak of what the claim speaks of, whatever they say about it."""
    matter = _matter(coverage)
    most = coverage.share(matter)
    shares = {at: coverage.share(bits & matter) / most for at, bits in coverage.held.items()} if most else {}
    least = max(CLOSE, max(shares.values(), default=0.0) - 0.1)
    return tuple(source.span(at, at).of(source.text) for at in sorted(shares) if shares[at] >= least)


def _matter(coverage: Coverage) -> int:
    """The bits of what the claim is about, as against what it says of it: no directions, opposites or figures."""
    keys = {item.key for item in coverage.items}
    return sum(
        1 << at
        for at, item in enumerate(coverage.items)
        if item.figure is None and not direction(item.key) and OPPOSITES.get(item.key, item.key) in keys
    )


def _passage(coverage: Coverage, source: Reading) -> Span:
    """The sentence that comes closest, or a few when they hold clearly more together."""
    one, few = coverage.best(1), coverage.best(FEW)
    window = one if one.share >= 0.9 * few.share else few
    return source.span(window.first, window.last)


def _stems(sentence: str) -> list[str]:
    return [stem(word) for word in word_list(sentence)]
