"""Files and the web as one searcher: each is asked, and what both found is put in one order."""

from __future__ import annotations

import anyio

from ..asks import Failure
from . import Found, Searcher


class Together:
    """One searcher over two. The first one's passages stand first where scores are equal; one may fail."""

    def __init__(self, first: Searcher, second: Searcher) -> None:
        self._both = (first, second)

    async def search(self, query: str, limit: int) -> Found | Failure:
        answers: dict[int, Found | Failure] = {}

        async def ask(place: int) -> None:
            answers[place] = await self._both[place].search(query, limit)

        async with anyio.create_task_group() as group:
            for place in range(len(self._both)):
                group.start_soon(ask, place)
        found = [answer for _, answer in sorted(answers.items()) if isinstance(answer, Found)]
        failed = [answer for _, answer in sorted(answers.items()) if isinstance(answer, Failure)]
        return _merged(found, limit) if found else failed[0]

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
