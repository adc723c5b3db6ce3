"""What the agent command lines have in common: one process per ask, its events gathered into a reply.

What differs between them stands in one `Agent` each (`opencode.py`, `claude.py`, …): the arguments, the
environment, and how an event is read. Their exit codes are not trusted alone: an agent whose tool was denied,
or whose key was refused, may end with 0 and no text.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from ..asks import AnswerInputs, Ask, Failure, Kind, Reason, Reply, Seen
from ..errors import BackendError
from ..model import Usage, one_line
from . import Abilities, BackendSettings
from .keys import without_secrets
from .process import Finished, Killed, MissingCommand, find_command, run_process
from .seen import Sights

MANNER = "Do what the message asks, with the tools you have, and answer with text alone."
"""The system prompt, for agents whose own one is about writing programs."""

ABLE = Abilities(tools=True, sessions=True, fork=True)
LAST_WORDS = 600
SEARCHING = frozenset({Kind.DOCUMENT, Kind.QUERIES})


def may_search(ask: Ask) -> bool:
    """Whether the agent may use its tools for searching and reading; it never gets any other.

    An answer at once is searched for; one that is written from documents is not.
    """
    at_once = isinstance(ask.inputs, AnswerInputs) and not ask.inputs.topics
    return ask.kind in SEARCHING or at_once


@dataclass(frozen=True, slots=True)
class Problem:
    """An error an agent told of, with the HTTP status behind it when it gave one."""

    message: str
    name: str = ""
    status: int | None = None
    retry_after: float | None = None


@dataclass(slots=True)
class Transcript:
    """What an agent said, gathered event by event.

    `session` stays None until the agent has opened one, `usage` until it told. `problem` is what it gave up on,
    `denied` what it was told about the last tool it could not use. `calls` are tools that have not told their outcome
    yet, `sights` what others gave it to read.
    """

    texts: list[str] = field(default_factory=list)
    session: str | None = None
    usage: Usage | None = None
    problem: Problem | None = None
    denied: str = ""
    calls: dict[str, Event] = field(default_factory=dict)
    sights: Sights = field(default_factory=Sights)

    def spend(self, usage: Usage) -> None:
        self.usage = usage if self.usage is None else self.usage + usage

    def see(self, seen: Iterable[Seen]) -> None:
        for each in seen:
            self.sights.add(each)

    @property
    def text(self) -> str:
        return "\n".join(self.texts).strip()


@dataclass(frozen=True, slots=True)
class Event:
    """A JSON object an agent printed. What is missing or of another type reads as empty: formats move."""

    value: object

    def at(self, *path: str) -> Event:
        found = self.value
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        return Event(found)

    def text(self, *path: str) -> str:
        found = self.at(*path).value
        return found if isinstance(found, str) else ""

    def number(self, *path: str) -> float | None:
        found = self.at(*path).value
        return found if isinstance(found, int | float) else None

    def count(self, *path: str) -> int:
        return int(self.number(*path) or 0)

    def items(self, *path: str) -> list[Event]:
        found = self.at(*path).value
        return [Event(item) for item in found] if isinstance(found, list) else []


def _nothing_more(_: Ask) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent command line. `word` is the backend's name and the program's.

    arguments: of the program, for an ask and a model ("" for the agent's own default).
    read: takes an event into the transcript.
    environment: what to add to ours.
    explain: may turn a problem into a better failure than its status gives.
    final_codes: exit codes that no further attempt will change.
    cumulative: usage counts the whole session, and a fork starts with its parent's.
    noise: how lines begin that are not worth parsing.
    """

    word: str
    arguments: Callable[[Ask, str], Sequence[str]]
    read: Callable[[Event, Transcript], None]
    environment: Callable[[Ask], Mapping[str, str]] = _nothing_more
    explain: Callable[[Problem, str], Awaitable[Failure | None]] | None = None
    final_codes: frozenset[int] = frozenset()
    cumulative: bool = False
    abilities: Abilities = ABLE
    noise: tuple[str, ...] = ()


