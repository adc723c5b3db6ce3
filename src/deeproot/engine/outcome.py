"""How a run ended, told from its state. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ..checks import Grade
from ..events import ReportConceded
from ..state import State


class Ending(StrEnum):
    """How a run ended; the exit codes are in `EXIT_CODES`."""

    COMPLETE = "complete"
    LIMITED = "limited"
    CAUTION = "caution"
    FAILED = "failed"
    STOPPED = "stopped"


EXIT_CODES: Mapping[Ending, int] = {
    Ending.COMPLETE: 0,
    Ending.FAILED: 1,
    Ending.LIMITED: 2,
    Ending.CAUTION: 3,
    Ending.STOPPED: 130,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    ending: Ending
    reason: str = ""

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.ending]


def outcome_of(state: State, stopped: bool) -> Outcome:
    """The outcome of a run that came to rest, by itself or because it was stopped."""
    if not state.growths and not state.limit and not stopped:
        return Outcome(Ending.FAILED, "the plan has no topics left; add one to research_plan.md and --resume")
    if not state.finished:
        return Outcome(Ending.STOPPED, "stopped on request; continue with --resume")
    verdict, checked = state.draft.verdict, state.draft.checked
    if checked and checked.grade is Grade.FAIL:
        grave = [issue.detail for issue in checked.issues if issue.grave]
        more = f" (and {len(grave) - 1} more in gates.json)" if len(grave) > 1 else ""
        return Outcome(Ending.CAUTION, f"a gate failed: {grave[0]}{more}")
    if isinstance(verdict, ReportConceded) and verdict.by == "reviewer":
        return Outcome(Ending.CAUTION, "the report was still rejected after its last revision")
    if isinstance(verdict, ReportConceded) and verdict.by == "failure":
        return Outcome(Ending.CAUTION, f"the report was not reviewed to the end: {verdict.issues[-1]}")
    if reason := _limits(state):
        return Outcome(Ending.LIMITED, reason)
    return Outcome(Ending.COMPLETE)


def _limits(state: State) -> str:
    """Every limit that took something from the report, the first one hit first."""
    said = {"retries": _given_up(state)} if state.exhausted else {}
    if state.limit:
        said[state.limit.limit] = state.limit.detail
    return "; ".join(said[hit] for hit in state.hits if hit in said)


def _given_up(state: State) -> str:
    count = len(state.exhausted)
    why = " / ".join(dict.fromkeys(state.exhausted.values()))
    return f"{count} topic{'s were' if count > 1 else ' was'} given up after retries ({why})"
