"""A killed guided search goes on without asking anything again, wherever its journal was cut off."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
from grove import Patient, drawn, layered, picking, preferring

from deeproot.asks import Ask, Kind
from deeproot.engine.engine import Ending
from deeproot.project import journal
from deeproot.project.journal import Entry
from deeproot.researcher import Means
from laboratory import Finished, Lab, first, topic_of

GUIDED: dict[str, Any] = {"strategy": "guided", "breadth": 5, "depth": 1, "max_iterations": 200, "concurrency": 2}
SHAPE = layered(2, 5)


def live(lab: Lab) -> Finished:
    """The tree changes under the second pick: it is answered after one more document was asked for.

    The first leaf is under way from before that pick is asked until after.
    """

    def may_answer(ask: Ask) -> bool:
        picked = picks(backend)
        if ask.kind is Kind.DOCUMENT and topic_of(ask).title == "T1.1":
            return len(picked) > 1
        if len(picked) < 2 or ask is not picked[1]:
            return True
        return any(each.kind is Kind.DOCUMENT for each in backend.arrived[backend.arrived.index(ask) :])

    async def run() -> Finished:
        with anyio.fail_after(60):
            return await lab.start(backend, **GUIDED)

    backend = Patient(first(picking(preferring()), drawn(SHAPE)), may_answer)
    return anyio.run(run)


def picks(backend: Patient) -> list[Ask]:
    return [ask for ask in backend.arrived if ask.kind is Kind.PICK]


def cut(lab: Lab, folder: Path, lines: int) -> Lab:
    """The researcher as it is known from the first lines of its journal."""
    copy = Lab(folder / f"cut-{lines}")
    copy.folder.mkdir(parents=True)
    kept = lab.researcher.journal.read_bytes().splitlines(keepends=True)[:lines]
    (copy.folder / journal.NAME).write_bytes(b"".join(kept))
    return copy


def answered_twice(entries: list[Entry]) -> list[tuple[str, str]]:
    steps = Counter((entry.step.turn, entry.step.name) for entry in entries if entry.step and entry.step.reply)
    return [step for step, times in steps.items() if times > 1]


def place_of(entries: list[Entry], turn: str) -> int:
    """How many lines a journal has that ends with the step of this turn (the first line is its header)."""
    return next(place for place, entry in enumerate(entries, 2) if entry.step and entry.step.turn == turn)


def test_a_pick_that_was_answered_is_not_asked_again_although_the_tree_has_changed(lab: Lab, memory_path: Path) -> None:
    done = live(lab)
    wanted = next(entry.step for entry in done.entries if entry.step and entry.step.turn == "picker::2")
    copy = cut(lab, memory_path, place_of(done.entries, "picker::2"))
    resumed = copy.resume(first(picking("No."), drawn(SHAPE)))
    ranked = resumed.of_kind("leaves.ranked")[1]
    assert ranked.by == "picker"
    assert wanted.reply
    named = [path.rpartition("/")[2] for path in wanted.reply.text.splitlines()[1:-1]]
    assert resumed.state.topic(ranked.topics[0]).slug in named
    assert not answered_twice(resumed.entries)


def test_wherever_a_guided_search_is_killed_no_answer_is_paid_for_twice(lab: Lab, memory_path: Path) -> None:
    done = live(lab)
    lines = len(done.entries) + 1
    for kept in range(2, lines, 4):
        resumed = cut(lab, memory_path, kept).resume(first(picking(preferring()), drawn(SHAPE)))
        assert not answered_twice(resumed.entries), f"cut after line {kept}"
        assert resumed.outcome.ending is Ending.COMPLETE


def test_a_pick_left_open_by_a_kill_waits_for_no_slot(lab: Lab, memory_path: Path) -> None:
    """The one slot is taken by a topic that gets no answer before the picker is asked."""
    lines = len(live(lab).entries) + 1
    copies = (cut(lab, memory_path, kept) for kept in range(2, lines))
    copy = next(copy for copy in copies if "picker" in left_open(copy)[1:])

    def may_answer(ask: Ask) -> bool:
        return ask.kind is Kind.PICK or bool(picks(backend))

    async def run() -> None:
        means = Means(open_backend=lambda _name, _settings: backend)
        with anyio.fail_after(60):
            await copy.researcher.resume(lambda before: replace(before, concurrency=1), means)

    backend = Patient(first(picking(preferring()), drawn(SHAPE)), may_answer)
    anyio.run(run)
    assert picks(backend)


def left_open(lab: Lab) -> list[str]:
    """The hats that were on when the journal ended, in the order they were put on."""
    return [task.hat for task in lab.researcher.past().state.open]