class AgentBackend:
    """Answers asks by running an agent command line."""

    def __init__(self, agent: Agent, settings: BackendSettings) -> None:
        """BackendError when the program is not installed: that should be known before anything is spent."""
        try:
            find_command(agent.word)
        except MissingCommand as missing:
            raise BackendError(
                f"{missing} Install {agent.word}, or choose another backend with --model, "
                f"for example --model offline or --model mock."
            ) from missing
        self.name = f"{agent.word}/{settings.model}" if settings.model else agent.word
        self.provider = self.name.rpartition("/")[0] or agent.word
        self.abilities = agent.abilities
        self._agent = agent
        self._settings = settings
        self._totals: dict[str, Usage] = {}

    async def answer(self, ask: Ask) -> Reply | Failure:
        """Run the agent; when it no longer knows the session, once more in a new one with the context."""
        try:
            transcript, ended = await self._run(ask)
            if ask.session and _not_opened(transcript, ended):
                ask = replace(ask, session=None, fork=False)
                transcript, ended = await self._run(ask)
        except (MissingCommand, OSError) as error:
            return Failure(Reason.UNAVAILABLE, f"{self._agent.word} cannot be started: {error}")
        return without_secrets(await self._conclude(ask, transcript, ended))

    async def _conclude(self, ask: Ask, transcript: Transcript, ended: Finished | Killed) -> Reply | Failure:
        if isinstance(ended, Killed):
            return Failure(Reason.TIMED_OUT, f"{self._agent.word} {too_long(ended, self._settings)}.")
        text = transcript.text if transcript.session else ended.stdout.strip()
        if ended.code or transcript.problem or not text:
            return await self._failure(transcript, ended)
        return Reply(
            text=text,
            session=transcript.session,
            usage=self._usage(ask, transcript),
            model=self._settings.model,
            fork="native" if ask.session and ask.fork else "",
            seen=transcript.sights.all(),
        )

    async def aclose(self) -> None:
        """Nothing is held between asks."""

    async def _run(self, ask: Ask) -> tuple[Transcript, Finished | Killed]:
        transcript = Transcript()
        ended = await run_process(
            [self._agent.word, *self._agent.arguments(ask, self._settings.model)],
            stdin=ask.prompt if ask.session else ask.context + ask.prompt,
            timeout=self._settings.timeout,
            idle_timeout=self._settings.idle_timeout,
            env={**os.environ, **self._agent.environment(ask)},
            on_line=partial(self._listen, transcript),
        )
        return transcript, ended

    def _listen(self, transcript: Transcript, line: str) -> None:
        event = None if line.startswith(self._agent.noise) else parse_event(line)
        if event is not None:
            self._agent.read(event, transcript)

    def _usage(self, ask: Ask, transcript: Transcript) -> Usage:
        """What this ask alone has used; nothing rather than a wrong figure when the base is not known."""
        told = transcript.usage or Usage()
        if not self._agent.cumulative:
            return told
        base = self._totals.get(ask.session) if ask.session else Usage()
        if transcript.session and transcript.usage:
            self._totals[transcript.session] = told
        return _difference(told, base) if base is not None else Usage()

    async def _failure(self, transcript: Transcript, ended: Finished) -> Failure:
        problem = transcript.problem
        if problem and self._agent.explain:
            explained = await self._agent.explain(problem, self._settings.model)
            if explained:
                return explained
        if problem:
            reason = reason_for(problem.status)
            message = one_line(problem.message, LAST_WORDS)
            return Failure(reason, f"{self._agent.word}: {message}", problem.retry_after)
        said = _last_said(transcript, ended)
        if not ended.code:
            return Failure(Reason.EMPTY, f"{self._agent.word} ended without an answer. {said}".rstrip())
        reason = Reason.REFUSED if ended.code in self._agent.final_codes else Reason.FAILED
        return Failure(reason, f"{self._agent.word} exited with {ended.code}: {said or 'it did not say why'}")


def parse_event(line: str) -> Event | None:
    if not line.startswith("{"):
        return None
    try:
        return Event(json.loads(line))
    except (ValueError, RecursionError):
        return None


def reason_for(status: int | None) -> Reason:
    """What an HTTP status behind a failure means for the next attempt."""
    match status:
        case 401 | 403 | 404:
            return Reason.REFUSED
        case 429:
            return Reason.RATE_LIMITED
        case 408 | 500 | 502 | 503 | 504 | 529:
            return Reason.UNAVAILABLE
        case _:
            return Reason.FAILED


def last_words(printed: str) -> str:
    """The end of what was printed, as one line without terminal colours."""
    plain = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", printed[-10 * LAST_WORDS :])
    return one_line(plain)[-LAST_WORDS:]


def _last_said(transcript: Transcript, ended: Finished) -> str:
    """What may explain an ending. Events are not for people: with a session, standard output has nothing else."""
    if transcript.denied:
        return f"A tool was denied: {one_line(transcript.denied, LAST_WORDS)}"
    return last_words(ended.stderr) or ("" if transcript.session else last_words(ended.stdout))


def _not_opened(transcript: Transcript, ended: Finished | Killed) -> bool:
    """An agent that does not know a session ends before it has opened one."""
    return transcript.session is None and isinstance(ended, Finished) and ended.code != 0


def too_long(killed: Killed, settings: BackendSettings) -> str:
    """What a process did that was ended, to go after its name."""
    if killed.why == "idle":
        return f"timed out: it printed nothing for {settings.idle_timeout:g} s"
    return f"timed out after {settings.timeout:g} s"


def _difference(total: Usage, base: Usage) -> Usage:
    return Usage(
        total.tokens_in - base.tokens_in,
        total.tokens_out - base.tokens_out,
        total.tokens_cached - base.tokens_cached,
        total.cost,
    )
