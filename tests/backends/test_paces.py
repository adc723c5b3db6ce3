"""Rate limits are a provider's: all its models keep one pace, and nobody else's."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from deeproot.asks import Ask, Failure, Kind, PlanInputs, Reason, Reply
from deeproot.backends import BackendSettings, http
from deeproot.backends.codex import open_backend as open_codex
from deeproot.backends.opencode import open_backend as open_opencode
from deeproot.engine.govern import STREAK, Paces
from deeproot.engine.perform import Performer
from deeproot.testing import ScriptedBackend
from patience import PatientClock, in_time

ASK = Ask(Kind.PLAN, "Plan.", PlanInputs("Why?", 2))
LIMITED = Failure(Reason.RATE_LIMITED, "later", retry_after=60)
DOWN = Failure(Reason.UNAVAILABLE, "down", retry_after=200)


class Model(ScriptedBackend):
    """A model of a provider, that notes when asks go out. Each takes a second."""

    repeats = 3

    def __init__(self, provider: str, clock: PatientClock, *said: Failure | None) -> None:
        waiting = list(said)
        super().__init__(lambda _ask: waiting.pop(0) if waiting else None)
        self.provider = provider
        self.clock = clock
        self.sent: list[float] = []

    async def answer(self, ask: Ask) -> Reply | Failure:
        self.sent.append(self.clock.monotonic())
        await self.clock.sleep(1)
        return await super().answer(ask)


async def asked(performers: list[Performer], people: int = 1) -> None:
    """Everybody asks once, all at the same time."""
    async with anyio.create_task_group() as group:
        for performer in performers:
            for _ in range(people):
                group.start_soon(performer.perform, ASK)


def performers(clock: PatientClock, *models: Model) -> list[Performer]:
    paces = Paces()
    return [Performer(model, clock, paces=paces) for model in models]


@pytest.mark.parametrize(("provider", "sent"), [("one", 62), ("another", 1.5)])
def test_a_rate_limit_pauses_all_models_of_its_provider_and_no_other(provider: str, sent: float) -> None:
    clock = PatientClock()
    limited, sister = Model("one", clock, LIMITED), Model(provider, clock)

    async def go() -> None:
        first, second = performers(clock, limited, sister)
        async with anyio.create_task_group() as group:
            group.start_soon(first.perform, ASK)
            await clock.sleep(1.5)
            group.start_soon(second.perform, ASK)

    anyio.run(in_time, clock, go())
    assert limited.sent == [0, 61]
    assert sister.sent == [sent]


def test_a_rate_limit_halves_what_all_models_of_the_provider_have_out_together() -> None:
    clock = PatientClock()
    models = [Model("one", clock, LIMITED), Model("one", clock)]

    async def go() -> None:
        both = performers(clock, *models)
        await asked(both, people=4)
        for model in models:
            model.sent.clear()
        await asked(both, people=8)

    anyio.run(in_time, clock, go())
    at_once = Counter(sent for model in models for sent in model.sent)
    assert set(at_once.values()) == {4}


def test_an_outage_is_one_models_own() -> None:
    clock = PatientClock()
    broken, sister = Model("one", clock, None, *[DOWN] * STREAK), Model("one", clock)

    async def go() -> None:
        first, second = performers(clock, broken, sister)
        await first.perform(ASK)
        async with anyio.create_task_group() as group:
            group.start_soon(asked, [first], STREAK)
            await clock.sleep(1.5)
            await second.perform(ASK)

    anyio.run(in_time, clock, go())
    assert broken.sent[: 1 + STREAK] == [0, *[1] * STREAK]
    assert broken.sent[1 + STREAK] >= 2 + 200
    assert sister.sent == [2.5]


def provider_of(opened: Callable[[], object]) -> str:
    async def go() -> str:
        return str(getattr(opened(), "provider", ""))

    return anyio.run(go)


def test_the_models_of_one_key_or_one_address_have_one_provider(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1234")
    for word in ("opencode", "codex"):
        (tmp_path / word).write_text("#!/bin/sh\n")
        (tmp_path / word).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    providers = {
        "a": lambda: http.open_openai(BackendSettings("a")),
        "b": lambda: http.open_openai(BackendSettings("b")),
        "a, elsewhere": lambda: http.open_openai(BackendSettings("a@https://models.example/v1")),
        "opencode c": lambda: open_opencode(BackendSettings("kiosk/c")),
        "opencode d": lambda: open_opencode(BackendSettings("kiosk/d")),
        "opencode": lambda: open_opencode(BackendSettings("")),
        "codex e": lambda: open_codex(BackendSettings("e")),
    }
    named = {name: provider_of(opened) for name, opened in providers.items()}
    assert named["a"] == named["b"] == "openai"
    assert named["a, elsewhere"] == "https://models.example/v1"
    assert named["opencode c"] == named["opencode d"] == "opencode/kiosk"
    assert (named["opencode"], named["codex e"]) == ("opencode", "codex")
