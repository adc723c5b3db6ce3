"""What was used last, within bounds: a line of questions tends to share its words and its pages."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """The values most recently used, as many as together weigh `most`; the last one always."""

    def __init__(self, most: int, weight: Callable[[V], int] = lambda _: 1) -> None:
        self._most, self._weight = most, weight
        self._values: dict[K, V] = {}
        self._held = 0

    def get(self, key: K) -> V | None:
        value = self._values.pop(key, None)
        if value is not None:
            self._values[key] = value
        return value

    def put(self, key: K, value: V) -> V:
        """Remember a value under a key that has none, and hand it back."""
        self._values[key] = value
        self._held += self._weight(value)
        while self._held > self._most and len(self._values) > 1:
            self._held -= self._weight(self._values.pop(next(iter(self._values))))
        return value

    def clear(self) -> None:
        self._values.clear()
        self._held = 0
