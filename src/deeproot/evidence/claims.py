"""What a sentence claims, as far as code can tell: terms, names, numbers, and the words that give it a direction."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .figures import Figure, figures, spelled
from .lexicon import FALLS, GENERAL, NEGATIONS, RISES, STOP, stem
from .prepared import lowered

GENERAL_WEIGHT = 0.5
NEGATION_REACH = 4  # words after a negation that it can deny


@dataclass(frozen=True, slots=True)
class Term:
    """A stem the source should hold. `joined` is the term written together with a neighbour: birthweight."""

    word: str
    stem: str
    weight: float
    joined: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """`words` and their `stems` are all words in order, for what depends on order; `terms` each telling one once."""

    text: str
    words: tuple[str, ...]
    stems: tuple[str, ...]
    terms: tuple[Term, ...]
    names: frozenset[str]
    figures: tuple[Figure, ...]


def read_claim(sentence: str) -> Claim:
    text = _CITATION.sub("", sentence)
    words = tuple(word_list(text))
    numbers = _numbers(text)
    terms = tuple(_terms(word_list(_without(text, numbers))))
    return Claim(text, words, tuple(map(stem, words)), terms, _names(text), numbers)


def word_list(text: str) -> list[str]:
    """The words in lower case, with every contracted "not" as a word of its own."""
    return _WORD.findall(_NOT.sub(" not", text.lower()))


def direction(word: str) -> int:
    """1 when a stem points up, -1 when it points down, 0 when it does neither."""
    return 1 if word in RISES else -1 if word in FALLS else 0


def directions(stems: Sequence[str]) -> dict[int, int]:
    """The place of every direction word and where it points, a negation before it turning it round."""
    return {at: -sign if denied(stems, at) else sign for at, word in enumerate(stems) if (sign := direction(word))}


def denied(stems: Sequence[str], at: int) -> bool:
    return not NEGATIONS.isdisjoint(stems[max(0, at - NEGATION_REACH) : at])


def _numbers(text: str) -> tuple[Figure, ...]:
    """Numbers in digits, and numbers in words unless they may only be articles ("one of")."""
    return figures(text) + tuple(one for one in spelled(lowered(text)) if one.value > 2)


def _without(text: str, numbers: Sequence[Figure]) -> str:
    """The text with its numbers and their units blanked: what they say is looked up as figures."""
    for number in numbers:
        text = text[: number.start] + " " * (number.end - number.start) + text[number.end :]
    return text


def _terms(words: list[str]) -> list[Term]:
    found: dict[str, Term] = {}
    for at, word in enumerate(words):
        one = stem(word)
        if word not in STOP and one not in found:
            weight = GENERAL_WEIGHT if one in GENERAL else 1.0
            found[one] = Term(word, one, weight, _joined(words, at))
    return list(found.values())


def _joined(words: list[str], at: int) -> tuple[str, ...]:
    pairs = [words[at - 1] + words[at]] if at else []
    pairs += [words[at] + words[at + 1]] if at + 1 < len(words) else []
    return tuple(stem(pair) for pair in pairs if len(pair) >= 6)


def _names(text: str) -> frozenset[str]:
    """Stems of capitalised words, and of words that hold several capitals or a digit among letters.

    The word that opens the sentence counts unless it is a general one: it may be a name, and is mostly the subject.
    """
    found = [word[0] for word in _WORD.finditer(text) if word[0][0].isupper() or _NAME_SHAPE.fullmatch(word[0])]
    return frozenset(one for word in found if word.lower() not in STOP and (one := stem(word.lower())) not in GENERAL)


_WORD = re.compile(r"[^\W_]+")
_NOT = re.compile(r"n['’]t\b")
_CITATION = re.compile(r"\s*\[(?:\d+|F[\d.]+-\d+)\]")
_NAME_SHAPE = re.compile(r"(?=.*[A-Z].*[A-Z])\w{2,}|(?=.*[A-Za-z])(?=.*\d)\w+")
