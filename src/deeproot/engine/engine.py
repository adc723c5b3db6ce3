"""The loop: tasks from the strategy, a turn for each, events into the journal, until nothing is left to do."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import anyio
from anyio.abc import TaskGroup

from .. import events as e
from ..clock import Clock
from ..errors import BackendError, DeeprootError
from ..knowledge.sources import SourceStore
from ..model import Status
from ..project.disk import Disk
from ..project.journal import Batch, Entry, Journal
from ..project.lock import ResearcherLock
from ..project.requests import GUIDE, STOP, pending
from ..project.scribe import Scribe
from ..project.templates import Templates
from ..search import Searcher
from ..settings import RETRIES
from ..state import State, Task
from .cycle import Cycle
from .notice import Noticer
from .perform import Performer
from .strategy import Strategy
from .turns import RecordedTurn, StepFailed, Steps

HEARTBEAT = 30.0


class Ending(StrEnum):
    """How a run ended; the exit codes are in `EXIT_CODES`."""

    COMPLETE = "complete"
    LIMITED = "limited"
    CAUTION = "caution"
    FAILED = "failed"
    STOPPED = "stopped"


EXIT_CODES: Mapping[Ending, int] = {
    Ending.COMPLETE: 0,
    Ending.FAILED: 1,
    Ending.LIMITED: 2,
    Ending.CAUTION: 3,
    Ending.STOPPED: 130,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    ending: Ending
    reason: str = ""

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.ending]


Watch = Callable[[Entry, State], None]


class Engine:
    """Runs one researcher. The only writer of its journal; everything it knows is in `state`."""

    def __init__(
        self,
        *,
        state: State,
        steps: dict[str, Steps],
        cycle: Cycle,
        strategy: Strategy,
        performers: Mapping[str, Performer],
        searcher: Searcher,
        sources: SourceStore,
        templates: Templates,
        journal: Journal,
        scribe: Scribe,
        noticer: Noticer,
        lock: ResearcherLock,
        disk: Disk,
        clock: Clock,
        watch: Watch,
    ) -> None:
        self.state = state
        self._steps = steps
        self._cycle = cycle
        self._hats = cycle.hats
        self._strategy = strategy
        self._performers = performers
        self._searcher = searcher
        self._sources = sources
        self._templates = templates
        self._journal = journal
        self._scribe = scribe
        self._noticer = noticer
        self._lock = lock
        self._disk = disk
        self._clock = clock
        self._watch = watch
        self._running: set[Task] = set()
        self._changed = anyio.Event()
        self._stopping = False
        self._failure = ""
        self._lost: BackendError | None = None

    async def run(self) -> Outcome:
        """Until nothing is left to do. Raises the first error that ends a run; what was recorded stays."""
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._journal.serve, self._committed)
                group.start_soon(self._scribe.serve, self.state)
                group.start_soon(self._beat)
                await self._loop(group)
                group.cancel_scope.cancel()
        except BaseExceptionGroup as errors:
            raise _first_of_ours(errors) from None
        if self._lost:
            raise self._lost
        return self._outcome()

    def stop(self) -> None:
        """Start nothing more; the run ends when what is running has ended."""
        self._stopping = True
        self._changed.set()

    async def _loop(self, group: TaskGroup) -> None:
        while True:
            self._changed = anyio.Event()
            await self._listen()
            if self._lost:
                await self._record(e.BackendLost(str(self._lost)))
                return
            started = 0 if self._stopping or self._failure else await self._start(group)
            if not self._running and not started and not await self._move_on():
                return
            if self._running:
                await self._changed.wait()

    async def _move_on(self) -> bool:
        """Nothing is running or due: enter the next phase. False when there is none."""
        if self._stopping or self._failure:
            return False
        events = self._cycle.advance(self.state)
        if events:
            await self._record(*events)
        return bool(events)

    async def _start(self, group: TaskGroup) -> int:
        """Fill the free slots: first turns a crash left open, then what the strategy says.

        A turn may begin before its announcement is durable: if that is lost, so is the turn, and it is announced again.
        """
        busy = sum(self._hats[task.hat].takes_slot for task in self._running)
        free = max(0, self.state.settings.concurrency - busy)
        left_open = [task for task in self.state.open if task not in self._running][:free]
        tasks = [task for task in self._strategy.next(self.state, free - len(left_open)) if task not in self._running]
        turns = [*(self.state.open[task] for task in left_open), *self._announce(tasks)]
        if not turns:
            return 0
        self._running.update(left_open, tasks)
        announced = self._post(*turns[len(left_open) :])
        await self._show_first(announced, [turn.topic for turn in turns])
        for started in turns:
            group.start_soon(self._turn, started, announced)
        await announced.wait()
        return len(turns)

    async def _show_first(self, announced: anyio.Event, topics: list[str]) -> None:
        """Where people watch the files, they see a turn announced before it begins."""
        if self.state.settings.concurrency == 1:
            await announced.wait()
            await self._scribe.flush(self.state)
        if self._scribe.tree:
            await announced.wait()
            await self._scribe.mark(self.state, topics)

    def _announce(self, tasks: list[Task]) -> list[e.TurnStarted]:
        events: list[e.TurnStarted] = []
        iteration = self.state.iteration
        for task in tasks:
            hat = self._hats[task.hat]
            growth = self.state.growths.get(task.topic)
            number = growth.iteration if growth and not self.state.settled else 0
            if hat.name == "researcher" and task not in self.state.troubles:
                iteration += 1
                number = iteration
            turn = f"{task.hat}:{task.topic}:{self.state.rounds[task] + 1}"
            heard = len(self.state.guidance) if hat.heeds else 0
            events.append(e.TurnStarted(turn, task.hat, hat.phase, task.topic, number, heard))
        return events

    async def _turn(self, started: e.TurnStarted, announced: anyio.Event) -> None:
        """One hat on one topic. The only place where any error is caught: it fails this turn and no other.

        A turn that is no longer open when it ends was overtaken by a person's edit: it concludes nothing.
        """
        task = Task(started.hat, started.topic)
        hat = self._hats[task.hat]
        turn = RecordedTurn(
            self.state,
            started,
            self._performers[hat.role],
            self._searcher,
            self._sources,
            self._templates,
            self._steps.setdefault(started.turn, {}),
            self._journal.post,
            self._clock,
        )
        try:
            events = await hat.act(turn)
            events += [e.TagRaised(tag, started.topic) for tag in turn.raised]
        except BackendError as error:
            self._lost = error
            self._changed.set()
            return
        except StepFailed as failure:
            events = self._failed(task, started, failure.step, failure.error)
        except DeeprootError:
            raise
        except Exception as error:
            self._log(traceback.format_exc())
            events = self._failed(task, started, "", f"{type(error).__name__}: {error}")
        await announced.wait()
        if self.state.open.get(task) is started:
            await self._journal.append(Entry(self._clock.now(), batch=Batch(tuple(events), started.turn)))
        self._running.discard(task)
        self._changed.set()

    def _failed(self, task: Task, started: e.TurnStarted, step: str, error: str) -> list[e.Event]:
        """What a failed turn means: recovery, and after the last retry the end of its topic or of the run."""
        self._log(f"{started.phase} {task.topic or '-'} {step}: {error}\n")
        if fallback := self._hats[task.hat].fallback:
            return fallback(self.state, task, error)
        trouble = self.state.troubles.get(task)
        attempt = (trouble.attempts if trouble else 0) + 1
        events: list[e.Event] = [
            e.TurnFailed(started.turn, task.hat, task.topic, step, error, attempt),
        ]
        if attempt > RETRIES:
            if self._hats[task.hat].scope == "topic":
                events.append(e.TopicExhausted(task.topic, error))
            else:
                self._failure = f"{started.phase} failed {attempt} times: {error}"
        return events

    async def _listen(self) -> None:
        """Take in what people did to the files or asked from another terminal."""
        events = self._noticer.notice(self.state)
        requests = pending(self._scribe.folder)
        events += [e.GuidanceGiven(request.text) for request in requests if request.verb == GUIDE]
        if events:
            await self._record(*events)
        for request in requests:
            self._disk.remove(request.path)
            if request.verb == STOP:
                self.stop()

    async def _record(self, *events: e.Event) -> None:
        await self._post(*events).wait()

    def _post(self, *events: e.Event) -> anyio.Event:
        """Queue events for the journal; what is returned is set when they are durable and folded."""
        if events:
            return self._journal.post(Entry(self._clock.now(), batch=Batch(events)))
        nothing = anyio.Event()
        nothing.set()
        return nothing

    def _committed(self, entry: Entry) -> None:
        apply_entry(self.state, self._steps, entry)
        self._scribe.note(entry, self.state)
        self._watch(entry, self.state)

    def _log(self, text: str) -> None:
        stamp = f"{self._clock.now():.3f} "
        self._disk.log(self._scribe.folder / "logs" / "errors.log", stamp + text)

    async def _beat(self) -> None:
        """Show that the owner lives, and look for requests while nothing changes."""
        while True:
            await self._clock.sleep(HEARTBEAT)
            await anyio.to_thread.run_sync(self._lock.beat)
            self._changed.set()

    def _outcome(self) -> Outcome:
        state = self.state
        if self._failure:
            return Outcome(Ending.FAILED, self._failure)
        if not self._stopping and not state.growths:
            return Outcome(Ending.FAILED, "the plan has no topics left; add one to research_plan.md and --resume")
        if not state.finished:
            return Outcome(Ending.STOPPED, "stopped on request; continue with --resume")
        if isinstance(state.draft.verdict, e.ReportConceded):
            return Outcome(Ending.CAUTION, "the report was still rejected after its last revision")
        if state.limit:
            return Outcome(Ending.LIMITED, state.limit.detail)
        if state.counts[Status.EXHAUSTED]:
            return Outcome(Ending.LIMITED, f"{state.counts[Status.EXHAUSTED]} topics were given up after retries")
        return Outcome(Ending.COMPLETE)


def _first_of_ours(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """Task groups raise bundles; a person wants the one error that matters."""
    ours = errors.subgroup(DeeprootError)
    found: BaseException = ours or errors
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found


def apply_entry(state: State, steps: dict[str, Steps], entry: Entry) -> None:
    """Fold one journal entry. Steps are kept only as long as their turn is open."""
    if entry.step:
        steps.setdefault(entry.step.turn, {})[entry.step.name] = entry.step
        if entry.step.reply:
            state.spend(entry.step.reply.usage, entry.step.characters, entry.step.repeated)
        return
    assert entry.batch is not None, "an entry is a step or a batch"
    for event in entry.batch.events:
        state.apply(event)
    failed = next((event for event in entry.batch.events if isinstance(event, e.TurnFailed)), None)
    if failed:
        _forget_step(steps.get(failed.turn, {}), failed.step)
    elif entry.batch.turn:
        state.close_turn(entry.batch.turn)
        steps.pop(entry.batch.turn, None)


def _forget_step(steps: Steps, failed: str) -> None:
    """An answer that was of no use is not an answer: the step is asked anew when the turn is retried."""
    for name in [name for name in steps if name.split("#")[0] == failed]:
        del steps[name]
