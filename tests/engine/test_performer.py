"""The one retry layer: what is repeated, what waits, and who is charged for it."""

from __future__ import annotations

import random
from collections.abc import Iterable

import anyio
import anyio.lowlevel
import pytest

from deeproot.asks import Ask, Failure, Kind, PlanInputs, Reason, Reply
from deeproot.engine.govern import PATIENCE, STREAK, SUCCESSES
from deeproot.engine.perform import Performer
from deeproot.errors import BackendError
from deeproot.testing import Script, ScriptedBackend
from patience import PatientClock, in_time, settled

ASK = Ask(Kind.PLAN, "Plan.", PlanInputs("Why?", 2))
DOWN = Failure(Reason.UNAVAILABLE, "down")
SLOW = Failure(Reason.TIMED_OUT, "slow")
LIMITED = Failure(Reason.RATE_LIMITED, "slow down")
POISON = Failure(Reason.FAILED, "too long")


class LeapingClock:
    """Leaps over every wait, and remembers it."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def monotonic(self) -> float:
        return sum(self.waits)

    now = monotonic

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        await anyio.lowlevel.checkpoint()


class Server(ScriptedBackend):
    """As a model server is seen: an ask can be sent again as it is."""

    repeats = 3


def saying(*said: Reply | Failure | None) -> Script:
    """These in turn (None is an answer), then answers."""
    waiting = list(said)
    return lambda _ask: waiting.pop(0) if waiting else None


def perform(backend: ScriptedBackend, clock: LeapingClock, asks: int = 1) -> list[Reply | Failure]:
    async def go() -> list[Reply | Failure]:
        performer = Performer(backend, clock, random.Random(7))
        return [await performer.perform(ASK) for _ in range(asks)]

    return anyio.run(go)


# Repeating


@pytest.mark.parametrize("failure", [DOWN, SLOW])
@pytest.mark.parametrize("failures", [1, 2, 3])
def test_what_passes_is_repeated_with_growing_waits(failure: Failure, failures: int) -> None:
    clock = LeapingClock()
    (result,) = perform(Server(saying(*[failure] * failures)), clock)
    assert isinstance(result, Reply)
    assert len(clock.waits) == failures
    assert all(0 <= wait <= 2**number for number, wait in enumerate(clock.waits))


def test_waits_are_drawn_from_the_whole_range() -> None:
    firsts = []
    for seed in range(50):
        clock = LeapingClock()
        performer = Performer(Server(saying(DOWN)), clock, random.Random(seed))
        anyio.run(performer.perform, ASK)
        firsts += clock.waits
    assert min(firsts) < 0.1
    assert max(firsts) > 0.9


def test_after_three_repetitions_the_failure_is_the_asks_own() -> None:
    backend = Server(saying(None, *[DOWN] * 4))
    assert perform(backend, LeapingClock(), asks=2)[1] == DOWN
    assert len(backend.asks) == 1 + 4


@pytest.mark.parametrize("failure", [DOWN, SLOW, POISON])
def test_a_backend_that_does_not_say_so_is_not_asked_again(failure: Failure) -> None:
    backend = ScriptedBackend(saying(failure))
    assert perform(backend, LeapingClock()) == [failure]
    assert len(backend.asks) == 1


@pytest.mark.parametrize("reason", [Reason.FAILED, Reason.EMPTY])
def test_what_will_not_pass_is_not_repeated(reason: Reason) -> None:
    backend = Server(saying(Failure(reason, "no")))
    perform(backend, LeapingClock())
    assert len(backend.asks) == 1


def test_the_wait_a_server_asks_for_is_kept() -> None:
    clock = LeapingClock()
    perform(Server(saying(Failure(Reason.UNAVAILABLE, "later", retry_after=42))), clock)
    assert clock.waits == [42]


def test_a_wait_longer_than_the_patience_is_not_begun() -> None:
    clock = LeapingClock()
    later = Failure(Reason.UNAVAILABLE, "tomorrow", retry_after=PATIENCE + 1)
    assert perform(Server(saying(later)), clock) == [later]
    assert clock.waits == []


def test_a_refusal_ends_the_run() -> None:
    with pytest.raises(BackendError, match="bad key"):
        perform(Server(saying(Failure(Reason.REFUSED, "bad key"))), LeapingClock())


def test_asks_that_are_wrong_themselves_never_look_like_an_outage() -> None:
    backend = Server(saying(*[POISON] * 4 * STREAK))
    assert perform(backend, LeapingClock(), asks=4 * STREAK) == [POISON] * 4 * STREAK


# Rate limits


def test_waiting_for_a_rate_limit_is_no_attempt() -> None:
    backend = Server(saying(*[LIMITED] * 4, *[DOWN] * 3))
    (result,) = perform(backend, LeapingClock())
    assert isinstance(result, Reply)
    assert len(backend.asks) == 8


def test_a_rate_limit_from_the_first_ask_on_is_waited_for() -> None:
    (result,) = perform(Server(saying(*[LIMITED] * 2 * STREAK)), LeapingClock())
    assert isinstance(result, Reply)


def test_the_pause_a_provider_asks_for_is_kept() -> None:
    clock = LeapingClock()
    perform(Server(saying(Failure(Reason.RATE_LIMITED, "later", retry_after=42))), clock)
    assert clock.waits == [42]


def test_a_pause_longer_than_the_patience_ends_the_run_at_once() -> None:
    clock = LeapingClock()
    with pytest.raises(BackendError, match="--resume"):
        perform(Server(saying(Failure(Reason.RATE_LIMITED, "tomorrow", retry_after=PATIENCE + 1))), clock)
    assert clock.waits == []


def test_a_rate_limit_without_end_ends_the_run() -> None:
    clock = LeapingClock()
    with pytest.raises(BackendError, match="slow down"):
        perform(Server(lambda _ask: LIMITED), clock)
    assert PATIENCE / 2 < sum(clock.waits) <= PATIENCE


class Slow(ScriptedBackend):
    """Every ask takes a second. `sent` is when asks went out; `outgoing` and `incoming` how many were under way then
    and when they were answered, each itself among them."""

    def __init__(self, clock: PatientClock, script: Script) -> None:
        super().__init__(script)
        self._clock = clock
        self.sent: list[float] = []
        self.outgoing: list[int] = []
        self.incoming: list[int] = []
        self._under_way = 0

    async def answer(self, ask: Ask) -> Reply | Failure:
        self._under_way += 1
        self.sent.append(self._clock.monotonic())
        self.outgoing.append(self._under_way)
        try:
            await self._clock.sleep(1)
            self.incoming.append(self._under_way)
            return await super().answer(ask)
        finally:
            self._under_way -= 1


class SlowServer(Slow):
    repeats = 3


async def crowd(performer: Performer, people: int, asks: int) -> None:
    async def person() -> None:
        for _ in range(asks):
            await performer.perform(ASK)

    async with anyio.create_task_group() as group:
        for _ in range(people):
            group.start_soon(person)


def test_a_rate_limit_pauses_everybody() -> None:
    clock = PatientClock()
    limited = Failure(Reason.RATE_LIMITED, "later", retry_after=60)
    backend = SlowServer(clock, saying(None, None, None, limited))
    anyio.run(in_time, clock, crowd(Performer(backend, clock), 2, 10))
    told = backend.sent[3] + 1
    assert not [sent for sent in backend.sent[5:] if sent < told + 60], "one more was under way"
    assert len(backend.sent) == 21


def widths(said: Iterable[Reply | Failure | None], answers: int) -> list[int]:
    """How many asks are under way at once, as each goes out."""
    clock = PatientClock()
    backend = SlowServer(clock, saying(*said))
    anyio.run(in_time, clock, crowd(Performer(backend, clock), 8, answers // 8))
    return backend.outgoing


def test_a_rate_limit_halves_how_many_go_out_at_once() -> None:
    seen = widths([*[None] * 8, LIMITED], 8 + 16)
    assert max(seen[:8]) == 8
    assert max(seen[16:]) == 4


def test_limits_that_come_together_count_as_one() -> None:
    seen = widths([*[None] * 8, *[LIMITED] * 8], 8 + 16)
    assert max(seen[16:]) == 4


def test_after_twenty_answers_one_more_goes_out() -> None:
    seen = widths([*[None] * 8, LIMITED], 8 + 8 + 2 * SUCCESSES)
    assert max(seen[16 : 8 + SUCCESSES]) == 4
    assert 5 <= max(seen[8 + SUCCESSES :]) <= 6


# Outages


@pytest.mark.parametrize("kind", [SlowServer, Slow])
def test_in_an_outage_one_probe_at_a_time_goes_out(kind: type[Slow]) -> None:
    clock = PatientClock()
    backend = kind(clock, saying(*[None] * 8, *[DOWN] * 16))
    anyio.run(in_time, clock, crowd(Performer(backend, clock), 8, 6))
    answered = backend.incoming
    assert max(answered[:8]) == 8
    assert set(answered[8 + 8 + STREAK : 8 + 16]) == {1}
    assert max(answered[8 + 16 :]) > 1, "when it is over, all go out again"


def test_a_backend_that_never_answered_is_given_up_after_five_failures() -> None:
    backend = Server(lambda _ask: DOWN)
    with pytest.raises(BackendError, match="--model"):
        perform(backend, LeapingClock(), asks=2)
    assert len(backend.asks) == STREAK


def test_an_outage_that_outlasts_the_patience_ends_the_run() -> None:
    clock = LeapingClock()
    backend = Server(lambda _ask: None if len(backend.asks) == 1 else DOWN)
    with pytest.raises(BackendError, match="down"):
        perform(backend, clock, asks=3)
    assert PATIENCE / 2 < sum(clock.waits) < 2 * PATIENCE


def test_cancelling_an_ask_that_waits_frees_its_place() -> None:
    clock = PatientClock()
    backend = SlowServer(clock, saying(None, None, LIMITED))

    async def go() -> None:
        performer = Performer(backend, clock)
        await in_time(clock, crowd(performer, 2, 1))
        for told in (True, False, False):
            async with anyio.create_task_group() as group:
                group.start_soon(performer.perform, ASK)
                await settled()
                if told:
                    clock.leap()
                    await settled()
                assert len(backend.asks) == 3, "it waits for the end of the pause"
                group.cancel_scope.cancel()
        assert isinstance(await in_time(clock, performer.perform(ASK)), Reply)
        assert backend.outgoing == [1, 2, 1, 1]

    anyio.run(go)
