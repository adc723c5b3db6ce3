"""What goes wrong: garbage, failures, silence. One topic never takes another down, and nothing false is called done."""

from __future__ import annotations

import re

import anyio
import pytest

from deeproot import asks as a
from deeproot.asks import Ask, Failure, Kind, Reason
from deeproot.engine.engine import Ending
from deeproot.engine.govern import STREAK
from deeproot.errors import BackendError, StorageError, first_of_ours
from deeproot.model import Status, Tag
from deeproot.project.views import state_json
from deeproot.testing import FakeClock, Script, Scripted, ScriptedBackend
from laboratory import Lab, at, failing, first, once, statuses, topic_of

RETRIES = 3  # of a phase, as in the seed
GARBAGE = [
    "",
    "   \n",
    "I am sorry, I cannot do that.",
    "{",
    '{"error": "overloaded"}',
    "<html>502</html>",
    "null",
    "[]",
]


def always(kind: Kind, said: Scripted, topic: str | None = None) -> Script:
    def script(ask: Ask) -> Scripted | None:
        return said if ask.kind is kind and (topic is None or topic_of(ask).id == topic) else None

    return script


@pytest.mark.parametrize("garbage", GARBAGE)
def test_a_garbage_answer_is_asked_again_with_what_was_wrong(lab: Lab, garbage: str) -> None:
    done = lab.run(first(once(Kind.DOCUMENT, garbage)), breadth=1)
    one, two = done.backend.asked(Kind.DOCUMENT)
    assert two.context.startswith(one.context + one.prompt)
    assert "Your last answer could not be used" in two.prompt
    assert done.outcome.exit_code == 0
    assert done.state.growths["1"].document is not None
    assert garbage.strip() == "" or garbage not in done.report


@pytest.mark.parametrize("garbage", GARBAGE)
def test_a_garbage_answer_does_not_mean_that_there_are_no_subtopics(lab: Lab, garbage: str) -> None:
    """A branch is never left out because an error text came back."""
    done = lab.run(first(once(Kind.CHILDREN, garbage)), breadth=1, depth=1)
    assert list(done.state.growths) == ["1", "1.1"]


@pytest.mark.parametrize("kind", [Kind.PLAN, Kind.DOCUMENT, Kind.REVIEW, Kind.SECTION, Kind.SYNTHESIZE])
def test_garbage_without_end_never_becomes_a_document_or_a_report(lab: Lab, kind: Kind) -> None:
    """Asked again twice, then recovery, three retries; then a tagged topic (2) or a failed run (1)."""
    done = lab.run(always(kind, "MODEL OVERLOADED"), breadth=1)
    assert len(done.backend.asked(kind)) == 3 * (1 + RETRIES)
    assert len(done.backend.asked(Kind.RECOVER)) == RETRIES
    assert done.outcome.exit_code == (2 if kind in (Kind.DOCUMENT, Kind.REVIEW) else 1)
    if kind in (Kind.DOCUMENT, Kind.REVIEW):
        assert done.state.topic("1").tags == (Tag.RETRY_EXHAUSTED,)
        assert "OVERLOADED" not in done.report
    else:
        assert not done.researcher.report.exists()


def test_the_second_re_ask_is_the_last(lab: Lab) -> None:
    done = lab.run({Kind.DOCUMENT: ["", "", ""]}, breadth=1)
    names = [step.name for step in done.steps if step.turn.startswith("researcher:1")]
    assert names[:3] == ["document", "document#2", "document#3"]
    assert done.state.history.count("RECOVERY_1") == 1
    assert done.outcome.exit_code == 0


def test_a_failed_step_goes_through_recovery_and_its_retry_quotes_the_notes(lab: Lab) -> None:
    """000-109, 000-110, 000-112, 000-113, 000-32, 000-115."""
    script = first(
        once(Kind.REVIEW, failing("exit code 7")),
        once(Kind.RECOVER, a.RecoverAnswer("Drink tea, then repeat.")),
    )
    seen: list[dict[str, object]] = []
    done = lab.run(first(at(Kind.RECOVER, 1, lambda: seen.append(read_state(lab))), script), breadth=1)
    one, two = done.backend.asked(Kind.REVIEW)
    assert two.prompt.startswith(one.prompt)
    assert "Drink tea, then repeat." in two.prompt.removeprefix(one.prompt)
    assert "exit code 7" in two.prompt.removeprefix(one.prompt)
    assert done.state.history[:5] == ["PLAN", "RESEARCH_1", "REVIEW_1", "RECOVERY_1", "REVIEW_1"]
    assert any("Drink tea" in text for text in done.archived("recovery.notes.md"))
    assert "exit code 7" in done.text("logs/errors.log")
    assert len(done.text("logs/errors.log").splitlines()) == 1
    assert seen[0]["failed_phase"] == "REVIEW"
    assert seen[0]["retry_count"] == 1
    assert "exit code 7" in str(seen[0]["last_error"])
    assert done.state_json["retry_count"] == 0
    assert done.state_json["iteration"] == 1, "a retry costs no iteration"


