"""Whether a run may cost money, told by the names of its models."""

from __future__ import annotations

from ..backends import split_name
from ..settings import Settings

FREE = frozenset({"offline", "mock", "local", "ollama"})


def costs_money(settings: Settings) -> bool:
    """Whether this run may cost something."""
    return any(map(may_cost, (settings.model, settings.review_model, *dict(settings.models).values())))


def may_cost(model: str) -> bool:
    """A model on this machine costs nothing, nor one on a server the user runs."""
    return split_name(model)[0] not in FREE and "@" not in model
