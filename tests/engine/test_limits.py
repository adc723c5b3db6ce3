"""The iteration limit: its floor, the banner, and going on with a higher one."""

from __future__ import annotations

import pytest

from deeproot.asks import Kind
from deeproot.engine.engine import Ending
from deeproot.model import Status
from deeproot.settings import min_iterations, most_topics
from laboratory import GATES, Lab, at, final_verdict, first, once, rejection, statuses, topic_of

BANNER = """---
⚠️ **WARNING: ITERATION LIMIT REACHED**

This report was generated before all research topics were completed due to reaching the maximum iteration limit. Some findings may be incomplete or missing.

- Topics completed: 2 of 3
- Iterations executed: 2 (limit: 2)
- To complete this research, resume with higher --max-iterations or run again without the limit
---
"""  # noqa: E501 - word for word


@pytest.mark.parametrize(("breadth", "depth", "floor"), [(3, 3, 86), (2, 2, 13), (4, 2, 69), (1, 0, 6)])
def test_the_floor_is_the_breadth_to_the_power_of_the_levels_and_five(breadth: int, depth: int, floor: int) -> None:
    """000-09."""
    assert min_iterations(breadth, depth) == floor


def test_a_full_tree_can_have_more_topics_than_the_floor_allows() -> None:
    """000-10."""
    assert most_topics(3, 3) == 120


def test_a_limit_ends_research_with_a_report_that_says_so_first(lab: Lab) -> None:
    """000-75, 000-88, 000-92, 000-93."""
    done = lab.run(breadth=3, max_iterations=2)
    assert done.report.startswith(BANNER)
    assert (done.outcome.ending, done.outcome.exit_code) == (Ending.LIMITED, 2)
    assert "2 iterations" in done.outcome.reason
    assert done.state.history[-4:] == ["SYNTHESIZE", *GATES, "FINAL_REVIEW"]
    missed = done.state.topic("3").title
    assert f"### {missed}\n\n*Not researched: the limit of 2 iterations was reached.*" in done.report
    assert missed in done.report.split("## Limitations")[1]
    assert (lab.folder / "research_plan.md").exists(), "nothing is cleaned up"
    assert len(list((lab.folder / "progress").iterdir())) == 2
    assert not done.state_json["is_complete"]


def test_what_was_found_is_reviewed_before_a_limit_ends_the_run(lab: Lab) -> None:
    done = lab.run(breadth=3, max_iterations=2, concurrency=4)
    assert list(statuses(done.state).values()) == [Status.COMPLETE, Status.COMPLETE, Status.PENDING]


def test_rework_counts_as_an_iteration(lab: Lab) -> None:
    """000-62: iterations are RESEARCH turns, whoever asked for them."""
    done = lab.run(
        lambda ask: rejection(topic_of(ask)) if ask.kind is Kind.REVIEW else None, breadth=1, max_iterations=2
    )
    assert done.state.iteration == 2
    assert done.outcome.ending is Ending.LIMITED


def test_a_complete_run_has_no_banner(lab: Lab) -> None:
    """000-89."""
    assert "WARNING" not in lab.run(breadth=1, max_iterations=1).report


def test_a_higher_limit_goes_on_with_the_rest_only(lab: Lab) -> None:
    """000-94, and the fourth defect of the original: it kept the old limit and started over."""
    before = lab.run(breadth=3, max_iterations=2)
    kept = before.state.growths["1"].document
    done = lab.resume(max_iterations=50)
    assert done.state_json["max_iterations"] == 50
    assert [topic_of(ask).id for ask in done.backend.asked(Kind.DOCUMENT)] == ["3"]
    assert not done.backend.asked(Kind.PLAN)
    assert done.state.growths["1"].document == kept
    assert done.outcome.ending is Ending.COMPLETE
    assert "WARNING" not in done.report
    assert done.report.count("### ") == 3


def test_resuming_twice_never_doubles_the_banner(lab: Lab) -> None:
    """000-89."""
    lab.run(breadth=4, max_iterations=1)
    for limit in (2, 3):
        done = lab.resume(max_iterations=limit)
        assert done.report.count("ITERATION LIMIT REACHED") == 1
        assert f"(limit: {limit})" in done.report


def test_a_limit_that_is_not_higher_does_nothing_more(lab: Lab) -> None:
    lab.run(breadth=3, max_iterations=2)
    done = lab.resume(max_iterations=2, words=900)
    assert not done.backend.asked(Kind.DOCUMENT)
    assert done.outcome.exit_code == 2


@pytest.mark.parametrize("kind", [Kind.SECTION, Kind.SYNTHESIZE, Kind.FINAL_REVIEW, Kind.REVISE])
def test_a_higher_limit_after_a_crash_in_the_final_cycle_begins_that_cycle_anew(lab: Lab, kind: Kind) -> None:
    """The turn that was open belonged to the old report; its answer must not slip into the new one."""
    images: list[Lab] = []
    crash = at(kind, 1, lambda: images.append(lab.crash_image()))
    lab.run(first(crash, once(Kind.FINAL_REVIEW, final_verdict("Too short"))), breadth=3, max_iterations=2)
    done = images[0].resume(max_iterations=9)
    assert done.outcome.ending is Ending.COMPLETE
    mine = done.state.history[done.state.history.index("RESEARCH_3") :]
    assert mine == ["RESEARCH_3", "REVIEW_3", *["SECTION"] * 3, "SYNTHESIZE", *GATES, "FINAL_REVIEW"]
