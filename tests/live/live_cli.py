"""Whole runs through the real agent command lines, opencode and codex, against a scripted model on loopback.

    python tests/live/live_cli.py [--cache .cache/cli] [--agents opencode codex] [--minutes 11]

Installs the agents by npm into the cache folder when they are not there, which counts towards the minutes. Prints a row
per check and exits 1 when one failed; where npm or the download fails it says so and exits 0.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio
from live_agents import MODELS, at_home, install, kill_agents, running
from live_checks import Check, Checks, Note, Wrong, require
from live_command import Project, Told
from live_script import AGAIN, GARBAGE, SPOILED, play, secret_outside, write_notes, written_by_tools
from live_server import Request, ScriptedServer

from deeproot.answers import Invalid, parse_answer
from deeproot.asks import Ask, DocumentAnswer, Failure, Kind, PlanInputs, Reason, Reply
from deeproot.backends import Backend, BackendSettings, open_backend
from deeproot.events import LeavesRanked
from deeproot.model import Status, Usage

QUESTION = "What is known about apples?"
TOPICS = 3
SHAPE = ("--breadth", "2", "--depth", "1", "--concurrency", "2")
PATIENT = 200.0
SHORT = {"opencode": 60.0, "codex": 10.0}
"""Long enough for the agent to ask the model, which then says nothing."""
ORPHAN_SECONDS = 5.0

# What an agent makes of a trouble. codex says "high demand" about a 500 and keeps the status to itself.
REASONS = {
    "401": {"opencode": Reason.REFUSED, "codex": Reason.REFUSED},
    "429": {"opencode": Reason.RATE_LIMITED, "codex": Reason.RATE_LIMITED},
    "500": {"opencode": Reason.UNAVAILABLE, "codex": Reason.FAILED},
    "hang": {"opencode": Reason.TIMED_OUT, "codex": Reason.TIMED_OUT},
    "empty": {"opencode": Reason.EMPTY, "codex": Reason.EMPTY},
    "half": {"opencode": Reason.FAILED, "codex": Reason.FAILED},
    "shell": {"opencode": Reason.EMPTY, "codex": Reason.EMPTY},
    "outside": {"opencode": Reason.EMPTY, "codex": Reason.EMPTY},
}
DENIED = ("shell", "outside")


class Campaign:
    """Everything that is checked about one agent."""

    def __init__(self, agent: str, server: ScriptedServer, project: Project, checks: Checks) -> None:
        self._agent = agent
        self._model = MODELS[agent]
        self._server = server
        self._project = project
        self._checks = checks

    async def run(self) -> None:
        """One ask alone: two agents cannot set up a home at once. Then the slow ones, and others meanwhile."""
        await self._check("401", partial(self._trouble, "401"))
        async with anyio.create_task_group() as group:
            for word in ("500", "hang"):
                group.start_soon(self._check, word, partial(self._trouble, word))
            for word in ("429", "empty", *DENIED):
                await self._check(word, partial(self._trouble, word))
            await self._check("garbage JSON", self._garbage)
            await self._check("forks see the history, the parent is unchanged", self._forks)
        await self._check("killed mid-answer", self._killed)
        await self._check("a bad key ends a run: exit 1, one sentence", self._refused_run)
        await self._check("kill -9 of the command leaves no agent behind", self._orphans)
        for strategy in ("breadth", "guided"):
            await self._whole_run(strategy)

    async def _check(self, name: str, check: Check) -> bool:
        return await self._checks.run(f"{self._agent}: {name}", check)

    # Single asks

    def _backend(self, seconds: float = PATIENT) -> Backend:
        return open_backend(self._model, BackendSettings("", seconds, seconds))

    async def _trouble(self, word: str, note: Note) -> None:
        before = len(self._about(word))
        backend = self._backend(SHORT[self._agent] if word == "hang" else PATIENT)
        kind = Kind.DOCUMENT if word in DENIED else Kind.PLAN
        self._is(await backend.answer(_ask(f"Trouble: {word}", kind)), REASONS[word][self._agent], note)
        require(len(self._about(word)) > before, "the model was never asked")
        if word in DENIED:
            self._nothing_happened()

    def _is(self, got: Reply | Failure, reason: Reason, note: Note) -> None:
        require(isinstance(got, Failure) and got.reason is reason, f"expected {reason!r}, got {got}")
        assert isinstance(got, Failure)
        note(f"{got.reason}: {got.message[:90]}")

    def _about(self, word: str) -> list[Request]:
        return [request for request in self._server.requests if f"Trouble: {word}" in request.said("user")[-1]]

    def _nothing_happened(self) -> None:
        folder = self._project.folder
        require(not written_by_tools(folder).exists(), "the tool was used: a file was written")
        secret = secret_outside(folder).read_text(encoding="utf-8")
        told = any(secret in request.transcript for request in self._server.requests)
        require(not told, "a file outside the project was read")

    async def _killed(self, note: Note) -> None:
        got: list[Reply | Failure] = []

        async def ask() -> None:
            got.append(await self._backend().answer(_ask("Trouble: half")))

        self._server.halfway.clear()
        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            await _until(self._server.halfway.is_set, PATIENT, "half an answer was never given")
            require(kill_agents(self._project.environment), "there was no agent to kill")
        self._is(got[0], REASONS["half"][self._agent], note)

    async def _garbage(self, note: Note) -> None:
        got = await self._backend().answer(_ask("Trouble: garbage"))
        require(isinstance(got, Reply) and got.text == GARBAGE, f"expected the text as it was, got {got}")
        assert isinstance(got, Reply)
        parsed = parse_answer(DocumentAnswer, got.text)
        require(isinstance(parsed, Invalid), f"it was taken for an answer: {parsed}")
        note(str(parsed))

    async def _forks(self, note: Note) -> None:
        backend = self._backend()
        parent = await self._reply(backend, _ask("The first message is ALPHA."))
        child = await self._reply(backend, _ask("Then came BETA.", session=parent.session, fork=True))
        again = await self._reply(backend, _ask("At last GAMMA.", session=parent.session))
        require(child.session not in (None, parent.session), "the fork has the session of its parent")
        require((again.session, child.fork, again.fork) == (parent.session, "native", ""), f"{child} {again}")
        beta, gamma = (self._asked(word) for word in ("BETA", "GAMMA"))
        require("ALPHA" in beta.transcript and "Hello." in beta.transcript, "the child does not see the history")
        require("ALPHA" in gamma.transcript, "the parent lost its history")
        require("BETA" not in gamma.transcript, "the parent was changed by the fork")
        for reply, request in ((child, beta), (again, gamma)):
            require(_plain(reply.usage) == request.usage, f"usage {reply.usage}, but the model told {request.usage}")
        note(f"{_plain(child.usage).tokens_cached} of {child.usage.tokens_in} tokens of the fork cached")

    async def _reply(self, backend: Backend, ask: Ask) -> Reply:
        got = await backend.answer(ask)
        require(isinstance(got, Reply), str(got))
        assert isinstance(got, Reply)
        return got

    def _asked(self, word: str) -> Request:
        """The latest request with this word: the server outlives an agent's campaign."""
        return next(request for request in reversed(self._server.requests) if word in request.said("user")[-1])

    # Runs of the command

    async def _refused_run(self, note: Note) -> None:
        words = ("Trouble: 401", "--name", f"refused-{self._agent}", "--model", self._model, *SHAPE)
        ended = await self._project.research(*words, seconds=min(PATIENT, self._checks.left))
        require(ended.code == 1, f"exit {ended.code}:\n{ended.output}")
        last = ended.output.strip().splitlines()[-1]
        require("refused" in last and "Traceback" not in ended.output, ended.output)
        note(last[:90])

    async def _orphans(self, note: Note) -> None:
        words = ("Trouble: hang", "--name", f"orphan-{self._agent}", "--model", self._model, *SHAPE)
        before = len(self._about("hang"))
        process = self._project.start(*words)
        try:
            await _until(lambda: len(self._about("hang")) > before, PATIENT, "the model was never asked")
            require(running(self._project.environment), "no agent is running")
        finally:
            process.kill()
            process.communicate()
        began = anyio.current_time()
        await _until(lambda: not running(self._project.environment), ORPHAN_SECONDS, "an agent is still there")
        note(f"gone after {anyio.current_time() - began:.1f} s")

    async def _whole_run(self, strategy: str) -> None:
        name = f"{strategy}-{self._agent}"
        first = len(self._server.requests)
        if not await self._check(f"a whole {strategy} run", partial(self._run_to_the_end, strategy, name)):
            return
        told, requests = self._project.told(name), self._server.requests[first:]
        await self._check(f"{strategy}: usage as the model told it", partial(_usage, told, requests))
        await self._check(f"{strategy}: child topics fork their parent's session", partial(_forked, told, requests))
        await self._check(f"{strategy}: garbage is asked again in its session", partial(_asked_again, told, requests))
        if strategy == "guided":
            await self._check("guided: the picker chose", partial(_picked, told))

    async def _run_to_the_end(self, strategy: str, name: str, note: Note) -> None:
        words = (QUESTION, "--name", name, "--model", self._model, "--strategy", strategy, *SHAPE)
        ended = await self._project.research(*words, seconds=self._checks.left)
        require(ended.code == 0, f"exit {ended.code}:\n{ended.output[-3000:]}")
        told = self._project.told(name)
        told.files()
        done = told.past.state.counts[Status.COMPLETE]
        require(done == TOPICS, f"{done} of {TOPICS} topics are complete")
        failures = [step.failure for step in told.steps if step.failure]
        require(not failures, f"steps failed: {failures}")
        note(f"{len(told.steps)} asks, {done} topics")


