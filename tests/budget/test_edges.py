"""Budgets at the edges: pickers, searches, recoveries, gates, people, and backends that do not tell what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest
from hourglass import Hourglass, Timed, hangs_on, timed_resume, timed_run

from deeproot.asks import Ask, Failure, Kind, Reply
from deeproot.backends import Abilities, BackendSettings
from deeproot.backends.local import LocalBackend
from deeproot.engine.engine import Ending
from deeproot.engine.perform import Queueing
from deeproot.model import Passage, Usage
from deeproot.researcher import Approval
from deeproot.search import Found
from deeproot.testing import ListSearcher, ScriptedBackend
from laboratory import Lab, failing, final_verdict, first, once


@pytest.mark.parametrize("kind", [Kind.PICK, Kind.DOCUMENT])
def test_a_guided_run_is_cut_off_and_goes_on_as_well(lab: Lab, kind: Kind) -> None:
    shape = {"breadth": 3, "depth": 1, "strategy": "guided", "max_iterations": 50}
    backend = Timed(Hourglass(), hangs_on(kind))
    done = timed_run(lab, backend, **shape, time=5, timeout=10**6)
    assert done.outcome.exit_code == 2
    assert done.state.parked
    again = timed_resume(lab, Timed(Hourglass(), 1), time=None)
    assert again.outcome.ending is Ending.COMPLETE
    assert not again.state.parked


def test_a_search_that_never_ends_is_cut_off_with_its_turn(lab: Lab) -> None:
    clock = Hourglass()

    class Endless(ListSearcher):
        def __init__(self, passages: Sequence[Passage]) -> None:
            super().__init__(passages)
            self.searches = 0

        async def search(self, query: str, limit: int) -> Found:
            self.searches += 1
            if self.searches > 1:
                clock.turn(250)
                await anyio.sleep_forever()
            return await super().search(query, limit)

    backend = Timed(clock)
    backend.abilities = Abilities(tools=False)
    done = lab.run(backend, breadth=1, time=5.0, means={"clock": clock, "searcher": Endless([])})
    assert done.outcome.exit_code == 2
    assert [event.hat for event in done.of_kind("turn.parked")] == ["researcher"]


def test_a_recovery_in_the_ending_does_not_keep_the_report_from_being_written(lab: Lab) -> None:
    """The writer fails, and the recovery hangs until the time is over."""
    backend = Timed(Hourglass(), hangs_on(Kind.RECOVER), once(Kind.SECTION, failing()))
    done = timed_run(lab, backend, time=5, timeout=10**6)
    assert done.outcome.exit_code == 2
    assert "word for word" in done.report


def test_a_revision_that_is_not_made_in_time_leaves_its_issues_on_record(lab: Lab) -> None:
    backend = Timed(Hourglass(), hangs_on(Kind.REVISE), once(Kind.FINAL_REVIEW, final_verdict("Too short")))
    done = timed_run(lab, backend, time=5, timeout=10**6)
    assert (done.outcome.ending, done.outcome.exit_code) == (Ending.LIMITED, 2)
    assert "CAUTION, not mended: Too short" in done.report


def test_money_that_nobody_tells_of_cannot_be_kept_and_that_is_said_once(lab: Lab) -> None:
    backend = Timed(Hourglass(), usage=Usage(900, 100))
    done = timed_run(lab, backend, cost=0.01)
    assert done.outcome.ending is Ending.COMPLETE
    assert [event.message for event in done.of_kind("warned") if "--cost cannot be kept" in event.message] == [
        "--cost cannot be kept: the model does not tell what its answers cost. Use --tokens or --calls instead."
    ]


def test_a_backend_in_which_asks_wait_for_each_other_keeps_its_own_time(lab: Lab) -> None:
    clock = Hourglass()

    class Queue(ScriptedBackend):
        queues = True

        async def answer(self, ask: Ask) -> Reply | Failure:
            clock.turn(1_000)
            await anyio.sleep(0.01)
            return await super().answer(ask)

    done = lab.run(Queue(), breadth=1, timeout=30, means={"clock": clock})
    assert done.outcome.ending is Ending.COMPLETE


def test_a_local_model_is_such_a_backend(tmp_path: Path) -> None:
    """Four topics at a time wait for one processor: the last of them is not late."""
    model = tmp_path / "model.gguf"
    model.write_bytes(b"GGUF and more")
    backend = LocalBackend(model, BackendSettings(str(model), scratch=tmp_path))
    assert isinstance(backend, Queueing)


def test_a_person_who_thinks_does_not_use_up_the_time(lab: Lab) -> None:
    clock = Hourglass()
    said = iter([Approval(False, "Say more about shields."), Approval(True)])

    async def approve(_report: Path) -> Approval:
        clock.turn(86_400)
        return next(said)

    backend = Timed(clock, 1)
    done = lab.run(backend, breadth=1, time=5.0, means={"clock": clock, "approve": approve})
    assert Kind.REVISE in [kind for kind, _ in backend.begun]
    assert done.outcome.ending is Ending.COMPLETE
    assert done.state.elapsed == len(backend.begun)


def test_a_topic_added_by_a_person_when_research_is_over_is_reported_as_not_reached(lab: Lab) -> None:
    def add(ask: Ask) -> None:
        if ask.kind is Kind.SECTION and not added:
            added.append(ask)
            plan = lab.folder / "research_plan.md"
            text = plan.read_text(encoding="utf-8")
            plan.write_text(text.replace("## Completion Status", "### Shields (Depth: 0)\n\n## Completion Status"))

    added: list[Ask] = []
    backend = Timed(Hourglass(), 30, add)
    done = timed_run(lab, backend, breadth=5, time=5)
    assert done.outcome.exit_code == 2
    assert "### Shields" in done.report
    assert "Shields: not finished (Pending)." in done.report


def test_a_stop_is_heeded_before_a_budget(lab: Lab) -> None:
    def stop(ask: Ask) -> None:
        if ask.kind is Kind.DOCUMENT:
            inbox = lab.folder / "inbox"
            inbox.mkdir(exist_ok=True)
            (inbox / "1-a.stop.md").touch()

    done = timed_run(lab, Timed(Hourglass(), 1, first(stop)), breadth=3, time=5)
    assert done.outcome.ending is Ending.STOPPED
    assert timed_resume(lab, Timed(Hourglass(), 1)).outcome.ending is Ending.COMPLETE
