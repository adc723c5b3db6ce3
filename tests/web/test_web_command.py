"""`--web`, `--site` and `--allow` as they are typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from loopback import Page, Site
from world import APPLES, PEARS

from commandline import Command

SMALL = ("--model", "offline", "--breadth", "1", "--depth", "0", "--yes", "--name", "apples")


@pytest.fixture(autouse=True)
def _no_provider_but_the_test_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPROOT_SEARCH", "searxng")


def test_a_site_on_this_machine_is_read_when_it_is_allowed_and_cited_in_the_report(research: Command) -> None:
    with Site(
        {"/": APPLES.replace("</body>", "<p>See <a href=/pears>pears</a> too.</p></body>"), "/pears": PEARS}
    ) as site:
        place = f"127.0.0.1:{site.port}"
        ended = research("How long do apples keep?", *SMALL, "--site", f"{site.root}/", "--allow", place)
    assert ended.code == 0, ended.err
    assert f"Site {site.root}/: 2 of 2 pages read" in ended.err
    report = Path("reports/apples/report.md").read_text(encoding="utf-8")
    assert f"{site.root}/" in report
    assert "six months" in report
    assert f"## Coverage\n\n- {site.root}/: 2 of 2 pages read\n" in report


def test_a_site_on_this_machine_is_not_read_otherwise(research: Command) -> None:
    with Site({"/": APPLES}) as site:
        ended = research("How long do apples keep?", *SMALL, "--site", f"{site.root}/")
    assert "not one of the web's" in ended.err
    assert site.asked == []


def test_a_machine_without_network_is_told_so_in_one_line_and_files_still_work(
    research: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Site({}) as site:
        port = site.port
    monkeypatch.setenv("SEARXNG_URL", f"http://127.0.0.1:{port}/")
    Path("notes.md").write_text("# Apples\n\nApples keep for six months in a cool cellar.\n", encoding="utf-8")
    ended = research("How long do apples keep?", *SMALL, "--web")
    assert ended.code == 0, ended.err
    assert ended.err.count("no network:") == 1
    report = Path("reports/apples/report.md").read_text(encoding="utf-8")
    assert "six months" in report
    assert "Not had of the web: no network: no search provider can be reached" in report


def test_the_web_is_searched_with_files_beside_it(research: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def script(asked: object) -> Page | str | None:
        path = getattr(asked, "path", "")
        if path.startswith("/search"):
            return Page(f'{{"results": [{{"url": "{site.root}/apples"}}]}}', content_type="application/json")
        return APPLES if path == "/apples" else None

    Path("notes.md").write_text("# Cellar\n\nOur own apples keep for nine months in sand.\n", encoding="utf-8")
    with Site(script) as site:
        monkeypatch.setenv("SEARXNG_URL", site.root)
        ended = research("How long do apples keep?", *SMALL, "--web", "--allow", f"127.0.0.1:{site.port}")
    assert ended.code == 0, ended.err
    sources = Path("reports/apples/report.md").read_text(encoding="utf-8").split("## Sources")[1]
    assert f"{site.root}/apples" in sources
    assert "notes.md" in sources


def test_neither_a_second_question_nor_a_resume_fetches_a_page_again(research: Command) -> None:
    with Site({"/": APPLES, "/pears": PEARS}) as site:
        options = ("--model", "offline", "--site", f"{site.root}/", "--allow", f"127.0.0.1:{site.port}")
        assert research("ask", "How long do apples keep?", *options, "--name", "one").code == 0
        asked = list(site.asked)
        assert any(request.path == "/" for request in asked)
        second = research("ask", "How long do apples keep?", *options, "--name", "two")
        resumed = research("ask", "--resume", "--name", "one")
    assert site.asked == asked
    assert (second.code, resumed.code) == (0, 0)
    assert f"{site.root}/" in second.out.split("## Sources")[1]
    assert f"Site {site.root}/: 1 of 1 pages read." in resumed.out


@pytest.mark.parametrize(
    ("option", "value"), [("--site", "ftp://x.example/"), ("--site", "nonsense"), ("--allow", "a b")]
)
def test_what_cannot_be_meant_ends_with_64_before_anything_is_written(
    research: Command, option: str, value: str
) -> None:
    ended = research("How long do apples keep?", *SMALL, option, value)
    assert ended.code == 64
    assert option in ended.err
    assert not Path(".research/apples").exists()
