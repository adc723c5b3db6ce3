"""`phase_state.json`: the budget, the loop and the retries at a glance, rendered from the state. Pure."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from ..settings import synthesis_reserve
from ..state import State

NAME = "phase_state.json"


def phase_state(state: State) -> dict[str, Any]:
    """The seed's layout; what does not apply, or is not known yet, is null."""
    scope = state.scope
    return {
        "research": {
            "query_type": scope.query_type if scope else None,
            "complexity_tier": scope.tier if scope else None,
            "time_budget": _time_budget(state),
            "iteration": _iteration(state),
            "retry_tracking": {
                "total_failed": len(state.failures),
                "exhausted_subquestions": list(state.exhausted),
            },
            "loop_decision": _loop_decision(state),
            "retry_events": [
                {"topic": failed.topic or None, "hat": failed.hat, "attempt": failed.attempt, "error": failed.error}
                for failed in state.failures
            ],
        }
    }


def _time_budget(state: State) -> dict[str, Any]:
    minutes = state.settings.time
    return {
        "total_minutes": minutes,
        "synthesis_reserve": None if minutes is None else round(synthesis_reserve(minutes), 2),
        "started_at": datetime.fromtimestamp(state.started, UTC).isoformat("T", "seconds") if state.started else None,
        "remaining_minutes": None if minutes is None else round(max(0.0, minutes - state.elapsed / 60), 1),
    }


def _iteration(state: State) -> dict[str, int]:
    """Rounds of the loop where there is one, otherwise turns of research."""
    if asking := state.settings.asking:
        return {"current": len(state.decisions), "max": asking.max_loops}
    return {"current": state.iteration, "max": state.settings.max_iterations}


def _loop_decision(state: State) -> dict[str, Any] | None:
    if not state.decisions:
        return None
    last = state.decisions[-1]
    more = {"iteration": last.iteration, "timeRemainingMinutes": last.timeRemainingMinutes}
    return {**asdict(last.decision), **more, "overruled": last.overruled or None}


def render_phase_state(state: State) -> str:
    return json.dumps(phase_state(state), indent=2, ensure_ascii=False) + "\n"
