"""The `claude` command line: `claude -p --output-format stream-json` with the prompt on standard input."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from ..asks import Ask
from ..model import Usage
from . import Backend, BackendSettings
from .agent import MANNER, Agent, AgentBackend, Event, Problem, Transcript, may_search
from .seen import file, opened

# Files inside the working folder may be read without permission, those outside need one and get none.
SEARCH_AND_READ = "WebSearch,WebFetch,Read,Grep,Glob"
NEEDS_PERMISSION = "WebSearch,WebFetch"


def open_backend(settings: BackendSettings) -> Backend:
    """`claude` or `claude/MODEL`; BackendError when claude is not installed."""
    return AgentBackend(CLAUDE, settings)


def arguments(ask: Ask, model: str) -> list[str]:
    words = ["-p", "--output-format", "stream-json", "--verbose", "--system-prompt", MANNER]
    words += ["--strict-mcp-config", "--disable-slash-commands"]
    words += ["--tools", SEARCH_AND_READ if may_search(ask) else ""]
    words += ["--allowedTools", NEEDS_PERMISSION] if may_search(ask) else []
    words += ["--model", model] if model else []
    words += ["--resume", ask.session] if ask.session else []
    words += ["--fork-session"] if ask.session and ask.fork else []
    return words


def environment(_: Ask) -> Mapping[str, str]:
    """Retrying is the engine's: with its own retries on, claude sits on a refused key for minutes."""
    return {"CLAUDE_CODE_MAX_RETRIES": "0", "DISABLE_AUTOUPDATER": "1"}


def read(event: Event, transcript: Transcript) -> None:
    match event.text("type"), event.text("subtype"):
        case "system", "init":
            transcript.session = event.text("session_id") or None
        case "assistant" | "user", _:
            for block in event.items("message", "content"):
                _watch(block, transcript)
        case "result", _:
            transcript.usage = _usage(event)
            if event.at("is_error").value:
                transcript.problem = _problem(event)
            else:
                transcript.texts.append(event.text("result"))


def _watch(block: Event, transcript: Transcript) -> None:
    """Which files it reads and pages it opens. `WebFetch` tells what a model made of a page, never the page."""
    match block.text("type"):
        case "tool_use" if block.text("name") in ("Read", "WebFetch"):
            transcript.calls[block.text("id")] = block.at("input")
        case "tool_result":
            call = transcript.calls.pop(block.text("tool_use_id"), None)
            if call and not block.at("is_error").value:
                transcript.see(chain(file(call.text("file_path")), opened(call.text("url"))))


def _usage(result: Event) -> Usage:
    tokens = result.at("usage")
    cached = tokens.count("cache_read_input_tokens")
    return Usage(
        tokens_in=tokens.count("input_tokens") + cached + tokens.count("cache_creation_input_tokens"),
        tokens_out=tokens.count("output_tokens"),
        tokens_cached=cached,
        cost=result.number("total_cost_usd"),
    )


def _problem(result: Event) -> Problem:
    """An error of the service comes as a "success" with its text as the result; others as a list."""
    errors = "; ".join(error.text() for error in result.items("errors"))
    message = result.text("result") or errors or result.text("subtype")
    return Problem(message, status=result.count("api_error_status") or None)


CLAUDE = Agent("claude", arguments, read, environment)
