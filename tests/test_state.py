"""The fold: small laws that every event obeys, and a journal line that can always be read again."""

from __future__ import annotations

import dataclasses
import types
import typing
from enum import StrEnum
from typing import Any

import pytest

from deeproot import events as e
from deeproot.asks import Failure, Reason, Reply
from deeproot.hats import CYCLE, routes
from deeproot.model import Document, Finding, Source, Status, Tag, Topic, Usage
from deeproot.project.journal import Batch, Entry, Step, _codec, encode
from deeproot.settings import Settings
from deeproot.state import State, Task


def fresh() -> State:
    state = State(routes(CYCLE.values()))
    state.apply(e.ResearchRequested(Settings("Q", "n", breadth=2, depth=1)))
    return state


def topic(id: str, **changes: Any) -> Topic:
    parent = id.rpartition(".")[0] or None
    return dataclasses.replace(
        Topic(id, f"Topic {id}", f"topic-{id.replace('.', '-')}", id.count("."), parent), **changes
    )


def grown() -> State:
    state = fresh()
    state.apply(e.TurnStarted("planner::1", "planner", "PLAN"))
    for id in ("1", "2", "1.1"):
        state.apply(e.TopicAdded(topic(id)))
    state.close_turn("planner::1")
    return state


def test_a_question_wakes_the_planner_and_a_topic_its_researcher() -> None:
    assert list(fresh().tasks("planner")) == [Task("planner", "")]
    assert [task.topic for task in grown().tasks("researcher")] == ["1", "2", "1.1"], "shallow topics first"


def test_a_topic_goes_from_pending_to_complete_by_its_events() -> None:
    state = grown()
    seen = [state.topic("1").status]
    for event in (
        e.TurnStarted("researcher:1:1", "researcher", "RESEARCH", "1", 1),
        e.TopicResearched("1", Document("S")),
        e.TopicRejected("1", actions=("more",)),
        e.TopicResearched("1", Document("S2")),
        e.TopicAccepted("1"),
    ):
        state.apply(event)
        seen.append(state.topic("1").status)
    assert seen == [
        Status.PENDING,
        Status.IN_PROGRESS,
        Status.IN_REVIEW,
        Status.IN_PROGRESS,
        Status.IN_REVIEW,
        Status.COMPLETE,
    ]
    assert sum(state.counts.values()) == 3


def test_research_began_when_its_first_run_did() -> None:
    state = fresh()
    for moment in (10.0, 20.0):
        state.apply(e.RunStarted("token", moment))
    assert state.started == 10.0


def test_trouble_with_the_web_that_comes_again_in_a_later_run_is_told_once() -> None:
    state = fresh()
    for _ in range(2):
        state.apply(e.Warned("no network", "web"))
    assert state.web_trouble == ["no network"]


def test_an_exhausted_topic_is_tagged_and_nothing_is_due_for_it() -> None:
    state = grown()
    state.apply(e.TopicExhausted("1", "why"))
    assert state.topic("1").tags == (Tag.RETRY_EXHAUSTED,)
    assert "1" not in [task.topic for task in state.tasks("researcher")]
    assert state.open_topics == 2


def test_dropping_a_topic_drops_what_is_below_it_and_its_number_is_not_given_again() -> None:
    state = grown()
    state.apply(e.TopicDropped("1"))
    assert list(state.growths) == ["2"]
    assert state.next_id() == "3"
    assert set(state.slugs) == {"topic-2"}
    assert sum(state.counts.values()) == 1


def test_a_topic_remembers_the_parents_document_as_it_was() -> None:
    state = grown()
    old, new = Document("old"), Document("new")
    state.apply(e.TopicResearched("1", old))
    state.apply(e.TopicAdded(topic("1.2")))
    state.apply(e.TopicResearched("1", new))
    assert state.growths["1.2"].origin == old
    assert state.growths["1"].document == new


def test_a_new_run_forgives_the_attempts_of_the_last() -> None:
    state = grown()
    state.apply(e.TurnFailed("researcher:1:1", "researcher", "1", "document", "no", 3))
    state.apply(e.RunStarted("t", 1.0))
    assert state.troubles[Task("researcher", "1")].attempts == 0


def test_a_higher_limit_opens_the_tree_again_and_a_lower_one_does_not() -> None:
    for limit, settled in ((1, True), (9, False)):
        state = grown()
        state.apply(e.TurnStarted("researcher:1:1", "researcher", "RESEARCH", "1", 1))
        state.apply(e.LimitReached("iterations", "the limit"))
        state.apply(e.TreeSettled())
        state.apply(e.SettingsChanged(dataclasses.replace(state.settings, max_iterations=limit)))
        assert state.settled is settled


def test_usage_adds_up_and_an_unknown_cost_stays_unknown() -> None:
    state = fresh()
    state.spend(Usage(1, 2, 3), sent=100, repeated=40)
    assert state.usage.cost is None
    state.spend(Usage(10, 20, 30, 0.5), sent=1, repeated=0)
    assert (state.calls, state.usage) == (2, Usage(11, 22, 33, 0.5))
    assert (state.sent, state.repeated) == (101, 40)


# Every line of a journal can be read again


SAMPLES: dict[Any, Any] = {
    str: "text",
    int: 3,
    float: 0.5,
    bool: True,
    Settings: Settings("Q", "n"),
    Topic: topic("1"),
    Status: Status.PENDING,
    Document: Document("S", (Finding("F1-1", "c", "q", Source("l")),), ("gap",)),
}


def sample(hint: Any, empty: bool) -> Any:
    """A value of this type: as little as possible, or something in every field."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is types.UnionType or origin is typing.Union:
        if empty and type(None) in parts:
            return None
        return sample(next(part for part in parts if part is not type(None)), empty)
    if origin is tuple:
        return () if empty else (sample(parts[0], empty),)
    if origin is typing.Literal:
        return parts[0]
    if hint in SAMPLES:
        return SAMPLES[hint]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return next(iter(hint))
    assert dataclasses.is_dataclass(hint), hint
    hints = typing.get_type_hints(hint)
    return hint(**{field.name: sample(hints[field.name], empty) for field in dataclasses.fields(hint)})  # type: ignore[operator]


@pytest.mark.parametrize("empty", [True, False])
@pytest.mark.parametrize("kind", typing.get_args(e.Event), ids=lambda kind: kind.__name__)
def test_every_event_survives_the_journal_also_with_nothing_in_it(kind: Any, empty: bool) -> None:
    entry = Entry(1.0, batch=Batch((sample(kind, empty),)))
    assert _codec().validate_json(encode(entry)) == entry


@pytest.mark.parametrize(
    "step",
    [
        Step("t", "n", "h", reply=Reply("text")),
        Step("t", "n", "h", "m", 1.5, reply=Reply("", "s", Usage(1, 2, 3, 0.1), "m", "emulated")),
        Step("t", "n", "h", failure=Failure(Reason.FAILED, "m")),
        Step("t", "n", "h", passages=()),
    ],
)
def test_every_step_survives_the_journal(step: Step) -> None:
    assert _codec().validate_json(encode(Entry(1.0, step=step))) == Entry(1.0, step=step)
