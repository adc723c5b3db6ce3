"""What the sources of one sentence tell together. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..evidence import judge
from ..model import Verdict
from .quoting import Text

_ADDRESS = re.compile(r"\bhttps?://[^\s<>|\"“”«»]+", re.IGNORECASE)
_AFTER_ADDRESS = "/.,;:!?)]}'’*_`"
_CLAUSE_END = re.compile(r"[,;]?\s+(?:although|and|but|though|whereas|while)\s+|;\s+")
_NAME = re.compile(r"\b[A-Z]\w")


def strange_address(sentence: str, locations: Sequence[str], texts: Sequence[Text]) -> str | None:
    """An address in a sentence that is none of its sources and stands in none of them."""
    addresses = (found.rstrip(_AFTER_ADDRESS) for found in _ADDRESS.findall(sentence))
    known = {location.rstrip("/") for location in locations}
    return next((one for one in addresses if one not in known and not any(one in text.text for text in texts)), None)


def rests_on_all(sentence: str, texts: Sequence[Text]) -> bool:
    """Whether the sentence makes several statements and each is supported by one of its sources.

    Each must name what it speaks of: "and its revenue grew" would be read in any source as of the one it is about.
    """
    statements = _CLAUSE_END.split(sentence)
    return len(statements) > 1 and all(
        _NAME.search(said) and any(judge(said, text.reading).verdict is Verdict.SUPPORTED for text in texts)
        for said in statements
    )
