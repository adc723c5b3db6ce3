"""The tree of topics and what has grown on each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from ..events import TopicAccepted, TopicRejected
from ..model import Document, Source, Status, Tag, Topic, unique_slug


@dataclass(slots=True)
class Growth:
    """A topic and all that has grown on it.

    `origin` is the parent's document at the time the topic was added, `seen` what agents read for it by themselves.
    """

    topic: Topic
    children: list[str] = field(default_factory=list)
    origin: Document | None = None
    document: Document | None = None
    session: str | None = None
    told: tuple[str, ...] = ()
    seen: tuple[Source, ...] = ()
    queries: tuple[str, ...] = ()
    verdict: TopicAccepted | TopicRejected | None = None
    iteration: int = 0


class Tree:
    """Topics by id. `slugs` says whose a slug is, `born` how many topics a parent ever had."""

    def __init__(self) -> None:
        self.growths: dict[str, Growth] = {}
        self.roots: list[str] = []
        self.born: Counter[str] = Counter()
        self.slugs: dict[str, str] = {}
        self.counts: Counter[Status] = Counter()

    def next_id(self, parent: str = "") -> str:
        """The id of the next topic under `parent`; numbers of dropped topics are not given out again."""
        number = self.born[parent] + 1
        return f"{parent}.{number}" if parent else str(number)

    def topic(self, id: str) -> Topic:
        return self.growths[id].topic

    def title(self, id: str) -> str:
        """A topic's title; empty for the run as a whole, and for a topic that was dropped."""
        return self.growths[id].topic.title if id in self.growths else ""

    def walk(self, root: str | None = None) -> Iterator[Growth]:
        """Topics in tree order: a parent before its children, siblings in the order they were added."""
        stack = [root] if root else list(reversed(self.roots))
        while stack:
            growth = self.growths[stack.pop()]
            yield growth
            stack.extend(reversed(growth.children))

    def ancestors(self, id: str) -> list[Growth]:
        """From the top of the tree down to the parent of `id`."""
        found: list[Growth] = []
        parent = self.topic(id).parent
        while parent is not None:
            found.append(self.growths[parent])
            parent = found[-1].topic.parent
        return found[::-1]

    @property
    def open_topics(self) -> int:
        return sum(count for status, count in self.counts.items() if not status.closed)

    @property
    def all_complete(self) -> bool:
        return bool(self.growths) and self.counts[Status.COMPLETE] == len(self.growths)

    # For the fold

    def _plant(self, topic: Topic) -> None:
        """Add a topic under its parent, with a slug that nobody has."""
        topic = replace(topic, slug=unique_slug(topic.slug, self.slugs))
        parent = self.growths[topic.parent] if topic.parent else None
        self.growths[topic.id] = Growth(topic, origin=parent.document if parent else None)
        (parent.children if parent else self.roots).append(topic.id)
        self.born[topic.parent or ""] += 1
        self.slugs[topic.slug] = topic.id
        self.counts[topic.status] += 1

    def _uproot(self, id: str) -> list[Topic]:
        """Take a topic and all below it out of the tree; gives what is gone."""
        gone = [growth.topic for growth in self.walk(id)]
        siblings = self.growths[gone[0].parent].children if gone[0].parent else self.roots
        siblings.remove(id)
        for topic in gone:
            self.counts[topic.status] -= 1
            del self.growths[topic.id], self.slugs[topic.slug]
        return gone

    def _set(self, id: str, status: Status, tags: Iterable[Tag] = ()) -> None:
        """A topic's status, and its tags where some are given."""
        growth = self.growths[id]
        self.counts[growth.topic.status] -= 1
        self.counts[status] += 1
        growth.topic = replace(growth.topic, status=status, tags=tuple(tags) or growth.topic.tags)
