"""The `pi` command line: `pi -p --mode json` with the prompt on standard input.

It has no tool that searches the web, so the engine searches for it and it gets no tools at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..asks import Ask
from ..model import Usage
from . import PAID_PASSAGES, Abilities, Backend, BackendSettings
from .agent import MANNER, Agent, AgentBackend, Event, Problem, Transcript


def open_backend(settings: BackendSettings) -> Backend:
    """`pi` or `pi/PROVIDER/MODEL`; BackendError when pi is not installed."""
    return AgentBackend(PI, settings)


def arguments(ask: Ask, model: str) -> list[str]:
    words = ["-p", "--mode", "json", "--no-tools", "--system-prompt", MANNER]
    words += ["--model", model] if model else []
    if ask.session:
        words += ["--fork" if ask.fork else "--session", ask.session]
    return words


def environment(_: Ask) -> Mapping[str, str]:
    """No look for updates at the start of every ask."""
    return {"PI_OFFLINE": "1"}


def read(event: Event, transcript: Transcript) -> None:
    match event.text("type"):
        case "session":
            transcript.session = event.text("id") or None
        case "turn_end":
            _end_turn(event.at("message"), transcript)


def _end_turn(message: Event, transcript: Transcript) -> None:
    """pi ends with 0 whatever happened and tries again by itself: what counts is how its last turn stopped."""
    transcript.spend(_usage(message.at("usage")))
    if message.text("stopReason") in ("error", "aborted"):
        transcript.problem = _problem(message.text("errorMessage") or message.text("stopReason"))
        return
    transcript.problem = None
    transcript.texts += [part.text("text") for part in message.items("content") if part.text("type") == "text"]


def _usage(tokens: Event) -> Usage:
    cached = tokens.count("cacheRead")
    return Usage(
        tokens_in=tokens.count("input") + cached + tokens.count("cacheWrite"),
        tokens_out=tokens.count("output"),
        tokens_cached=cached,
        cost=tokens.number("cost", "total"),
    )


def _problem(message: str) -> Problem:
    """pi puts the HTTP status in front of the service's message: `401 invalid api key`."""
    status = re.match(r"(\d{3})\b", message)
    return Problem(message, status=int(status[1]) if status else None)


PI = Agent(
    "pi",
    arguments,
    read,
    environment,
    abilities=Abilities(sessions=True, fork=True, passages=PAID_PASSAGES),
    noise=('{"type":"message_update"',),  # one per token, each with the whole answer so far, twice
)
