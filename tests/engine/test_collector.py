"""The garbage collector is a matter of the whole process: a run asks less of it, and leaves it as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import partial

import anyio
import pytest

from deeproot.asks import Kind
from deeproot.engine.collector import OBJECTS
from laboratory import Lab, PausingBackend, at


@pytest.fixture
def usual() -> Iterator[tuple[int, int, int]]:
    before = gc.get_threshold()
    gc.set_threshold(500, 7, 9)
    yield gc.get_threshold()
    gc.set_threshold(*before)


def test_cycles_are_looked_for_seldom_during_a_run_and_as_before_after_it(
    lab: Lab, usual: tuple[int, int, int]
) -> None:
    seen: list[tuple[int, int, int]] = []
    lab.run(at(Kind.DOCUMENT, 1, lambda: seen.append(gc.get_threshold())))
    assert seen == [(OBJECTS, *usual[1:])]
    assert gc.get_threshold() == usual


def test_a_process_that_never_looks_for_cycles_is_not_made_to(lab: Lab, usual: tuple[int, int, int]) -> None:
    gc.set_threshold(0, *usual[1:])
    seen: list[int] = []
    lab.run(at(Kind.DOCUMENT, 1, lambda: seen.append(gc.get_threshold()[0])))
    assert seen == [0]


def test_runs_that_overlap_leave_the_collector_as_the_first_found_it(lab: Lab, usual: tuple[int, int, int]) -> None:
    seen: list[int] = []

    async def both() -> None:
        ended = anyio.Event()

        async def short() -> None:
            await lab.start(name="short", breadth=1)
            ended.set()

        async def outlast() -> None:
            await ended.wait()
            seen.append(gc.get_threshold()[0])

        long = PausingBackend(lambda ask: ask.kind is Kind.DOCUMENT, outlast)
        async with anyio.create_task_group() as group:
            group.start_soon(short)
            group.start_soon(partial(lab.start, long, name="long", breadth=1))

    anyio.run(both)
    assert seen == [OBJECTS]
    assert gc.get_threshold() == usual
