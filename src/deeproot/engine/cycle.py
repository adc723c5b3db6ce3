"""A cycle: the hats of a run and how it moves from phase to phase. The engine runs any."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..events import Event
from ..hats import CYCLE, Hat
from ..state import State
from .phases import advance


@dataclass(frozen=True, slots=True)
class Cycle:
    """`advance` says what becomes true when nothing is due and nothing is running; nothing ends the run.

    `begin` is what a resumed run begins with.
    """

    hats: Mapping[str, Hat]
    advance: Callable[[State], list[Event]]
    begin: Callable[[State], list[Event]] = lambda _: []


RESEARCH = Cycle(CYCLE, advance)
