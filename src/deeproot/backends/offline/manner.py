"""How a sentence speaks: for itself, or leaning on another, about its own text, to its reader."""

from __future__ import annotations

import re

_POINTING = re.compile(r"\W*(?:this|these|those|that|it|they|he|she|such|its|their|his|her)\b", re.IGNORECASE)
# What follows only under a condition that the sentence before names.
_CONDITIONAL = re.compile(r"\W*(?:otherwise|in (?:this|that) case|if \w+ (?:do(?:es)?|is) so)\b", re.IGNORECASE)
_ABOUT_ITSELF = re.compile(
    r"\b(?:this|the|our) (?:\w+ )?(?:report|document|paper|article|section|memo|e-?mail|chapter|page)s?\b[^.]*"
    r"\b(?:explor|outlin|aim|examin|provid|discuss|present|describ|summari|delv|highlight|focus)\w*"
    r"|\b(?:I|we)(?:'d| would)? (?:wanted|want|like|am writing|hope|look forward)\b"
    r"|\b(?:thanks?|please|let me know|let's|looking forward|regards|feel free)\b",
    re.IGNORECASE,
)


def loss(text: str) -> float:
    """What a sentence loses for leaning on the one before, or for being about its own text or its reader."""
    return 0.2 * leans(text) + 0.3 * bool(_CONDITIONAL.match(text)) + 0.5 * bool(_ABOUT_ITSELF.search(text))


def leans(text: str) -> bool:
    """Whether a sentence is only understood after the one before."""
    return bool(_POINTING.match(text) or _CONDITIONAL.match(text))