def read_state(lab: Lab) -> dict[str, object]:
    return state_json(lab.researcher.past().state)


@pytest.mark.parametrize("reason", [Reason.TIMED_OUT, Reason.FAILED, Reason.EMPTY, Reason.UNAVAILABLE])
def test_every_kind_of_failure_leads_to_recovery(lab: Lab, reason: Reason) -> None:
    """000-110."""
    done = lab.run({Kind.DOCUMENT: [Failure(reason, "it happened")]}, breadth=1)
    assert "RECOVERY_1" in done.state.history
    assert str(reason) in done.of_kind("turn.failed")[0].error
    assert done.outcome.exit_code == 0


def test_a_branch_that_is_given_up_is_named_in_the_report_and_in_the_exit_code(lab: Lab) -> None:
    """000-111, 000-114: 1 + 3 attempts, then the topic is tagged; its sibling is not touched."""
    done = lab.run(always(Kind.DOCUMENT, failing(), "1"), depth=1)
    assert [topic_of(ask).id for ask in done.backend.asked(Kind.DOCUMENT)].count("1") == 1 + RETRIES
    assert statuses(done.state) == {
        "1": Status.EXHAUSTED,
        "2": Status.COMPLETE,
        "2.1": Status.COMPLETE,
        "2.2": Status.COMPLETE,
    }
    title = done.state.topic("1").title
    assert re.search(rf"### {re.escape(title)}\n\n\*Not researched: .*#RETRY_EXHAUSTED", done.report)
    limitations = done.report.split("## Limitations")[1].split("\n## ")[0]
    assert title in limitations
    assert "#RETRY_EXHAUSTED" in limitations
    assert (done.outcome.ending, done.outcome.exit_code) == (Ending.LIMITED, 2)
    assert (lab.folder / "progress").exists(), "nothing is cleaned up after a failure"


def test_a_run_with_nothing_but_failed_topics_still_says_so_in_a_report(lab: Lab) -> None:
    done = lab.run(always(Kind.DOCUMENT, failing()))
    assert done.outcome.exit_code == 2
    assert done.report.count("#RETRY_EXHAUSTED") >= 2
    assert "[1]" not in done.report


def test_a_failed_synthesis_keeps_everything_and_goes_on_later(lab: Lab) -> None:
    """000-92, 000-114: exit 1, nothing deleted, and a resume asks only what was not answered."""
    done = lab.run(always(Kind.SYNTHESIZE, failing()))
    assert (done.outcome.ending, done.outcome.exit_code) == (Ending.FAILED, 1)
    assert not done.researcher.report.exists()
    assert {path.name for path in (lab.folder / "progress").iterdir()} == {
        f"{growth.topic.slug}.md" for growth in done.state.walk()
    }
    assert (lab.folder / "research_plan.md").exists()
    assert not done.state_json["is_complete"]
    again = lab.resume()
    assert again.outcome.ending is Ending.COMPLETE
    assert {ask.kind for ask in again.backend.asks} <= {Kind.RECOVER, Kind.SYNTHESIZE, Kind.FINAL_REVIEW}


def test_a_recovery_that_fails_does_not_stand_in_the_way_of_the_retry(lab: Lab) -> None:
    done = lab.run({Kind.DOCUMENT: [failing()], Kind.RECOVER: [failing()]}, breadth=1)
    assert done.outcome.ending is Ending.COMPLETE
    assert len(done.backend.asked(Kind.DOCUMENT)) == 2


def test_a_bug_in_one_turn_fails_that_turn_and_no_other(lab: Lab) -> None:
    def script(ask: Ask) -> None:
        if ask.kind is Kind.DOCUMENT and topic_of(ask).id == "1":
            raise ZeroDivisionError("a backend with a bug")

    done = lab.run(script)
    assert statuses(done.state) == {"1": Status.EXHAUSTED, "2": Status.COMPLETE}
    assert "Traceback" in done.text("logs/errors.log")
    assert done.outcome.exit_code == 2


# Outages


