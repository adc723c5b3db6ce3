"""Hats: what is done in a turn. A hat is data (what wakes it, what it publishes, whose model answers) and one function.

The built-in cycle is a set of hats among others: the engine knows their names only through this table.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from ..events import Event
from ..state import State, Task
from .check import check_citations, check_consistency
from .pick import breadth_first, pick
from .plan import plan
from .recover import no_notes, recover
from .research import research
from .review import final_review, review
from .stand_in import concede, section_by_code, summary_by_code
from .turn import Turn
from .write import revise, synthesize, write_section

__all__ = ["CYCLE", "Hat", "Turn", "routes"]


@dataclass(frozen=True, slots=True)
class Hat:
    """`scope` says what a turn that cannot be saved takes down: its topic alone, the report's review, or the run.

    A hat with a `fallback` is not retried: what it would have decided is then decided by that function. `stand_in`
    does so only when a budget is used up; hats of the ending have one. A hat that takes no slot works beside the
    topics instead of in the place of one. A hat that heeds hears the guidance of people.
    """

    name: str
    phase: str
    triggers: tuple[str, ...]
    publishes: tuple[str, ...]
    act: Callable[[Turn], Awaitable[list[Event]]]
    role: Literal["research", "review"] = "research"
    scope: Literal["topic", "report", "run"] = "run"
    fallback: Callable[[State, Task, str], list[Event]] | None = None
    stand_in: Callable[[State, Task, str], list[Event]] | None = None
    takes_slot: bool = True
    heeds: bool = False


CYCLE: dict[str, Hat] = {
    hat.name: hat
    for hat in (
        Hat("planner", "PLAN", ("research.requested",), ("plan.made", "topic.added"), plan),
        Hat(
            "researcher",
            "RESEARCH",
            ("topic.added", "topic.rejected", "topic.reopened"),
            ("topic.researched", "topic.added"),
            research,
            scope="topic",
            heeds=True,
        ),
        Hat(
            "reviewer",
            "REVIEW",
            ("topic.researched",),
            ("topic.accepted", "topic.rejected", "topic.exhausted"),
            review,
            role="review",
            scope="topic",
        ),
        Hat(
            "writer",
            "SECTION",
            ("section.requested",),
            ("section.written",),
            write_section,
            stand_in=section_by_code,
            heeds=True,
        ),
        Hat(
            "synthesizer",
            "SYNTHESIZE",
            ("sections.settled",),
            ("report.written",),
            synthesize,
            stand_in=summary_by_code,
            heeds=True,
        ),
        Hat(
            "citation_gate",
            "CITATION_GATE",
            ("report.written", "report.revised"),
            ("citations.checked",),
            check_citations,
            role="review",
            scope="report",
        ),
        Hat(
            "consistency_gate",
            "CONSISTENCY_GATE",
            ("citations.checked",),
            ("report.checked",),
            check_consistency,
            scope="report",
        ),
        Hat(
            "final_reviewer",
            "FINAL_REVIEW",
            ("report.checked",),
            ("report.accepted", "report.rejected", "report.conceded"),
            final_review,
            role="review",
            scope="report",
            stand_in=concede,
        ),
        Hat(
            "reviser",
            "REVISE",
            ("report.rejected",),
            ("report.revised",),
            revise,
            scope="report",
            stand_in=concede,
            heeds=True,
        ),
        Hat("recovery", "RECOVERY", ("turn.failed",), ("recovery.noted",), recover, fallback=no_notes),
        Hat("picker", "PICK", (), ("leaves.ranked",), pick, fallback=breadth_first, takes_slot=False, heeds=True),
    )
}


def routes(hats: Iterable[Hat]) -> dict[str, str]:
    """Which hat an event's name wakes."""
    return {trigger: hat.name for hat in hats for trigger in hat.triggers}
