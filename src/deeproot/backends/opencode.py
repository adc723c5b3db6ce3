"""The `opencode` command line: `opencode run --model PROVIDER/MODEL` with the prompt on standard input.

`opencode/big-pickle` means the model of opencode's own provider, which opencode itself writes with the same
words; `opencode/PROVIDER/MODEL` means another provider's, which opencode writes `PROVIDER/MODEL`; plain
`opencode` leaves the choice to its configuration.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..asks import Ask, Failure, Reason, Seen
from ..model import Usage
from . import Backend, BackendSettings
from .agent import MANNER, Agent, AgentBackend, Event, Problem, Transcript, may_search
from .process import Finished, MissingCommand, run_process
from .seen import LONGEST, file, page, search_results, web_page

LISTING_SECONDS = 20.0
AGENT_NAME = "deeproot"

# The last rule that matches counts, so these also overrule what the user allows elsewhere. Folders outside
# the working folder stay closed under "*"; opencode has no rule for which addresses `webfetch` may reach.
NOTHING = {"*": "deny"}
SEARCH_AND_READ = {
    "*": "deny",
    "websearch": "allow",
    "webfetch": "allow",
    "read": {"*": "allow", "*.env": "deny", "*.env.*": "deny"},
    "grep": "allow",
    "glob": "allow",
    "list": "allow",
}


def open_backend(settings: BackendSettings) -> Backend:
    """`opencode/MODEL`; BackendError when opencode is not installed."""
    return AgentBackend(OPENCODE, settings)


def full_name(model: str) -> str:
    """The model as opencode's own `--model` wants it: always with its provider."""
    return model if "/" in model else f"opencode/{model}"


def arguments(ask: Ask, model: str) -> list[str]:
    chosen = ["--model", full_name(model)] if model else []
    words = ["run", *chosen, "--format", "json", "--title", f"deeproot {ask.kind}", "--agent", AGENT_NAME]
    if ask.session:
        words += ["--session", ask.session, *(["--fork"] if ask.fork else [])]
    return words


def environment(ask: Ask) -> Mapping[str, str]:
    """An agent of ours, added to the user's configuration: a short prompt, and no tool that acts."""
    config = _own_config(os.environ.get("OPENCODE_CONFIG_CONTENT", ""))
    permission = SEARCH_AND_READ if may_search(ask) else NOTHING
    agents = config.get("agent")
    config |= {
        "share": "disabled",
        "autoupdate": False,
        "snapshot": False,
        "agent": {
            **(agents if isinstance(agents, dict) else {}),
            AGENT_NAME: {"mode": "primary", "prompt": MANNER, "permission": permission},
        },
    }
    return {"OPENCODE_CONFIG_CONTENT": json.dumps(config)}


def _own_config(content: str) -> dict[str, object]:
    """What the user already passes this way."""
    try:
        config = json.loads(content or "{}")
    except ValueError:
        return {}
    return config if isinstance(config, dict) else {}


def read(event: Event, transcript: Transcript) -> None:
    session = event.text("sessionID")
    if not session:
        return
    transcript.session = session
    match event.text("type"):
        case "text":
            transcript.texts.append(event.text("part", "text"))
        case "tool_use":
            transcript.denied = _denied(event.at("part")) or transcript.denied
            transcript.see(_seen(event.at("part")))
        case "step_finish":
            transcript.spend(_usage(event.at("part")))
        case "error":
            transcript.problem = _problem(event.at("error"))


def _denied(call: Event) -> str:
    """Why a tool call came to nothing. A tool that is not allowed at all is reported as the tool `invalid`."""
    return call.text("state", "error") or (call.text("state", "output") if call.text("tool") == "invalid" else "")


def _seen(call: Event) -> Iterable[Seen]:
    """What a finished call gave to read. Of a page as bare HTML the agent quotes words, not tags: that is left out."""
    told, given = call.at("state"), call.at("state", "input")
    if told.text("status") != "completed":
        return ()
    match call.text("tool"):
        case "webfetch" if given.text("format") != "html" and not told.items("attachments"):
            html = "(text/html" in told.text("title") and given.text("format") != "text"
            return (web_page if html else page)(given.text("url"), _output(told))
        case "websearch":
            return search_results(_output(told))
        case "read":
            return file(given.text("filePath"))
    return ()


def _output(told: Event) -> str:
    """What a call gave; of one that gave too much opencode says little, and in which file of its own the whole is."""
    if not told.at("metadata", "truncated").value:
        return told.text("output")
    try:
        with Path(told.text("metadata", "outputPath")).open(encoding="utf-8", errors="replace") as whole:
            return whole.read(LONGEST + 1)
    except OSError:
        return ""


def _usage(step: Event) -> Usage:
    tokens = step.at("tokens")
    cached = tokens.count("cache", "read")
    return Usage(
        tokens_in=tokens.count("input") + cached + tokens.count("cache", "write"),
        tokens_out=tokens.count("output") + tokens.count("reasoning"),
        tokens_cached=cached,
        cost=step.number("cost"),
    )


def _problem(error: Event) -> Problem:
    told = error.at("data")
    wait = told.text("responseHeaders", "retry-after")
    return Problem(
        message=told.text("message") or error.text("name"),
        name=error.text("name"),
        status=told.count("statusCode") or None,
        retry_after=float(wait) if wait.isdecimal() else None,
    )


async def explain(problem: Problem, model: str) -> Failure | None:
    """opencode calls a model it does not know an `UnknownError`: then say which models it does know."""
    if problem.name != "UnknownError" or not model:
        return None
    wanted, known = full_name(model), await list_models()
    if wanted in known:
        return None
    offers = f"It offers: {', '.join(known)}." if known else "`opencode models` lists what it offers."
    return Failure(Reason.REFUSED, f"opencode has no model {wanted} ({problem.message}) {offers}")


async def list_models() -> tuple[str, ...]:
    """What `opencode models` prints; empty when it does not answer."""
    try:
        ended = await run_process(
            ["opencode", "models"], stdin="", timeout=LISTING_SECONDS, idle_timeout=LISTING_SECONDS
        )
    except MissingCommand:
        return ()
    answered = isinstance(ended, Finished) and ended.code == 0
    return tuple(line for line in ended.stdout.split() if "/" in line) if answered else ()


OPENCODE = Agent("opencode", arguments, read, environment, explain)
