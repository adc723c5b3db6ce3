"""One question to a backend, and what comes back: a reply, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ..model import Usage
from .inputs import Inputs
from .kinds import Kind


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to a backend.

    `context` is what a session would already know: a backend that continues or forks `session` leaves it out,
    any other puts it before `prompt`, so that equal prefixes stay equal. `free` says that the answer is not the
    kind's JSON object but text in a form the prompt describes. The answer to a `lasting` ask stands once it is on
    record, even if the ask would read differently when its turn is taken up again.
    """

    kind: Kind
    prompt: str
    inputs: Inputs
    context: str = ""
    session: str | None = None
    fork: bool = False
    free: bool = False
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """What a tool of an agent's own gave it to read: a page with its text, or a file by its path alone."""

    location: str
    text: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a backend answered. `session` can be continued or forked by a later ask.

    `seen` is what the backend read by itself for this answer. The engine keeps those texts; a recorded reply has none.
    """

    text: str
    session: str | None = None
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    fork: str = ""
    seen: tuple[Seen, ...] = ()


class Reason(StrEnum):
    """Why a backend gave no answer, as far as it decides what to do next."""

    TIMED_OUT = "timed out"
    UNAVAILABLE = "unavailable"
    RATE_LIMITED = "rate limited"
    FAILED = "failed"
    EMPTY = "empty answer"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Failure:
    """No answer, as a value. REFUSED (bad key, unknown model) is final for the run; the rest may be tried again."""

    reason: Reason
    message: str
    retry_after: float | None = None
