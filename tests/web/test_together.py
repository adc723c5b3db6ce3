"""Files and the web as one searcher."""

from __future__ import annotations

from dataclasses import dataclass

import anyio

from deeproot.asks import Failure, Reason
from deeproot.model import Passage, Source, Tag
from deeproot.search import Found
from deeproot.search.together import Together


@dataclass
class Shelf:
    """A searcher with one answer."""

    answer: Found | Failure
    location: str = ""

    async def search(self, query: str, limit: int) -> Found | Failure:  # noqa: ARG002
        return self.answer

    async def read(self, location: str, query: str, limit: int) -> Found | Failure:  # noqa: ARG002
        return self.answer if location == self.location else Failure(Reason.REFUSED, f"not on {self.location}")

    def source_text(self, location: str) -> str | None:
        return "text" if location == self.location else None


def passage(location: str, score: float) -> Passage:
    return Passage(Source(location), location, 1, 1, score=score)


FILES = Found((passage("a.md", 1.0), passage("b.md", 0.5)))
WEB = Found((passage("http://a.example/", 1.0), passage("http://b.example/", 0.7)), (Tag.RATE_LIMITED,))
DOWN = Failure(Reason.UNAVAILABLE, "no network")


def search(files: Found | Failure, web: Found | Failure, limit: int = 10) -> Found | Failure:
    return anyio.run(Together(Shelf(files), Shelf(web)).search, "apples", limit)


def test_what_both_found_is_in_one_order_with_files_first_in_ties() -> None:
    found = search(FILES, WEB)
    assert isinstance(found, Found)
    assert [each.source.location for each in found.passages] == [
        "a.md",
        "http://a.example/",
        "http://b.example/",
        "b.md",
    ]
    assert found.tags == (Tag.RATE_LIMITED,)


def test_no_more_is_given_than_wanted() -> None:
    found = search(FILES, WEB, limit=2)
    assert isinstance(found, Found)
    assert len(found.passages) == 2


def test_files_still_work_when_the_web_does_not() -> None:
    assert search(FILES, DOWN) == FILES


def test_each_failure_is_told_once() -> None:
    told: list[str] = []
    both = Together(Shelf(FILES), Shelf(DOWN), told.append)

    async def go() -> None:
        for _ in range(3):
            await both.search("apples", 5)

    anyio.run(go)
    assert told == ["no network"]


def test_a_rate_limit_of_the_web_is_told_though_files_answer() -> None:
    found = search(FILES, Failure(Reason.RATE_LIMITED, "slow down", 60.0))
    assert found == Found(FILES.passages, (Tag.RATE_LIMITED,))


def test_it_fails_only_when_both_do() -> None:
    assert search(DOWN, Failure(Reason.FAILED, "x")) == DOWN


def test_a_location_is_read_from_whichever_holds_it() -> None:
    both = Together(Shelf(FILES, "a.md"), Shelf(WEB, "http://a.example/"))
    assert anyio.run(both.read, "a.md", "apples", 5) == FILES
    assert anyio.run(both.read, "http://a.example/", "apples", 5) == WEB
    refused = anyio.run(both.read, "elsewhere", "apples", 5)
    assert isinstance(refused, Failure)
    assert both.source_text("http://a.example/") == "text"
    assert both.source_text("elsewhere") is None
