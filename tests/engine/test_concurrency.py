"""One global limit, no barrier between levels, and a strict sequence when the limit is one."""

from __future__ import annotations

import anyio
import pytest

from deeproot.asks import Kind
from deeproot.engine.engine import Ending
from deeproot.model import Status
from deeproot.testing import ScriptedBackend
from laboratory import Lab, PausingBackend, statuses, topic_of


def test_a_slow_topic_holds_back_nothing_that_is_not_below_it(lab: Lab) -> None:
    """No barrier: the whole other branch is researched and reviewed while the first topic is still asked."""
    seen: list[dict[str, Status]] = []

    async def until_the_rest_is_done() -> None:
        with anyio.move_on_after(60):
            while True:
                seen[:] = [statuses(lab.researcher.past().state)]
                if list(seen[0].values()).count(Status.COMPLETE) == 7:
                    return
                await anyio.sleep(0.01)

    slow = PausingBackend(lambda ask: ask.kind is Kind.DOCUMENT and topic_of(ask).id == "1", until_the_rest_is_done)
    done = lab.run(slow, breadth=2, depth=2, concurrency=2, max_iterations=20)
    assert seen[0].pop("1") is Status.IN_PROGRESS
    assert set(seen[0]) == {"2", "2.1", "2.2", "2.1.1", "2.1.2", "2.2.1", "2.2.2"}
    assert set(seen[0].values()) == {Status.COMPLETE}
    assert done.outcome.ending is Ending.COMPLETE


@pytest.mark.parametrize("concurrency", [1, 2, 4])
def test_the_limit_holds_for_all_kinds_of_work_together_and_is_used(lab: Lab, concurrency: int) -> None:
    done = lab.run(ScriptedBackend(seconds=0.004), breadth=4, depth=1, concurrency=concurrency, max_iterations=30)
    assert done.backend.most_running == concurrency
    assert len(done.state.growths) == 20


def test_one_at_a_time_means_research_and_review_take_turns(lab: Lab) -> None:
    """000-73: the strict sequence of the seed."""
    done = lab.run(breadth=2, depth=1, concurrency=1)
    kinds = [ask.kind for ask in done.backend.asks if ask.kind in (Kind.DOCUMENT, Kind.REVIEW)]
    assert kinds == [Kind.DOCUMENT, Kind.REVIEW] * 6
    topics = [topic_of(ask).id for ask in done.backend.asks if ask.kind in (Kind.DOCUMENT, Kind.REVIEW)]
    assert topics[::2] == topics[1::2] == ["1", "2", "1.1", "1.2", "2.1", "2.2"]


def test_the_same_answers_make_the_same_report_at_any_concurrency(lab: Lab) -> None:
    reports = [
        lab.run(name=f"by-{concurrency}", breadth=3, depth=1, concurrency=concurrency, max_iterations=20).report
        for concurrency in (1, 3, 8)
    ]
    assert reports[0] == reports[1] == reports[2]