class Outage(ScriptedBackend):
    """Gives no answer from the `after`-th ask on, for `seconds` of its clock; `None` is for ever.

    It refuses at least six, however slow the machine is: fewer would be no outage.
    """

    def __init__(
        self, clock: FakeClock, after: int, seconds: float | None, reason: Reason = Reason.UNAVAILABLE
    ) -> None:
        super().__init__()
        self.clock, self.after, self.seconds, self.reason = clock, after, seconds, reason
        self.began: float | None = None
        self.refused = 0

    async def answer(self, ask: Ask) -> a.Reply | Failure:
        if len(self.asks) >= self.after and self.began is None:
            self.began = self.clock.monotonic()
        lasts = self.seconds is None or self.refused <= STREAK
        if self.began is not None and (lasts or self.clock.monotonic() < self.began + (self.seconds or 0)):
            self.refused += 1
            return Failure(self.reason, "connection refused")
        return await super().answer(ask)


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("after", [2, 7, 12])
def test_an_outage_of_thirty_seconds_pauses_the_run_and_costs_nothing(lab: Lab, after: int, concurrency: int) -> None:
    clock = FakeClock(speed=60)
    backend = Outage(clock, after, 30)
    done = lab.run(backend, depth=1, concurrency=concurrency, means={"clock": clock})
    assert backend.refused > STREAK
    assert done.outcome.ending is Ending.COMPLETE
    assert set(statuses(done.state).values()) == {Status.COMPLETE}
    assert len({(ask.kind, ask.prompt) for ask in backend.asked(Kind.DOCUMENT)}) == 6


def test_of_several_errors_at_once_the_one_that_says_what_to_do_counts() -> None:
    full = StorageError("Cannot write report.md: No space left on device.")
    bug = ValueError("a page in the way")
    assert first_of_ours(ExceptionGroup("", [bug, ExceptionGroup("", [bug, full])])) is full
    assert first_of_ours(ExceptionGroup("", [ExceptionGroup("", [bug])])) is bug


def test_a_rate_limit_is_waited_for_and_is_nobodys_failure(lab: Lab) -> None:
    """X-12: waits consume no retry, and last as long as the provider said."""
    clock = FakeClock()
    limited = Failure(Reason.RATE_LIMITED, "slow down", retry_after=40)
    backend = ScriptedBackend({Kind.DOCUMENT: [limited, limited]})
    before = clock.monotonic()
    done = lab.run(backend, breadth=1, means={"clock": clock})
    assert clock.monotonic() - before > 80
    assert not done.of_kind("turn.failed")
    assert done.outcome.exit_code == 0


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("after", [2, 6, 12, 17])
def test_a_backend_that_never_comes_back_ends_the_run_with_everything_kept(
    lab: Lab, after: int, concurrency: int
) -> None:
    """Exit 1, no report out of nothing, and a resume finishes without asking again what was answered."""
    clock = FakeClock(speed=5000)
    backend = Outage(clock, after, None)
    with pytest.raises(BackendError, match="--resume") as lost:
        lab.run(backend, depth=1, concurrency=concurrency, means={"clock": clock})
    assert lost.value.exit_code == 1
    assert not lab.researcher.report.exists()
    state = lab.researcher.past().state
    assert state.outcome == "failed"
    assert "connection refused" in str(state.last_error)
    answered = {(ask.kind, ask.context, ask.prompt) for ask in backend.asks}
    again = lab.resume()
    assert again.outcome.ending is Ending.COMPLETE
    assert set(statuses(again.state).values()) == {Status.COMPLETE}
    assert not answered & {
        (ask.kind, ask.context, ask.prompt) for ask in again.backend.asks if ask.kind is not Kind.RECOVER
    }


def test_a_refusal_is_final_at_once(lab: Lab) -> None:
    """A bad key is not tried again."""
    backend = ScriptedBackend({Kind.PLAN: [Failure(Reason.REFUSED, "unknown key")]})
    with pytest.raises(BackendError, match="unknown key"):
        lab.run(backend)
    assert len(backend.asks) == 1
    assert lab.resume().outcome.ending is Ending.COMPLETE


def test_a_backend_that_never_answered_at_all_is_given_up_soon(lab: Lab) -> None:
    backend = ScriptedBackend(lambda _: failing())
    with pytest.raises(BackendError, match="--model"):
        lab.run(backend)
    assert len(backend.asks) <= 8


def test_cancelling_a_run_leaves_it_resumable(lab: Lab) -> None:
    """000-123, in process: what was under way is repeated, the rest is not."""
    backend = ScriptedBackend(seconds=0.02)

    async def interrupted() -> None:
        with anyio.move_on_after(60) as scope:

            def cancel(ask: Ask) -> None:
                if ask.kind is Kind.REVIEW:
                    scope.cancel()

            backend._script = cancel
            await lab.start(backend, depth=1)
        assert scope.cancelled_caught

    anyio.run(interrupted)
    assert lab.researcher.past().state.outcome == "interrupted"
    assert not (lab.folder / "research.lock.json").exists()
    again = lab.resume()
    assert again.outcome.ending is Ending.COMPLETE
    assert [topic_of(ask).id for ask in again.backend.asked(Kind.DOCUMENT)] == ["2", "1.1", "1.2", "2.1", "2.2"]
