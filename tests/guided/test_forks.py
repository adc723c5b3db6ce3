"""Two asks per node in one session; children fork their parent's session, or are given what it would have known."""

from __future__ import annotations

import json
from typing import Any

import pytest
from grove import FORKING, TALKING, TWO_BY_TWO, Sessions, Wood, a_tree, drawn

from deeproot.asks import Ask, Kind
from deeproot.backends import Abilities
from deeproot.cli import main
from deeproot.testing import Script, Scripted, ScriptedBackend
from laboratory import Lab, document_about, first, topic_of

GUIDED: dict[str, Any] = {"strategy": "guided", "breadth": 3, "depth": 2, "max_iterations": 200}
THREE_LEVELS = {"": ["A", "B"], "A": ["A1", "A2"], "A1": ["A11", "A12"], "B": ["B1"]}


def documents(ask: Ask) -> Scripted | None:
    return document_about(topic_of(ask).title) if ask.kind is Kind.DOCUMENT else None


def forked(lab: Lab) -> Sessions:
    sessions = Sessions(first(documents, drawn(THREE_LEVELS)))
    lab.run(ScriptedBackend(sessions, abilities=FORKING), **GUIDED)
    return sessions


def test_a_topic_takes_two_asks_in_one_session(lab: Lab) -> None:
    """004-16."""
    sessions = forked(lab)
    for title in ("A", "B", "A1", "B1"):
        _, session = sessions.of(title)
        children, same = sessions.of(title, Kind.CHILDREN)
        assert same == session == children.session
        assert not children.fork


def test_a_child_forks_its_parents_session_and_gets_one_of_its_own(lab: Lab) -> None:
    """004-17: the parent's session is what it was when its own asks were answered."""
    sessions = forked(lab)
    for child, parent in (("A1", "A"), ("A2", "A"), ("A11", "A1"), ("A12", "A1"), ("B1", "B")):
        ask, session = sessions.of(child)
        _, above = sessions.of(parent)
        assert ask.fork
        assert ask.session == above != session
    assert sessions.transcripts[sessions.of("A")[1]] == [
        sessions.of("A")[0].prompt,
        sessions.of("A", Kind.CHILDREN)[0].prompt,
    ]


def test_siblings_do_not_see_each_other(lab: Lab) -> None:
    sessions = forked(lab)
    mine = sessions.transcripts[sessions.of("A2")[1]]
    assert sessions.of("A")[0].prompt in mine
    assert sessions.of("A1")[0].prompt not in mine
    assert sessions.of("A2")[0].prompt not in sessions.transcripts[sessions.of("A1")[1]]


def test_the_first_level_forks_from_nothing(lab: Lab) -> None:
    """004-18."""
    sessions = forked(lab)
    for title in ("A", "B"):
        ask, _ = sessions.of(title)
        assert ask.session is None
        assert not ask.fork
        assert not ask.context


@pytest.mark.parametrize("abilities", [Abilities(tools=True), TALKING])
def test_without_forking_a_child_is_given_the_documents_it_grew_from_in_tree_order(
    lab: Lab, abilities: Abilities
) -> None:
    """004-19: recorded as emulated; siblings share every byte of it."""
    script: Script = first(documents, drawn(THREE_LEVELS))
    done = lab.run(ScriptedBackend(script, abilities=abilities), **GUIDED)
    asked = {topic_of(ask).title: ask for ask in done.backend.asked(Kind.DOCUMENT)}
    assert not any(ask.session or ask.fork for ask in asked.values())
    assert asked["A11"].context == asked["A12"].context
    assert asked["A11"].context.startswith(asked["A1"].context.rstrip())
    assert asked["A11"].context.index("Summary of A.") < asked["A11"].context.index("Summary of A1.")
    assert "Summary of B." not in asked["A11"].context
    forks = {step.turn.split(":")[1]: step.reply.fork for step in done.steps if step.name == "document" and step.reply}
    assert forks == {"1": "", "2": "", "1.1": "emulated", "1.2": "emulated", "2.1": "emulated"} | {
        "1.1.1": "emulated",
        "1.1.2": "emulated",
    }


