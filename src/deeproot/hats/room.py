"""What fits into a prompt: a backend that reads little is given less of everything, and nothing is cut unseen."""

from __future__ import annotations

from collections.abc import Sequence

from .turn import Turn

MARGIN = 200
"""Characters of a prompt for what stands around its parts: fences, headings, what a backend adds by itself."""
CUT = "(cut here: it goes on)"


def room_beside(turn: Turn, *texts: str) -> int:
    """How many characters a prompt that holds these texts has left, as far as the backend reads."""
    return max(0, turn.abilities.characters - MARGIN - sum(map(len, texts)))


def fair_shares(texts: Sequence[str], characters: int) -> list[str]:
    """The texts, an empty line apart, within this many characters: what short ones leave over, long ones have."""
    left, shares = characters - len("\n\n") * len(texts), dict[int, str]()
    for done, (place, text) in enumerate(sorted(enumerate(texts), key=lambda pair: len(pair[1]))):
        shares[place] = cut(text, left // (len(texts) - done))
        left -= len(shares[place])
    return [shares[place] for place in range(len(texts))]


def cut(text: str, characters: int) -> str:
    """The text, or as many of its first lines as fit, and a word that it was cut."""
    if len(text) <= characters:
        return text
    kept = text[: max(0, characters - len(CUT) - 1)]
    return f"{kept.rpartition(chr(10))[0] or kept}\n{CUT}"
