"""The state of a researcher: a fold over its events, and nothing else.

`State` is changed only by `apply`, one event at a time, in constant time, so that replaying a journal and
living through it end in the same state, however large the tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import singledispatchmethod
from typing import NamedTuple

from . import events as e
from .asks import AnswerPart, Brief
from .checks import Checked
from .model import Document, Section, Status, Tag, Topic, Usage, unique_slug
from .settings import Settings, synthesis_reserve

REPORT_HATS = (
    "answerer",
    "citation_gate",
    "consistency_gate",
    "writer",
    "synthesizer",
    "final_reviewer",
    "reviser",
)


class Task(NamedTuple):
    """A hat to be put on for a topic ("" is the run as a whole)."""

    hat: str
    topic: str


@dataclass(slots=True)
class Growth:
    """A topic and all that has grown on it. `origin` is the parent's document at the time the topic was added."""

    topic: Topic
    children: list[str] = field(default_factory=list)
    origin: Document | None = None
    document: Document | None = None
    session: str | None = None
    told: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    verdict: e.TopicAccepted | e.TopicRejected | None = None
    iteration: int = 0


@dataclass(slots=True)
class Trouble:
    """What went wrong in a turn and what the recovery hat made of it. `attempts` counts since the run began."""

    step: str
    error: str
    attempts: int
    notes: str = ""


@dataclass(slots=True)
class Draft:
    """The report in the making; none is `wanted` of a tree of documents."""

    wanted: bool = True
    parts: dict[str, e.SectionRequested] = field(default_factory=dict)
    sections: dict[str, Section] = field(default_factory=dict)
    title: str = ""
    summary: str = ""
    limitations: tuple[str, ...] = ()
    brief: Brief | None = None
    gated: tuple[str, ...] = ()
    headed: tuple[AnswerPart, ...] = ()
    style: tuple[str, ...] = ()
    written: bool = False
    revisions: int = 0
    issues: tuple[str, ...] = ()
    checked: Checked | None = None
    verdict: e.ReportAccepted | e.ReportRejected | e.ReportConceded | None = None
    plain: dict[str, str] = field(default_factory=dict)
    """Why code wrote the section of a topic, or the summary (""), in the place of a writer."""


