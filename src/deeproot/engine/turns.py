"""A turn as the engine runs it: steps that are recorded before they are used, and replayed after a crash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import anyio
import anyio.to_thread

from ..answers import Invalid, parse_answer
from ..asks import Ask, Failure, Reply
from ..backends import Abilities
from ..clock import Clock
from ..events import TurnStarted
from ..hats.turn import Asked, StepFailed
from ..knowledge.sources import Altered, SourceStore
from ..model import Passage, Source, Tag
from ..project.journal import Step
from ..project.templates import Templates, fenced
from ..search import Found, Searcher
from ..settings import Settings
from ..state import State, Task, Trouble
from .perform import Performer
from .sources import SourcesRead, seen_before

A = TypeVar("A")

Steps = dict[str, Step]


class RecordedTurn:
    """Implements `hats.Turn` over a journal: a step with the same name and hash is never performed twice."""

    def __init__(
        self,
        state: State,
        started: TurnStarted,
        performer: Performer,
        searcher: Searcher,
        sources: SourceStore,
        templates: Templates,
        steps: Steps,
        post: Callable[[Step], anyio.Event],
        clock: Clock,
    ) -> None:
        self.state = state
        self.started = started
        self._performer = performer
        self._searcher = searcher
        self._store = sources
        self._templates = templates
        self._steps = steps
        self._post = post
        self._kept: anyio.Event | None = None
        self._clock = clock
        self._sources = SourcesRead(sources, searcher, clock, seen_before(state, started.topic))
        self.raised: dict[Tag, None] = {}
        self._trouble: Trouble | None = state.troubles.get(Task(started.hat, started.topic))

    @property
    def settings(self) -> Settings:
        return self.state.settings

    @property
    def abilities(self) -> Abilities:
        return self._performer.backend.abilities

    @property
    def guidance(self) -> tuple[str, ...]:
        return tuple(self.state.guidance[: self.started.guidance])

    @property
    def minutes_left(self) -> float | None:
        return self._performer.minutes_left

    def render(self, template: str, **variables: str) -> str:
        return self._templates.render(template, self.settings, self.started.iteration, **variables)

    async def ask(
        self,
        step: str,
        answer: type[A] | Callable[[str], A | Invalid],
        ask: Ask,
        check: Callable[[A], Sequence[str]] = lambda _: (),
        tries: int = 3,
    ) -> Asked[A]:
        ask = self._with_recovery(step, ask)
        current = ask
        for attempt in range(tries):
            name = step if attempt == 0 else f"{step}#{attempt + 1}"
            reply = await self._reply(name, current)
            parsed = parse_answer(answer, reply.text) if isinstance(answer, type) else answer(reply.text)
            errors = parsed.errors if isinstance(parsed, Invalid) else tuple(check(parsed))
            if not errors and not isinstance(parsed, Invalid):
                return Asked(parsed, reply.session)
            current = self._with_errors(ask, reply, errors)
        raise StepFailed(step, "the answer was not usable: " + "; ".join(errors))

    def _with_recovery(self, step: str, ask: Ask) -> Ask:
        """A step that failed before is asked with the recovery notes; the steps before it stay as recorded."""
        trouble = self._trouble
        if not trouble or not trouble.notes or trouble.step != step:
            return ask
        notes = self.render("phase_recovery", error=fenced("error", trouble.error), notes=trouble.notes)
        return replace(ask, prompt=ask.prompt + notes)

    def _with_errors(self, ask: Ask, reply: Reply, errors: Sequence[str]) -> Ask:
        """The same ask, saying what was wrong with the last answer; in its session where there still is one."""
        wrong = "\n".join(f"- {error}" for error in errors)
        answered = f"{ask.context}{ask.prompt}\n\nYou answered:\n{fenced('answer', reply.text)}\n\n"
        again = f"Your last answer could not be used:\n{wrong}\n\nReturn it again, corrected, in the same form.\n"
        return replace(ask, context=answered, prompt=again, session=reply.session, fork=False)

    async def _reply(self, name: str, ask: Ask) -> Reply:
        """What was answered, or answered when this step was taken before; what an agent opened for it is read."""
        model = self._performer.backend.name
        digest = _digest("ask", model, ask.kind, ask.context, ask.prompt, ask.session or "")
        step = self._steps.get(name)
        if step is None or step.reply is None or not (step.hash == digest or ask.lasting):
            step = await self._perform(name, ask, digest)
        if step.reply is None:
            assert step.failure, "no reply means a failure"
            raise StepFailed(name.split("#")[0], f"{step.failure.reason}: {step.failure.message}")
        self._sources.add(step.sources)
        if self.settings.web and step.sources:
            await self._read_opened(name, step.sources)
        return step.reply

    async def _perform(self, name: str, ask: Ask, digest: str) -> Step:
        model = self._performer.backend.name
        await self._durable()
        began = self._clock.monotonic()
        sent = self._performer.prefixes.count(ask)
        result = await self._performer.perform(ask)
        seconds = round(self._clock.monotonic() - began, 3)
        step = Step(self.started.turn, name, digest, model, seconds, *sent)
        if isinstance(result, Failure):
            step = replace(step, failure=result)
        else:
            step = replace(step, reply=_storable(result, ask, model), sources=await self._sources.seen(result.seen))
            self._performer.prefixes.remember(sent, result)
        self._keep(step)
        return step

    async def _read_opened(self, name: str, sources: Iterable[Source]) -> None:
        """Have the pages read that an agent opened without telling their texts, so that its quotes can be looked up."""
        opened = [source.location for source in sources if source.sha256 is None]
        async with anyio.create_task_group() as group:
            for number, location in enumerate(opened, 1):
                group.start_soon(self.read, f"{name} page-{number}", location, "", 1)

    async def search(self, step: str, query: str, limit: int) -> tuple[Passage, ...]:
        digest = _digest("search", query, str(limit))
        found = await self._found(step, digest, lambda: self._searcher.search(query, limit))
        if isinstance(found, Failure):
            raise StepFailed(step, f"{found.reason}: {found.message}")
        return found

    async def read(self, step: str, location: str, query: str, limit: int) -> tuple[Passage, ...] | Failure:
        digest = _digest("read", location, query, str(limit))
        return await self._found(step, digest, lambda: self._searcher.read(location, query, limit))

    async def _found(
        self, name: str, digest: str, look: Callable[[], Awaitable[Found | Failure]]
    ) -> tuple[Passage, ...] | Failure:
        """What was found, or found when this step was taken before. A failed look is recorded, and taken again."""
        step = self._steps.get(name)
        if step is None or step.hash != digest or step.passages is None:
            await self._durable()
            began = self._clock.monotonic()
            found = await look()
            step = Step(self.started.turn, name, digest, seconds=round(self._clock.monotonic() - began, 3))
            if isinstance(found, Failure):
                self._keep(replace(step, failure=found))
                return found
            await self._sources.found(found.passages)
            step = replace(step, passages=found.passages, tags=found.tags)
            self._keep(step)
        assert step.passages is not None, "checked above"
        self.raised |= dict.fromkeys(step.tags)
        return step.passages

    def texts_of(self, location: str) -> Sequence[str]:
        return self._sources.texts(location)

    async def kept(self, digests: Collection[str]) -> Mapping[str, str | Altered]:
        def texts() -> dict[str, str | Altered]:
            held = ((digest, self._store.text(digest)) for digest in sorted(digests))
            return {digest: text for digest, text in held if text is not None}

        return await anyio.to_thread.run_sync(texts)

    def _keep(self, step: Step) -> None:
        self._kept = self._post(step)

    async def _durable(self) -> None:
        """Nothing more is spent before what came of the last step is on disk."""
        if self._kept:
            await self._kept.wait()


def _storable(reply: Reply, ask: Ask, model: str) -> Reply:
    """The reply as it is recorded: no half surrogates, no texts of sources, and how a fork was made."""
    text = reply.text.encode("utf-8", "replace").decode()
    fork = reply.fork or ("emulated" if ask.context and not ask.session else "")
    return replace(reply, text=text, model=reply.model or model, fork=fork, seen=())


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()
