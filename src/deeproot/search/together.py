"""Files and the web as one searcher: each is asked, and what both found is put in one order."""

from __future__ import annotations

from collections.abc import Callable

import anyio

from ..asks import Failure, Reason
from ..model import Tag
from . import Found, Searcher


class Together:
    """One searcher over two. The first one's passages stand first where scores are equal.

    One may fail; `tell` is told of it, of each failure once.
    """

    def __init__(self, first: Searcher, second: Searcher, tell: Callable[[str], None] = lambda _: None) -> None:
        self._both = (first, second)
        self._tell = tell
        self._told: set[str] = set()

    async def search(self, query: str, limit: int) -> Found | Failure:
        answers: dict[int, Found | Failure] = {}

        async def ask(place: int) -> None:
            answers[place] = await self._both[place].search(query, limit)

        async with anyio.create_task_group() as group:
            for place in range(len(self._both)):
                group.start_soon(ask, place)
        found = [answer for _, answer in sorted(answers.items()) if isinstance(answer, Found)]
        failed = [answer for _, answer in sorted(answers.items()) if isinstance(answer, Failure)]
        if not found:
            return failed[0]
        for message in {failure.message for failure in failed} - self._told:
            self._told.add(message)
            self._tell(message)
        limited = any(failure.reason is Reason.RATE_LIMITED for failure in failed)
        return _merged([*found, Found(tags=(Tag.RATE_LIMITED,) if limited else ())], limit)

    async def read(self, location: str, query: str, limit: int) -> Found | Failure:
        """From whichever holds it; the second one's refusal is the answer when neither does."""
        first, second = self._both
        found = await first.read(location, query, limit)
        return found if isinstance(found, Found) else await second.read(location, query, limit)

    def source_text(self, location: str) -> str | None:
        texts = (searcher.source_text(location) for searcher in self._both)
        return next((text for text in texts if text is not None), None)


def _merged(found: list[Found], limit: int) -> Found:
    passages = [(-passage.score, place, passage) for place, each in enumerate(found) for passage in each.passages]
    passages.sort(key=lambda entry: entry[:2])
    tags = dict.fromkeys(tag for each in found for tag in each.tags)
    return Found(tuple(passage for _, _, passage in passages[:limit]), tuple(tags))
