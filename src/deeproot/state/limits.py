"""Whether changed settings let research go on that had come to an end. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ..events import LoopDecided
from ..settings import Settings, synthesis_reserve


def is_lifted(limit: str, used: float, before: Settings, after: Settings) -> bool:
    """Whether a limit was raised, and above what is used up. A budget is reached before all of it is used."""
    if limit == "iterations":
        return used < after.max_iterations
    old, new = getattr(before, limit, None), getattr(after, limit, None)
    if old is None or (new is not None and new <= old):
        return False
    return new is None or used < (60 * (new - synthesis_reserve(new)) if limit == "time" else new)


def may_go_round_again(decisions: Sequence[LoopDecided], before: Settings, after: Settings) -> bool:
    """Whether the loop of a question had ended at its cap, and the cap was raised."""
    old, new = before.asking, after.asking
    ended = bool(decisions) and bool(decisions[-1].overruled)
    return bool(ended and old and new and new.max_loops > len(decisions) >= old.max_loops)
