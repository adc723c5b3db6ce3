"""A report that exists is not a failed run: when its review or revision gets no usable answer, it ends with CAUTION."""

from __future__ import annotations

import pytest

from deeproot.asks import Ask, Kind
from deeproot.engine.engine import Ending
from deeproot.testing import Script, Scripted
from laboratory import Lab, failing, final_verdict, first


def always(kind: Kind, said: Scripted) -> Script:
    return lambda ask: said if ask.kind is kind else None


@pytest.mark.parametrize("said", [failing("no answer today"), "MODEL OVERLOADED"])
def test_a_review_without_a_usable_answer_concedes_the_report(lab: Lab, said: Scripted) -> None:
    done = lab.run(always(Kind.FINAL_REVIEW, said))
    assert (done.outcome.ending, done.outcome.exit_code) == (Ending.CAUTION, 3)
    assert "final review got no usable answer" in done.outcome.reason
    assert "CAUTION, not mended: the final review got no usable answer" in done.report
    assert len(done.of_kind("turn.failed")) == 4
    assert not done.state.troubles


def test_a_revision_without_a_usable_answer_concedes_with_what_was_to_be_mended(lab: Lab) -> None:
    script = first(always(Kind.FINAL_REVIEW, final_verdict("Too short")), always(Kind.REVISE, failing()))
    done = lab.run(script)
    assert done.outcome.exit_code == 3
    assert "CAUTION, not mended: Too short" in done.report
    assert "the revise got no usable answer" in done.report


def test_a_conceded_report_can_be_resumed_without_harm(lab: Lab) -> None:
    before = lab.run(always(Kind.FINAL_REVIEW, failing()))
    again = lab.resume()
    assert not again.backend.asks
    assert again.outcome.exit_code == 3
    assert again.report == before.report


def test_what_a_person_says_afterwards_is_still_heeded(lab: Lab) -> None:
    lab.run(always(Kind.FINAL_REVIEW, failing()))
    inbox = lab.folder / "inbox"
    inbox.mkdir()
    (inbox / "1-a.guide.md").write_text("Say more about shields.")
    done = lab.resume()
    assert next(ask.kind for ask in done.backend.asks) is Kind.REVISE
    assert done.outcome.ending is Ending.COMPLETE


@pytest.mark.parametrize("kind", [Kind.SECTION, Kind.SYNTHESIZE])
def test_a_report_that_does_not_exist_is_a_failed_run_as_ever(lab: Lab, kind: Kind) -> None:
    done = lab.run(always(kind, failing()))
    assert done.outcome.exit_code == 1


def test_a_failed_review_is_asked_four_times_and_not_more(lab: Lab) -> None:
    asked: list[Ask] = []

    def script(ask: Ask) -> Scripted | None:
        if ask.kind is Kind.FINAL_REVIEW:
            asked.append(ask)
            return failing()
        return None

    lab.run(script)
    assert len(asked) == 4