def _ask(prompt: str, kind: Kind = Kind.PLAN, session: str | None = None, fork: bool = False) -> Ask:
    return Ask(kind, prompt, PlanInputs(QUESTION, 2), session=session, fork=fork)


def _plain(usage: Usage) -> Usage:
    return Usage(usage.tokens_in, usage.tokens_out, usage.tokens_cached)


async def _until(condition: Callable[[], object], seconds: float, otherwise: str) -> None:
    with anyio.move_on_after(seconds):
        while not condition():  # noqa: ASYNC110 - other processes set no events of ours
            await anyio.sleep(0.05)
        return
    raise Wrong(otherwise)


async def _usage(told: Told, requests: list[Request], note: Note) -> None:
    """Each ask is charged with the requests it made, those after a tool call included, and with no other."""
    charged: dict[tuple[str, int], Usage] = {}
    for request in requests:
        asked = request.said("user")
        key = (asked[-1], len(asked))
        charged[key] = charged.get(key, Usage()) + (request.usage or Usage())
    wrong = Counter(told.usages) - Counter(charged.values())
    require(
        not wrong, f"on record, but not told: {list(wrong)}\n{list(Counter(charged.values()) - Counter(told.usages))}"
    )
    total = sum(told.usages, Usage())
    require(total == sum(charged.values(), Usage()), f"{total} on record, {sum(charged.values(), Usage())} told")
    note(f"{total.tokens_in} in, {total.tokens_cached} of them cached, {total.tokens_out} out")


