"""Names for things: where they stand in a text, and whether a heading is one. English, as far as it knows words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .words import counts_something, terms

LONGEST = 3  # words of a phrase, telling words of a heading

_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[^\w\s]")
_WORD_OR_SYMBOL = re.compile(r"\w+(?:[-'’.]\w+)*|[^\w\s]")
_POSSESSIVE = re.compile(r"['’]s?$")
_NAME = re.compile(r"[A-Z][^\W\d_]*[a-z][^\W\d_]*[A-Z][^\W\d_]*")  # TaskGroup
_ACRONYM = re.compile(r"[A-Z]{3,}")  # HIPAA
_MARKERS = frozenset(("XXX", "TODO", "FIXME", "NOTE", "NULL", "TRUE", "FALSE", "NONE", "WARNING", "ERROR"))
# What stands before or after a name for something and never in it.
_BREAK = """
    again all alone already also although always among another any anything around because been before being both
    cannot could directly does doing done each either else enough even ever every everything false few first
    following further generally having herself himself however instead itself just last least like likely many maybe
    merely might much must never next none nothing now often once one only other others otherwise own perhaps
    possible possibly quite rather really same second several should simply since so some something sometimes soon
    still such than themselves then there thereby therefore though thus together too true twice unless unlike until
    upon usually very via well whenever wherever whether without yet
"""
_BREAKS = frozenset(_BREAK.split())
_SYMBOL = re.compile(r"[\d_.]")  # max_line_length, task.cancel, 3rd
_INWARD = re.compile(r"[\d?!:;,]|(?:^|\.)_")  # page 3, Is it so?, Class._inner
# Headings that say what kind of part begins, and nothing about its matter.
_COMMONPLACE = re.compile(
    r"introduc\w*|overview|summar\w*|conclu\w*|background|notes?|remarks?|examples?|usage|details?|descriptions?|synopsis"
    r"|names?|contents?|references?|see|also|figures?|tables?|results?|methods?|discussion|limits?|limitations?|options?"
    r"|appendi\w*|changes|changelog|history|version|misc\w*|general|other|more|further|information|files?|authors?"
    r"|readme|main|test\w*|findings?|recommendations?|key|next|steps?|report|executive|agenda|subject",
    re.IGNORECASE,
)
_OBJECT = frozenset(("the", "a", "an", "its", "their", "this", "that", "these", "your", "our"))
# English words that neither begin nor end a name for something, and parts of dates and amounts.
_UNFIT = re.compile(
    r"(?:ly|[^aeiou]ed|[iy]zes?|[iy]sed?)$|^(?:increas|decreas|enhanc|significant|improv|driv|leverag|implement|continu"
    r"|result|includ|overall|indicat|suggest|remain|show|enabl|allow|provid|ensur|refin|reveal|underscor|highlight"
    r"|expect|project|anticipat|reach|achiev|first|second|third|next|last|until|within|around|approximat|average|total"
    r"|quarter|month|week|year|day|time|percent|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|additional|specific|particular|new|key|robust|various|several|due|per|based|focus|made|making"
    r"|using|use|well|need|way|lot|one|note|consider|given|accord|adopt|help|balanc|captur|expand|accelerat|prepar"
    r"|influenc|defend|reduc|minimi|attract|strengthen|associat|measur|design|guid"
    r"|(?:return|raise|generate|create|wait|take|find|keep|add|remove|handle|determine|contain|want|get|make)s?$)",
    re.IGNORECASE,
)


def names(text: str) -> list[str]:
    """The names for things in a text, in order: `FSMA 204 regulations`, `food safety`."""
    found: list[str] = []
    for run in _runs(text):
        part: list[str] = []
        for word in (*run, ""):
            if word and not _UNFIT.search(word):
                part.append(word)
            elif part:
                found.append(_POSSESSIVE.sub("", " ".join(part)))
                part = []
    return [name for name in dict.fromkeys(found) if not name[0].isdigit()]


def joined(items: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))


def is_name(heading: str) -> bool:
    """Whether a heading or a symbol tells what stands under it, and briefly."""
    words = [word for word in _WORD_OR_SYMBOL.findall(heading) if terms(word)]
    return 0 < len(words) <= LONGEST and not _INWARD.search(heading) and not all(map(_COMMONPLACE.fullmatch, words))


class Gram(NamedTuple):
    """Words in a row, the two before them, whether no other belongs to them, and whether an object follows."""

    words: tuple[str, ...]
    after: tuple[str, ...]
    alone: bool
    verbal: bool


def grams_of(text: str) -> Iterator[Gram]:
    """The stretches of two or three words, and single words that are names."""
    for before, run, following in _stretches(text):
        for length in range(2, LONGEST + 1):
            for start in range(len(run) - length + 1):
                words = run[start : start + length]
                if not (_UNFIT.search(words[0]) or _UNFIT.search(words[-1]) or any(map(counts_something, words))):
                    last = start + length == len(run)
                    plain = (*words[:-1], _POSSESSIVE.sub("", words[-1]))
                    after = (*before, *run[:start])[-2:]
                    yield Gram(plain, after, length == len(run), last and following.lower() in _OBJECT)
        yield from (
            Gram((word,), (*before, *run[:at])[-2:], True, False) for at, word in enumerate(run) if _is_proper(word)
        )


def is_acronym(word: str) -> bool:
    return _ACRONYM.fullmatch(word) is not None


def _is_proper(word: str) -> bool:
    return bool(_NAME.fullmatch(word)) or (is_acronym(word) and word not in _MARKERS)


def _stretches(text: str) -> Iterator[tuple[tuple[str, ...], list[str], str]]:
    """The stretches of plain words between stop words, symbols and punctuation, with what stands around each."""
    run: list[str] = []
    told = ("", "", *_WORD_OR_SYMBOL.findall(text), "")
    for at, token in enumerate(told):
        if token.lower() not in _BREAKS and terms(token) and not _SYMBOL.search(token):
            run.append(token)
        elif run:
            begin = at - len(run)
            yield told[begin - 2 : begin], run, token
            run = []


def _runs(text: str) -> Iterator[list[str]]:
    """The stretches between stop words and punctuation; a number may stand in one, not begin it."""
    run: list[str] = []
    for token in _TOKEN.findall(text):
        if terms(token) and (not token[0].isdigit() or run):
            run.append(token)
        elif run:
            yield run
            run = []
    if run:
        yield run
