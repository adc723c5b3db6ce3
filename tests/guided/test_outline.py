"""The tree as text, from the state alone: what people see, and what a picker is shown of a tree of any size."""

from __future__ import annotations

import re
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deeproot import events as e
from deeproot.hats import CYCLE, routes
from deeproot.hats.pick import view_of, waiting
from deeproot.model import Document, Status, Topic
from deeproot.outline import MOST_CHARACTERS, MOST_LINES, dot, mermaid, node_status, render_outline
from deeproot.state import Growth, State

SOURCE = """\
- Authentication System [expanded]
  - OAuth2 Flow [unexpanded]
  - Session Management [in-progress]
  - Password Hashing [leaf]
- Database Layer [expanded]
  - Query Optimization [unexpanded]
  - Migration System [unexpanded]"""


def a_state(*topics: tuple[str, str, Status]) -> State:
    """A state with these topics: id, title and status."""
    state = State(routes(CYCLE.values()))
    for id, title, status in topics:
        parent = id.rpartition(".")[0]
        state.apply(
            e.TopicAdded(Topic(id, title, f"s-{id.replace('.', '-')}", id.count("."), parent or None, status=status))
        )
    return state


def test_the_outline_is_the_one_of_the_source_document() -> None:
    """004-28: two spaces a level, the status in brackets."""
    state = a_state(
        ("1", "Authentication System", Status.COMPLETE),
        ("1.1", "OAuth2 Flow", Status.PENDING),
        ("1.2", "Session Management", Status.IN_PROGRESS),
        ("1.3", "Password Hashing", Status.COMPLETE),
        ("2", "Database Layer", Status.COMPLETE),
        ("2.1", "Query Optimization", Status.PENDING),
        ("2.2", "Migration System", Status.PENDING),
    )
    assert render_outline(state) == SOURCE
    assert render_outline(a_state()) == ""


def test_the_leaves_are_the_unexpanded_topics_that_nobody_works_on() -> None:
    """004-29."""
    state = a_state(("1", "A", Status.COMPLETE), ("1.1", "B", Status.PENDING), ("1.2", "C", Status.PENDING))
    assert waiting(state) == ["1.1", "1.2"]
    state.apply(e.TurnStarted("researcher:1.1:1", "researcher", "RESEARCH", "1.1", 1))
    assert waiting(state) == ["1.2"]


# The status of a topic as a word of the tree, and back

WORDS = {"unexpanded", "in-progress", "expanded", "leaf", "failed"}
BACK = {"unexpanded": Status.PENDING, "in-progress": Status.IN_PROGRESS, "failed": Status.EXHAUSTED}


@given(st.sampled_from(Status), st.booleans(), st.booleans())
def test_every_status_has_a_word_and_the_word_with_the_plans_tells_the_status(
    status: Status, has_children: bool, has_document: bool
) -> None:
    """X-02: total, and lossless with the plan's own word beside it in node.json."""
    topic = Topic("1", "A", "a", 0, status=status)
    growth = Growth(topic, children=["1.1"] if has_children else [], document=Document("D") if has_document else None)
    word = node_status(growth)
    assert word in WORDS
    assert BACK.get(word, growth.topic.status) is status
    assert (word in ("expanded", "leaf")) == (status in (Status.IN_REVIEW, Status.COMPLETE))
    assert (word == "expanded") <= has_children


# Large trees


def large(topics: int, breadth: int = 10, title: str = "A topic of some length") -> State:
    """A tree whose inner topics are complete and whose leaves wait."""
    state = a_state(*((str(n), f"{title} {n}", Status.COMPLETE) for n in range(1, breadth + 1)))
    parents = (id for number in count() for id in list(state.growths)[number : number + 1])
    while len(state.growths) < topics:
        parent = next(parents)
        state.apply(e.TopicEdited(parent, state.topic(parent).title, "", (), Status.COMPLETE))
        for number in range(1, breadth + 1):
            id = f"{parent}.{number}"
            topic = Topic(id, f"{title} {id}", f"slug-of-{id.replace('.', '-')}", id.count("."), parent)
            state.apply(e.TopicAdded(topic))
    return state


@pytest.mark.parametrize(("topics", "title"), [(10_000, "T"), (10_000, "A" * 190), (150, "A" * 190), (2_000, "T")])
def test_what_a_picker_is_shown_stays_within_its_limit(topics: int, title: str) -> None:
    state = large(topics, title=title)
    outline, leaves = view_of(state)
    assert len(outline) <= MOST_CHARACTERS
    assert len(outline.splitlines()) <= MOST_LINES
    assert len(leaves) >= 10
    assert outline.count("[unexpanded]") == len(leaves)
    assert all(f"({path})" in outline for path in leaves)
    hidden = sum(map(int, re.findall(r"- \((\d+) more, not listed\)", outline)))
    shown = len(re.findall(r"^ *- .* \[", outline, re.MULTILINE))
    assert hidden or shown == len(state.growths)


def test_a_small_tree_is_shown_whole() -> None:
    state = large(110)
    outline, leaves = view_of(state)
    assert len(outline.splitlines()) == len(state.growths) == 110
    assert list(leaves.values()) == waiting(state)


def test_a_leaf_too_deep_for_the_limit_is_shown_all_the_same() -> None:
    """Paths of fifty levels are longer than the outline may be; one leaf is always there to choose."""
    deep = [".".join(["1"] * level) for level in range(1, 300)]
    state = a_state(*((id, "A" * 190, Status.COMPLETE) for id in deep[:-1]), (deep[-1], "Last", Status.PENDING))
    assert list(view_of(state).leaves.values()) == [deep[-1]]


def test_every_waiting_leaf_is_shown_sooner_or_later_even_if_none_is_ever_picked() -> None:
    state = large(3_000)
    unseen = set(waiting(state, most=10_000))
    assert len(unseen) > 2_000
    picks = 0
    while unseen:
        shown = set(view_of(state).leaves.values())
        assert shown, "every pick shows some"
        unseen -= shown
        picks += 1
        started = e.TurnStarted(f"picker::{picks}", "picker", "PICK")
        state.apply(started)
        state.apply(e.LeavesRanked((), by="picker"))
        state.close_turn(started.turn)
        assert picks < 200


# For other programs

AWKWARD = 'He said "no" \\ <b>#1</b>; `x`'


def test_a_mermaid_graph_has_a_node_and_an_edge_per_topic_whatever_the_titles() -> None:
    lines = mermaid(a_state(("1", AWKWARD, Status.COMPLETE), ("1.1", "B", Status.PENDING))).splitlines()
    assert lines[0] == "graph TD"
    assert lines[2] == '  t1["He said #quot;no#quot; #92; #lt;b#gt;#35;1#lt;/b#gt;; #96;x#96; [expanded]"]'
    assert lines[3:] == ["  root --> t1", '  t1_1["B [unexpanded]"]', "  t1 --> t1_1"]


def test_a_dot_graph_has_a_node_and_an_edge_per_topic_whatever_the_titles() -> None:
    lines = dot(a_state(("1", AWKWARD, Status.COMPLETE), ("1.1", "B", Status.PENDING))).splitlines()
    assert lines[0] == "digraph research {"
    assert lines[3] == '  t1 [label="He said \\"no\\" \\\\ <b>#1</b>; `x`\\nexpanded"];'
    assert lines[4:] == ["  root -> t1;", '  t1_1 [label="B\\nunexpanded"];', "  t1 -> t1_1;", "}"]
