"""The page in a real browser: it shows what it should, and nothing hostile in it does anything."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from headless import CHROMIUM, Site, loopback, print_page, screenshot, visit
from hostile import HOSTILE, hostile_page
from pypdf import PdfReader
from sample_page import PAGE, TITLE
from selectolax.lexbor import LexborHTMLParser

from deeproot.checks import Grade
from deeproot.report.page import Flaw, GateSummary, Page, render_page

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium")

# A page that opens another in a frame of its own site, does something there, and writes down what it saw.
OBSERVER = """<!doctype html><meta charset="utf-8"><title>observer</title>
<style>iframe {{ width: {width}px; height: 800px; border: 0 }}</style>
<iframe src="/page"></iframe><pre id="seen"></pre>
<script>
addEventListener("load", async () => {{
  const frame = document.querySelector("iframe"), page = frame.contentDocument, view = frame.contentWindow;
  const at = id => page.getElementById(id), style = node => view.getComputedStyle(node);
  const settle = () => new Promise(done => setTimeout(done, 100));
  const inside = node => {{
    const box = node.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && box.top >= 0 && box.bottom <= view.innerHeight;
  }};
  const seen = {{}};
  {act}
  document.getElementById("seen").textContent = JSON.stringify(seen);
}});
</script>"""

WIDE, NARROW = 1440, 360


@pytest.fixture
def site() -> Iterator[Site]:
    with loopback() as site:
        site.put("/page", render_page(PAGE))
        yield site


def observe(site: Site, act: str, width: int = WIDE, *options: str) -> dict[str, Any]:
    address = site.put("/observer", OBSERVER.format(act=act, width=width))
    dom = visit(address, f"--window-size={width + 50},900", *options).dom
    seen = LexborHTMLParser(dom).css_first("#seen")
    assert seen
    observed: dict[str, Any] = json.loads(seen.text())
    return observed


def page_on_disk(folder: Path, page: Page = PAGE) -> str:
    file = folder / "report.html"
    file.write_text(render_page(page), encoding="utf-8")
    return file.as_uri()


def test_the_page_opens_from_a_file_with_its_style_and_without_complaint(tmp_path: Path) -> None:
    opened = visit(page_on_disk(tmp_path))
    assert f"<title>{TITLE}</title>" in opened.dom
    assert opened.console == ()


def test_its_own_style_is_in_force(site: Site) -> None:
    seen = observe(site, "seen.paper = style(page.body).backgroundColor; seen.display = style(page.body).display;")
    assert seen == {"paper": "rgb(252, 251, 247)", "display": "grid"}


def test_it_is_dark_where_dark_is_preferred(site: Site) -> None:
    seen = observe(
        site, "seen.paper = style(page.body).backgroundColor;", WIDE, "--blink-settings=preferredColorScheme=0"
    )
    assert seen == {"paper": "rgb(20, 23, 21)"}


def test_a_style_that_is_not_ours_is_refused_and_told_on_the_console(site: Site) -> None:
    """So the silence of the other pages means something."""
    altered = render_page(PAGE).replace("</style>", " </style>")
    assert any("Content Security Policy" in line for line in visit(site.put("/altered", altered)).console)


@pytest.mark.parametrize("width", [WIDE, 1000, NARROW])
def test_choosing_a_citation_shows_its_passage_and_moves_nothing(site: Site, width: int) -> None:
    seen = observe(
        site,
        """
        at("ref-4-2").scrollIntoView({block: "center"}); await settle();
        const before = view.scrollY;
        seen.shown_before = style(at("cite-4-2")).position;
        at("ref-4-2").click(); await settle();
        seen.scrolled = before > 0;
        seen.moved = view.scrollY - before;
        seen.position = style(at("cite-4-2")).position;
        seen.inside = inside(at("cite-4-2")) && inside(at("cite-4-2").querySelector("mark"));
        seen.focus = page.activeElement.id;
        const close = at("cite-4-2").querySelector(".close");
        seen.closable = inside(close);
        close.click(); await settle();
        seen.closed = style(at("cite-4-2")).position;
        seen.back = inside(at("ref-4-2"));
        """,
        width,
    )
    assert seen == {
        "shown_before": "static",
        "scrolled": True,
        "moved": 0,
        "position": "fixed",
        "inside": True,
        "focus": "cite-4-2",
        "closable": True,
        "closed": "static",
        "back": True,
    }


def test_on_a_wide_screen_the_passage_does_not_cover_the_text(site: Site) -> None:
    seen = observe(
        site,
        """
        at("ref-1-1").click(); await settle();
        seen.text = at("report").getBoundingClientRect().right;
        seen.card = at("cite-1-1").getBoundingClientRect().left;
        seen.room = view.innerWidth - at("cite-1-1").getBoundingClientRect().right;
        """,
    )
    assert seen["text"] < seen["card"]
    assert seen["room"] >= 0


def test_on_a_phone_the_contents_open_over_the_text_and_close_with_a_choice(site: Site) -> None:
    seen = observe(
        site,
        """
        const nav = at("contents"), shown = () => style(nav).display !== "none";
        seen.first = shown();
        page.querySelector(".menu").click(); await settle();
        seen.opened = shown();
        nav.querySelector("a[href='#topic-2.1']").click(); await settle();
        seen.chosen = shown();
        seen.arrived = inside(at("topic-2.1"));
        page.querySelector(".menu").click(); await settle();
        const before = view.scrollY;
        nav.querySelector(".close").click(); await settle();
        seen.closed = shown();
        seen.moved = view.scrollY - before;
        seen.overflow = page.documentElement.scrollWidth > view.innerWidth;
        """,
        NARROW,
    )
    expected = {"first": False, "opened": True, "chosen": False, "arrived": True, "closed": False, "moved": 0}
    assert seen == {**expected, "overflow": False}


def test_long_lines_do_not_widen_a_phone(site: Site) -> None:
    site.put("/page", render_page(hostile_page("https://example.org/" + "x" * 3000)))
    seen = observe(site, "seen.overflow = page.documentElement.scrollWidth > view.innerWidth;", NARROW)
    assert seen == {"overflow": False}


def test_text_from_right_to_left_begins_at_the_right_and_keeps_each_citation_whole(site: Site) -> None:
    body = "## Findings\n\nتراجع التدفق السنوي بعد بناء السد [1]. ثم عاد إلى مستواه [1].\n"
    cited = tuple(replace(PAGE.citations[0], occurrence=place) for place in (1, 2))
    site.put("/page", render_page(replace(PAGE, body=body, citations=cited)))
    seen = observe(
        site,
        """
        const text = page.querySelector("#report p"), range = page.createRange();
        range.selectNodeContents(text.firstChild);
        seen.gap = text.getBoundingClientRect().right - range.getBoundingClientRect().right;
        seen.pieces = [...page.querySelectorAll("#report .ref")].map(ref => ref.getClientRects().length);
        """,
    )
    assert seen == {"gap": 0, "pieces": [1, 1]}


def test_the_keyboard_reaches_the_text_first_and_every_citation(site: Site) -> None:
    seen = observe(
        site,
        """
        const stops = [...page.querySelectorAll("a[href]")].filter(a => a.tabIndex >= 0);
        seen.first = stops[0].getAttribute("href");
        seen.refs = stops.filter(a => a.matches("#report .ref")).length;
        stops[0].focus();
        seen.skip = inside(stops[0]) && style(stops[0]).position;
        """,
    )
    assert seen == {"first": "#report", "refs": len(PAGE.citations), "skip": "fixed"}


def test_the_watch_hears_a_page_that_is_not_safe(site: Site) -> None:
    """So its silence below means something."""
    unsafe = f"<title>safe</title><img src={site.host}/heard><script>document.title = 'owned'</script>"
    assert "<title>owned</title>" in visit(site.put("/unsafe", unsafe)).dom
    assert "/heard" in site.asked


def watched(site: Site, pages: list[str]) -> list[str]:
    """The titles the pages have after a second, each opened at a citation; then what stood on the console."""
    for number, page in enumerate(pages):
        site.put(f"/page/{number}", page)
    frames = "".join(f'<iframe src="/page/{number}#cite-1-1"></iframe>' for number in range(len(pages)))
    titles = "JSON.stringify([...document.querySelectorAll('iframe')].map(frame => frame.contentDocument.title))"
    write = f"document.getElementById('seen').textContent = {titles}"
    script = f"<script>addEventListener('load', () => setTimeout(() => {{ {write} }}, 1000))</script>"
    opened = visit(site.put("/watch", f"<!doctype html>{frames}<pre id=seen></pre>{script}"))
    seen = LexborHTMLParser(opened.dom).css_first("#seen")
    assert seen
    shown: list[str] = json.loads(seen.text())
    return [*shown, *opened.console]


def test_hostile_text_runs_nothing_and_calls_nobody(site: Site) -> None:
    pages = [render_page(hostile_page(text.replace("HOST", site.host))) for text in HOSTILE]
    titles = watched(site, pages)
    assert len(titles) == len(pages), "a title each, and nothing on the console"
    assert "owned" not in titles
    assert set(site.asked) - {"/favicon.ico"} == {"/watch", *(f"/page/{n}" for n in range(len(pages)))}


def test_the_policy_holds_even_if_markup_should_slip_through(site: Site) -> None:
    # A refresh is no load that a policy governs: only the sanitiser stands before it.
    slipped = [text.replace("HOST", site.host) for text in HOSTILE if text.startswith("<") and "refresh" not in text]
    pages = [render_page(PAGE).replace("</main>", f"{markup}</main>") for markup in slipped]
    titles = watched(site, pages)[: len(pages)]
    assert set(titles) == {TITLE}
    assert set(site.asked) - {"/favicon.ico"} == {"/watch", *(f"/page/{n}" for n in range(len(pages)))}


def test_it_can_be_printed_with_every_passage_and_every_flaw(tmp_path: Path) -> None:
    gate = GateSummary(Grade.FAIL, 0, (), tuple(Flaw(f"flaw number {number};") for number in range(1, 10)))
    printed = tmp_path / "report.pdf"
    print_page(page_on_disk(tmp_path, replace(PAGE, gate=gate)), printed)
    pages = PdfReader(printed).pages
    text = re.sub(r"\s+", " ", " ".join(page.extract_text() for page in pages))
    assert "Heating an old house with a heat pump" in text
    passages = [re.sub(r"\s+", " ", c.excerpt.passage) for c in PAGE.citations if c.excerpt]
    assert [passage for passage in passages if passage not in text] == []
    assert all(f"flaw number {number};" in text for number in range(1, 10)), "what is folded on a screen as well"
    assert "Back to the text" not in text
    assert len(pages) <= 5, "thirteen citations do not take a page each"


@pytest.mark.parametrize(
    ("name", "width", "height", "options"),
    [
        ("report.png", 1440, 900, ()),
        ("report-dark.png", 1440, 900, ("--blink-settings=preferredColorScheme=0",)),
        ("report-phone.png", 500, 900, ()),
    ],
)
def test_a_picture_of_it_with_an_open_citation(
    tmp_path: Path, name: str, width: int, height: int, options: tuple[str, ...]
) -> None:
    picture = tmp_path / name
    screenshot(page_on_disk(tmp_path) + "#cite-1-2", picture, width, height, *options)
    header = picture.read_bytes()[:24]
    assert header[1:4] == b"PNG"
    assert struct.unpack(">II", header[16:24]) == (width, height)
    assert picture.stat().st_size > 30_000, "an empty page is a small picture"