def test_what_a_child_is_given_stays_the_same_when_its_parent_is_written_anew(lab: Lab) -> None:
    """A reworked parent must not change the prefix of the children that grew from its first document."""
    count = [0]

    def once_more(ask: Ask) -> Scripted | None:
        if ask.kind is Kind.DOCUMENT and topic_of(ask).title == "A":
            count[0] += 1
            return document_about(f"A version {count[0]}")
        return documents(ask)

    lab.run(first(once_more, drawn(TWO_BY_TWO)), **GUIDED | {"depth": 1, "max_iterations": 3})
    (lab.folder / "tree" / "a" / "document.md").unlink()
    done = lab.resume(first(once_more, drawn(TWO_BY_TWO)), max_iterations=200)
    contexts = {topic_of(ask).title: ask.context for ask in done.backend.asked(Kind.DOCUMENT)}
    assert "A version 1" in contexts["A2"]
    assert "A version 2" not in contexts["A2"]


# What a provider's cache can serve

STEM = "x" * 640


def a_known_run(wood: Wood, abilities: Abilities) -> ScriptedBackend:
    """Two nodes, one after the other, whose document prompts share their first 640 characters and no block more."""
    script = a_tree({"": ["A", "B"]})
    backend = ScriptedBackend(Sessions(script) if abilities.sessions else script, abilities=abilities)
    wood.search(
        backend,
        concurrency=1,
        max_depth=2,
        root_prompt="?",
        document_prompt=lambda node: STEM + node.title * 64,
        children_prompt=lambda node: node.title * 64,
    )
    return backend


def shown(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    capsys.readouterr()
    assert main(command) == 0
    return capsys.readouterr().out


def test_the_cacheable_share_counts_what_repeats_the_beginning_of_an_earlier_ask(
    wood: Wood, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without sessions: of five asks only the second document repeats anything, its 640 characters."""
    backend = a_known_run(wood, Abilities(tools=True))
    monkeypatch.chdir(wood.root)
    rows = json.loads(shown(capsys, "log", "tree", "--format", "json"))
    assert [row["characters"] for row in rows] == [len(ask.context + ask.prompt) for ask in backend.asks]
    assert [(row["topic"], row["step"]) for row in rows if row["cacheable"]] == [("2", "document")]
    assert sum(row["cacheable"] for row in rows) == 640
    share = 100 * 640 / sum(len(ask.context + ask.prompt) for ask in backend.asks)
    assert f", {share:.0f} % of the prompts cacheable" in shown(capsys, "log", "tree")


def test_a_session_that_goes_on_repeats_all_it_has_heard_and_said(
    wood: Wood, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = a_known_run(wood, FORKING)
    monkeypatch.chdir(wood.root)
    rows = json.loads(shown(capsys, "log", "tree", "--format", "json"))
    cacheable = {(row["topic"], row["step"]): row["cacheable"] for row in rows}
    document = next(ask for ask in backend.asks if ask.kind is Kind.DOCUMENT)
    assert cacheable["1", "subtopics"] == len(document.prompt) + len("# A\n\nAll there is to say.\n")
    assert cacheable["2", "document"] == 640
    assert cacheable["", "root"] == 0


def test_siblings_with_the_same_ancestors_are_mostly_cacheable(lab: Lab) -> None:
    """Given as context in the same order each time, the ancestors are a prefix the second sibling repeats whole."""
    done = lab.run(first(documents, drawn(TWO_BY_TWO)), **GUIDED | {"depth": 1})
    steps = {step.turn: step for step in done.steps if step.name == "document"}
    context = next(ask.context for ask in done.backend.asked(Kind.DOCUMENT) if topic_of(ask).title == "A2")
    assert steps["researcher:1.2:1"].repeated >= len(context) - 64
    assert done.state.repeated == sum(step.repeated for step in done.steps)
    assert done.state.sent == sum(step.characters for step in done.steps)
