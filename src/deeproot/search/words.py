"""Text to search terms: folded to plain lower case, cut into words, stemmed.

The same code serves the index and the query, so whatever it does to a word of any language it does to both.
Scripts written without spaces are cut into pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

_PLAIN = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_MARKS = re.compile("[\u0300-\u036f]+")
# Scripts without spaces: Thai, Lao, Burmese, Khmer; kana, ideographs, Hangul.
_SOUTHEAST_ASIAN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_EAST_ASIAN = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_SPACELESS = _SOUTHEAST_ASIAN + _EAST_ASIAN
# Indic vowel signs are not letters to Python, but a word without them is another word.
_TERM = re.compile(f"[{_SPACELESS}]+|(?:(?![{_SPACELESS}])[^\\W_]|[\u0900-\u0dff])+")
_WORD = re.compile(r"[^\W_]+")
_SPECIAL = re.compile(f"[{_SPACELESS}\u0900-\u0dff]")
_SPACELESS_RUN = re.compile(f"[{_SPACELESS}]")
_HYPHENED = re.compile(r"\b[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+\b")
_NAME = re.compile(r"[A-Za-z0-9]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")

# A Greek letter on its own is a symbol, and as often written out: TNF-α, TNF-alpha.
_LETTERS = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi
    psi omega
"""
_GREEK = dict(zip("αβγδεζηθικλμνξοπρστυφχψω", _LETTERS.split(), strict=True))

# Longer ones are encoded data; cut, they still match themselves.
LONGEST_WORD = 64

# Words that carry a question rather than its matter. They are four tenths of a text, and are not indexed.
_STOP_WORDS = """
    a about an and any are as at be been both but by can could did do does for from had has have he
    her his how i if in into is it its many me much my no nor not of on or our s same she should so
    such t than that the their them then there these they this those to us was we were what when
    where which who whom whose why will with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def tokens(text: str) -> list[str]:
    """The words of a text in order, folded but not stemmed."""
    if text.isascii():
        return text.translate(_PLAIN).split()
    folded = _MARKS.sub("", unicodedata.normalize("NFKD", text)).lower()
    # Folding takes Hangul apart, so that only the text as it stands shows it.
    if not _SPECIAL.search(folded) and not _SPECIAL.search(text):
        return [_GREEK.get(word, word) for word in _WORD.findall(folded)]
    return _other_scripts(unicodedata.normalize("NFC", folded))


def compared(words: Iterable[str]) -> str:
    """The words that pieces of words are looked for in: no stop words and no short ones, with spaces around each."""
    kept = [word for word in words if (len(word) > 2 or not word.isascii()) and word not in STOP_WORDS]
    return f" {' '.join(kept)} "


def _other_scripts(text: str) -> list[str]:
    found: list[str] = []
    for run in _TERM.findall(text):
        if len(run) > 1 and _SPACELESS_RUN.match(run):
            found.extend(a + b for a, b in pairwise(run))
        else:
            found.append(_GREEK.get(run, run))
    return found


def joined(text: str) -> list[str]:
    """Hyphened words in one piece, as others write them: `IL-6` → `il6`, `e-mail` → `email`."""
    hyphened = " ".join(word for word in text.split() if "-" in word)
    return tokens(" ".join(_HYPHENED.findall(hyphened)).replace("-", "")) if hyphened else []


def name_parts(text: str) -> str:
    """The parts of every camelCase name in a text, in one string: `FileSearch` → `File Search`."""
    mixed = (name for name in _NAME.findall(text) if not (name[1:].islower() or name.isupper()))
    return " ".join(parts for name in mixed if (parts := _HUMP.sub(" ", name)) != name)


def query_terms(query: str) -> tuple[str, ...]:
    """The stems a query asks for, in order and with repeats, without stop words."""
    found = tokens(query) + joined(query) + tokens(name_parts(query))
    return tuple(stem(word) for word in found if word not in STOP_WORDS)


def name_key(text: str) -> str:
    """How a name is written down to be recognised again: its folded words with single spaces."""
    return " ".join(tokens(text))


# The longest ending that fits is replaced; at least three letters with a vowel among them must be left.
_REPLACED = {
    "ational": "at", "ization": "iz", "isation": "iz", "iveness": "iv", "fulness": "ful",
    "ation": "at", "ating": "at", "ated": "at", "ator": "at", "ate": "at", "ition": "it", "sion": "s", "tion": "t",
    "ally": "al",
}  # fmt: skip
_ENDING = re.compile(rf"(?<=[a-z]{{3}})(?:{'|'.join(_REPLACED)}|ment|ness|edly|ity|ing|ed|ly)$")
_VOWEL = re.compile(r"[aeiouy]")


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """A light English stem. Short words, and words of other alphabets, stay as they are; endless ones are cut."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word[:LONGEST_WORD]
    word = _singular(word[:LONGEST_WORD])
    ending = _ENDING.search(word)
    if ending and _VOWEL.search(word, 0, ending.start()):
        word = word[: ending.start()] + _REPLACED.get(ending[0], "")
    return _tidy(word)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _tidy(word: str) -> str:
    """`hopp` → `hop`, `make` → `mak`, `study` → `studi`: one form whether or not an ending was cut off."""
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        return word[:-1]
    if len(word) > 3 and word[-1] == "e":
        return word[:-1]
    if len(word) > 3 and word[-1] == "y" and word[-2] not in "aeiou":
        return word[:-1] + "i"
    return word
