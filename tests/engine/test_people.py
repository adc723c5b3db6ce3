"""What a person says at the end: approval, feedback, guidance that came late."""

from __future__ import annotations

from pathlib import Path

import anyio

from deeproot.asks import Kind, ReviseInputs
from deeproot.engine.engine import Ending
from deeproot.project.disk import Disk
from deeproot.project.requests import GUIDE, send
from deeproot.researcher import Approval
from laboratory import Lab, at, first


def approving(*said: Approval) -> tuple[list[str], dict[str, object]]:
    """The means of a person who says these things in turn, and what that person was shown."""
    shown: list[str] = []
    left = list(said)

    async def approve(report: Path) -> Approval:
        shown.append(await anyio.Path(report).read_text())
        return left.pop(0)

    return shown, {"approve": approve}


def test_an_approved_report_ends_the_run(lab: Lab) -> None:
    shown, means = approving(Approval(True))
    done = lab.run(means=means)
    assert done.outcome.ending is Ending.COMPLETE
    assert shown == [done.report]
    assert "REVISE" not in done.state.history


def test_feedback_goes_to_the_reviser_and_the_person_is_asked_again(lab: Lab) -> None:
    shown, means = approving(Approval(False, "Shorter, please."), Approval(True))
    done = lab.run(means=means)
    (revision,) = done.backend.asked(Kind.REVISE)
    assert isinstance(revision.inputs, ReviseInputs)
    assert revision.inputs.issues == ("The person in charge says: Shorter, please.",)
    assert len(shown) == 2
    assert done.outcome.ending is Ending.COMPLETE


def test_a_report_that_is_not_approved_stops_the_run_and_resumes(lab: Lab) -> None:
    _, means = approving(Approval(False))
    done = lab.run(means=means)
    assert done.outcome.exit_code == 130
    assert lab.resume().outcome.ending is Ending.COMPLETE


def test_guidance_that_comes_too_late_for_the_writers_sends_the_report_to_the_reviser(lab: Lab) -> None:
    """X-08: nothing is finished before what a person said was heeded."""
    late = at(Kind.FINAL_REVIEW, 1, lambda: send(lab.folder, GUIDE, "Mention pears.", Disk()))
    done = lab.run(first(late))
    (revision,) = done.backend.asked(Kind.REVISE)
    assert isinstance(revision.inputs, ReviseInputs)
    assert revision.inputs.issues == ("The person in charge says: Mention pears.",)
    assert done.outcome.ending is Ending.COMPLETE
