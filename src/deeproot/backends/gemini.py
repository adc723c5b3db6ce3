"""The `gemini` command line: `gemini -o stream-json` with the prompt on standard input.

Which tools it has is decided by the policy files beside this module. It refuses to run in a folder it does not
trust; that trust is the user's to give (`GEMINI_CLI_TRUST_WORKSPACE=true`, or once in its own window), because
it also means obeying the folder's settings.
"""

from __future__ import annotations

import os
import re
from itertools import chain
from pathlib import Path

from ..asks import Ask
from ..model import Usage
from . import Backend, BackendSettings
from .agent import Agent, AgentBackend, Event, Problem, Transcript, may_search, parse_event
from .seen import file, opened

NO_KEY, BAD_SETTINGS, NOT_TRUSTED = 41, 52, 55

NO_TOOLS = Path(__file__).with_name("gemini_no_tools.toml")
SEARCH_AND_READ = Path(__file__).with_name("gemini_search.toml")
_ADDRESS = re.compile(r"https?://[^\s<>\"'`\])},]+(?<![.;:!?])")


def open_backend(settings: BackendSettings) -> Backend:
    """`gemini` or `gemini/MODEL`; BackendError when gemini is not installed."""
    return AgentBackend(GEMINI, settings)


def arguments(ask: Ask, model: str) -> list[str]:
    policy = SEARCH_AND_READ if may_search(ask) else NO_TOOLS
    words = ["-o", "stream-json", "--approval-mode", "default", "--policy", str(policy)]
    words += ["-m", model] if model else []
    if ask.session and ask.fork:
        words += ["--session-file", str(session_file(ask.session))]
    elif ask.session:
        words += ["--resume", ask.session]
    return words


def session_file(session: str) -> Path:
    """Where gemini keeps a session: a session read from a file goes on under a new id, which is a fork.

    A file that is not there is named all the same: gemini then ends as for any session it does not know.
    """
    home = Path(os.environ.get("GEMINI_CLI_HOME") or Path.home())
    chats = (home / ".gemini" / "tmp").glob(f"*/chats/session-*-{session[:8]}.jsonl")
    return next((chat for chat in chats if _holds(chat, session)), Path(f"{session}.jsonl"))


def _holds(chat: Path, session: str) -> bool:
    with chat.open(encoding="utf-8", errors="replace") as lines:
        first = parse_event(lines.readline())
    return first is not None and first.text("sessionId") == session


def read(event: Event, transcript: Transcript) -> None:
    match event.text("type"):
        case "init":
            transcript.session = event.text("session_id") or None
        case "message" if event.text("role") == "assistant":
            _add_piece(event.text("content"), transcript)
        case "tool_use":
            transcript.texts.append("")
            if event.text("tool_name") in ("read_file", "web_fetch"):
                transcript.calls[event.text("tool_id")] = event.at("parameters")
        case "tool_result":
            _end_call(event, transcript)
        case "result":
            transcript.usage = _usage(event.at("stats"))
            if event.text("status") == "error":
                transcript.problem = _problem(event.text("error", "message"))


def _end_call(result: Event, transcript: Transcript) -> None:
    """Which files it read and pages it opened; what pages say it never tells, its tools have a model sum them up."""
    call = transcript.calls.pop(result.text("tool_id"), None)
    if call and result.text("status") == "success":
        asked = _ADDRESS.findall(call.text("prompt"))  # `web_fetch` is given the addresses among other words
        transcript.see(chain(file(call.text("file_path")), *map(opened, (call.text("url"), *asked))))


def _add_piece(words: str, transcript: Transcript) -> None:
    """Text comes in pieces; only a tool call parts two paragraphs."""
    if transcript.texts:
        transcript.texts[-1] += words
    else:
        transcript.texts.append(words)


def _usage(stats: Event) -> Usage:
    tokens_in = stats.count("input_tokens")
    thoughts_included = stats.count("total_tokens") - tokens_in
    return Usage(
        tokens_in=tokens_in,
        tokens_out=max(stats.count("output_tokens"), thoughts_included),
        tokens_cached=stats.count("cached"),
    )


def _problem(message: str) -> Problem:
    """gemini wraps the service's own error: `[API Error: {"error": {"code": 401, …}}]`."""
    start, end = message.find("{"), message.rfind("}")
    told = parse_event(message[start : end + 1]) if start >= 0 else None
    if told is None:
        return Problem(message)
    return Problem(told.text("error", "message") or message, status=told.count("error", "code") or None)


GEMINI = Agent("gemini", arguments, read, final_codes=frozenset({NO_KEY, BAD_SETTINGS, NOT_TRUSTED}))
