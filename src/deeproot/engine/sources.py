"""What was read in a turn, by whomever: its text is kept by its hash before it is used, and found by its address."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import anyio
import anyio.to_thread

from ..asks import Seen
from ..clock import Clock
from ..knowledge.sources import SourceStore, text_hash
from ..model import Passage, Source, one_line
from ..search import Searcher
from ..search.named import without_lines
from ..search.web.guard import Target, parse
from ..state import State


class SourcesRead:
    """Stores what searches find, what agents read with tools of their own, and what authors name.

    Of what an agent saw, a page is kept as its tool gave it; of a file only the name counts, we read its text again.
    """

    def __init__(self, store: SourceStore, searcher: Searcher, clock: Clock, before: Iterable[Source]) -> None:
        self._store = store
        self._searcher = searcher
        self._clock = clock
        self._digests: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._texts: dict[str, str | None] = {}
        self.add(before)

    def add(self, sources: Iterable[Source]) -> None:
        """Sources whose texts are in the store already."""
        for source in sources:
            if source.sha256:
                self._digests[_place(source.location)][source.sha256] = None

    async def found(self, passages: Iterable[Passage]) -> None:
        """Store the whole texts that these were cut from, as far as the searcher holds them."""
        sources = list(dict.fromkeys(passage.source for passage in passages))
        if sources:
            await anyio.to_thread.run_sync(self._keep_found, sources)

    def _keep_found(self, sources: Iterable[Source]) -> None:
        for source in sources:
            if source.sha256 is None or self._store.holds(source.sha256):
                continue
            text = self._searcher.source_text(source.location)
            if text is not None and text_hash(text) == source.sha256:
                self._store.keep(source, text, self._clock.now())

    async def seen(self, seen: Sequence[Seen]) -> tuple[Source, ...]:
        """Store what an agent saw, as far as it can be a source; what is returned stands for it in the journal.

        A page that it opened, and did not tell the text of, is a source without a hash.
        """
        if not seen:
            return ()
        with anyio.CancelScope(shield=True):  # the reply is paid for, and stands only once it is recorded
            kept = await anyio.to_thread.run_sync(lambda: [self._keep_seen(each) for each in seen])
        sources = tuple(dict.fromkeys(source for source in kept if source))
        self.add(sources)
        return sources

    def _keep_seen(self, seen: Seen) -> Source | None:
        address = parse(seen.location)
        page = address.url if isinstance(address, Target) else None
        source = Source(page or seen.location, one_line(seen.title))
        text = seen.text if page else self._searcher.source_text(seen.location)
        if not text:
            return source if page else None
        text = text.encode("utf-8", "replace").decode()
        source = replace(source, sha256=text_hash(text))
        self._store.keep(source, text, self._clock.now())
        return source

    def texts(self, location: str) -> list[str]:
        """Every text seen under that address or path, the longest first; or else the one that the searcher holds."""
        return self._texts_seen(location) or self._text_named(location)

    def _texts_seen(self, location: str) -> list[str]:
        if not self._digests:
            return []
        held = (self._text(digest) for digest in self._digests.get(_place(location), ()))
        return sorted((text for text in held if text is not None), key=len, reverse=True)

    def _text_named(self, location: str) -> list[str]:
        text = self._searcher.source_text(location)
        if text is None:
            return []
        source = Source(location, sha256=text_hash(text))
        self._store.keep(source, text, self._clock.now())
        self.add([source])
        return [text]

    def _text(self, digest: str) -> str | None:
        if digest not in self._texts:
            text = self._store.text(digest)
            self._texts[digest] = text if isinstance(text, str) else None
        return self._texts[digest]


def seen_before(state: State, topic: str) -> list[Source]:
    """What the sessions that a topic goes on with have seen: its own, and those of the topics above it."""
    if topic not in state.growths:
        return []
    line = [*state.ancestors(topic), state.growths[topic]]
    return [source for growth in line for source in growth.seen]


def _place(location: str) -> str:
    """An address or path in the form by which it is compared."""
    address = parse(location)
    if isinstance(address, Target):
        return address.url.rstrip("/")
    name = without_lines(location)
    return os.path.realpath(name) if name and "\0" not in name else name
