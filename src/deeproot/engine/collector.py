"""How often Python looks for garbage that counting references does not find."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

OBJECTS = 10_000

_before: list[tuple[int, int, int]] = []
"""What was usual, and then one more for every further run under way in this process."""


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Inside, cycles are looked for after so many new objects, not after 700 as is usual.

    A run makes few of them, and what it keeps is kept to the end: looking through all of it, with everything that is
    loaded, takes 30 ms, and would fall into the moments in which most asks begin.
    """
    young, middle, old = gc.get_threshold()
    _before.append((young, middle, old))
    gc.set_threshold(young and max(young, OBJECTS), middle, old)  # 0 is never
    try:
        yield
    finally:
        before = _before.pop()
        if not _before:
            gc.set_threshold(*before)
