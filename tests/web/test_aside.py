"""Blocking calls that nobody waits for."""

from __future__ import annotations

import subprocess
import sys
import threading

import anyio
import pytest

from deeproot.search.web.aside import run_aside


def test_what_it_returns_and_raises_is_handed_on() -> None:
    async def go() -> None:
        assert await run_aside(lambda: 7) == 7
        with pytest.raises(ZeroDivisionError):
            await run_aside(lambda: 1 // 0)

    anyio.run(go)


def test_one_that_never_ends_can_be_given_up() -> None:
    never = threading.Event()

    async def go() -> bool:
        with anyio.move_on_after(0.05) as scope:
            await run_aside(never.wait)
        return scope.cancelled_caught

    assert anyio.run(go)
    never.set()


def test_the_program_ends_though_a_call_does_not() -> None:
    program = """
import anyio, threading
from deeproot.search.web.aside import run_aside

async def go():
    with anyio.move_on_after(0.05):
        await run_aside(threading.Event().wait)

anyio.run(go)
print("ended")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "ended\n"
