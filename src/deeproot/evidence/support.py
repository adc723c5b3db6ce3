"""Does this source say what that sentence says? A judgement by code alone, with its reasons.

The score is how much of the sentence stands in the source and stands together there, lowered by what is missing
(numbers, names, words that exclude) and by directions that differ. A verdict is given only where that decides it:
word overlap finds invented and wrong sources, contradictions only where a number, a direction, an opposite or a
negation shows them. In doubt the verdict is `partial`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from .claims import Claim, direction, read_claim, word_list
from .conflicts import Leaning, conflicts, lean, other_figures
from .coverage import Coverage, Item, cover
from .lexicon import OPPOSITES, stem
from .prepared import Span
from .quotes import find_quote
from .reading import Reading, read

MISSING_FIGURE, MISSING_NAME, ABSOLUTE = 0.8, 0.9, 0.7  # what the score keeps for each that is missing
MOST_COUNTED = 3
DIRECTION = 0.3  # how far the directions of the source can move the score
SUPPORTED, UNSUPPORTED = 0.78, 0.33
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
    against = _contradictions(claim, closest, coverage, weights)
    doubts = _doubts(claim, source, coverage)
    score = min(1.0, coverage.mean() * (1 + DIRECTION * leaning.balance))
    for doubt in doubts:
        score *= doubt.factor
    reasons = (*(against or _elsewhere(claim, closest)), *(doubt.reason for doubt in doubts))
    if leaning.balance < 0 and not against:
        reasons = (*reasons, "the source points in the other direction more often than not")
    return Judgement(round(score, 6), _verdict(score, bool(against), not reasons), reasons, passage)


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


def _doubts(claim: Claim, source: Reading, coverage: Coverage) -> tuple[_Doubt, ...]:
    """What the sentence says and the source nowhere does."""
    missing = [item for item in coverage.items if not item.sentences]
    numbers = [item.figure for item in missing if item.figure is not None]
    names = [item.key for item in missing if item.figure is None and item.key in claim.names]
    beyond = sorted(word for word in claim.absolutes if not source.holding(word))
    return (
        *(_Doubt(f"{figure.written} {figure.unit}".strip() + " is not in the source", MISSING_FIGURE)
          for figure in numbers[:MOST_COUNTED]),
        *(_Doubt(f"“{name}…” is not named in the source", MISSING_NAME) for name in names[:MOST_COUNTED]),
        *(_Doubt(f"the source does not say “{word}…”", ABSOLUTE) for word in beyond[:MOST_COUNTED]),
    )  # fmt: skip


def _leaning(claim: Claim, source: Reading, coverage: Coverage, weights: dict[str, float]) -> Leaning:
    if not any(map(direction, claim.stems)):
        return Leaning(0.0, 0.0)
    return lean(claim, weights, [_stems(source.sentence(at)) for at in sorted(coverage.held)])


def _contradictions(
    claim: Claim, closest: Sequence[str], coverage: Coverage, weights: dict[str, float]
) -> tuple[str, ...]:
    """Why the sentences closest to the claim contradict it; nothing when one of them does not."""
    absent = [item.figure for item in coverage.items if item.figure is not None and not item.sentences]
    reasons: tuple[str, ...] = ()
    for sentence in closest:
        found = (*conflicts(claim, sentence, weights), *other_figures(absent, sentence))
        if not found:
            return ()
        reasons = reasons or found
    return reasons


def _elsewhere(claim: Claim, closest: Sequence[str]) -> tuple[str, ...]:
    """Numbers for which every sentence about the matter gives another one, though the source has them somewhere."""
    found = [tuple(other_figures(claim.figures, sentence)) for sentence in closest]
    return found[0] if found and all(found) else ()


def _closest(source: Reading, coverage: Coverage) -> tuple[str, ...]:
    """The sentences that speak of what the claim speaks of, whatever they say about it."""
    matter = sum(1 << at for at, item in enumerate(coverage.items) if _is_matter(item))
    most = coverage.share(matter)
    shares = {at: coverage.share(bits & matter) / most for at, bits in coverage.held.items()} if most else {}
    least = max(CLOSE, max(shares.values(), default=0.0) - 0.1)
    return tuple(source.span(at, at).of(source.text) for at in sorted(shares) if shares[at] >= least)


def _is_matter(item: Item) -> bool:
    """What a sentence is about, as against what it says of it."""
    return item.figure is None and not direction(item.key) and item.key not in OPPOSITES


def _passage(coverage: Coverage, source: Reading) -> Span:
    """The sentence that comes closest, or a few when they hold clearly more together."""
    one, few = coverage.best(1), coverage.best(3)
    window = one if one.share >= 0.9 * few.share else few
    return source.span(window.first, window.last)


def _stems(sentence: str) -> list[str]:
    return [stem(word) for word in word_list(sentence)]
