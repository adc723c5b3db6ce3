"""What a sentence claims, as far as code can tell: its terms, names, numbers, and the words that give it a direction."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .figures import Figure, figures, spelled
from .lexicon import ABSOLUTES, FALLS, GENERAL, NEGATIONS, RISES, STOP, stem

GENERAL_WEIGHT = 0.5
NEGATION_REACH = 4  # words after a negation that it can deny


@dataclass(frozen=True, slots=True)
class Term:
    """A stem the source should hold. `joined` is the term written together with its neighbour: birth weight."""

    stem: str
    weight: float
    joined: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """`stems` are all words in order, for what depends on order; `terms` each telling one once."""

    text: str
    stems: tuple[str, ...]
    terms: tuple[Term, ...]
    names: frozenset[str]
    figures: tuple[Figure, ...]

    @property
    def absolutes(self) -> frozenset[str]:
        return ABSOLUTES.intersection(self.stems)


def read_claim(sentence: str) -> Claim:
    text = _CITATION.sub("", sentence)
    words = word_list(text)
    numbers = _numbers(text)
    written = {piece for number in numbers for piece in _WORD.findall(number.written.lower())}
    terms = tuple(_terms([word for word in words if word not in written]))
    return Claim(text, tuple(map(stem, words)), terms, _names(text), numbers)


def word_list(text: str) -> list[str]:
    """The words in lower case, with every contracted "not" as a word of its own."""
    return _WORD.findall(_NOT.sub(" not", text.lower()))


def direction(word: str) -> int:
    """1 when a stem points up, -1 when it points down, 0 when it does neither."""
    return 1 if word in RISES else -1 if word in FALLS else 0


def directions(stems: tuple[str, ...] | list[str]) -> dict[int, int]:
    """The place of every direction word and where it points, a negation before it turning it round."""
    return {at: -sign if denied(stems, at) else sign for at, word in enumerate(stems) if (sign := direction(word))}


def denied(stems: tuple[str, ...] | list[str], at: int) -> bool:
    return not NEGATIONS.isdisjoint(stems[max(0, at - NEGATION_REACH) : at])


def _numbers(text: str) -> tuple[Figure, ...]:
    """Numbers in digits, and numbers in words unless they may only be articles ("one of")."""
    return figures(text) + tuple(one for one in spelled(text.lower()) if one.value > 2)


def _terms(words: list[str]) -> list[Term]:
    found: dict[str, Term] = {}
    for at, word in enumerate(words):
        one = stem(word)
        if word not in STOP and one not in found:
            weight = GENERAL_WEIGHT if one in GENERAL else 1.0
            found[one] = Term(one, weight, _joined(words, at))
    return list(found.values())


def _joined(words: list[str], at: int) -> tuple[str, ...]:
    pairs = [words[at - 1] + words[at]] if at else []
    pairs += [words[at] + words[at + 1]] if at + 1 < len(words) else []
    return tuple(stem(pair) for pair in pairs if len(pair) >= 6)


def _names(text: str) -> frozenset[str]:
    """Stems of words that are capitalised inside the sentence, or hold several capitals or a digit among letters."""
    return frozenset(
        stem(word[0].lower())
        for word in _WORD.finditer(text)
        if _NAME_SHAPE.fullmatch(word[0])
        or (word.start() > 0 and word[0][0].isupper() and not _opens(text, word.start()))
    )


def _opens(text: str, start: int) -> bool:
    return _OPENING.search(text, 0, start) is not None


_WORD = re.compile(r"[^\W_]+")
_NOT = re.compile(r"n['’]t\b")
_CITATION = re.compile(r"\s*\[(?:\d+|F[\d.]+-\d+)\]")
_NAME_SHAPE = re.compile(r"(?=.*[A-Z].*[A-Z])\w{2,}|(?=.*[A-Za-z])(?=.*\d)\w+")
_OPENING = re.compile(r"(?:^|[.!?]\s+)[\"'“‘(\[*_]*$")
