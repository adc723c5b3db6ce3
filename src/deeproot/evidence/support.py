"""Does this source say what that sentence says? A judgement by code alone, with its reasons.

The score is how much of the sentence stands in the source and stands together there, lowered by what is missing
(numbers, names, words that exclude) and by directions that differ. A verdict is given only where that decides it:
word overlap finds invented and wrong sources, contradictions only where a number, a direction, an opposite or a
negation shows them. In doubt the verdict is `partial`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from ..model import Verdict
from .claims import Claim, Term, denied, direction, stem_list, without_citations
from .conflicts import Leaning, conflicts, lean
from .coverage import Coverage, cover
from .dates import dates_in_words
from .doubts import elsewhere, missing, uncertain, unheld
from .lexicon import GENERAL, NEGATIONS, STILL
from .nuances import QUANTITIES
from .opposites import OPPOSITES
from .prepared import Span
from .quotes import find_quote
from .reading import Reading, read
from .rivals import other_figures
from .tables import Lookup, look_up

CONTRADICTED = 0.5  # what the score keeps
DIRECTION = 0.15  # how far the directions of the source can move the score
SUPPORTED, UNSUPPORTED, NEXT_TO_NOTHING = 0.7, 0.33, 0.1
TOGETHER, FEW = 0.75, 3  # and this share of a supported sentence stands within a few sentences,
ALONE = 0.6  # and this within a single one: words gathered from here and there are no statement
LONGEST, MOST_CLOSEST = 5_000, 50  # characters of a sentence; sentences of the source that are compared word by word
WORD_FOR_WORD, CELL_FOR_CELL = "it stands there word for word", "the row stands there cell for cell"
_TURNING = NEGATIONS | STILL | QUANTITIES.keys()
CLOSE = 0.7  # the share of a claim's matter a sentence must hold before it can contradict the claim


@dataclass(frozen=True, slots=True)
class Judgement:
    """`score` says how supported a sentence is (0..1), `passage` where the source comes closest to it.

    `firm` when code saw a reason that no opinion may outweigh: it stands there word for word, or a number or name is
    missing or another, the source denies it or points the other way, or there is next to nothing of it. A verdict that
    is not firm rests on words that differ, and a reader who knows what they mean may know better. `absent` are telling
    words of the sentence that the source nowhere has.
    """

    score: float
    verdict: Verdict
    reasons: tuple[str, ...] = ()
    passage: Span | None = None
    firm: bool = False
    absent: tuple[str, ...] = ()


def judge(sentence: str, evidence: str | Reading) -> Judgement:
    """Judge a sentence against the source it cites."""
    if len(sentence) > LONGEST:
        return Judgement(0.0, Verdict.UNVERIFIABLE, ("it is too long to be one sentence",))
    claim = Claim(sentence)
    source = read(evidence) if isinstance(evidence, str) else evidence
    if not source.text.strip():
        return Judgement(0.0, Verdict.UNVERIFIABLE, ("the source has no text",))
    if not claim.terms and not claim.figures:
        return Judgement(0.0, Verdict.UNVERIFIABLE, ("the sentence states nothing that can be looked up",))
    if given := look_up(without_citations(sentence), source.tables):
        return _of_row(given)
    coverage = cover(claim, source)
    if not coverage.held:
        return Judgement(0.0, Verdict.UNSUPPORTED, ("nothing of it is in the source",), firm=True)
    passage = _passage(coverage, source)
    if _stands_in(claim.plain, passage.of(source.text)):
        return Judgement(1.0, Verdict.SUPPORTED, (WORD_FOR_WORD,), passage, firm=True)
    return _weigh(claim, source, coverage, passage)


def _of_row(given: Lookup) -> Judgement:
    if given.row:
        return Judgement(1.0, Verdict.SUPPORTED, (CELL_FOR_CELL,), given.row.span, firm=True)
    return Judgement(0.0, Verdict.UNSUPPORTED, ("no row of the table has these cells",), firm=True)


def is_denied(source: Reading, place: Span) -> bool:
    """Whether a negation stands shortly before a place, in the same sentence."""
    start = source.span(at := source.sentence_at(place.start), at).start
    return _denied(source.text[start : place.end], place.start - start)


def _stands_in(sentence: str, passage: str) -> bool:
    """It stands there word for word, and not behind a negation: "no staff left" does not say that staff left."""
    found = find_quote(sentence, passage)
    return found is not None and not _denied(passage[: found.end], found.start)


def _denied(text: str, start: int) -> bool:
    """Whether what begins at this place of a text stands behind a negation."""
    return denied(stem_list(text), len(stem_list(text[:start])))


def _weigh(claim: Claim, source: Reading, coverage: Coverage, passage: Span) -> Judgement:
    weights = {item.key: item.weight for item in coverage.items if item.figure is None}
    leaning = _leaning(claim, source, coverage, weights)
    closest = _closest(source, coverage)
    found = _contradictions(claim, closest, coverage, weights)
    against = found[0] if found and all(found) else ()
    near = coverage.best(FEW)
    doubts = [*missing(claim, source, coverage, near)]
    if not against:
        doubts += [*elsewhere(claim, source, coverage), *uncertain(claim, found, closest, leaning)]
    factor = prod(
        [1 + DIRECTION * leaning.balance, CONTRADICTED if against else 1, *(doubt.factor for doubt in doubts)]
    )
    strength = min(1.0, coverage.mean() * factor)
    repeated = coverage.repeated(len(source))
    score = strength if repeated is coverage else min(1.0, repeated.mean() * factor)
    absent = _absent(claim, coverage)
    together = near.share >= TOGETHER and coverage.best(1).share >= ALONE
    refused = strength < UNSUPPORTED or any(doubt.grave for doubt in doubts)
    verdict = _verdict(strength, bool(against), refused, together and not doubts and not absent)
    reasons = (*against, *(doubt.reason for doubt in doubts))
    if unnamed := [term.word for term in absent if not term.named]:
        reasons = (*reasons, "not in the source: " + ", ".join(unnamed))
    firm = bool(against) or any(doubt.firm for doubt in doubts) or strength < NEXT_TO_NOTHING
    return Judgement(round(score, 6), verdict, reasons, passage, firm, tuple(term.word for term in absent))


def _verdict(score: float, contradicted: bool, refused: bool, clean: bool) -> Verdict:
    if contradicted:
        return Verdict.REFUTED
    if refused:
        return Verdict.UNSUPPORTED
    return Verdict.SUPPORTED if clean and score >= SUPPORTED else Verdict.PARTIAL


def _absent(claim: Claim, coverage: Coverage) -> list[Term]:
    """Telling words, names among them, that the source nowhere has."""
    return [term for term in unheld(claim, coverage) if term.stem not in GENERAL]


def _leaning(claim: Claim, source: Reading, coverage: Coverage, weights: dict[str, float]) -> Leaning:
    if not any(map(direction, claim.stems)):
        return Leaning(0.0, 0.0)
    return lean(claim, weights, map(source.sentence, sorted(coverage.held)))


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
    places = [at for at in sorted(shares) if shares[at] >= least][:MOST_CLOSEST]
    return tuple(dates_in_words(source.span(at, at).of(source.text)) for at in places)


def _matter(coverage: Coverage) -> int:
    """The bits of what the claim is about, as against what it says of it: no directions, negations, figures."""
    keys = {item.key for item in coverage.items}
    turning = {
        key for key in keys if direction(key) or key in _TURNING or (key in OPPOSITES and not OPPOSITES[key] & keys)
    }
    return sum(1 << at for at, item in enumerate(coverage.items) if item.figure is None and item.key not in turning)


def _passage(coverage: Coverage, source: Reading) -> Span:
    """The sentence that comes closest, or a few when they hold clearly more together."""
    one, few = coverage.best(1), coverage.best(FEW)
    window = one if one.share >= 0.9 * few.share else few
    return source.span(window.first, window.last)
