"""A whole site: its map, its pages within limits, and how far it was read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import anyio
from loopback import Answer, Page, StepClock
from world import World, article, opened

from deeproot.asks import Failure
from deeproot.project.disk import Disk
from deeproot.search import Found
from deeproot.search.web.crawl import Crawled, CrawlLimits, crawl
from deeproot.search.web.fetch import Fetcher
from deeproot.search.web.opening import OpenedWeb
from deeproot.search.web.pages import Pages
from deeproot.search.web.store import PageStore

SITE = "http://docs.example"


def links(*paths: str) -> str:
    return "".join(f'<p>Some words about it, then <a href="{path}">more</a>.</p>' for path in paths)


def page(title: str, *paths: str) -> str:
    words = f"{title} has a story of its own, and it is told here at some length. " * 4
    return article(title, words).replace("</body>", links(*paths) + "</body>")


def crawled(pages: Mapping[str, Answer], project: Path, **wish: object) -> tuple[OpenedWeb, World, Found]:
    world = World({f"{SITE}{path}" if path.startswith("/") else path: answer for path, answer in pages.items()})

    async def go() -> tuple[OpenedWeb, Found]:
        with world.served() as network:
            web = await opened(network, project, search=False, **{"sites": (f"{SITE}/",), **wish})
            found = await web.searcher.search("story of page 3", 5)
            assert isinstance(found, Found)
            return web, found

    web, found = anyio.run(go)
    return web, world, found


def pages_of(world: World) -> list[str]:
    return [url.removeprefix(SITE) for url in world.fetched if not url.endswith("sitemap.xml")]


def test_thirty_pages_are_read_up_to_the_limit_and_the_rest_is_counted(tmp_path: Path) -> None:
    pages: dict[str, Answer] = {"/": page("Home", *(f"/{n}" for n in range(1, 31)))}
    pages |= {f"/{n}": page(f"Page {n}") for n in range(1, 31)}
    web, world, found = crawled(pages, tmp_path)
    (coverage,) = web.coverage
    assert len(pages_of(world)) == 20
    assert (coverage.found, len(coverage.read), len(coverage.skipped)) == (31, 20, 11)
    assert coverage.left_out == (("the limit of 20 pages", 11),)
    assert web.notes == ()
    assert found.passages


def test_pages_more_than_three_links_away_are_not_read(tmp_path: Path) -> None:
    chain: dict[str, Answer] = {"/": page("Home", "/1"), **{f"/{n}": page(f"P {n}", f"/{n + 1}") for n in range(1, 8)}}
    web, world, _ = crawled(chain, tmp_path)
    assert pages_of(world) == ["/", "/1", "/2", "/3"]
    assert web.coverage[0].skipped[0].reason == "more than 3 links away"


def test_only_the_same_host_is_read(tmp_path: Path) -> None:
    away = ["http://other.example/x", "http://www.docs.example/x", "http://127.0.0.1/x", "http://docs.example:8080/x"]
    web, world, _ = crawled(
        {"/": page("Home", "/1", *away, "mailto:x@y", "file:///etc/passwd"), "/1": page("One")}, tmp_path
    )
    assert pages_of(world) == ["/", "/1"]
    assert web.coverage[0].found == 2


def test_robots_txt_is_honoured_and_counted(tmp_path: Path) -> None:
    robots = Page("User-agent: *\nDisallow: /private", content_type="text/plain")
    pages: dict[str, Answer] = {"/robots.txt": robots, "/": page("Home", "/private/1", "/open"), "/open": page("Open")}
    web, world, _ = crawled(pages, tmp_path)
    assert pages_of(world) == ["/", "/open"]
    assert [(each.location, each.reason) for each in web.coverage[0].skipped] == [(f"{SITE}/private/1", "robots.txt")]


def test_the_sites_own_map_leads_to_pages_nothing_links_to(tmp_path: Path) -> None:
    index = f"<?xml version='1.0'?><sitemapindex><sitemap><loc>{SITE}/map1.xml</loc></sitemap></sitemapindex>"
    listed = f"<urlset><url><loc>{SITE}/lonely</loc></url><url><loc> {SITE}/a?b=1&amp;c=2 </loc></url></urlset>"
    pages: dict[str, Answer] = {
        "/": page("Home"),
        "/sitemap.xml": Page(index, content_type="application/xml"),
        "/map1.xml": Page(listed + "<loc>http://evil.example/</loc>", content_type="text/xml"),
        "/lonely": page("Lonely"),
        "/a?b=1&c=2": page("Query"),
    }
    web, _, _ = crawled(pages, tmp_path)
    assert web.coverage[0].read == (f"{SITE}/", f"{SITE}/lonely", f"{SITE}/a?b=1&c=2")


def test_robots_txt_may_name_the_map(tmp_path: Path) -> None:
    pages: dict[str, Answer] = {
        "/robots.txt": Page(f"Sitemap: {SITE}/elsewhere.xml", content_type="text/plain"),
        "/": page("Home"),
        "/elsewhere.xml": Page(f"<urlset><url><loc>{SITE}/x</loc></url></urlset>", content_type="text/xml"),
        "/x": page("X"),
    }
    web, _, _ = crawled(pages, tmp_path)
    assert f"{SITE}/x" in web.coverage[0].read


def test_pages_that_speak_of_the_question_are_read_first(tmp_path: Path) -> None:
    paths = [*(f"/n{n}" for n in range(9)), "/keeping-apples"]
    world = World({f"{SITE}/": page("Home", *paths), **{f"{SITE}{path}": page(path) for path in paths}})

    async def go() -> Crawled | Failure:
        with world.served() as network:
            pages = Pages(Fetcher(StepClock(), network=network), PageStore(tmp_path, Disk()), StepClock())
            return await crawl(pages, SITE, "How long do apples keep?", CrawlLimits(pages=3))

    outcome = anyio.run(go)
    assert isinstance(outcome, Crawled)
    assert f"{SITE}/keeping-apples" in outcome.coverage.read
    assert len(pages_of(world)) == 3


def test_a_repeated_run_reads_nothing_of_the_site_again(tmp_path: Path) -> None:
    pages: dict[str, Answer] = {"/": page("Home", "/1", "/missing"), "/1": page("Page 3")}
    first, world, _ = crawled(pages, tmp_path)
    assert world.asked
    second, again, found = crawled(pages, tmp_path)
    assert again.asked == []
    assert second.coverage == first.coverage
    assert found.passages[0].source.location == f"{SITE}/1"


def test_a_crawl_that_was_cut_off_goes_on_with_what_is_kept(tmp_path: Path) -> None:
    pages: dict[str, Answer] = {"/": page("Home", "/1", "/2"), "/1": page("One"), "/2": page("Two")}
    crawled(pages, tmp_path)
    for record in (tmp_path / "knowledge" / "pages" / "sites").iterdir():
        record.unlink()
    _, again, _ = crawled(pages, tmp_path)
    assert pages_of(again) == []


def test_a_site_that_cannot_be_read_is_one_line_and_no_error(tmp_path: Path) -> None:
    web, _, found = crawled({"/": Page("x", 500)}, tmp_path)
    assert web.coverage == ()
    assert "status 500" in web.notes[0]
    assert found.passages == ()


def test_ten_thousand_links_do_no_harm(tmp_path: Path) -> None:
    many = "".join(f"<a href=/p{n}>{n}</a> " for n in range(10_000))
    web, world, _ = crawled({"/": page("Home") + many}, tmp_path)
    assert len(world.fetched) <= 21
    assert web.coverage[0].found <= 1_001
