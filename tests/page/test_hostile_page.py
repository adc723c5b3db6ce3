"""What a page, a file or a model said is text in the report, whatever it looks like."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hostile import HOSTILE, hostile_page
from hypothesis import given
from hypothesis import strategies as st
from sample_page import BODY, CITATIONS, PAGE
from selectolax.lexbor import LexborHTMLParser

from deeproot.report.page import Page, render_page

OWN = "html head meta title style body nav main header section article aside h1 h2 h3 h4 h5 h6 p ul ol li dl dt dd div"
MARKDOWN = "a blockquote br code em hr pre s strong table thead tbody tr th td"
ELEMENTS = {*OWN.split(), *MARKDOWN.split(), "span", "mark", "bdi", "svg", "rect", "details", "summary"}
NAMES = "id class href rel dir lang title tabindex start charset http-equiv content name aria-label aria-hidden"
ATTRIBUTES = {*NAMES.split(), "align", "viewbox", "preserveaspectratio", "width", "height"}
UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def harmless(html: str) -> LexborHTMLParser:
    """The page, once nothing in it can run, load, send or lead anywhere but by a person's choice."""
    assert not UNSEEN.search(html)
    tree = LexborHTMLParser(html)
    nodes = tree.css("*")
    assert {node.tag for node in nodes} <= ELEMENTS
    assert {name.lower() for node in nodes for name in node.attributes} <= ATTRIBUTES
    assert {len(tree.css(element)) for element in ("html", "head", "body", "title", "style", "nav", "main")} == {1}
    assert len(tree.css("meta")) == 5
    for node in tree.css("[href]"):
        assert node.tag == "a"
        way = node.attributes["href"] or ""
        assert re.match(r"#|https?:|mailto:", way), way
        assert way.startswith("#") or node.attributes["rel"] == "noopener noreferrer nofollow"
    anchors = [node.attributes["id"] for node in tree.css("[id]")]
    assert len(anchors) == len(set(anchors))
    return tree


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:40]))
def test_hostile_text_is_text_in_every_place(text: str) -> None:
    tree = harmless(render_page(hostile_page(text.replace("HOST", "https://evil.example"))))
    refs = [ref.attributes["href"] for ref in tree.css("#report a.ref") if ref.text() == "[2]"]
    assert "#cite-2-1" in refs or "~~~" in text or "```" in text, "the citation after it still has its passage"


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:40]))
def test_hostile_text_is_shown_as_it_is_written(text: str) -> None:
    title = harmless(render_page(hostile_page(text))).css_first("h1")
    assert title
    assert title.text().split() == UNSEEN.sub("\ufffd", text).split()


def test_hostile_text_does_not_change_the_policy_or_the_style() -> None:
    def head(page: Page) -> list[str | None]:
        tree = LexborHTMLParser(render_page(page))
        return [node.html for node in tree.css("meta, style")]

    assert all(head(hostile_page(text)) == head(PAGE) for text in HOSTILE)


def test_what_would_turn_or_hide_text_is_made_visible() -> None:
    html = render_page(hostile_page("invoice\u202egpj.exe &#x202e;turned &#8294;"))
    assert "\u202e" not in html
    assert "\u2066" not in html
    assert "invoice\ufffdgpj.exe" in html


@pytest.mark.parametrize("piece", ["a", "word ", "[", "![", "[a](", "*a ", "`a", "<", "[1]", "&", "|", "> "])
def test_a_line_of_a_megabyte_is_only_long(piece: str) -> None:
    """Each would take up to half a minute if its marks were looked at; the time limit of a test would end it."""
    line = piece * (1_000_000 // len(piece))
    tree = harmless(render_page(Page(line[:1000], "Q", f"Before.\n\n{line}\n\nAfter *all*.")))
    assert tree.css("#report em")[-1].text() == "all"


def test_a_megabyte_in_a_title_a_quote_and_an_address_is_only_long() -> None:
    long = "https://example.org/" + "x" * 1_000_000
    tree = harmless(render_page(hostile_page(long)))
    assert len(tree.css_first("h1").text()) == len(long)  # type: ignore[union-attr]


@pytest.mark.parametrize("nested", ["- " * 2000, "> " * 2000, "".join(f"{'  ' * i}- a\n" for i in range(200))])
def test_nesting_of_any_depth_loses_nothing_that_follows(nested: str) -> None:
    tree = harmless(render_page(replace(PAGE, body=BODY.replace("## Findings", f"{nested}innermost\n\n## Findings"))))
    shown = tree.css_first("#report")
    assert shown
    assert "innermost" in shown.text()
    assert len(shown.css("a.ref")) == len(CITATIONS)
    assert shown.css("h2#section-methodology")


@pytest.mark.parametrize("fence", ["```", "~~~~ python", "> ```", "- ```", "````"])
def test_an_unclosed_fence_ends_with_its_section(fence: str) -> None:
    body = BODY.replace("### Radiators", f"{fence}\ncode\n\n### Radiators")
    shown = harmless(render_page(replace(PAGE, body=body))).css_first("#report")
    assert shown
    assert len(shown.css("a.ref")) == len(CITATIONS)
    assert len(shown.css("pre")) == 1
    assert shown.css("h3#topic-3")


fragments = st.sampled_from(
    ["<", ">", "&", '"', "'", "`", "```\n", "[1]", "[", "]", "(", ")", "![", "](", "javascript:", "data:", "http://a/",
     "*", "_", "~~", "|", "\n", "\n\n", "# ", "### ", "- ", "> ", "    ", "<script>", "</style>", "<img src=x ", "x=",
     "\\", "&#x3c;", "&lt;", "\ufdd0", "\ufdd1", "0", "\u202e", "\x00", "\ud800", "-->", "]]>", "---\n", "|-|-|\n"]
)  # fmt: skip
texts = st.lists(st.one_of(fragments, st.text(max_size=12)), max_size=40).map("".join)


@given(texts)
def test_no_text_whatever_becomes_markup(text: str) -> None:
    harmless(render_page(hostile_page(text)))


@given(texts)
def test_every_link_to_a_passage_arrives(text: str) -> None:
    tree = harmless(render_page(replace(PAGE, body=text + BODY + text)))
    anchors = {node.attributes["id"] for node in tree.css("[id]")}
    for ref in tree.css("a.ref, a.close"):
        way = (ref.attributes["href"] or "")[1:]
        assert way in anchors or way == "reading"


@given(texts, texts)
def test_the_same_text_gives_the_same_bytes(body: str, title: str) -> None:
    page = replace(hostile_page(title), body=body)
    assert render_page(page) == render_page(page)
