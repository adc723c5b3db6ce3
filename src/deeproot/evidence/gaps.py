"""What may stand between two words of a quote and still be the same text.

The words of a quote must be those of the source, letter for letter. All tolerance is here, in how the white space and
marks between words compare: line breaks, quotation marks, kinds of dashes, emphasis and line-wrap hyphens are forgiven;
signs, decimal points, ranges, percent signs, operators and every other mark are not.
"""

from __future__ import annotations

import re
from functools import lru_cache

WRAP = "-\n"  # a hyphen at a line's end: part of the word, or of the line break; nobody can tell


@lru_cache(maxsize=20_000)
def canonical(gap: str, left: str, right: str) -> str:
    """The marks of a gap that carry meaning, between the characters `left` and `right` ("" at an end of the text)."""
    marks = _plain(gap)
    if _HYPHEN_AT_LINE_END.fullmatch(marks) and left.isalpha() and right.isalpha():
        return WRAP
    if marks == "'" and left.isalpha() and right.isalpha():
        return marks
    if not (_EMPHASIS_ONLY.fullmatch(marks) and left and right):
        marks = _EMPHASIS.sub("", marks)
    marks = _QUOTATION.sub("", marks)
    if right.isdigit():
        marks = _sign(marks, left)
    return _spaces(marks, left.isdigit() and right.isdigit())


def agree(one: str, other: str) -> bool:
    """Whether two canonical gaps can be the same text; "" stands for no gap at all."""
    return one == other or (WRAP in (one, other) and {one, other} <= {WRAP, "-", ""})


@lru_cache(maxsize=20_000)
def cuts(gap: str, left: str, right: str) -> bool:
    """Whether a quote that ends or begins at this gap of the source cuts a word, a compound or a number in two."""
    if not left or not right:
        return False
    marks = _plain(gap)
    if _SPACE.search(marks):
        return False
    if left.isdigit() and right.isdigit():
        return True
    return any(mark in _GLUE for mark in _QUOTATION.sub("", marks) or marks) and not _LONG_DASH.fullmatch(gap)


@lru_cache(maxsize=20_000)
def kept_after(gap: str, left: str) -> str:
    """The marks after a word that belong to it, such as a percent sign: a quote must end with the same ones."""
    marks = _plain(gap)
    found = _AFTER_NUMBER.match(marks) if left.isdigit() else None
    return found[1] if found else _HARD.sub("", _SPACE.split(marks, maxsplit=1)[0])


@lru_cache(maxsize=20_000)
def kept_before(gap: str, right: str) -> str:
    """The marks before a word that belong to it: a sign, a comparison, a currency, a decimal point."""
    marks = _EMPHASIS.sub("", _plain(gap))
    found = _BEFORE_NUMBER.search(marks) if right.isdigit() else None
    return _SPACE.sub("", found[0]) if found else _HARD.sub("", _SPACE.split(marks)[-1])


def ends_alike(quoted: str, text: str) -> bool:
    """A final full stop may be added or missing; a question stays a question."""
    ours, theirs = _terminal(quoted), _terminal(text)
    return not ours or ours == theirs or (ours == "." and not theirs)


def _terminal(gap: str) -> str:
    found = _TERMINAL.match(_plain(gap))
    return found[1] if found else ""


def _plain(gap: str) -> str:
    """One kind of dash, one kind of quotation mark, nothing invisible."""
    return _DASHES.sub("-", gap.translate(_SAME))


def _sign(marks: str, left: str) -> str:
    """Tell a sign or a leading decimal point ("was -5", "p = .05") from a range, a compound or a full stop."""
    if marks == "-" and not left:
        return "−"
    return _LEADING.sub(lambda found: "−" if found[0] == "-" else "⋅", marks)


def _spaces(marks: str, between_digits: bool) -> str:
    if not between_digits:
        return _SPACE.sub("", marks) or (" " if marks else "")
    return _AROUND_OPERATOR.sub(r"\1", _SPACE.sub(" ", marks))


_SAME: dict[int, str | None] = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
_SAME |= dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-")
_SAME |= dict.fromkeys(map(ord, "‘’‚‛ʼ´′"), "'")
_SAME |= dict.fromkeys(map(ord, "“”„‟«»‹›″"), '"')
_DASHES = re.compile(r"--+")
_SPACE = re.compile(r"\s+")
_HYPHEN_AT_LINE_END = re.compile(r"-\s+")
_LONG_DASH = re.compile(r"\s*(?:[—―]|--+)\s*")
_QUOTATION = re.compile(r"[\"']+")
_EMPHASIS_ONLY = re.compile(r"[*_`]+")
# Emphasis hugs a word; an asterisk with white space on both sides is something else.
_EMPHASIS = re.compile(r"(?<!\s)[*_`]+|[*_`]+(?!\s)")
_LEADING = re.compile(r"(?<=[\s(\[{=<>≤≥≈~±:;,/])[-.]$")
_AROUND_OPERATOR = re.compile(r"(?: |(?<=\s))*([-<>=±×+≤≥%])(?: )*")
_GLUE = frozenset("-'/@&_^~\\+=")
_HARD = re.compile(r"[\s\"'*_`()\[\]{}.,;:!?…|•·#\-]+")
_AFTER_NUMBER = re.compile(r"\s*([%‰°±×^]+)")
_BEFORE_NUMBER = re.compile(r"(?:[<>=≤≥±~≈×$€£¥+]\s*|(?:(?<=[\s(\[{])|^)[-.])+\Z")
_TERMINAL = re.compile(r"[\"'*_`)\]]*([.?!])")
