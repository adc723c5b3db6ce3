"""Is this quote in that text, word for word? And if not, which places are most like it?

The letters of the quote are looked for in the letters of the source; what stands between them is then compared gap by
gap (`gaps`), and both ends must fall on the ends of words and numbers. There is no similarity in it: one changed word
or digit and the quote is not found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from .gaps import agree, canonical, cuts, ends_alike, kept_after, kept_before
from .lexicon import NEGATIONS
from .prepared import Prepared, Span, lowered, prepare, spaceless

MOST_PLACES, MOST_PARTS = 200, 8  # a text made of one word over and over must not cost a minute
MOST_OMITTED = 500  # characters an ellipsis may stand for
AROUND = 80  # characters beside a place that decide whether a quote cuts a word or number there
LONG, LONG_WORD, MOST_ANCHORS = 4000, 7, 12  # characters; from here on a quote is looked for around its longest word
NEAR_EDGE = 2  # a negation this many words from either end of an omission reaches into what was kept


def find_quote(quote: str, text: str | Prepared) -> Span | None:
    """Where `quote` stands in `text`: the exact place before a tolerated one, the first before a later one."""
    whole = prepare(quote.strip())
    if not whole.words:
        return None
    if exact := _exact(whole, text if isinstance(text, str) else text.text):
        return exact
    parts = [part for part in map(prepare, _ELLIPSIS.split(whole.text)) if part.words]
    if len(parts) > MOST_PARTS:
        return None
    if isinstance(text, str) and len(parts) == 1 and (near := _anchored(parts[0], text)):
        return near
    source = prepare(text) if isinstance(text, str) else text
    found = _in_order(parts, source)
    if found is None:
        return None
    return found[0] if len(found) == 1 else Span(found[0].start, found[-1].end, found)


def _exact(quote: Prepared, text: str) -> Span | None:
    """The first place where the quote stands character for character and cuts nothing; cheap on a long text."""
    at = -1
    for _ in range(MOST_PLACES):
        at = text.find(quote.text, at + 1)
        if at < 0:
            return None
        first, end = max(0, at - AROUND), at + len(quote.text)
        near = prepare(text[first : end + AROUND])
        if any(first + span.start == at + quote.offsets[0] for span in _places(quote, near)):
            return Span(at, end)
    return None


def _anchored(part: Prepared, text: str) -> Span | None:
    """The first place around the quote's longest word; a long text need not be made ready for that.

    Nothing when that word is split by a line's end there, or common: then all of the text is searched.
    """
    anchor, reach = max(part.words, key=len), 2 * len(part.text) + AROUND
    if len(text) < LONG or len(anchor) < LONG_WORD:
        return None
    for found in islice(re.finditer(re.escape(anchor), lowered(text)), MOST_ANCHORS):
        first, last = max(0, found.start() - reach), min(len(text), found.end() + reach)
        for span in _places(part, prepare(text[first:last])):
            if _clear(span.start, first) and _clear(last - first - span.end, len(text) - last):
                return Span(first + span.start, first + span.end)
    return None


def _clear(distance: int, beyond: int) -> bool:
    """Whether a place is far enough from where a text was cut off to see whether a word or number is cut in two."""
    return not beyond or distance >= AROUND


@dataclass(frozen=True, slots=True)
class Nearest:
    """A place of a text that resembles a quote; `share` of the quote's words stand in it."""

    span: Span
    share: float


def nearest_passages(quote: str, text: str | Prepared, limit: int = 3) -> tuple[Nearest, ...]:
    """The places of `text` that hold most of the quote's words, best first, none overlapping another."""
    source = prepare(text) if isinstance(text, str) else text
    wanted = Counter(prepare(quote).words)
    size = sum(wanted.values())
    if not size or limit < 1:
        return ()
    scores = _window_scores(source.words, wanted, size)
    starts = [at for at in range(len(scores)) if source.words and source.words[at] in wanted]
    chosen: list[int] = []
    for at in sorted(starts, key=lambda at: -scores[at]):
        if len(chosen) < limit and all(abs(at - other) >= size for other in chosen):
            chosen.append(at)
    return tuple(
        Nearest(Span(source.offsets[at], source.end(min(at + size, len(source.words)) - 1)), scores[at] / size)
        for at in chosen
    )


def _window_scores(words: Sequence[str], wanted: Counter[str], size: int) -> list[int]:
    """For the `size` words from every word on: how many wanted ones they hold, each as often as wanted."""
    held: Counter[str] = Counter()
    score, scores = 0, []
    for at in range(len(words) + size):
        entering = words[at] if at < len(words) else ""
        leaving = words[at - size] if at >= size else ""
        if at >= size:
            scores.append(score)
        if leaving in wanted:
            score -= held[leaving] <= wanted[leaving]
            held[leaving] -= 1
        if entering in wanted:
            held[entering] += 1
            score += held[entering] <= wanted[entering]
    return scores


