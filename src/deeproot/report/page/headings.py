"""Anchors for the headings of a body, and which topic each of them is."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass

from ...model import one_line, slugify
from .markup import seen
from .parts import Entry


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the body; `topic` is the place in the outline of the topic it is the heading of."""

    anchor: str
    title: str
    level: int
    topic: int | None = None


class Headings:
    """Meets the headings of a body in order. Topics come in tree order, so each is looked for after the last."""

    def __init__(self, outline: Sequence[Entry]) -> None:
        self._outline = outline
        self._places: dict[str, deque[int]] = defaultdict(deque)
        for place, entry in enumerate(outline):
            self._places[as_heading(seen(entry.title))].append(place)
        self._last = -1
        self._anchors: Counter[str] = Counter()
        self.found: list[Heading] = []

    def meet(self, title: str, shown: str, level: int) -> Heading:
        """`title` is as the text has it, `shown` as a reader sees it, without its emphasis."""
        topic = self._topic(title) if level > 2 else None
        if topic is None:
            heading = Heading(self._free("section-" + slugify(shown)), shown, level)
        else:
            entry = self._outline[topic]
            name = "topic-" + re.sub(r"[^0-9A-Za-z.]+", "-", entry.id)
            heading = Heading(self._free(name), seen(entry.title), level, topic)
        self.found.append(heading)
        return heading

    def _topic(self, title: str) -> int | None:
        places = self._places.get(as_heading(title), deque())
        while places:
            place = places.popleft()
            if place > self._last:
                self._last = place
                return place
        return None

    def _free(self, name: str) -> str:
        anchor = name
        while anchor in self._anchors:
            self._anchors[name] += 1
            anchor = f"{name}-{self._anchors[name]}"
        self._anchors[anchor] = 1
        return anchor


def as_heading(title: str) -> str:
    """As Markdown reads it: white space folded, closing hashes gone."""
    return re.sub(r"(?:^| )#+$", "", one_line(title))
