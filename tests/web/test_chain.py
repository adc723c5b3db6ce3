"""One provider after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import anyio
import pytest
from loopback import StepClock

from deeproot.asks import Failure, Reason
from deeproot.model import Tag
from deeproot.search.web.chain import Chain, Results
from deeproot.search.web.providers import Result

HITS = (Result("Apples", "http://a.example/"),)
LIMITED = Failure(Reason.RATE_LIMITED, "first: asks to slow down", 120.0)


@dataclass
class Scripted:
    """A provider that gives its answers in turn; the last one stays."""

    name: str
    answers: Sequence[tuple[Result, ...] | Failure]
    base: str = ""
    asked: list[str] = field(default_factory=list)

    async def results(self, query: str, limit: int) -> tuple[Result, ...] | Failure:  # noqa: ARG002
        self.asked.append(query)
        return self.answers[min(len(self.asked), len(self.answers)) - 1]


def ask(clock: StepClock, times: int, *providers: Scripted, pause: float = 0.0) -> list[Results | Failure]:
    chain = Chain(providers, clock)

    async def go() -> list[Results | Failure]:
        found = []
        for number in range(times):
            if number:
                await clock.sleep(pause)
            found.append(await chain.results("apples", 5))
        return found

    return anyio.run(go)


def test_the_first_with_results_is_the_only_one_asked() -> None:
    first, second = Scripted("first", [HITS]), Scripted("second", [HITS])
    assert ask(StepClock(), 1, first, second) == [Results(HITS, "first")]
    assert second.asked == []


@pytest.mark.parametrize("reason", [Reason.TIMED_OUT, Reason.UNAVAILABLE, Reason.FAILED, Reason.REFUSED, Reason.EMPTY])
def test_one_that_fails_is_followed_by_the_next(reason: Reason) -> None:
    failure = Failure(reason, "first: no")
    (found,) = ask(StepClock(), 1, Scripted("first", [failure]), Scripted("second", [HITS]))
    assert found == Results(HITS, "second", (), (failure,))


def test_one_that_has_nothing_is_followed_by_the_next() -> None:
    assert ask(StepClock(), 1, Scripted("first", [()]), Scripted("second", [HITS])) == [Results(HITS, "second")]


def test_a_rate_limit_raises_the_tag_and_the_provider_rests_as_long_as_it_asked() -> None:
    first, second = Scripted("first", [LIMITED, HITS]), Scripted("second", [HITS])
    early = ask(StepClock(), 2, first, second, pause=119)
    assert [found.tags for found in early if isinstance(found, Results)] == [(Tag.RATE_LIMITED,)] * 2
    assert len(first.asked) == 1
    first, second = Scripted("first", [LIMITED, HITS]), Scripted("second", [HITS])
    assert ask(StepClock(), 2, first, second, pause=121)[1] == Results(HITS, "first")


def test_one_that_refused_is_left_out_for_the_run() -> None:
    first = Scripted("first", [Failure(Reason.REFUSED, "first: bad key"), HITS])
    ask(StepClock(), 3, first, Scripted("second", [HITS]), pause=10_000)
    assert len(first.asked) == 1


def test_nothing_anywhere_is_no_failure() -> None:
    assert ask(StepClock(), 1, Scripted("first", [()]), Scripted("second", [()])) == [Results()]


def test_no_answer_anywhere_is_a_failure_that_says_everything() -> None:
    (found,) = ask(
        StepClock(), 1, Scripted("first", [LIMITED]), Scripted("second", [Failure(Reason.FAILED, "second: no")])
    )
    assert isinstance(found, Failure)
    assert (found.reason, found.retry_after) == (Reason.RATE_LIMITED, 120.0)
    assert "first: asks to slow down" in found.message
    assert "second: no" in found.message


def test_no_provider_at_all_finds_nothing() -> None:
    assert ask(StepClock(), 1) == [Results()]
