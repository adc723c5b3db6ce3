"""A blocking call in a thread that nobody waits for, not even the end of the program."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


async def run_aside(function: Callable[[], T]) -> T:
    """What the function returns or raises. Cancelled, it is left to itself: a name server may be silent for minutes."""
    loop = asyncio.get_running_loop()
    waiting: asyncio.Future[T] = loop.create_future()

    def work() -> None:
        done: Future[T] = Future()
        try:
            done.set_result(function())
        except Exception as error:  # handed on, and raised where it is waited for
            done.set_exception(error)
        with suppress(RuntimeError):  # the loop has ended in the meantime
            loop.call_soon_threadsafe(_hand_on, done, waiting)

    threading.Thread(target=work, name="aside", daemon=True).start()
    return await waiting


def _hand_on(done: Future[T], waiting: asyncio.Future[T]) -> None:
    error = done.exception()
    if waiting.done():
        return
    if error:
        waiting.set_exception(error)
    else:
        waiting.set_result(done.result())
