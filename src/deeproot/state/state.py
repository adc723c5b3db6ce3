"""The fold: how each event changes the state.

`State` is changed only by `apply`, one event at a time, in constant time, so that replaying a journal and
living through it end in the same state, however large the tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import singledispatchmethod

from .. import events as e
from ..model import Status, Tag, Topic, Usage
from ..settings import Settings
from .draft import Draft
from .frontier import REPORT_HATS, Frontier, Task, Trouble
from .limits import is_lifted, may_go_round_again


class State(Frontier):
    """Everything known about a researcher. `routes` maps an event's name to the hat it wakes."""

    def __init__(self, routes: Mapping[str, str]) -> None:
        super().__init__()
        self._routes = routes
        self.seq = 0
        self.settings = Settings(question="", name="")
        self.iteration = 0
        self.history: list[str] = []
        self.guidance: list[str] = []
        self.heeded = 0
        self.scope: e.QuestionScoped | None = None
        self.decisions: list[e.LoopDecided] = []
        self.undecided = False
        self.limit: e.LimitReached | None = None
        self.hits: dict[str, None] = {}
        self.exhausted: dict[str, str] = {}
        self.failures: list[e.TurnFailed] = []
        self.draft = Draft()
        self.token = ""
        self.started = 0.0
        self.elapsed = 0.0
        self.outcome = self.reason = ""
        self.handed_over: dict[str, str] = {}
        self.usage = Usage()
        self.calls = self.misses = self.sent = self.repeated = 0
        self.last_error: str | None = None
        self.failed_phase: str | None = None
        self.notes: list[e.RecoveryNoted] = []
        self.raised: list[e.TagRaised] = []
        self.read: set[str] = set()
        self.warnings: list[str] = []
        self.web_trouble: list[str] = []
        self.sites: dict[str, e.SiteRead] = {}

    # Reading

    def used(self, limit: str) -> float:
        """How much of a limit is used up; time in seconds."""
        match limit:
            case "iterations":
                return self.iteration
            case "time":
                return self.elapsed
            case "tokens":
                return self.usage.tokens_in + self.usage.tokens_out
            case "cost":
                return self.usage.cost or 0.0
            case "calls":
                return self.calls + self.misses
            case _:
                raise KeyError(limit)

    @property
    def finished(self) -> bool:
        return self.draft.finished

    # Folding

    def apply(self, event: e.Event) -> None:
        self.seq += 1
        self._fold(event)
        hat = self._routes.get(event.kind)
        if hat:
            topic = getattr(event, "topic", "")
            self._wake(Task(hat, topic.id if isinstance(topic, Topic) else topic))

    def spend(self, usage: Usage, sent: int, repeated: int) -> None:
        """Count an answered ask, and the characters sent for it."""
        self.calls += 1
        self.usage += usage
        self.sent += sent
        self.repeated += repeated

    def miss(self) -> None:
        """Count an ask that got no answer."""
        self.misses += 1

    def tick(self, elapsed: float | None) -> None:
        """So many seconds were worked, in all runs together."""
        self.elapsed = max(self.elapsed, elapsed or 0.0)

    @singledispatchmethod
    def _fold(self, event: e.Event) -> None:
        """What nothing else is said about here concerns the report, or only informs."""
        self.draft.apply(event)

    @_fold.register
    def _(self, event: e.ResearchRequested) -> None:
        self.settings = event.settings

    @_fold.register
    def _(self, event: e.SettingsChanged) -> None:
        before, self.settings = self.settings, event.settings
        if self.limit and is_lifted(self.limit.limit, self.used(self.limit.limit), before, self.settings):
            self.hits.pop(self.limit.limit, None)
            self.limit = None
            self._unpark()
            self._reopen_tree()
        if may_go_round_again(self.decisions, before, self.settings):
            self.undecided = True
            self._reopen_tree()

    @_fold.register
    def _(self, event: e.RunStarted) -> None:
        self.token = event.token
        self.started = self.started or event.at
        self.outcome = "running"
        self.handed_over = {}
        for trouble in self.troubles.values():
            trouble.attempts = 0

    @_fold.register
    def _(self, event: e.RunEnded) -> None:
        self.outcome, self.reason = event.outcome, event.reason
        self.handed_over = {file.name: file.sha256 for file in event.files}

    @_fold.register
    def _(self, event: e.TurnStarted) -> None:
        task = Task(event.hat, event.topic)
        self._rest(task)
        self.ranked.pop(event.topic, None)
        self.open[task] = event
        self.iteration = max(self.iteration, event.iteration)
        self.heeded = max(self.heeded, event.guidance)
        self.history.append(f"{event.phase}_{event.iteration}" if event.iteration else event.phase)
        if event.topic in self.growths and not self.settled:
            growth = self.growths[event.topic]
            growth.iteration = event.iteration or growth.iteration
            if growth.topic.status is Status.PENDING:
                self._set(event.topic, Status.IN_PROGRESS)

    @_fold.register
    def _(self, event: e.TurnFailed) -> None:
        task = Task(event.hat, event.topic)
        started = self.open.pop(task, None)
        self.troubles[task] = Trouble(event.step, event.error, event.attempt)
        self.last_error = event.error
        self.failed_phase = started.phase if started else self.failed_phase
        self.failures.append(event)

    @_fold.register
    def _(self, event: e.TurnParked) -> None:
        self._park(Task(event.hat, event.topic))

    @_fold.register
    def _(self, event: e.RecoveryNoted) -> None:
        task = Task(event.hat, event.topic)
        if trouble := self.troubles.get(task):
            trouble.notes = event.notes
        self.notes.append(event)
        self._wake(task)

    @_fold.register
    def _(self, event: e.TopicAdded) -> None:
        self._plant(event.topic)
        self.undecided = True
        if not event.topic.status.closed:
            self._reopen_tree()

    @_fold.register
    def _(self, event: e.TopicResearched) -> None:
        self.undecided = True
        growth = self.growths[event.topic]
        growth.document, growth.queries = event.document, event.queries
        growth.session, growth.told = event.session, event.told
        self._set(event.topic, Status.IN_REVIEW)

    @_fold.register
    def _(self, event: e.TopicAccepted) -> None:
        self.growths[event.topic].verdict = event
        self._set(event.topic, Status.COMPLETE)

    @_fold.register
    def _(self, event: e.TopicRejected) -> None:
        self.growths[event.topic].verdict = event
        self._set(event.topic, Status.IN_PROGRESS)
        self.ranked = {event.topic: None, **self.ranked}

    @_fold.register
    def _(self, event: e.TopicExhausted) -> None:
        self._set(event.topic, Status.EXHAUSTED, [Tag.RETRY_EXHAUSTED])
        self._forget(event.topic)
        self.exhausted[event.topic] = event.reason
        self.hits["retries"] = None

    @_fold.register
    def _(self, event: e.TagRaised) -> None:
        self.raised.append(event)
        if growth := self.growths.get(event.topic):
            growth.topic = replace(growth.topic, tags=tuple(dict.fromkeys((*growth.topic.tags, event.tag))))

    @_fold.register
    def _(self, event: e.TopicReopened) -> None:
        growth = self.growths[event.topic]
        growth.verdict = None
        growth.topic = replace(growth.topic, tags=())
        self._revive(event.topic)
        self.rounds[Task("researcher", event.topic)] = 0
        self._set(event.topic, Status.PENDING)
        self._reopen_tree()

    @_fold.register
    def _(self, event: e.TopicDropped) -> None:
        if event.topic not in self.growths:
            return
        for topic in self._uproot(event.topic):
            self._forget(topic.id)
            self._revive(topic.id)
            self._break_off(topic.id)
        self._reopen_tree()

    @_fold.register
    def _(self, event: e.TopicEdited) -> None:
        growth = self.growths[event.topic]
        growth.topic = replace(growth.topic, title=event.title, description=event.description, criteria=event.criteria)
        if event.status is not growth.topic.status:
            self._forget(event.topic)
            self._revive(event.topic)
            self._set(event.topic, event.status)
        self._reopen_tree()

    @_fold.register
    def _(self, event: e.LeavesRanked) -> None:
        """What was ranked before and is not named stays behind: also what was rejected while the picker thought."""
        still = (id for id in self.ranked if self.is_due(Task("researcher", id)))
        self.ranked = dict.fromkeys((*event.topics, *still))

    @_fold.register
    def _(self, event: e.QuestionScoped) -> None:
        self.scope = event

    @_fold.register
    def _(self, event: e.LoopDecided) -> None:
        self.decisions.append(event)
        self.undecided = False

    @_fold.register
    def _(self, event: e.GuidanceGiven) -> None:
        self.guidance.append(event.text)

    @_fold.register
    def _(self, event: e.LimitReached) -> None:
        self.limit = self.limit or event
        self.hits[event.limit] = None

    @_fold.register
    def _(self, event: e.TreeSettled) -> None:
        self.settled = True
        self.draft = Draft(wanted=event.report)
        if self.limit and self.growths and not self.open_topics:
            self.hits.pop(self.limit.limit, None)
            self.limit = None

    @_fold.register
    def _(self, event: e.ReportConceded) -> None:
        self.draft.apply(event)
        self._forget("")

    @_fold.register
    def _(self, event: e.BackendLost) -> None:
        self.last_error = event.message
        self._start_over()

    @_fold.register
    def _(self, event: e.SiteRead) -> None:
        self.sites[event.site] = event

    @_fold.register
    def _(self, event: e.Warned) -> None:
        self.warnings.append(event.message)
        if event.about == "web" and event.message not in self.web_trouble:
            self.web_trouble.append(event.message)

    def _revive(self, id: str) -> None:
        """A topic that had been given up is so no longer."""
        self.exhausted.pop(id, None)
        self._leave(id)
        if not self.exhausted:
            self.hits.pop("retries", None)

    def _reopen_tree(self) -> None:
        """Research goes on: a report made before is no longer the report of this tree, nor are its open turns."""
        if self.settled:
            self.settled = False
            self.draft = Draft()
            self._dismiss(REPORT_HATS)
