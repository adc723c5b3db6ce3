"""Search over the web: from a query to passages, and only by addresses that were given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import anyio
import pytest
from loopback import Page, StepClock, Unplugged, as_json, redirect
from world import APPLES, ENGINE, PEARS, QUESTION, World, means_of, opened

from deeproot.asks import Failure, Reason
from deeproot.errors import UsageError
from deeproot.model import Tag
from deeproot.project.disk import Disk
from deeproot.search import Found, Searcher
from deeproot.search.web.chain import Chain
from deeproot.search.web.fetch import Fetcher
from deeproot.search.web.granted import Granted
from deeproot.search.web.opening import OpenedWeb, WebWish, open_web
from deeproot.search.web.pages import Pages
from deeproot.search.web.providers import ProviderMeans, open_providers
from deeproot.search.web.providers.wikipedia import Wikipedia
from deeproot.search.web.searcher import WebSearch
from deeproot.search.web.store import PageStore

T = TypeVar("T")
A, P = "http://apples.example/keep", "http://pears.example/keep"


def within(world: World, project: Path, act: Callable[[OpenedWeb], Awaitable[T]], **wish: object) -> T:
    async def go() -> T:
        with world.served() as network:
            return await act(await opened(network, project, **wish))

    return anyio.run(go)


def search(world: World, project: Path, query: str = "apples in the cellar", **wish: object) -> Found | Failure:
    return within(world, project, lambda web: web.searcher.search(query, 10), **wish)


def found(outcome: Found | Failure) -> Found:
    assert isinstance(outcome, Found), outcome
    return outcome


def test_the_pages_a_provider_names_become_passages_with_the_nearest_first(tmp_path: Path) -> None:
    world = World({A: APPLES, P: PEARS}, [P, A])
    passages = found(search(world, tmp_path)).passages
    assert passages[0].source.location == A
    assert passages[0].source.title == "Apples"
    assert "cool cellar" in passages[0].text
    assert passages[0].section == "Apples"
    assert passages[0].score == 1.0
    assert sorted(world.fetched) == [A, P]


def test_a_passage_stands_in_the_text_that_is_held_for_its_source(tmp_path: Path) -> None:
    async def act(web: OpenedWeb) -> None:
        (first, *_) = found(await web.searcher.search("apples", 10)).passages
        text = web.searcher.source_text(first.source.location)
        assert text is not None
        assert first.text in text
        lines = "\n".join(text.split("\n")[first.first_line - 1 : first.last_line])
        assert first.text in lines

    within(World({A: APPLES}, [A]), tmp_path, act)


def test_a_repeated_run_fetches_no_page_twice(tmp_path: Path) -> None:
    world = World({A: APPLES, P: PEARS}, [A, P, A + "#part"])
    first, second = (search(world, tmp_path) for _ in range(2))
    assert first == second
    assert sorted(world.fetched) == [A, P]


def test_a_damaged_cache_is_fetched_again(tmp_path: Path) -> None:
    world = World({A: APPLES}, [A])
    first = search(world, tmp_path)
    for path in (tmp_path / "knowledge" / "pages").rglob("*.*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[: len(path.read_bytes()) // 2])
    assert search(world, tmp_path) == first
    assert world.fetched == [A, A]


def test_two_topics_that_want_the_same_page_at_once_fetch_it_once(tmp_path: Path) -> None:
    world = World({A: APPLES}, [A])

    async def act(web: OpenedWeb) -> None:
        async with anyio.create_task_group() as group:
            for number in range(5):
                group.start_soon(web.searcher.search, f"apples {number}", 5)

    within(world, tmp_path, act)
    assert world.fetched == [A]


def test_a_page_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    bad = [f"http://bad.example/{number}" for number in range(3)]
    world = World(
        {A: APPLES, bad[0]: Page("x", 500), bad[1]: b"nonsense", bad[2]: Page(b"\x00", content_type="image/png")},
        [*bad, A],
    )
    assert {passage.source.location for passage in found(search(world, tmp_path)).passages} == {A}


def test_a_page_that_failed_for_good_is_not_asked_for_again_in_the_same_run(tmp_path: Path) -> None:
    world = World({A: APPLES}, [A, P])

    async def act(web: OpenedWeb) -> None:
        for _ in range(2):
            found(await web.searcher.search("apples", 3))

    within(world, tmp_path, act)
    assert sorted(world.fetched) == sorted([A, P])


def test_a_result_that_leads_inside_is_not_read(tmp_path: Path) -> None:
    inside = ["http://127.0.0.1/", "http://[64:ff9b::a9fe:a9fe]/", "file:///etc/passwd", "http://inside.example/"]
    world = World({A: APPLES}, [*inside, A], names={"inside.example": [["10.0.0.1"]]})
    assert found(search(world, tmp_path)).passages
    assert world.fetched == [A]


def test_a_moved_page_is_cited_where_it_was_found(tmp_path: Path) -> None:
    world = World({P: redirect(A), A: APPLES}, [P])

    async def act(web: OpenedWeb) -> None:
        passage = found(await web.searcher.search("apples", 3)).passages[0]
        assert passage.source.location == A
        assert web.searcher.source_text(A) is not None

    within(world, tmp_path, act)


def test_nothing_found_is_no_failure(tmp_path: Path) -> None:
    world = World({}, [])
    world.engine = Page('{"results": []}', content_type="application/json")
    outcome = search(world, tmp_path)
    assert found(outcome).passages == ()


# What may be read


def read(world: World, project: Path, location: str, **wish: object) -> Found | Failure:
    async def act(web: OpenedWeb) -> Found | Failure:
        await web.searcher.search("apples", 5)
        return await web.searcher.read(location, "apples", 5)

    return within(world, project, act, **wish)


def test_an_address_that_nobody_gave_is_refused_and_not_fetched(tmp_path: Path) -> None:
    linking = APPLES.replace("<p>", '<p><a href="http://evil.example/x">Read on</a> ')
    world = World({A: linking, "http://evil.example/x": PEARS}, [A])
    outcome = read(world, tmp_path, "http://evil.example/x")
    assert isinstance(outcome, Failure)
    assert outcome.reason is Reason.REFUSED
    assert world.fetched == [A]


@pytest.mark.parametrize("location", [A, A + "#part", "HTTP://APPLES.example:80/keep"])
def test_an_address_that_a_search_gave_can_be_read(tmp_path: Path, location: str) -> None:
    world = World({A: APPLES}, [A])
    assert found(read(world, tmp_path, location)).passages
    assert world.fetched == [A]


def test_an_address_in_the_question_can_be_read(tmp_path: Path) -> None:
    world = World({P: PEARS}, [])
    assert found(read(world, tmp_path, P, question=f"What does {P}, say?")).passages
    assert world.fetched == [P]


def test_a_page_that_shares_no_word_with_the_query_is_read_from_its_start(tmp_path: Path) -> None:
    async def act(web: OpenedWeb) -> Found | Failure:
        return await web.searcher.read(P, "zeppelin", 2)

    outcome = within(World({P: PEARS}), tmp_path, act, question=f"Read {P}")
    assert found(outcome).passages[0].text.startswith("Pears keep")


def test_a_host_of_the_allow_list_can_be_read_without_having_been_named(tmp_path: Path) -> None:
    world = World({P: PEARS}, [])
    assert found(read(world, tmp_path, P, allowed=("pears.example",))).passages


@pytest.mark.parametrize("path", ["/keep?leak=x", "/keep/7f3a9c21bd", "/a%40b.example", "/0123456789012"])
def test_an_address_that_could_carry_something_off_is_refused_even_there(tmp_path: Path, path: str) -> None:
    world = World({}, [])
    outcome = read(world, tmp_path, f"http://pears.example{path}", allowed=("pears.example",))
    assert isinstance(outcome, Failure)
    assert outcome.reason is Reason.REFUSED
    assert world.fetched == []


@pytest.mark.parametrize("location", ["notes.md", "file:///etc/passwd", "http://127.0.0.1:22/", "../../etc/passwd", ""])
def test_what_is_no_address_of_the_web_is_refused(tmp_path: Path, location: str) -> None:
    outcome = read(World({}, []), tmp_path, location)
    assert isinstance(outcome, Failure)
    assert outcome.reason is Reason.REFUSED


# Trouble


def test_a_provider_that_asks_to_slow_down_is_followed_by_the_next_and_the_tag_is_raised(tmp_path: Path) -> None:
    hit = {"key": "Apple", "title": "Apple", "excerpt": "x"}
    api = "http://wiki.example/w/rest.php/v1/search/page?q=apples&limit=10"
    world = World({api: as_json({"pages": [hit]}), "http://wiki.example/wiki/Apple": APPLES})
    world.engine = Page("slow down", 429, headers={"Retry-After": "600"})

    async def go() -> list[Found | Failure]:
        with world.served() as network:
            clock = StepClock()
            fetcher = Fetcher(clock, network=network)
            means = ProviderMeans(fetcher, environment={"SEARXNG_URL": f"http://{ENGINE}"})
            wiki = Wikipedia(means, "http://wiki.example")
            chain = Chain([*open_providers(means, ["searxng"]), wiki], clock)
            pages = Pages(fetcher, PageStore(tmp_path, Disk()), clock)
            web = WebSearch(chain, pages, Granted(fetcher.guard))
            return [await web.search("apples", 5) for _ in range(2)]

    for outcome in anyio.run(go):
        assert found(outcome).tags == (Tag.RATE_LIMITED,)
        assert found(outcome).passages[0].source.location == "http://wiki.example/wiki/Apple"
    assert len(world.queries) == 1, "a provider that asked for a pause is left alone"


def test_a_machine_without_network_is_told_once_in_a_clear_line(tmp_path: Path) -> None:
    async def go() -> tuple[OpenedWeb, Found | Failure]:
        network = Unplugged()
        web = await open_web(WebWish(QUESTION, search=True), tmp_path, Disk(), StepClock(), means_of(network))
        return web, await web.searcher.search("apples", 5)

    web, outcome = anyio.run(go)
    (line,) = web.notes
    assert line.startswith("no network:")
    assert "local files still work" in line
    assert isinstance(outcome, Failure)
    assert outcome.reason is Reason.UNAVAILABLE


@pytest.mark.parametrize(
    ("wish", "named"),
    [
        ({"sites": ("ftp://x.example/",)}, "--site"),
        ({"sites": ("x y",)}, "--site"),
        ({"allowed": ("a b",)}, "--allow"),
        ({"allowed": ("",)}, "--allow"),
    ],
)
def test_a_wish_that_cannot_be_meant_is_told_with_its_option(
    tmp_path: Path, wish: dict[str, tuple[str]], named: str
) -> None:
    with pytest.raises(UsageError, match=named):
        within(World({}), tmp_path, _nothing, **wish)


async def _nothing(web: OpenedWeb) -> None:
    """Opening it is what the test is about."""


def test_it_is_a_searcher(tmp_path: Path) -> None:
    async def act(web: OpenedWeb) -> Searcher:
        return web.searcher

    assert within(World({}), tmp_path, act)
