"""The researcher of a subquestion: queries by strategy, evidence with checked quotes, another strategy on a retry."""

from __future__ import annotations

from ...asks import Failure, SearchStrategy
from ...events import Event, RecoveryNoted, TopicAccepted, TopicResearched, Warned
from ...model import Passage, Topic
from ...state import State, Task
from ..passages import best_first
from ..recover import in_trouble
from ..research import research
from ..turn import StepFailed, Turn, topic_of
from .queries import attempts, strategy_for

RESEARCHER = "researcher"


async def gather(turn: Turn) -> list[Event]:
    """A subquestion on which nothing was found has failed, and is tried again in another way."""
    topic = topic_of(turn)
    searched: list[Event] = []

    async def look_up(turn: Turn, topic: Topic) -> tuple[tuple[str, ...], tuple[Passage, ...]]:
        queries, passages, notes = await find(turn, topic)
        searched.extend(notes)
        return queries, passages

    events = await research(turn, look_up)
    for event in events:
        if isinstance(event, TopicResearched) and not event.document.findings:
            raise StepFailed("document", "no evidence was found: " + "; ".join(event.document.gaps))
    return [*events, TopicAccepted(topic.id), *searched]


async def find(turn: Turn, topic: Topic) -> tuple[tuple[str, ...], tuple[Passage, ...], list[Event]]:
    """The queries of this attempt, what they found, and what is worth a note. Backends with tools search themselves."""
    if turn.abilities.tools:
        return (), (), []
    queries = _queries(turn.state, topic)
    found = [await turn.search(f"search-{n}", query, turn.abilities.passages) for n, query in enumerate(queries, 1)]
    read, notes = await _page(turn, topic)
    passages = best_first([read, *found])
    if not passages:
        raise StepFailed("search-1", f"nothing was found for {' / '.join(queries)}")
    return queries, passages, notes


async def _page(turn: Turn, topic: Topic) -> tuple[tuple[Passage, ...], list[Event]]:
    """The page the loop decision named, if it did and if it may be read."""
    address = page_for(turn.state, topic.id)
    if not address:
        return (), []
    read = await turn.read("read", address, topic.title, turn.abilities.passages)
    if isinstance(read, Failure):
        return (), [Warned(f"{address} was not read ({read.reason}): {read.message}")]
    return read, []


def page_for(state: State, topic: str) -> str:
    return next((d.decision.urlToSearch or "" for d in state.decisions if d.topic == topic), "")


def attempt_of(state: State, topic: str) -> int:
    """From 1; counted over all runs, so that a resumed turn makes the queries it made before."""
    return 1 + sum(failed.hat == RESEARCHER and failed.topic == topic for failed in state.failures)


def _first_strategy(state: State, topic: str) -> SearchStrategy:
    asked = state.scope.subquestions if state.scope else ()
    return next((each.strategy for each in asked if each.id == topic), SearchStrategy.DIRECT)


def _queries(state: State, topic: Topic) -> tuple[str, ...]:
    attempt = attempt_of(state, topic.id)
    first = _first_strategy(state, topic.id)
    return attempts(topic.title, state.settings.question, first, attempt)[-1]


async def change_strategy(turn: Turn) -> list[Event]:
    """Recovery by rule: the next attempt searches in another way. No model is asked."""
    state, id = turn.state, turn.started.topic
    failed = in_trouble(state, id)
    return [RecoveryNoted(failed.hat, id, _notes(state, failed))] if failed else []


def _notes(state: State, failed: Task) -> str:
    if failed.hat != RESEARCHER:
        return "Return the object alone, in the form that is asked for."
    topic = state.topic(failed.topic)
    strategy = strategy_for(_first_strategy(state, topic.id), attempt_of(state, topic.id))
    return f"Search strategy for this attempt: {strategy}. Queries: {' / '.join(_queries(state, topic))}"
