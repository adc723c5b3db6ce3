"""Citations held apart from Markdown: each `[n]` becomes a mark while the text is read, so nothing can take it over."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

Key = tuple[int, int]  # a number, and the how-manieth of that number it is

_NUMBER = re.compile(r"\[([0-9]{1,6})\]")
# Noncharacters; whoever marks a text has taken them out of it before. In a link's address they are escaped.
_MARK = re.compile("\ufdd0([0-9]+)\ufdd1")
_MARK_IN_ADDRESS = re.compile("%EF%B7%90([0-9]{1,9})%EF%B7%91")


class Marks:
    """The citations of one text, in order."""

    def __init__(self) -> None:
        self._keys: list[Key] = []
        self._counts: Counter[int] = Counter()

    def put(self, text: str) -> str:
        """The text with a mark for each `[n]`."""
        return _NUMBER.sub(self._mark, text)

    def _mark(self, match: re.Match[str]) -> str:
        number = int(match[1])
        self._counts[number] += 1
        self._keys.append((number, self._counts[number]))
        return f"\ufdd0{len(self._keys) - 1}\ufdd1"

    def take(self, text: str) -> str:
        """The text as it was."""
        return self.replace(text, lambda key: f"[{key[0]}]")

    def take_from_address(self, address: str) -> str:
        def number(mark: re.Match[str]) -> str:
            place = int(mark[1])  # an address may hold these very letters without being one of our marks
            return f"[{self._keys[place][0]}]" if place < len(self._keys) else mark[0]

        return _MARK_IN_ADDRESS.sub(number, address)

    def replace(self, text: str, by: Callable[[Key], str]) -> str:
        return _MARK.sub(lambda mark: by(self._keys[int(mark[1])]), text)