async def _forked(told: Told, requests: list[Request], note: Note) -> None:
    """Both children see what was said to their parent and what it answered; neither sees the other."""
    for child, sibling in (("Apple seeds", "Apple skins"), ("Apple skins", "Apple seeds")):
        asked = [request for request in requests if _is_document(request.said("user")[-1], child)]
        require(asked, f"the document of {child!r} was never asked for")
        earlier = asked[0].said("user")[:-1]
        require(any(_is_document(text, "Apples") for text in earlier), f"{child}: the parent's ask is not there")
        require(any("five chambers" in text for text in asked[0].said("assistant")), f"{child}: no parent's answer")
        require(not any(_is_document(text, sibling) for text in earlier), f"{child} sees {sibling}")
    forks = [step.reply.fork for step in told.steps if step.name == "document" and step.reply]
    require(Counter(forks) == {"": 1, "native": 2}, f"forks on record: {forks}")
    note("2 native forks")


def _is_document(text: str, topic: str) -> bool:
    return '"findings"' in text and f"The topic: {topic}\n" in text


async def _asked_again(told: Told, requests: list[Request], note: Note) -> None:
    again = [step for step in told.steps if step.name == "document#2"]
    require(len(again) == 1, f"{len(again)} second asks on record")
    spoiled = [step for step in told.steps if step.turn == again[0].turn and step.name == "document"]
    sessions = {step.reply.session for step in (*spoiled, *again) if step.reply}
    require(len(sessions) == 1, f"asked again in another session: {sessions}")
    asked = [request for request in requests if request.said("user")[-1].startswith(AGAIN)]
    require(asked and GARBAGE in asked[0].said("assistant")[-1], "the model was not shown what was wrong")
    note(f"{SPOILED}: {len(asked)} second ask")


async def _picked(told: Told, note: Note) -> None:
    picks = [event for event in told.events if isinstance(event, LeavesRanked)]
    require(any(event.by == "picker" for event in picks), f"ranked by {[event.by for event in picks]}")
    note(", ".join(event.by for event in picks))


async def campaign(agents: list[str], cache: Path, minutes: float) -> int:
    checks = Checks(minutes)
    with tempfile.TemporaryDirectory() as place, ScriptedServer(play) as server:
        folder = Path(place) / "project"
        folder.mkdir()
        write_notes(folder)
        secret_outside(folder).write_text("the-secret-outside", encoding="utf-8")
        environment = at_home(Path(place) / "home", cache, server.url)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        for agent in agents:
            await Campaign(agent, server, Project(folder, environment), checks).run()
        os.chdir("/")
    return checks.finish()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path(".cache/cli"))
    parser.add_argument("--agents", nargs="+", choices=sorted(MODELS), default=sorted(MODELS))
    parser.add_argument("--minutes", type=float, default=11.0)
    options = parser.parse_args()
    cache = options.cache.resolve()
    began = time.monotonic()
    if problem := install(cache):
        print(f"skipped: {problem}")
        return 0
    installing = (time.monotonic() - began) / 60
    return anyio.run(campaign, options.agents, cache, options.minutes - installing)


if __name__ == "__main__":
    sys.exit(main())
