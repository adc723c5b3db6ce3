"""kill -9 in the middle of a call: the time that was used stays used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hourglass import Hourglass, Timed, timed_resume

from deeproot.asks import Kind
from laboratory import Lab

CHILD = Path(__file__).with_name("budget_child.py")
HEARTBEAT = 30.0


def killed_after_three_heartbeats(lab: Lab, kind: Kind) -> float:
    """The seconds that were on record when a run was killed that waited for an answer of this kind."""
    command = [sys.executable, str(CHILD), str(lab.project), kind]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        seconds = [float(child.stdout.readline()) for _ in range(3)]
        child.kill()
    return seconds[-1]


@pytest.mark.parametrize("kind", [Kind.DOCUMENT, Kind.SYNTHESIZE])
def test_time_spent_waiting_for_an_answer_survives_a_kill(lab: Lab, kind: Kind) -> None:
    """001-17: it is recorded on every entry, and every thirty seconds when nothing else is."""
    recorded = killed_after_three_heartbeats(lab, kind)
    used = lab.researcher.past().state.elapsed
    assert used >= recorded >= 2 * HEARTBEAT
    backend = Timed(Hourglass(), 1)
    done = timed_resume(lab, backend)
    assert done.outcome.exit_code == 0
    assert done.state.elapsed == pytest.approx(used + len(backend.asks))


def test_a_resume_with_the_time_used_up_by_a_killed_run_asks_nothing(lab: Lab) -> None:
    used = killed_after_three_heartbeats(lab, Kind.DOCUMENT)
    done = timed_resume(lab, Timed(Hourglass(), 1), time=used / 60 / 2)
    assert not done.backend.asks
    assert done.outcome.exit_code == 2
    assert "TIME BUDGET REACHED" in done.report
