"""Which words of a sentence are names, by how they are written; and which of them are so beyond doubt."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .lexicon import GENERAL, STOP, stem
from .speech import LABELS, OPENERS, TITLES

FEW_WORDS = 3


@dataclass(frozen=True, slots=True)
class Names:
    """Stems. `sure` leaves out what is capitalised only because a sentence begins with it.

    `opener` is the word a sentence begins with when it can hardly be anything but a name, or "".
    """

    sure: frozenset[str]
    opener: str = ""

    @property
    def all(self) -> frozenset[str]:
        return self.sure | {self.opener} if self.opener else self.sure


def names_in(text: str) -> Names:
    """Capitalised words, and words that hold several capitals or a digit among letters.

    The word that opens the sentence is a sure name when a second one follows it ("Ana Duarte"), or when it owns
    something without an article ("Northwind's revenue").
    """
    words = list(_WORD.finditer(text))
    named = [word for word in words if _is_name(word[0])]
    sure = [] if _is_headline(words) else [word for word in named if _is_sure(text, word)]
    opener = named[0] if named and named[0] is words[0] and _stands_out(text, named[0]) else None
    return Names(frozenset(stem(word[0].lower()) for word in sure), stem(opener[0].lower()) if opener else "")


def initials(text: str) -> dict[str, tuple[str, ...]]:
    """The words of every name of several words, each with the initials of the names it may be part of.

    The whole run of names comes first (World Health Organization, WHO), then two or three neighbours in it: the US in
    "United States National Film Registry".
    """
    found: dict[str, tuple[str, ...]] = {}
    for run in _RUN.finditer(text):
        words = [word for word in _WORD.findall(run[0]) if word[0].isupper() and word.lower() not in STOP]
        letters = "".join(word[0] for word in words)
        for at, word in enumerate(words if len(words) > 1 else ()):
            near = (letters[first : first + size] for size in (2, 3) for first in range(max(0, at - size + 1), at + 1))
            found[word.lower()] = tuple(dict.fromkeys((letters, *(one for one in near if len(one) > 1))))
    return found


def short_forms(text: str) -> frozenset[str]:
    """The words, in lower case, that may be the initials of something."""
    return frozenset(word.lower() for word in _SHORT.findall(text))


def root(name: str) -> str:
    """What a name shares with those derived from it: Libya and Libyan, Nazi and Nazism."""
    return _OF_A_PLACE.sub("", name)


def _is_name(word: str) -> bool:
    if not word[0].isupper() and not _SHAPE.fullmatch(word):
        return False
    small = word.lower()
    return small not in STOP and stem(small) not in GENERAL


def _is_sure(text: str, word: re.Match[str]) -> bool:
    if stem(word[0].lower()) in TITLES:
        return False
    if _SHAPE.fullmatch(word[0]):
        return True
    return not _opens(text[: word.start()]) or _FOLLOWED.match(text, word.end()) is not None


def _opens(before: str) -> bool:
    """Whether a sentence begins after this text."""
    ended = before.rstrip("\"'“‘(*_ ")
    return not ended.strip("-+•>#") or ended[-1] in ".!?:|"


def _stands_out(text: str, opener: re.Match[str]) -> bool:
    """Whether a word that begins a sentence without an article can hardly be an everyday word, a title or a label."""
    word = opener[0].lower()
    if word in OPENERS or _EVERYDAY.search(word) or stem(word) in TITLES or _LABEL.match(text, opener.end()):
        return False
    return not (word in LABELS and _CELL_END.match(text, opener.end()))


def _is_headline(words: list[re.Match[str]]) -> bool:
    """Where every long word is capitalised, capitals say nothing."""
    long = [word[0] for word in words if len(word[0]) > 3 and word[0].isalpha()]
    return len(long) > FEW_WORDS and all(word[0].isupper() for word in long)


_WORD = re.compile(r"[^\W_]+")
_SHAPE = re.compile(r"(?=.*[A-Z].*[A-Z])\w{2,}|(?=.*[A-Za-z])(?=.*\d)\w+")
_RUN = re.compile(r"\b[A-Z][\w.]*(?:[ -](?:(?:of|and|for|the|in)(?: the)? )?[A-Z]\w*)+")
_SHORT = re.compile(r"\b(?:[A-Z]{3,6}|[a-z][A-Z]{2,5})\b")
_EVERYDAY = re.compile(r"(?:s|ing|[st]ion|ment|ness|ity|ism|[ae]nce|ship|ly|ed|ics?|ous|ful|ive|able|age|ure|ery)$")
_LABEL = re.compile(r"\W*:")
_CELL_END = re.compile(r"[^\w|]*\|")
_FOLLOWED = re.compile(r"['’]s\b|[ -](?:(?:de|van|von|der|la)\s)?[A-Z][a-z]")
_OF_A_PLACE = re.compile(r"(?:an|ese|ish|ism|ist|i|n|a)s?$")
