"""The `codex` command line: `codex exec --json -` with the prompt on standard input.

Its only way to read files is a shell. That stays off, sandbox or not: what a page says must not become a
command. Off as well is what would spend without an end (agents of its own, goals) or read images from anywhere.
Asks that search may search the web.
"""

from __future__ import annotations

import re
from itertools import chain

from ..asks import Ask
from ..model import Usage
from . import Backend, BackendSettings
from .agent import Agent, AgentBackend, Event, Problem, Transcript, may_search
from .seen import opened

SWITCHED_OFF = ("shell_tool", "unified_exec", "multi_agent", "goals", "view_image")


def open_backend(settings: BackendSettings) -> Backend:
    """`codex` or `codex/MODEL`; BackendError when codex is not installed."""
    return AgentBackend(CODEX, settings)


def arguments(ask: Ask, model: str) -> list[str]:
    words = ["exec", "--json", "--skip-git-repo-check", "--sandbox", "read-only"]
    words += chain.from_iterable(("-c", f"features.{feature}=false") for feature in SWITCHED_OFF)
    words += ["-c", "web_search=live" if may_search(ask) else "web_search=disabled"]
    words += ["--model", model] if model else []
    if ask.session:
        words += ["fork" if ask.fork else "resume", ask.session]
    return [*words, "-"]


def read(event: Event, transcript: Transcript) -> None:
    match event.text("type"), event.text("item", "type"):
        case "thread.started", _:
            transcript.session = event.text("thread_id") or None
        case "item.completed", "agent_message":
            transcript.texts.append(event.text("item", "text"))
        case "item.completed", "web_search":
            transcript.see(opened(event.text("item", "action", "url")))
        case "turn.completed", _:
            transcript.usage = _usage(event.at("usage"))
        case "turn.failed", _:
            transcript.problem = _problem(event.text("error", "message"))


def _usage(tokens: Event) -> Usage:
    return Usage(
        tokens_in=tokens.count("input_tokens"),
        tokens_out=tokens.count("output_tokens"),
        tokens_cached=tokens.count("cached_input_tokens"),
    )


def _problem(message: str) -> Problem:
    """codex gives the HTTP status only inside its message: `unexpected status 401`, `last status: 429`."""
    status = re.search(r"\bstatus:? (\d{3})\b", message)
    return Problem(message, status=int(status[1]) if status else None)


CODEX = Agent("codex", arguments, read, cumulative=True)
