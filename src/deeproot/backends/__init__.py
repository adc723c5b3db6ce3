"""Who answers an ask. A backend is found by the first word of its name, through the entry points below."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Protocol

from ..asks import Ask, Failure, Reply
from ..errors import UsageError

ENTRY_POINTS = "deeproot.backends"
PAID_PASSAGES = 16
"""How many passages of one search a model is given: it is paid for each, and again in every session forked from it."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a backend can do by itself; the engine supplies the rest.

    tools: searches and reads on its own, so the engine sends no passages.
    judges: can say whether a passage supports a sentence.
    passages: how many passages of one search it wants to see; a model pays for every one.
    characters: how long a prompt it can read, with all that a session brings along.
    sessions: continues a session by its id. fork: branches one without changing it.
    """

    tools: bool = False
    sessions: bool = False
    fork: bool = False
    judges: bool = True
    passages: int = 30
    characters: int = 300_000


@dataclass(frozen=True, slots=True)
class BackendSettings:
    """What every backend is opened with. `model` is what followed the backend's own word in the name."""

    model: str
    timeout: float = 1200.0
    idle_timeout: float = 600.0
    scratch: Path = Path()


def prompt_characters(context: int, answer: int) -> int:
    """How long a prompt may be for a model with so many tokens of context, of which an answer takes some.

    Three characters to a token: English has four, programs three.
    """
    return 3 * max(context // 2, context - answer)


class Backend(Protocol):
    name: str
    abilities: Abilities

    async def answer(self, ask: Ask) -> Reply | Failure:
        """Answer, or say why not. Raises nothing for what can go wrong outside; may be cancelled."""

    async def aclose(self) -> None:
        """Let go of processes and connections."""


OpenBackend = Callable[[BackendSettings], Backend]


def open_backend(name: str, settings: BackendSettings) -> Backend:
    """Open the backend called `name` (`mock`, `opencode/MODEL`, `openai:MODEL`, …); UsageError when there is none."""
    word, model = split_name(name)
    found = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    if word not in found:
        known = ", ".join(sorted(found))
        raise UsageError(
            f"No backend is called {word!r} (in the model name {name!r}). Known: {known}. "
            "`research models` tells which can be used here, and how a model is named."
        )
    opener: OpenBackend = found[word].load()
    return opener(BackendSettings(model, settings.timeout, settings.idle_timeout, settings.scratch))


def split_name(name: str) -> tuple[str, str]:
    """`opencode/big-pickle` → (`opencode`, `big-pickle`); `offline` → (`offline`, ``)."""
    match = re.fullmatch(r"([^/:]+)[/:]?(.*)", name, re.DOTALL)
    return (match[1], match[2]) if match else (name, "")