def _places(part: Prepared, source: Prepared) -> Iterator[Span]:
    """Every place where the words of `part` stand in `source` with gaps that agree, cut at the ends of words."""
    for place in islice(source.occurrences(part.letters), MOST_PLACES):
        end = place + len(part.letters)
        first, last = source.word_at(place), source.word_at(end - 1)
        if (
            _begins(part, source, first, place)
            and _finishes(part, source, last, end)
            and _gaps_agree(part, source, place, first, last)
        ):
            start = source.offsets[first] + place - source.places[first]
            yield Span(start, source.end(last) - (source.places[last + 1] - end))


def _begins(part: Prepared, source: Prepared, first: int, place: int) -> bool:
    """Whether the match starts where a word and a number start, with the marks that belong to them."""
    letter = source.letters[place]
    if place != source.places[first]:
        return spaceless(letter) or spaceless(source.letters[place - 1])
    gap = source.gaps[first]
    before = source.letters[place - 1] if first else ""
    if cuts(gap, before, letter) or (first and _splits_number(source.words[first - 1], gap, source.words[first])):
        return False
    return kept_before(part.gaps[0], letter) == kept_before(gap, letter)


def _finishes(part: Prepared, source: Prepared, last: int, end: int) -> bool:
    """Whether the match stops where a word and a number stop, with the marks that belong to them."""
    letter = source.letters[end - 1]
    if end != source.places[last + 1]:
        return spaceless(letter) or spaceless(source.letters[end])
    gap = source.gaps[last + 1]
    more = last + 1 < len(source.words)
    if cuts(gap, letter, source.letters[end] if more else ""):
        return False
    if more and _splits_number(source.words[last], gap, source.words[last + 1]):
        return False
    quoted = part.gaps[-1]
    return kept_after(quoted, letter) == kept_after(gap, letter) and ends_alike(quoted, gap)


def _splits_number(left: str, gap: str, right: str) -> bool:
    """`10 196` and `5 million` are one number each."""
    if not left[-1].isdigit() or gap.strip():
        return False
    return right in _MULTIPLES or (len(left) <= 3 and left.isdigit() and len(right) == 3 and right.isdigit())


def _gaps_agree(part: Prepared, source: Prepared, place: int, first: int, last: int) -> bool:
    theirs = _canonical_gaps(source, first, last, place)
    ours = _canonical_gaps(part, 0, len(part.words) - 1, 0)
    return all(agree(ours.get(at, ""), theirs.get(at, "")) for at in ours.keys() | theirs.keys())


def _canonical_gaps(text: Prepared, first: int, last: int, origin: int) -> dict[int, str]:
    """The gaps between words `first` and `last`, by their distance in letters from `origin`."""
    return {
        text.places[index] - origin: canonical(text.gaps[index], text.words[index - 1][-1], text.words[index][0])
        for index in range(first + 1, last + 1)
    }


def _in_order(parts: Sequence[Prepared], source: Prepared) -> tuple[Span, ...] | None:
    """Places for the parts one after another such that each omission between two of them is a fair one."""
    chains: list[tuple[Span, ...]] = [(span,) for span in _places(parts[0], source)]
    for part in parts[1:]:
        chains = [chain for span in _places(part, source) for chain in _extended(chains, span, source.text)]
    return chains[0] if chains else None


def _extended(chains: Sequence[tuple[Span, ...]], span: Span, text: str) -> Iterator[tuple[Span, ...]]:
    """The first chain that `span` may follow, with `span` added; only the last place of a chain decides that."""
    fitting = (chain for chain in chains if _fair(text, chain[-1].end, span.start))
    yield from ((*chain, span) for chain in islice(fitting, 1))


def _fair(text: str, start: int, end: int) -> bool:
    """Whether an ellipsis may stand for `text[start:end]`: near, within one sentence or whole ones, hiding no "not"."""
    if not start < end <= start + MOST_OMITTED:
        return False
    omitted = text[start:end]
    words = prepare(omitted.replace("n't", " not").replace("n’t", " not")).words
    reach = words if _CONTRAST.search(omitted) else (*words[:NEAR_EDGE], *words[-NEAR_EDGE:])
    if not _NEGATIONS.isdisjoint(reach):
        return False
    ends = [found.start() for found in _SENTENCE_END.finditer(omitted)]
    if not ends:
        return True
    opens = _SENTENCE_END.match(omitted)
    closes = _SENTENCE_END.search(omitted, max(0, len(omitted) - 6))
    return opens is not None or (closes is not None and closes.end() == len(omitted))


_ELLIPSIS = re.compile(r"\[\s*(?:\.\s?\.\s?\.|…)\s*\]|\(\s*(?:\.\s?\.\s?\.|…)\s*\)|\.{3,}|…|\.\s\.\s\.")
_SENTENCE_END = re.compile(
    r"(?<![^\w][A-Z])(?<!\bvs)(?<!\bDr)(?<!\bal)[.?!][\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9]|$)|\n\s*\n"
)
_CONTRAST = re.compile(r"\b(?:but|although|though|whereas|while|however)\b|;", re.IGNORECASE)
_NEGATIONS = NEGATIONS | {"hardly", "unless"}
_MULTIPLES = frozenset(["hundred", "thousand", "million", "billion", "trillion", "percent"])
