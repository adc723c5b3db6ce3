"""The loop: tasks from the strategy, a turn for each, events into the journal, until nothing is left to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import anyio
from anyio.abc import TaskGroup

from .. import events as e
from ..clock import Clock
from ..errors import first_of_ours
from ..knowledge.sources import SourceStore
from ..project.disk import Disk
from ..project.journal import Journal
from ..project.lock import ResearcherLock
from ..project.requests import GUIDE, STOP, pending
from ..project.scribe import Scribe
from ..project.templates import Templates
from ..search import Searcher
from ..state import State, Task
from .alarm import Alarms
from .announce import announce
from .boundary import Boundary
from .budget import BLIND, Purse, budgeted, marks
from .cycle import Cycle
from .ledger import Ledger, Watch
from .mishap import instead, replaceable
from .notice import Noticer
from .outcome import Ending, Outcome, outcome_of
from .perform import Performer
from .replay import apply_entry
from .strategy import Strategy
from .turns import Steps

__all__ = ["Ending", "Engine", "Outcome", "Watch", "apply_entry"]

HEARTBEAT = 30.0


class Engine:
    """Runs one researcher. The only writer of its journal; everything it knows is in `state`.

    `elapsed` tells the seconds of work in all runs of the researcher up to now.
    """

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
        elapsed: Callable[[], float],
        watch: Watch,
    ) -> None:
        self.state = state
        self._cycle = cycle
        self._hats = cycle.hats
        self._strategy = strategy
        self._scribe = scribe
        self._noticer = noticer
        self._lock = lock
        self._disk = disk
        self._clock = clock
        self._elapsed = elapsed
        self._ledger = Ledger(state, steps, journal, scribe, disk, clock, elapsed, watch)
        self._purse = Purse(state, elapsed)
        self._alarms = Alarms(clock)
        timeout = state.settings.timeout
        bound = {hat: one.within(self._purse, self._alarms, timeout) for hat, one in performers.items()}
        self._boundary = Boundary(state, steps, cycle.hats, bound, searcher, sources, templates, self._ledger, clock)
        self._running: set[Task] = set()
        self._scopes: dict[Task, anyio.CancelScope] = {}
        self._changed = anyio.Event()
        self._stopping = False

    async def run(self) -> Outcome:
        """Until nothing is left to do. Raises the first error that ends a run; what was recorded stays."""
        try:
            await self._run()
        except BaseExceptionGroup as errors:
            raise first_of_ours(errors) from None
        if self._boundary.lost:
            raise self._boundary.lost
        if self._boundary.failure:
            return Outcome(Ending.FAILED, self._boundary.failure)
        return outcome_of(self.state, self._stopping)

    async def _run(self) -> None:
        """The loop, and beside it those who serve it."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._ledger.serve)
            group.start_soon(self._scribe.serve, self.state)
            group.start_soon(self._beat)
            group.start_soon(self._keep_time)
            group.start_soon(self._alarms.serve)
            await self._loop(group)
            group.cancel_scope.cancel()

    def tell(self, event: e.Event) -> None:
        """Put something for people on record while the run goes on."""
        self._ledger.post(event)

    def stop(self) -> None:
        """Start nothing more; the run ends when what is running has ended."""
        self._stopping = True
        self._changed.set()

    @property
    def _ending(self) -> bool:
        return self._stopping or bool(self._boundary.failure)

    async def _loop(self, group: TaskGroup) -> None:
        while True:
            self._changed = anyio.Event()
            await self._listen()
            await self._keep_limits()
            if self._boundary.lost:
                await self._ledger.record(e.BackendLost(str(self._boundary.lost)))
                return
            started = 0 if self._ending else await self._start(group)
            if not self._running and not started and not await self._move_on():
                return
            if self._running:
                await self._changed.wait()

    async def _move_on(self) -> bool:
        """Nothing is running or due: enter the next phase. False when there is none."""
        if self._ending:
            return False
        events = self._cycle.advance(self.state)
        if events:
            await self._ledger.record(*events)
        return bool(events)

    # Starting turns

    async def _start(self, group: TaskGroup) -> int:
        """Fill the free slots: first turns a crash left open, then what the strategy says.

        A turn may begin before its announcement is durable: if that is lost, so is the turn, and it is announced again.
        """
        busy = sum(self._hats[task.hat].takes_slot for task in self._running)
        free = max(0, self.state.settings.concurrency - busy)
        left_open = self._left_open(free)
        tasks = await self._affordable(free - sum(self._hats[task.hat].takes_slot for task in left_open))
        turns = [*(self.state.open[task] for task in left_open), *announce(self.state, self._hats, tasks)]
        if not turns:
            return 0
        self._running.update(left_open, tasks)
        announced = self._ledger.post(*turns[len(left_open) :])
        await self._show_first(announced, [turn.topic for turn in turns])
        for started in turns:
            scope = self._scopes[Task(started.hat, started.topic)] = anyio.CancelScope()
            group.start_soon(self._turn, started, announced, scope)
        await announced.wait()
        return len(turns)

    def _left_open(self, free: int) -> list[Task]:
        """Turns that a crash left open: as many as there are slots for, and those that take none."""
        waiting = [task for task in self.state.open if task not in self._running]
        beside = [task for task in waiting if not self._hats[task.hat].takes_slot]
        return beside + [task for task in waiting if task not in beside][:free]

    async def _affordable(self, free: int) -> list[Task]:
        """What the strategy wants to start, as far as a budget leaves anything for research."""
        if not self.state.settled and budgeted(self.state.limit):
            return []
        tasks = [task for task in self._strategy.next(self.state, free) if task not in self._running]
        limit = None if self.state.settled else self._purse.reached()
        if tasks and limit:
            await self._reach(limit)
            return []
        return tasks

    async def _show_first(self, announced: anyio.Event, topics: list[str]) -> None:
        """Where people watch the files, they see a turn announced before it begins."""
        if self.state.settings.concurrency == 1:
            await announced.wait()
            await self._scribe.flush(self.state)
        if self._scribe.tree:
            await self._scribe.mark(self.state, topics)

    # A turn

    async def _turn(self, started: e.TurnStarted, announced: anyio.Event, scope: anyio.CancelScope) -> None:
        """One hat on one topic.

        A turn that is no longer open when it ends was overtaken by a person's edit, and one that was cut off was
        concluded by the engine: they conclude nothing.
        """
        task = Task(started.hat, started.topic)
        with scope:
            batch = await self._boundary.act(started)
        if self._scopes.get(task) is not scope:
            return
        del self._scopes[task]
        if batch:
            if not announced.is_set():  # else no pause: the last step and the conclusion share an fsync
                await announced.wait()
            if self.state.open.get(task) is started:
                await self._ledger.conclude(batch)
            self._running.discard(task)
        self._changed.set()

    # Limits

    async def _keep_limits(self) -> None:
        """Name a limit that an ask ran into, and end what is running when the time is over."""
        if self._purse.blind and BLIND not in self.state.warnings:
            await self._ledger.record(e.Warned(BLIND))
        if refused := self._boundary.refused:
            self._boundary.refused = None
            await self._reach(refused)
        if self._scopes and (late := self._purse.late()):
            await self._reach(late)
            await self._cut_off(late.detail)

    async def _reach(self, limit: e.LimitReached) -> None:
        """The first limit that is reached is the one that is named."""
        if self.state.limit is None:
            await self._ledger.record(limit)

    async def _cut_off(self, why: str) -> None:
        """End the turns that are running, here and now: a call that cannot be broken off does not hold anything up.

        Turns of the ending that nothing can stand in for go on, without asking: they are code.
        """
        cut = [task for task in self._scopes if replaceable(self.state, self._hats[task.hat])]
        for task in cut:
            self._scopes.pop(task).cancel()
        for task in cut:
            if started := self.state.open.get(task):
                await self._ledger.conclude(instead(self.state, self._hats[task.hat], started, why))
            self._running.discard(task)

    async def _keep_time(self) -> None:
        """Wake the loop when the time for research is over, and again when all of it is."""
        for mark in marks(self.state.settings):
            while (left := mark - self._elapsed()) > 0:
                await self._clock.sleep(left)
            self._changed.set()

    # People

    async def _listen(self) -> None:
        """Take in what people did to the files or asked from another terminal."""
        events = self._noticer.notice(self.state)
        requests = pending(self._scribe.folder)
        events += [e.GuidanceGiven(request.text) for request in requests if request.verb == GUIDE]
        if events:
            await self._ledger.record(*events)
        for request in requests:
            self._disk.remove(request.path)
            if request.verb == STOP:
                self.stop()

    async def _beat(self) -> None:
        """Show that the owner lives, record that time passes, and look for requests while nothing changes."""
        while True:
            await self._clock.sleep(HEARTBEAT)
            await anyio.to_thread.run_sync(self._lock.beat)
            self._ledger.tick()
            self._changed.set()
