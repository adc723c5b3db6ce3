"""A search in a process of its own that never gets an answer about some titles: `hanging_child.py ROOT TITLE…`."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).parents[1]))

from grove import Wood, a_tree, layered

from deeproot.asks import Ask, Failure, Kind, Reply
from deeproot.testing import ScriptedBackend
from laboratory import topic_of


class Hanging(ScriptedBackend):
    """Puts down a mark beside the root folder when it begins to hang."""

    def __init__(self, beside: Path, titles: list[str]) -> None:
        super().__init__(a_tree(layered(2, 3)))
        self._beside = beside
        self._titles = titles

    async def answer(self, ask: Ask) -> Reply | Failure:
        if ask.kind is Kind.DOCUMENT and topic_of(ask).title in self._titles:
            (self._beside / f"hangs-{topic_of(ask).slug}").touch()
            await anyio.sleep_forever()
        return await super().answer(ask)


if __name__ == "__main__":
    root = Path(sys.argv[1])
    Wood(root).search(Hanging(root.parent, sys.argv[2:]), concurrency=2)
