"""What a sentence claims, as far as code can tell: terms, names, numbers, and the words that give it a direction."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from .dates import dates_apart, dates_in_words
from .figures import Figure, figures
from .lexicon import FALLS, FRACTIONS, GENERAL, NEGATIONS, NUMBER_WORDS, RISES, STOP, stem
from .names import Names, initials, names_in, short_forms
from .numerals import fractions, spelled
from .prepared import lowered, unaccented
from .prose import CITATION

GENERAL_WEIGHT = 0.5
NEGATION_REACH = 4  # words after a negation that it can deny


@dataclass(frozen=True, slots=True)
class Term:
    """A stem the source should hold, or the same written otherwise.

    `joined` is its word written together with a neighbour (birthweight, SHP2), `initials` the short forms of the
    names it may be part of (WHO); `short` says that it is such a short form itself, `named` that it is a name.
    """

    word: str
    stem: str
    weight: float
    joined: tuple[str, ...] = ()
    initials: tuple[str, ...] = ()
    short: bool = False
    named: bool = False


class Claim:
    """What a sentence says, each part read when it is first asked for.

    `plain` is how it stands there, `text` has its dates in words. `words` and their `stems` are all words in order, for
    what depends on order; `terms` each telling one once.
    """

    def __init__(self, sentence: str) -> None:
        self.plain = dates_apart(_GLOSS.sub("", _HIDDEN.sub("", without_citations(sentence))))
        self.text = dates_in_words(self.plain)

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(word_list(self.text))

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return tuple(map(stem, self.words))

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        return _numbers(self.text)

    @cached_property
    def names(self) -> Names:
        return names_in(unaccented(self.text))

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        plain = unaccented(self.text)
        words = word_list(_without(plain, self.figures))
        return tuple(_terms(words, initials(plain), short_forms(plain), self.names.all))


def without_citations(sentence: str) -> str:
    return _CITATION.sub("", sentence)


def word_list(text: str) -> list[str]:
    """The words in lower case, with every "not" that is contracted or hidden ("yet to come") as a word of its own."""
    return _WORD.findall(_NOT.sub(" not", unaccented(text).lower()))


def stem_list(text: str) -> list[str]:
    return [stem(word) for word in word_list(text)]


def direction(word: str) -> int:
    """1 when a stem points up, -1 when it points down, 0 when it does neither."""
    return 1 if word in RISES else -1 if word in FALLS else 0


def directions(stems: Sequence[str]) -> dict[int, int]:
    """The place of every direction word and where it points, a negation before it turning it round."""
    return {
        at: -sign if denied(stems, at) else sign
        for at, word in enumerate(stems)
        if (sign := direction(word)) and not _is_bound(stems, at)
    }


def _is_bound(stems: Sequence[str], at: int) -> bool:
    """ "More than 500" and "less than half" say how exact a number is."""
    than, *after = (word for word in (*stems[at + 1 : at + 4], "", "") if word != "a")
    return than == "than" and (after[0].isdigit() or after[0] in NUMBER_WORDS or after[0] in _PARTS)


def denied(stems: Sequence[str], at: int) -> bool:
    return not NEGATIONS.isdisjoint(stems[max(0, at - NEGATION_REACH) : at])


def _numbers(text: str) -> tuple[Figure, ...]:
    """Numbers in digits, and numbers in words unless they may only be articles ("one of")."""
    lower = lowered(text)
    return figures(text) + tuple(one for one in spelled(lower) if one.value > 2) + tuple(fractions(lower))


def _without(text: str, numbers: Sequence[Figure]) -> str:
    """The text with its numbers and their units blanked: what they say is looked up as figures."""
    for number in numbers:
        text = text[: number.start] + " " * (number.end - number.start) + text[number.end :]
    return text


def _terms(
    words: list[str], initialled: Mapping[str, tuple[str, ...]], short: Collection[str], names: Collection[str]
) -> Iterator[Term]:
    seen = {names[0].lower() for names in initialled.values()}  # "coronary artery bypass graft (CABG)" says it once
    for at, word in enumerate(words):
        one = stem(word)
        if word not in STOP and one not in seen:
            seen.add(one)
            weight = GENERAL_WEIGHT if one in GENERAL else 1.0
            yield Term(word, one, weight, _joined(words, at), initialled.get(word, ()), word in short, one in names)


def _joined(words: list[str], at: int) -> tuple[str, ...]:
    pairs = [(words[at - 1], words[at])] if at else []
    pairs += [(words[at], words[at + 1])] if at + 1 < len(words) else []
    return tuple(one + two for one, two in pairs if len(one + two) >= 6 or one.isdigit() != two.isdigit())


# Invisible characters, and emphasis inside a word: "n**o**t" is read as "not".
_HIDDEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]|(?<=[^\\W_])[*_]{1,3}(?=[^\\W_])")
_GLOSS = re.compile(r"\s\([A-Z][A-Za-z0-9-]{1,7}\)")  # "zidovudine (AZT)" says it twice
_PARTS = frozenset(map(stem, FRACTIONS.values()))
_WORD = re.compile(r"[^\W_]+")
_NOT = re.compile(
    r"n['’]t\b|\byet(?=\s+to\b)|\b(?:hardly|barely|scarcely)\b"
    r"|\b(?:fail(?:s|ed|ing)?|refus(?:es|ed|ing)|unable|unwilling)(?=\s+to\b)|\bden(?:y|ies|ied|ying)(?=\s+that\b)"
)
_CITATION = re.compile(rf"\s*{CITATION}")
