"""What a run works with: the real things, unless a caller hands in others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..backends import Backend, BackendSettings, open_backend
from ..clock import Clock, RealClock
from ..engine.engine import Watch
from ..engine.govern import Paces
from ..project.disk import Disk
from ..search import Searcher

if TYPE_CHECKING:
    from ..search.web.opening import WebMeans


@dataclass(frozen=True, slots=True)
class Approval:
    """What a person says to the finished report: it is good, it needs something, or not now."""

    granted: bool
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class Means:
    """What a run works with. The defaults are the real things; tests hand in others.

    Researchers that run at once in one process share `paces`, so that a provider's rate limit holds for all of them.
    """

    open_backend: Callable[[str, BackendSettings], Backend] = open_backend
    searcher: Searcher | None = None
    clock: Clock = field(default_factory=RealClock)
    paces: Paces = field(default_factory=Paces)
    disk: Disk = field(default_factory=Disk)
    watch: Watch = lambda _entry, _state: None
    web: WebMeans | None = None
    indexing: Callable[[int, int], None] | None = None
    approve: Callable[[Path], Awaitable[Approval]] | None = None
