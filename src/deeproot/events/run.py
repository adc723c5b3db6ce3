"""What happens to a run as a whole: what was asked, turns, limits, what people said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..settings import Settings


@dataclass(frozen=True, slots=True)
class ResearchRequested:
    settings: Settings
    kind: Literal["research.requested"] = "research.requested"


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """A resume asked for other limits or models. A higher limit reopens research that had stopped at the old one."""

    settings: Settings
    kind: Literal["settings.changed"] = "settings.changed"


@dataclass(frozen=True, slots=True)
class RunStarted:
    token: str
    at: float
    kind: Literal["run.started"] = "run.started"


@dataclass(frozen=True, slots=True)
class HandedOver:
    """A file of the report, by its name below `reports/<name>/`, as it was when a run ended."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class RunEnded:
    outcome: str
    reason: str = ""
    elapsed: float = 0.0
    files: tuple[HandedOver, ...] = ()
    kind: Literal["run.ended"] = "run.ended"


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A hat took up a topic ("" is the run as a whole). `guidance` counts the notes from people it was given."""

    turn: str
    hat: str
    phase: str
    topic: str = ""
    iteration: int = 0
    guidance: int = 0
    kind: Literal["turn.started"] = "turn.started"


@dataclass(frozen=True, slots=True)
class TurnFailed:
    """A turn could not go on. Its finished steps stay; only `step` is taken again."""

    turn: str
    hat: str
    topic: str
    step: str
    error: str
    attempt: int
    kind: Literal["turn.failed"] = "turn.failed"


@dataclass(frozen=True, slots=True)
class TurnParked:
    """A budget cut the turn off. Its finished steps stay; it goes on when the budget is raised."""

    hat: str
    topic: str
    kind: Literal["turn.parked"] = "turn.parked"


@dataclass(frozen=True, slots=True)
class RecoveryNoted:
    hat: str
    topic: str
    notes: str
    kind: Literal["recovery.noted"] = "recovery.noted"


@dataclass(frozen=True, slots=True)
class GuidanceGiven:
    text: str
    kind: Literal["guidance.given"] = "guidance.given"


@dataclass(frozen=True, slots=True)
class CompletionRefused:
    by: str
    missing: tuple[str, ...]
    kind: Literal["completion.refused"] = "completion.refused"


@dataclass(frozen=True, slots=True)
class LimitReached:
    limit: str
    detail: str
    kind: Literal["limit.reached"] = "limit.reached"


@dataclass(frozen=True, slots=True)
class BackendLost:
    """The backend gave no answer for so long that the run stopped. What it cost the topics is forgiven."""

    message: str
    kind: Literal["backend.lost"] = "backend.lost"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many pages of a site were not read for one reason."""

    reason: str
    pages: int


@dataclass(frozen=True, slots=True)
class SiteRead:
    """How much of a site was read: pages found, pages read, and why the others were not."""

    site: str
    found: int
    read: int
    left_out: tuple[LeftOut, ...] = ()
    kind: Literal["site.read"] = "site.read"


@dataclass(frozen=True, slots=True)
class Warned:
    """Something people should know. What is `about` the web stands in the report, too."""

    message: str
    about: Literal["", "web"] = ""
    kind: Literal["warned"] = "warned"
