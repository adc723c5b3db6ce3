"""Guided research: the root walk, then the leaves the picker ranks, and no slot that waits for the picker in vain."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from grove import TWO_BY_TWO, Patient, drawn, layered, picking, preferring, researched

from deeproot import events as e
from deeproot.asks import Ask, Kind, PickInputs
from deeproot.engine.engine import Ending
from deeproot.engine.strategy import Guided
from deeproot.hats import CYCLE, routes
from deeproot.hats.pick import RANKED_PER_SLOT, view_of
from deeproot.model import Document, Status, Tag, Topic
from deeproot.state import State, Task
from deeproot.testing import Script, Scripted, ScriptedBackend
from laboratory import Lab, failing, first, rejection, settings_for, statuses, topic_of

GUIDED: dict[str, Any] = {"strategy": "guided", "breadth": 3, "depth": 1, "max_iterations": 200}
ROOTS = {"A", "B"}


def test_every_first_level_topic_has_its_document_and_children_before_the_first_pick(lab: Lab) -> None:
    """004-03."""
    done = lab.run(drawn(layered(3, 3)), **GUIDED, concurrency=2)
    kinds = [ask.kind for ask in done.backend.asks]
    before = done.backend.asks[: kinds.index(Kind.PICK)]
    for kind in (Kind.DOCUMENT, Kind.CHILDREN):
        assert [topic_of(ask).title for ask in before if ask.kind is kind] == ["T1", "T2", "T3"]
    assert done.outcome.ending is Ending.COMPLETE
    assert len(researched(done.backend)) == 12


@pytest.mark.parametrize("concurrency", [1, 4, 16])
def test_no_more_topics_at_once_than_asked_for(lab: Lab, concurrency: int) -> None:
    """004-04: the limit is reached and never passed; the picker works beside the topics."""
    backend = Patient(drawn(layered(5, 5)), seconds=0.01)
    done = anyio.run(lambda: lab.start(backend, **GUIDED | {"breadth": 5}, concurrency=concurrency))
    assert backend.most_topics == concurrency
    assert done.outcome.ending is Ending.COMPLETE


def test_leaves_are_researched_in_the_order_the_picker_ranked_them(lab: Lab) -> None:
    """004-05, 004-07: several paths in one answer."""
    done = lab.run(first(picking(preferring("b2", "a1", "b1", "a2")), drawn(TWO_BY_TWO)), **GUIDED)
    assert researched(done.backend) == ["A", "B", "B2", "A1", "B1", "A2"]
    assert done.of_kind("leaves.ranked")[0].by == "picker"


def test_a_picker_that_names_one_leaf_at_a_time_guides_the_search_as_well(lab: Lab) -> None:
    def last(inputs: PickInputs) -> str:
        return f"<output>{inputs.leaves[-1]}</output>"

    done = lab.run(first(picking(last), drawn(TWO_BY_TWO)), **GUIDED)
    assert researched(done.backend)[2] == "B2"
    assert sorted(researched(done.backend)) == ["A", "A1", "A2", "B", "B1", "B2"]
    assert done.outcome.ending is Ending.COMPLETE


@pytest.mark.parametrize(
    "said",
    [
        "<output>b/b2</output>",
        "<output>\n  /b/b2/  \n</output>",
        "Let me think. I choose this one:\n\n<OUTPUT>b/b2</OUTPUT>\n\nBecause it matters.",
        "<output> b / b2 </output>",
        "<output>\n1. `b/b2`\n2. a/a1\n</output>",
        "<output>\n- b/b2\n- no/such-leaf\n</output>",
        '<output>"b/b2", "a/a1"</output>',
        '```json\n{"paths": ["b/b2"]}\n```',
    ],
)
def test_a_path_is_understood_in_any_wrapping(lab: Lab, said: str) -> None:
    """004-07: spaces, slashes, ornaments and chatter; no second ask is needed."""
    done = lab.run(first(picking(said, preferring()), drawn(TWO_BY_TWO)), **GUIDED)
    assert researched(done.backend)[2] == "B2"
    assert not any("could not be used" in ask.prompt for ask in done.backend.asked(Kind.PICK))


def test_a_topic_that_is_not_waiting_is_refused_and_the_picker_asked_again(lab: Lab) -> None:
    """004-09: twice a finished topic, then a leaf."""
    done = lab.run(
        first(picking("<output>a</output>", "<output>b</output>", preferring("b1")), drawn(TWO_BY_TWO)), **GUIDED
    )
    asked = done.backend.asked(Kind.PICK)
    assert "a: not the slug path of an unexpanded leaf" in asked[1].prompt
    assert "b: not the slug path of an unexpanded leaf" in asked[2].prompt
    assert researched(done.backend)[2] == "B1"


def test_an_answer_without_the_tag_is_asked_again(lab: Lab) -> None:
    """004-50."""
    done = lab.run(first(picking("b/b2 it is", preferring("b2")), drawn(TWO_BY_TWO)), **GUIDED)
    assert "no <output> tag" in done.backend.asked(Kind.PICK)[1].prompt
    assert researched(done.backend)[2] == "B2"


def test_five_useless_answers_lead_to_breadth_first_and_it_is_on_record(lab: Lab) -> None:
    """004-10: the shallowest, then the oldest; the search completes."""
    done = lab.run(first(picking("I would rather not."), drawn(TWO_BY_TWO)), **GUIDED)
    assert researched(done.backend) == ["A", "B", "A1", "A2", "B1", "B2"]
    assert len(done.backend.asked(Kind.PICK)) == 5
    (ranked,) = done.of_kind("leaves.ranked")
    assert ranked.by == "breadth-first"
    assert "no <output> tag" in ranked.note
    assert done.outcome.ending is Ending.COMPLETE


def test_a_picker_that_cannot_be_reached_leads_to_breadth_first_too(lab: Lab) -> None:
    done = lab.run(first(lambda ask: failing() if ask.kind is Kind.PICK else None, drawn(TWO_BY_TWO)), **GUIDED)
    assert len(done.backend.asked(Kind.PICK)) == 1
    assert done.of_kind("leaves.ranked")[0].by == "breadth-first"
    assert done.outcome.ending is Ending.COMPLETE


def test_the_last_leaf_costs_no_ask(lab: Lab) -> None:
    done = lab.run(drawn({"": ["A"], "A": ["A1"], "A1": ["A11"]}), **GUIDED | {"depth": 3})
    assert researched(done.backend) == ["A", "A1", "A11"]
    assert not done.backend.asked(Kind.PICK)
    assert {ranked.by for ranked in done.of_kind("leaves.ranked")} == {"only leaf"}


def test_ranked_leaves_keep_the_slots_busy_while_the_picker_thinks(lab: Lab) -> None:
    """004-11: the second pick is held back until every leaf of the first one has been started.

    A slot that waited for the picker would leave both waiting for each other.
    """

    def may_answer(ask: Ask) -> bool:
        picks = [arrived for arrived in backend.arrived if arrived.kind is Kind.PICK]
        return ask.kind is not Kind.PICK or ask is picks[0] or best_of(picks[0]) <= started(backend.arrived)

    async def run() -> None:
        with anyio.fail_after(60):
            await lab.start(backend, **GUIDED | {"depth": 2}, concurrency=2)

    backend = Patient(first(picking(preferring()), drawn(layered(3, 3, 3))), may_answer)
    anyio.run(run)
    assert len(started(backend.arrived)) == 39
    first_pick, second_pick = [place for place, ask in enumerate(backend.arrived) if ask.kind is Kind.PICK][:2]
    ranked = best_of(backend.arrived[first_pick])
    assert len(ranked) == 8
    assert not ranked <= started(backend.arrived[:second_pick]), "it was asked while ranked leaves still waited"


def best_of(pick: Ask) -> set[str]:
    """The leaves that a picker without an opinion names, by their slugs."""
    assert isinstance(pick.inputs, PickInputs)
    return {path.rpartition("/")[2] for path in pick.inputs.leaves[: pick.inputs.count]}


def started(asks: list[Ask]) -> set[str]:
    return {topic_of(ask).slug for ask in asks if ask.kind is Kind.DOCUMENT}


# Before the first ranking


def test_idle_slots_take_the_first_named_leaves_while_the_first_pick_is_out(lab: Lab) -> None:
    """The first pick is held back until four leaves are under way or done: they cannot have been ranked."""

    def may_answer(ask: Ask) -> bool:
        return ask.kind is not Kind.PICK or len(started(backend.arrived)) >= 7

    async def run() -> None:
        with anyio.fail_after(60):
            await lab.start(backend, **GUIDED | {"breadth": 9}, concurrency=4)

    backend = Patient(first(picking(preferring()), drawn(layered(3, 9))), may_answer)
    anyio.run(run)
    unranked = [topic_of(ask).title for ask in backend.arrived if ask.kind is Kind.DOCUMENT][3:7]
    assert set(unranked[:3]) == {"T1.1", "T2.1", "T3.1"}
    assert unranked[3].endswith(".2")
    assert len(started(backend.arrived)) == 30


def a_walked_tree(leaves: int, limit: int, concurrency: int) -> State:
    """Two topics of the first level are done; so many leaves wait below each of them."""
    state = State(routes(CYCLE.values()))
    state.apply(e.ResearchRequested(settings_for(concurrency=concurrency, max_iterations=limit, strategy="guided")))
    for task in list(state.tasks("planner")):
        state.apply(e.TurnStarted("planner::1", task.hat, "PLAN"))
        state.close_turn("planner::1")
    for root in ("1", "2"):
        state.apply(e.TopicAdded(Topic(root, root, f"t{root}", 0)))
        turn = f"researcher:{root}:1"
        state.apply(e.TurnStarted(turn, "researcher", "RESEARCH", root, iteration=int(root)))
        state.apply(e.TopicResearched(root, Document("Known.")))
        state.apply(e.TopicAccepted(root))
        for number in range(1, leaves + 1):
            state.apply(e.TopicAdded(Topic(f"{root}.{number}", "Leaf", f"t{root}-{number}", 1, root)))
        state.close_turn(turn)
    for task in list(state.tasks("reviewer")):
        state.apply(e.TurnStarted("reviewer", task.hat, "REVIEW", task.topic))
        state.close_turn("reviewer")
    return state


@pytest.mark.parametrize(
    ("leaves", "limit", "concurrency", "taken"),
    [
        (20, 1_000, 4, ["1.1", "2.1", "1.2", "2.2"]),
        (5, 1_000, 4, ["1.1", "2.1"]),
        (4, 1_000, 4, []),
        (20, 60, 4, ["1.1", "2.1", "1.2"]),
        (20, 19, 4, []),
        (20, 1_000, 1, []),
    ],
    ids=["enough of both", "two per slot stay", "all stay", "a twentieth of the limit", "small limit", "one at a time"],
)
def test_leaves_that_nobody_ranked_are_few_and_leave_the_picker_a_choice(
    leaves: int, limit: int, concurrency: int, taken: list[str]
) -> None:
    state = a_walked_tree(leaves, limit, concurrency)
    assert Guided().next(state, concurrency) == [Task("picker", ""), *(Task("researcher", id) for id in taken)]


def test_after_the_first_ranking_only_ranked_leaves_are_taken() -> None:
    state = a_walked_tree(20, 1_000, 4)
    state.apply(e.TurnStarted("picker::1", "picker", "PICK"))
    state.apply(e.LeavesRanked(("2.7",), by="picker"))
    state.close_turn("picker::1")
    assert Guided().next(state, 4) == [Task("picker", ""), Task("researcher", "2.7")]


def test_a_ranking_that_forgets_a_leaf_does_not_unrank_it() -> None:
    """A leaf that was ranked before stays behind those that are named now, so that a free slot can have it."""
    state = a_walked_tree(20, 1_000, 4)
    for leaves in (("2.7", "2.8"), ("1.3", "2.8")):
        state.apply(e.TurnStarted("picker::1", "picker", "PICK"))
        state.apply(e.LeavesRanked(leaves, by="picker"))
        state.close_turn("picker::1")
    assert [task.topic for task in Guided().next(state, 4)[1:]] == ["1.3", "2.8", "2.7"]


def test_a_topic_sent_back_while_the_picker_thinks_is_not_forgotten() -> None:
    state = a_walked_tree(20, 1_000, 4)
    state.apply(e.TurnStarted("picker::1", "picker", "PICK"))
    state.apply(e.TopicRejected("1", actions=("Look again.",)))
    state.apply(e.LeavesRanked(("2.7",), by="picker"))
    state.close_turn("picker::1")
    assert Task("researcher", "1") in Guided().next(state, 4)


def test_a_topic_sent_back_is_not_among_those_the_picker_is_shown_to_choose_from() -> None:
    state = a_walked_tree(3, 1_000, 4)
    state.apply(e.TopicRejected("1", actions=("Look again.",)))
    assert set(view_of(state).leaves.values()) == {"1.1", "1.2", "1.3", "2.1", "2.2", "2.3"}


def test_a_picker_that_ranks_everything_is_asked_again_before_the_tree_has_changed_much(lab: Lab) -> None:
    def all_of_them(inputs: PickInputs) -> str:
        return f"<output>{' , '.join(inputs.leaves)}</output>"

    done = lab.run(first(picking(all_of_them), drawn(layered(3, 3))), **GUIDED)
    assert len(done.of_kind("leaves.ranked")[0].topics) == RANKED_PER_SLOT


def test_that_the_picker_was_of_no_use_is_told_once(lab: Lab) -> None:
    done = lab.run(first(picking("no idea"), drawn(layered(3, 3))), **GUIDED)
    assert len(done.of_kind("leaves.ranked")) > 1
    assert [event.tag for event in done.state.raised] == [Tag.PATH_DECISION]


def test_a_topic_in_trouble_when_the_backend_was_lost_is_not_left_to_the_picker() -> None:
    state = a_walked_tree(20, 1_000, 4)
    state.apply(e.TurnStarted("picker::1", "picker", "PICK"))
    state.apply(e.LeavesRanked(("2.7",), by="picker"))
    state.close_turn("picker::1")
    state.apply(e.TurnStarted("researcher:2.7:1", "researcher", "RESEARCH", "2.7", 3))
    state.apply(e.TurnFailed("researcher:2.7:1", "researcher", "2.7", "document", "no answer", 1))
    state.apply(e.BackendLost("It is gone."))
    assert Task("researcher", "2.7") in Guided().next(state, 4)


def test_a_topic_that_a_reviewer_sent_back_is_not_left_to_the_picker(lab: Lab) -> None:
    sent_back: list[str] = []

    def review(ask: Ask) -> Scripted | None:
        topic = topic_of(ask) if ask.kind is Kind.REVIEW else None
        if topic is None or topic.depth == 0 or topic.id in sent_back:
            return None
        sent_back.append(topic.id)
        return rejection(topic)

    done = lab.run(first(review, drawn(TWO_BY_TWO)), **GUIDED)
    assert done.outcome.ending is Ending.COMPLETE
    assert len(researched(done.backend)) == 2 + 2 * 4
    for ask in done.backend.asked(Kind.PICK):
        assert isinstance(ask.inputs, PickInputs)
        unexpanded = [line for line in ask.inputs.outline.splitlines() if "[unexpanded]" in line]
        assert len(unexpanded) == len(ask.inputs.leaves)
    assert {ranked.by for ranked in done.of_kind("leaves.ranked")} <= {"picker", "only leaf"}


def test_the_iteration_limit_ends_a_guided_search_with_its_best_leaves_done(lab: Lab) -> None:
    """004-12: a budget ends it, with a report and exit code 2; nothing is asked of the picker after that."""
    done = lab.run(first(picking(preferring("b2")), drawn(TWO_BY_TWO)), **GUIDED | {"max_iterations": 3})
    assert researched(done.backend) == ["A", "B", "B2"]
    assert done.outcome.exit_code == 2
    assert statuses(done.state)["1.1"] is Status.PENDING


def test_one_failing_topic_stops_no_other(lab: Lab) -> None:
    """004-41: exhausted, exit code 2, and named."""
    bad: Script = lambda ask: failing() if ask.kind is Kind.DOCUMENT and topic_of(ask).title == "A1" else None  # noqa: E731
    done = lab.run(first(bad, drawn(TWO_BY_TWO)), **GUIDED)
    assert done.state.topic("1.1").status is Status.EXHAUSTED
    assert {title for title in researched(done.backend) if title != "A1"} == {"A", "A2", "B", "B1", "B2"}
    assert researched(done.backend).count("A1") == 4
    assert done.outcome.exit_code == 2
    assert "A1" in done.report


def test_a_failing_first_level_topic_does_not_keep_the_walk_from_ending(lab: Lab) -> None:
    bad: Script = lambda ask: failing() if ask.kind is Kind.DOCUMENT and topic_of(ask).title == "A" else None  # noqa: E731
    done = lab.run(first(bad, drawn(TWO_BY_TWO)), **GUIDED)
    assert statuses(done.state) == {
        "1": Status.EXHAUSTED,
        "2": Status.COMPLETE,
        "2.1": Status.COMPLETE,
        "2.2": Status.COMPLETE,
    }


def test_no_topic_is_done_again_when_the_strategy_is_switched(lab: Lab) -> None:
    """X-04: breadth, then guided, then breadth, on one researcher."""
    shape = layered(2, 2, 2)
    settings = GUIDED | {"breadth": 2, "depth": 2, "strategy": "breadth", "max_iterations": 3}
    begun = lab.run(drawn(shape), **settings)
    guided = lab.resume(drawn(shape), strategy="guided", max_iterations=8)
    ended = lab.resume(drawn(shape), strategy="breadth", max_iterations=200)
    done = [title for run in (begun, guided, ended) for title in researched(run.backend)]
    assert len(done) == len(set(done)) == 14
    assert not begun.backend.asked(Kind.PICK)
    assert guided.backend.asked(Kind.PICK)
    assert not ended.backend.asked(Kind.PICK)
    assert ended.outcome.ending is Ending.COMPLETE


def test_the_picker_is_told_what_to_weigh_and_sees_the_outline(lab: Lab) -> None:
    """004-06, 004-49: titles, statuses and slug paths; guidance from people too."""
    done = lab.run(drawn(TWO_BY_TWO), **GUIDED)
    prompt = done.backend.asked(Kind.PICK)[0].prompt
    assert prompt.startswith("You are a research planner analyzing a tree of topics being explored.")
    assert "Consider: coverage gaps, dependencies between topics, foundational vs advanced." in prompt
    assert "Example: <output>authentication-system/oauth2-flow</output>" in prompt
    assert prompt.endswith(
        "- A [expanded] (a)\n"
        "  - A1 [unexpanded] (a/a1)\n"
        "  - A2 [unexpanded] (a/a2)\n"
        "- B [expanded] (b)\n"
        "  - B1 [unexpanded] (b/b1)\n"
        "  - B2 [unexpanded] (b/b2)\n"
    )


def test_a_hundred_topics_are_each_researched_once(lab: Lab) -> None:
    """004-39: in-progress topics are never picked again."""
    backend = ScriptedBackend(drawn(layered(3, 3, 3, 3)))
    done = anyio.run(lambda: lab.start(backend, **GUIDED | {"depth": 3}, concurrency=8))
    titles = researched(backend)
    assert len(titles) == len(set(titles)) == 120
    assert done.outcome.ending is Ending.COMPLETE
    assert backend.running == 0
