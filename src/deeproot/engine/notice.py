"""What people did to the files, as events. An edit that does not parse changes nothing and is reported."""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from .. import events as e
from ..asks import ProposedTopic
from ..errors import PlanError
from ..hats.plan import make_topic
from ..model import Topic
from ..project.plan import PlanEdit, diff_plan, fingerprint, parse_plan
from ..project.scribe import Scribe
from ..project.viewfiles import PLAN
from ..project.views import PROMISE
from ..state import State
from .phases import missing


class Noticer:
    """Looks at the researcher's files before each scheduling. `state_at` rebuilds an earlier state."""

    def __init__(self, scribe: Scribe, state_at: Callable[[int], State]) -> None:
        self._scribe = scribe
        self._state_at = state_at
        self._reported: str | None = None

    def notice(self, state: State) -> list[e.Event]:
        return [*self._plan(state), *self._completion(state)]

    def _plan(self, state: State) -> list[e.Event]:
        text = self._scribe.files.edited_plan()
        if text is None or text == self._reported or not state.growths:
            return []
        self._reported = text
        try:
            edited = parse_plan(text, str(self._scribe.folder / PLAN))
            edit = diff_plan(parse_plan(self._scribe.render_plan(self._base(text, state))), edited)
        except PlanError as error:
            return [e.Warned(f"The edited plan was not used: {error}")]
        self._scribe.adopt_plan()
        return list(plan_events(state, edit))

    def _base(self, text: str, state: State) -> State:
        """The state as it was in the version the person edited."""
        mark = fingerprint(text)
        return self._state_at(mark.seq) if mark and 0 < mark.seq < state.seq else state

    def _completion(self, state: State) -> list[e.Event]:
        if state.settled:
            return []
        text = self._scribe.files.take_completion()
        if text is None:
            return []
        if text.strip() != PROMISE:
            return [e.Warned(f"A completion marker was ignored: its content is not exactly {PROMISE}")]
        left = missing(state)
        return [e.CompletionRefused("completed.md", left)] if left else []


def plan_events(state: State, edit: PlanEdit) -> Iterator[e.Event]:
    """A person's edit as events. Topics that are gone meanwhile, or that the engine is ahead of, stay as they are."""
    removed = [state.slugs[slug] for slug in edit.removed if slug in state.slugs]
    yield from (e.TopicDropped(id) for id in removed if state.topic(id).parent not in removed)
    for change in edit.changed:
        id = state.slugs.get(change.slug)
        if id is None:
            continue
        topic = state.topic(id)
        status = change.status or topic.status
        reopen = change.status is not None and topic.status.closed and not status.closed
        yield e.TopicEdited(
            id,
            change.title or topic.title,
            topic.description if change.description is None else change.description,
            topic.criteria if change.criteria is None else change.criteria,
            status if status.closed else topic.status,
        )
        if reopen:
            yield e.TopicReopened(id, by=PLAN)
    yield from _additions(state, edit)


def _additions(state: State, edit: PlanEdit) -> Iterator[e.Event]:
    """Topics a person wrote into the plan; one may hang from another of the same edit."""
    made: dict[str, Topic] = {}
    numbers: Counter[str] = Counter()
    for added in edit.added:
        known = state.slugs.get(added.parent_slug or "")
        parent = made.get(added.parent_slug or "") or (state.topic(known) if known else None)
        if added.parent_slug and parent is None:
            yield e.Warned(f"The topic {added.title!r} was not added: its parent is no longer in the plan.")
            continue
        above = parent.id if parent else ""
        numbers[above] += 1
        proposal = ProposedTopic(added.title, added.description, added.criteria)
        taken = ChainMap(state.slugs, {topic.slug: topic.id for topic in made.values()})
        topic = make_topic(proposal, parent, state.born[above] + numbers[above], taken)
        made[added.slug] = topic
        yield e.TopicAdded(replace(topic, status=added.status))