class State:
    """Everything known about a researcher. `routes` maps an event's name to the hat it wakes."""

    def __init__(self, routes: Mapping[str, str]) -> None:
        self._routes = routes
        self.seq = 0
        self.settings = Settings(question="", name="")
        self.growths: dict[str, Growth] = {}
        self.roots: list[str] = []
        self.born: Counter[str] = Counter()
        self.slugs: dict[str, str] = {}
        self.counts: Counter[Status] = Counter()
        self.due: dict[tuple[str, int], dict[str, None]] = {}
        self.open: dict[Task, e.TurnStarted] = {}
        self.parked: dict[Task, e.TurnStarted] = {}
        self.rounds: Counter[Task] = Counter()
        self.troubles: dict[Task, Trouble] = {}
        self.iteration = 0
        self.history: list[str] = []
        self.guidance: list[str] = []
        self.heeded = 0
        self.ranked: dict[str, None] = {}
        self.scope: e.QuestionScoped | None = None
        self.decisions: list[e.LoopDecided] = []
        self.undecided = False
        self.limit: e.LimitReached | None = None
        self.hits: dict[str, None] = {}
        self.exhausted: dict[str, str] = {}
        self.failures: list[e.TurnFailed] = []
        self.settled = False
        self.draft = Draft()
        self.token = ""
        self.started = 0.0
        self.elapsed = 0.0
        self.outcome = self.reason = ""
        self.usage = Usage()
        self.calls = 0
        self.misses = 0
        self.sent = 0
        self.repeated = 0
        self.last_error: str | None = None
        self.failed_phase: str | None = None
        self.notes: list[e.RecoveryNoted] = []
        self.raised: list[e.TagRaised] = []
        self.read: set[str] = set()
        self.warnings: list[str] = []
        self.sites: dict[str, e.SiteRead] = {}

    # Reading

    def next_id(self, parent: str = "") -> str:
        """The id of the next topic under `parent`; numbers of dropped topics are not given out again."""
        number = self.born[parent] + 1
        return f"{parent}.{number}" if parent else str(number)

    def topic(self, id: str) -> Topic:
        return self.growths[id].topic

    def walk(self, root: str | None = None) -> Iterator[Growth]:
        """Topics in tree order: a parent before its children, siblings in the order they were added."""
        stack = [root] if root else list(reversed(self.roots))
        while stack:
            growth = self.growths[stack.pop()]
            yield growth
            stack.extend(reversed(growth.children))

    def ancestors(self, id: str) -> list[Growth]:
        """From the top of the tree down to the parent of `id`."""
        found: list[Growth] = []
        parent = self.topic(id).parent
        while parent is not None:
            found.append(self.growths[parent])
            parent = found[-1].topic.parent
        return found[::-1]

    def tasks(self, hat: str, newest_first: bool = False) -> Iterator[Task]:
        """What is due for `hat`: shallow topics first and old ones first, or the other way round."""
        for key in sorted((key for key in self.due if key[0] == hat), reverse=newest_first):
            topics = self.due[key]
            for topic in reversed(topics) if newest_first else topics:
                yield Task(hat, topic)

    def is_due(self, task: Task) -> bool:
        growth = self.growths.get(task.topic)
        return task.topic in self.due.get((task.hat, growth.topic.depth if growth else 0), {})

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
    def open_topics(self) -> int:
        return sum(count for status, count in self.counts.items() if not status.closed)

    @property
    def all_complete(self) -> bool:
        return bool(self.growths) and self.counts[Status.COMPLETE] == len(self.growths)

    @property
    def finished(self) -> bool:
        return not self.draft.wanted or isinstance(self.draft.verdict, e.ReportAccepted | e.ReportConceded)

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

    def close_turn(self, turn: str) -> None:
        """A turn's events were applied: it is no longer open, and what had gone wrong in it is over."""
        task = next((task for task, started in self.open.items() if started.turn == turn), None)
        if task:
            del self.open[task]
            self.rounds[task] += 1
            self.troubles.pop(task, None)

    def _wake(self, task: Task) -> None:
        growth = self.growths.get(task.topic)
        if growth and growth.topic.status.closed and not self.settled:
            return
        depth = growth.topic.depth if growth else 0
        self.due.setdefault((task.hat, depth), {})[task.topic] = None

    def _rest(self, task: Task) -> None:
        growth = self.growths.get(task.topic)
        self.due.get((task.hat, growth.topic.depth if growth else 0), {}).pop(task.topic, None)

    def _forget(self, id: str) -> None:
        """Nothing is due for this topic any more, and nothing is wrong with it."""
        self.parked = {task: started for task, started in self.parked.items() if task.topic != id}
        for topics in self.due.values():
            topics.pop(id, None)
        for task in [task for task in self.troubles if task.topic == id]:
            del self.troubles[task]

    def _set(self, id: str, status: Status, tags: Iterable[Tag] = ()) -> None:
        growth = self.growths[id]
        self.counts[growth.topic.status] -= 1
        self.counts[status] += 1
        growth.topic = replace(growth.topic, status=status, tags=tuple(tags) or growth.topic.tags)

    @singledispatchmethod
    def _fold(self, event: e.Event) -> None:
        """Events that only inform change nothing."""

    @_fold.register
    def _(self, event: e.ResearchRequested) -> None:
        self.settings = event.settings

    @_fold.register
    def _(self, event: e.SettingsChanged) -> None:
        before, self.settings = self.settings, event.settings
        if self.limit and self._is_lifted(self.limit.limit, before):
            self.hits.pop(self.limit.limit, None)
            self.limit = None
            self.open |= self.parked
            self.parked = {}
            self._reopen_tree()
        if self._may_go_round_again(before):
            self.undecided = True
            self._reopen_tree()

    def _may_go_round_again(self, before: Settings) -> bool:
        """Whether the loop of a question had ended at its cap, and the cap was raised."""
        old, new = before.asking, self.settings.asking
        ended = bool(self.decisions) and bool(self.decisions[-1].overruled)
        return bool(ended and old and new and new.max_loops > len(self.decisions) >= old.max_loops)

    def _is_lifted(self, limit: str, before: Settings) -> bool:
        """Whether a limit was raised, and above what is used up. A budget is reached before all of it is used."""
        if limit == "iterations":
            return self.iteration < self.settings.max_iterations
        old, new = getattr(before, limit, None), getattr(self.settings, limit, None)
        if old is None or (new is not None and new <= old):
            return False
        return new is None or self.used(limit) < (60 * (new - synthesis_reserve(new)) if limit == "time" else new)

    @_fold.register
    def _(self, event: e.RunStarted) -> None:
        self.token = event.token
        self.started = self.started or event.at
        self.outcome = "running"
        for trouble in self.troubles.values():
            trouble.attempts = 0

    @_fold.register
    def _(self, event: e.RunEnded) -> None:
        self.outcome, self.reason = event.outcome, event.reason

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
        task = Task(event.hat, event.topic)
        if started := self.open.pop(task, None):
            self.parked[task] = started

    @_fold.register
    def _(self, event: e.RecoveryNoted) -> None:
        task = Task(event.hat, event.topic)
        if trouble := self.troubles.get(task):
            trouble.notes = event.notes
        self.notes.append(event)
        self._wake(task)

    @_fold.register
    def _(self, event: e.TopicAdded) -> None:
        topic = replace(event.topic, slug=unique_slug(event.topic.slug, self.slugs))
        parent = self.growths[topic.parent] if topic.parent else None
        self.growths[topic.id] = Growth(topic, origin=parent.document if parent else None)
        (parent.children if parent else self.roots).append(topic.id)
        self.born[topic.parent or ""] += 1
        self.slugs[topic.slug] = topic.id
        self.counts[topic.status] += 1
        self.undecided = True
        if not topic.status.closed:
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
        gone = [growth.topic for growth in self.walk(event.topic)]
        siblings = self.growths[gone[0].parent].children if gone[0].parent else self.roots
        siblings.remove(event.topic)
        for topic in gone:
            self._forget(topic.id)
            self._revive(topic.id)
            self.open = {task: started for task, started in self.open.items() if task.topic != topic.id}
            self.counts[topic.status] -= 1
            del self.growths[topic.id], self.slugs[topic.slug]
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
        self.ranked = dict.fromkeys(event.topics)

    @_fold.register
    def _(self, event: e.QuestionScoped) -> None:
        self.scope = event

    @_fold.register
    def _(self, event: e.LoopDecided) -> None:
        self.decisions.append(event)
        self.undecided = False

    @_fold.register(e.CitationsDue)
    @_fold.register(e.ConsistencyDue)
    def _(self, event: e.CitationsDue | e.ConsistencyDue) -> None:
        self.draft.gated = (*self.draft.gated, event.kind)

    @_fold.register
    def _(self, event: e.BriefWritten) -> None:
        self.draft.brief = event.brief

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
    def _(self, event: e.SectionRequested) -> None:
        self.draft.parts[event.topic] = event

    @_fold.register
    def _(self, event: e.SectionWritten) -> None:
        self.draft.sections |= {section.topic: section for section in event.sections}
        self._note_plain([section.topic for section in event.sections], event.plain)

    def _note_plain(self, parts: Iterable[str], why: str) -> None:
        for part in parts:
            self.draft.plain.pop(part, None)
            if why:
                self.draft.plain[part] = why

    @_fold.register
    def _(self, event: e.ReportWritten) -> None:
        draft = self.draft
        self._note_plain([""], event.plain)
        draft.title, draft.summary, draft.limitations = event.title, event.summary, event.limitations
        draft.headed, draft.style, draft.gated = event.parts, event.style, ()
        draft.written = True

    @_fold.register
    def _(self, event: e.CitationsChecked) -> None:
        self.draft.checked = Checked(event.citations)

    @_fold.register
    def _(self, event: e.ReportChecked) -> None:
        self.draft.checked = event.checked

    @_fold.register
    def _(self, event: e.ReportRejected) -> None:
        self.draft.issues = event.issues
        self.draft.verdict = event

    @_fold.register
    def _(self, event: e.ReportRevised) -> None:
        self.draft.summary = event.summary or self.draft.summary
        self.draft.sections |= {section.topic: section for section in event.sections}
        rewritten = [section.topic for section in event.sections]
        self._note_plain(["", *rewritten] if event.summary else rewritten, "")
        self.draft.revisions += 1

    @_fold.register
    def _(self, event: e.ReportAccepted) -> None:
        self.draft.verdict = event

    @_fold.register
    def _(self, event: e.ReportConceded) -> None:
        self.draft.verdict = event
        self._forget("")

    @_fold.register
    def _(self, event: e.BackendLost) -> None:
        self.last_error = event.message
        for task in self.troubles:
            self._rest(Task("recovery", task.topic))
            self.open.pop(Task("recovery", task.topic), None)
            self._wake(task)
        self.troubles.clear()

    @_fold.register
    def _(self, event: e.SiteRead) -> None:
        self.sites[event.site] = event

    @_fold.register
    def _(self, event: e.Warned) -> None:
        self.warnings.append(event.message)

    def _revive(self, id: str) -> None:
        """A topic that had been given up is so no longer."""
        self.exhausted.pop(id, None)
        self.parked = {task: started for task, started in self.parked.items() if task.topic != id}
        if not self.exhausted:
            self.hits.pop("retries", None)

    def _reopen_tree(self) -> None:
        """Research goes on: a report made before is no longer the report of this tree, nor are its open turns."""
        if self.settled:
            self.settled = False
            self.draft = Draft()
            self.due = {key: topics for key, topics in self.due.items() if key[0] not in REPORT_HATS}
            self.open = {task: started for task, started in self.open.items() if task.hat not in REPORT_HATS}
            self.troubles = {task: trouble for task, trouble in self.troubles.items() if task.hat not in REPORT_HATS}
