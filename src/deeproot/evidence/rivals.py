"""The numbers of a claim against the numbers of a sentence that speaks of the same matter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .claims import Claim, directions, stem_list
from .figures import Figure, figures, year
from .lexicon import PIVOT_VERBS

AROUND, MOST_RIVALS = 60, 30  # characters; a "sentence" with more numbers than this is a table
BESIDE = 2  # words between a number and what says whether it is more or less


def other_figures(claimed: Iterable[Figure], sentence: str) -> Iterator[str]:
    """Numbers of the claim for which the sentence gives another number of the same kind instead."""
    given = figures(sentence)
    for figure in claimed:
        rivals = [other for other in given if _same_kind(figure, other)]
        if rivals and not any(figure.matches(other) for other in given):
            yield f"{figure} here, {rivals[0]} in the source"


def agreements(claim: Claim, sentences: Iterable[str]) -> set[int]:
    """1 for a sentence that gives a number of the claim with the same direction beside it, -1 with the other, or 0."""
    ours = _beside(claim.text, figures(claim.text))
    return {_agreement(ours, sentence) if ours else 0 for sentence in sentences}


def _agreement(ours: Iterable[tuple[Figure, int]], sentence: str) -> int:
    theirs = _beside(sentence, figures(sentence))
    signs = [here * there for one, here in ours for other, there in theirs if one.matches(other)]
    return 1 if 1 in signs else -1 if signs else 0


def _beside(text: str, given: Iterable[Figure]) -> list[tuple[Figure, int]]:
    """The numbers that have a direction word within a few words, with where it points."""
    found = []
    for figure in given:
        around = (text[max(0, figure.start - AROUND) : figure.start], text[figure.end : figure.end + AROUND])
        before, after = map(stem_list, around)
        stems = (*before, "0", *after[:BESIDE])
        signs = {at: sign for at, sign in directions(stems).items() if stems[at] not in PIVOT_VERBS}
        near = [sign for at, sign in signs.items() if abs(at - len(before)) <= BESIDE]
        if near:
            found.append((figure, near[0]))
    return found


def turned_figures(claim: Claim, sentence: str) -> Iterator[str]:
    """A change that begins at another number: "from 41 to 58" for "from 58 to 41"."""
    here, there = (_from(text) for text in (claim.text, sentence))
    if here and there and here.unit == there.unit and not here.matches(there):
        yield f"from {here} here, from {there} in the source"


def _from(text: str) -> Figure | None:
    return next(
        (one for one in figures(text) if text[max(0, one.start - 5) : one.start].lower() == "from " and not year(one)),
        None,
    )


def misplaced_figures(claim: Claim, sentence: str) -> Iterator[str]:
    """Numbers of the claim that the sentence gives for something else, another of the same kind standing in place."""
    given = figures(sentence) if len(claim.figures) == 1 else ()
    for figure in claim.figures if 1 < len(given) <= MOST_RIVALS else ():
        about = {other: _about(claim, sentence, other) for other in given if _same_kind(figure, other)}
        own = [weight for other, weight in about.items() if figure.matches(other)]
        rivals = [other for other, weight in about.items() if not figure.matches(other) and weight]
        if own and not any(own) and rivals:
            yield f"{figure} here, {rivals[0]} in the source"


def _about(claim: Claim, sentence: str, figure: Figure) -> int:
    """How many words of the claim stand in the same clause of the sentence as this number."""
    start = max((found.end() for found in _CLAUSE_END.finditer(sentence, 0, figure.start)), default=0)
    end = _CLAUSE_END.search(sentence, figure.end)
    clause = stem_list(sentence[start : end.start() if end else len(sentence)])
    return len({term.stem for term in claim.terms}.intersection(clause))


def _same_kind(one: Figure, other: Figure) -> bool:
    if one.unit:
        return one.unit == other.unit or (one.same_value(other) and bool(other.unit))
    return year(one) and year(other)


_CLAUSE_END = re.compile(r"[,;:—](?=\s)|\s(?:and|but|while|whereas|which|although|after|before|from|to)\s")
