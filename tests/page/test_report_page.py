"""The report as a page: one file, the tree beside it, and a passage behind every citation."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest
from sample_page import BODY, CITATIONS, OUTLINE, PAGE, PRINCIPLE, TITLE, cited
from selectolax.lexbor import LexborHTMLParser, LexborNode

from deeproot.checks import Excerpt, Grade, Part
from deeproot.model import Source, Status, Verdict
from deeproot.report.page import Entry, Flaw, GateSummary, NumberedSource, Page, render_page

TOP = 6  # levels of the tree that are indented


def parsed(page: Page) -> LexborHTMLParser:
    return LexborHTMLParser(render_page(page))


def one(tree: LexborHTMLParser | LexborNode, selector: str) -> LexborNode:
    found = tree.css(selector)
    assert len(found) == 1, f"{len(found)} elements match {selector}"
    return found[0]


def texts(tree: LexborHTMLParser | LexborNode, selector: str) -> list[str]:
    return [" ".join(node.text().split()) for node in tree.css(selector)]


def body_of(markdown: str, **parts: object) -> LexborNode:
    """The article made of a body alone."""
    page = Page("Title", "Question?", markdown)
    return one(parsed(replace(page, **parts)), "#report")  # type: ignore[arg-type]


def test_the_same_page_gives_the_same_bytes() -> None:
    assert render_page(PAGE) == render_page(replace(PAGE))


def test_it_asks_for_nothing_from_elsewhere() -> None:
    tree = parsed(PAGE)
    assert not tree.css("script, link, img, iframe, object, embed, form, base, [src], [style], [srcset]")
    policy = one(tree, "meta[http-equiv=Content-Security-Policy]").attributes["content"] or ""
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'", policy
    )
    assert "url(" not in one(tree, "style").text()
    assert "@import" not in one(tree, "style").text()


def test_every_citation_in_the_text_leads_to_its_passage() -> None:
    tree = parsed(PAGE)
    refs = tree.css("#report .ref")
    body_without_sources = BODY.split("## Sources")[0]
    assert [ref.text() for ref in refs] == re.findall(r"\[\d+\]", body_without_sources)
    for ref, citation in zip(refs, CITATIONS, strict=True):
        card = one(tree, ref.attributes["href"] or "")
        assert citation.sentence in card.text()
        if citation.excerpt:
            assert one(card, "mark").text().split() == citation.excerpt.passage.split()
        else:
            assert one(card, ".missing").text() == citation.quote


def test_a_passage_stands_in_its_context_with_verdict_reason_and_source() -> None:
    card = one(parsed(PAGE), "#cite-1-2")
    assert texts(card, ".verdict") == ["Refuted"]
    assert "it says 31 houses" in card.text()
    assert texts(card, ".context") == [
        "The mean seasonal performance factor was 2.9. Houses in which radiators had been replaced reached 3.3. "
        "Running costs fell in 31 houses and rose in nine."
    ]
    assert one(card, ".origin a").attributes["href"] == "https://example.org/field-trial/winter-report"
    assert one(card, ".close").attributes["href"] == "#ref-1-2"


def test_citations_at_one_place_share_a_card_that_shows_the_gravest_verdict() -> None:
    second = cited(2, 1, CITATIONS[1].sentence, "A heat pump does not make heat, it moves it.", Verdict.REFUTED)
    tree = parsed(replace(PAGE, citations=(*CITATIONS, second)))
    assert one(tree, "#ref-2-1").attributes["class"] == "ref refuted"
    card = one(tree, "#cite-2-1")
    assert texts(card, "header .verdict") == ["Refuted"]
    assert texts(card, ".proof .verdict") == ["Partial", "Refuted"]
    assert len(card.css("mark")) == 2


def test_a_quote_that_was_not_found_is_shown_as_such() -> None:
    card = one(parsed(PAGE), "#cite-3-2")
    assert "not found in the stored text" in card.text()
    assert texts(card, ".missing") == ["most ice forms in deep frost"]


def test_a_quote_that_nobody_could_check_is_not_called_missing() -> None:
    unchecked = replace(CITATIONS[0], verdict=Verdict.UNVERIFIABLE, excerpt=None)
    card = one(parsed(replace(PAGE, citations=(unchecked,))), "#cite-1-1")
    assert "not checked" in card.text()
    assert "not found" not in card.text()


def test_a_citation_without_any_quote_says_so() -> None:
    bare = replace(CITATIONS[0], verdict=Verdict.UNSUPPORTED, excerpt=None, quote="")
    card = one(parsed(replace(PAGE, citations=(bare,))), "#cite-1-1")
    assert "No passage was found" in card.text()
    assert not card.css(".missing")


def test_a_quote_that_differs_from_the_passage_is_shown_beside_it() -> None:
    excerpt = Excerpt("", "It “moves” heat", " always.")
    loose = replace(CITATIONS[0], excerpt=excerpt, quote="It 'moves' heat")
    assert "Quoted as" in one(parsed(replace(PAGE, citations=(loose,))), "#cite-1-1").text()
    same = replace(loose, quote="it  “moves”\nheat")
    assert "Quoted as" not in one(parsed(replace(PAGE, citations=(same,))), "#cite-1-1").text()


def test_a_quote_that_only_adds_the_stop_is_not_shown_twice() -> None:
    bare = replace(CITATIONS[0], excerpt=Excerpt("", "It moves heat", ", always."), quote="It moves heat.")
    assert "Quoted as" not in one(parsed(replace(PAGE, citations=(bare,))), "#cite-1-1").text()


def test_what_the_report_says_is_shown_as_it_is_read() -> None:
    said = replace(CITATIONS[0], sentence="`Task.cancel`: *Tasks*\nsay [so](https://example.org) <b>")
    card = one(parsed(replace(PAGE, citations=(said,))), "#cite-1-1")
    assert card.css("blockquote")[0].text() == "Task.cancel: Tasks say so <b>"


def test_a_number_without_a_check_leads_to_its_source_and_an_unknown_one_nowhere() -> None:
    source = NumberedSource(1, PRINCIPLE)
    article = body_of("Known [1]. Unknown [7].", sources=(source,))
    assert [(a.text(), a.attributes["href"]) for a in article.css("a")] == [("[1]", "#source-1")]
    assert "Unknown [7]." in article.text()


def test_a_citation_that_is_not_in_the_text_is_still_shown() -> None:
    lost = cited(4, 9, "Nowhere.", "Usually two to four rooms need a new one.")
    tree = parsed(replace(PAGE, citations=(*CITATIONS, lost)))
    assert "Nowhere." in one(tree, "#cite-4-9").text()
    assert not one(tree, "#cite-4-9").css(".close")


def test_a_citation_stays_one_whatever_markdown_stands_around_it() -> None:
    at_one = replace(CITATIONS[0], n=1)
    for markdown in (
        "**bold [1]**",
        "[1](https://example.org)",
        "![1](x.png)",
        "[word][1]",
        "[1]: https://example.org",
    ):
        article = body_of(markdown, citations=(at_one,))
        assert [a.attributes["href"] for a in article.css("a")] == ["#cite-1-1"], markdown


def test_numbers_in_code_and_in_links_count_but_stay_text() -> None:
    markdown = "`a[1]` and [see [1]](https://example.org/?a[1]=b) and <https://example.org/[1]> then [1].\n\n    b[1]\n"
    everywhere = tuple(replace(CITATIONS[0], occurrence=place) for place in range(1, 7))
    article = body_of(markdown, citations=everywhere)
    assert [a.attributes["href"] for a in article.css("a")] == [
        "https://example.org/?a[1]=b",
        "https://example.org/[1]",
        "#cite-1-5",
    ]
    assert texts(article, "code") == ["a[1]", "b[1]"]


def test_an_image_is_a_link_that_a_person_may_follow() -> None:
    article = body_of("![A chart](https://example.org/chart.png)")
    assert [(a.text(), a.attributes["href"]) for a in article.css("a")] == [
        ("A chart", "https://example.org/chart.png")
    ]


def test_a_link_definition_is_shown_and_defines_nothing() -> None:
    article = body_of("[the report]\n\n[the report]: https://example.org")
    assert not article.css("a")
    assert texts(article, "p") == ["[the report]", "[the report]: https://example.org"]


def test_the_tree_is_the_navigation_and_each_topic_leads_to_its_heading() -> None:
    tree = parsed(PAGE)
    links = tree.css("nav a.status")
    assert [link.text() for link in links] == [f"{entry.title} ({entry.status})" for entry in OUTLINE]
    for link, entry in zip(links, OUTLINE, strict=True):
        assert one(tree, (link.attributes["href"] or "").replace(".", r"\.")).text() == entry.title
    below = one(tree, 'nav a[href="#topic-2"] + ul')
    assert [a.attributes["href"] for a in below.css("a")] == ["#topic-2.1", "#topic-2.2"]


def test_the_sections_of_the_report_stand_in_the_navigation() -> None:
    names = [re.sub(r" *\d+$", "", text) for text in texts(parsed(PAGE), "nav > ul > li > a")]
    expected = ["Checks", "Executive Summary", "Findings", "Limitations", "Methodology", "Sources", "Evidence"]
    assert names == expected


def test_a_heading_stands_in_the_navigation_as_it_is_read() -> None:
    tree = parsed(Page("T", "Q", "## What *Commands* and `verify` say\n\nText."))
    assert texts(tree, "nav > ul > li > a") == ["What Commands and verify say"]


def test_a_small_tree_is_open_and_a_large_one_shows_two_levels() -> None:
    assert not parsed(PAGE).css("nav details")
    branches = [
        Entry(f"{a}.{b}.{c}", f"T{a}.{b}.{c}", 2, Status.COMPLETE) for a in "123" for b in "123" for c in "12345"
    ]
    outline = []
    for entry in branches:
        top, middle, last = entry.id.split(".")
        if last == "1":
            outline += [Entry(top, f"T{top}", 0, Status.COMPLETE)] if middle == "1" else []
            outline += [Entry(f"{top}.{middle}", f"T{top}.{middle}", 1, Status.COMPLETE)]
        outline.append(entry)
    tree = parsed(replace(PAGE, outline=tuple(outline)))
    assert texts(tree, "nav summary") == ["5 below"] * 9
    folded = {node.text() for node in tree.css("nav details bdi")}
    assert folded == {entry.title for entry in branches}


def test_a_topic_without_a_heading_is_named_without_a_link() -> None:
    outline = (*OUTLINE, Entry("4", "Never written", 0, Status.PENDING))
    assert "Never written (Pending)" in texts(parsed(replace(PAGE, outline=outline)), "nav li > span")


def test_topics_of_the_same_name_have_anchors_of_their_own() -> None:
    outline = (Entry("1", "Cost", 0, Status.COMPLETE), Entry("1.1", "Cost", 1, Status.COMPLETE))
    article = body_of("## Findings\n\n### Cost\n\na\n\n#### Cost\n\nb", outline=outline)
    assert [h.attributes["id"] for h in article.css("h3, h4")] == ["topic-1", "topic-1.1"]


def test_a_topic_title_is_a_name_and_not_markdown() -> None:
    entry = Entry("1", "What __init__ *really* does [1] #", 0, Status.COMPLETE)
    article = body_of(f"### {entry.title}\n\nText.", outline=(entry,))
    assert one(article, "h3").text() == entry.title
    assert one(article, "h3").attributes["id"] == "topic-1"


def test_a_tree_of_any_depth_can_be_shown() -> None:
    outline = tuple(Entry(str(depth), f"Topic {depth}", depth, Status.COMPLETE) for depth in range(3000))
    links = parsed(replace(PAGE, outline=outline)).css("nav .status")
    assert len(links) == len(outline)


def test_anchors_are_unique() -> None:
    outline = (*OUTLINE, *OUTLINE)
    body = BODY.replace("## Sources", "## Limitations\n\n## Limitations\n\n## Limitations 2\n\n## Sources")
    tree = parsed(replace(PAGE, body=body, outline=outline))
    counts = Counter(node.attributes["id"] for node in tree.css("[id]"))
    assert [anchor for anchor, count in counts.items() if count > 1] == []
    assert {"section-limitations", "section-limitations-2", "section-limitations-3"} <= counts.keys()


def test_every_way_inside_the_page_arrives() -> None:
    tree = parsed(PAGE)
    anchors = {node.attributes["id"] for node in tree.css("[id]")}
    ways = {(a.attributes["href"] or "")[1:] for a in tree.css('a[href^="#"]')}
    assert ways - anchors == {"reading"}  # leads nowhere on purpose: it closes the contents and moves nothing


def test_title_and_sources_are_not_shown_twice() -> None:
    tree = parsed(PAGE)
    assert texts(tree, "h1") == [TITLE]
    assert texts(tree, "h2").count("Sources") == 1
    assert texts(parsed(replace(PAGE, sources=())), "#report h2").count("Sources") == 1


def test_the_list_of_sources_of_an_answer_stands_before_its_methodology_and_not_twice() -> None:
    body = "Said [1].\n\n## Sources\n\nA writer's own.\n\n## Sources\n\n- [1] Listed\n\n## Methodology\n\nBy code.\n"
    article = body_of(body, sources=(NumberedSource(1, PRINCIPLE),))
    assert texts(article, "h2") == ["Sources", "Methodology"]
    assert "A writer's own." in article.text()
    assert "Listed" not in article.text()


def test_every_source_leads_back_to_each_place_that_cites_it() -> None:
    tree = parsed(PAGE)
    for source in PAGE.sources:
        ways = [way.attributes["href"] for way in tree.css(f"#source-{source.n} .uses a")]
        assert ways == [f"#ref-{c.n}-{c.occurrence}" for c in CITATIONS if c.n == source.n]
    assert one(tree, '.uses a[href="#ref-1-2"]').attributes["class"] == "ref refuted"


def test_a_file_path_is_text_and_a_web_address_is_a_link() -> None:
    tree = parsed(PAGE)
    assert not one(tree, "#source-2").css("a:not(.ref)")
    assert "handbook/how-heat-pumps-work.md" in one(tree, "#source-2").text()
    assert one(tree, "#source-1 a:not(.ref)").attributes["rel"] == "noopener noreferrer nofollow"


@pytest.mark.parametrize(
    "location", ["javascript:alert(1)", "JAVASCRIPT://x%0aalert(1)", "data:text/html,x", "file:///etc/passwd", "//x.y"]
)
def test_no_other_address_of_a_source_becomes_a_link(location: str) -> None:
    listed = NumberedSource(1, Source(location, "Title"))
    entry = one(parsed(Page("T", "Q", "", sources=(listed,))), "#source-1")
    assert not entry.css("a")
    assert location in entry.text()


def test_the_gate_stands_above_the_text_with_score_parts_and_flaws() -> None:
    gate = one(parsed(PAGE), "main > #gate")
    assert gate.parent is not None
    order = [child.attributes.get("id") for child in gate.parent.iter()]
    assert order.index("gate") < order.index("report")
    assert texts(gate, ".grade") == ["FAIL"]
    assert texts(gate, ".score") == ["81 of 100"]
    assert texts(gate, ".points") == ["38 of 50", "15 of 15", "16 of 20", "12 of 15"]
    assert [bar.attributes["width"] for bar in gate.css("rect.filled")] == ["76.0", "100.0", "80.0", "80.0"]
    assert len(gate.css(".flaws li")) == 3


def test_a_flaw_of_a_citation_leads_to_its_passage() -> None:
    tree = parsed(PAGE)
    ways = tree.css(".flaws a")
    assert [(way.text(), way.attributes["href"]) for way in ways] == [("[1]", "#cite-1-2"), ("[3]", "#cite-3-2")]
    lost = replace(PAGE, gate=GateSummary(Grade.FAIL, 0, (), (Flaw("refuted: …", (9, 9)),)))
    assert not parsed(lost).css(".flaws a"), "no way to a citation that the page does not have"


def test_many_flaws_do_not_push_the_report_away_and_none_is_lost() -> None:
    flaws = tuple(Flaw(f"flaw {number}") for number in range(30))
    gate = one(parsed(replace(PAGE, gate=GateSummary(Grade.FAIL, 0, (), flaws))), "#gate")
    assert len(gate.css("#gate > .flaws li")) <= 5
    assert texts(gate, "details > summary") == ["25 more"]
    assert texts(gate, ".flaws li") == [flaw.text for flaw in flaws]


def test_a_part_of_no_points_or_more_than_all_is_drawn_within_its_bar() -> None:
    assert PAGE.gate
    gate = replace(PAGE.gate, parts=(Part("none", 0, 0), Part("more", 7, 5), Part("less", -1, 5)))
    bars = parsed(replace(PAGE, gate=gate)).css("rect.filled")
    assert [bar.attributes["width"] for bar in bars] == ["0.0", "100.0", "0.0"]


def test_verdicts_are_told_in_words_and_signs_and_not_by_colour_alone() -> None:
    style = style_sheet()
    signs = {verdict: re.search(rf'^\.{verdict} {{[^}}]*--sign: "(.)"', style, re.MULTILINE) for verdict in Verdict}
    assert all(signs.values())
    assert len({sign[1] for sign in signs.values() if sign}) == len(Verdict)
    tree = parsed(PAGE)
    assert texts(tree, ".legend .verdict") == [verdict.capitalize() for verdict in Verdict]
    assert one(tree, "#ref-1-2").attributes["aria-label"] == "Citation 1, refuted: show the passage"


def test_the_legend_counts_the_verdicts() -> None:
    assert texts(parsed(PAGE), ".legend .count") == ["10", "1", "1", "1", "0"]


def test_the_legend_stands_before_the_text_and_explains_what_marks_a_doubt() -> None:
    tree = parsed(PAGE)
    order = [node.attributes.get("id") or node.attributes.get("class") for node in tree.css("main > *")]
    assert order.index("gate") < order.index("legend") < order.index("report")
    assert "[evidence?]" in one(tree, ".legend").text()
    sound = parsed(replace(PAGE, body=BODY.replace(" [evidence?]", "").replace("\n[evidence?]", "")))
    assert "[evidence?]" not in one(sound, ".legend").text()


def test_a_column_of_figures_keeps_its_side() -> None:
    article = body_of("| Year | Flow |\n|---|---:|\n| 1990 | 436 |")
    assert [cell.attributes.get("align") for cell in article.css("th, td")] == [None, "right", None, "right"]


def test_a_bare_page_has_no_empty_furniture() -> None:
    tree = parsed(Page("", "What is a root?", ""))
    assert texts(tree, "h1") == ["What is a root?"]
    assert not tree.css(".question, .facts, #gate, .legend, #sources, #citations")


def test_line_ends_of_a_source_do_not_break_its_sentences_but_paragraphs_stay() -> None:
    excerpt = Excerpt("One\n  paragraph.\n\n\nAnother ", "with\nits passage", "\r\nand more.")
    page = replace(PAGE, citations=(replace(CITATIONS[0], excerpt=excerpt),))
    shown = one(parsed(page), "#cite-1-1 .context").text()
    assert shown == "One paragraph.\n\nAnother with its passage and more."


def test_three_hundred_citations_stay_small() -> None:
    """A kilobyte each, beside the text that is shown."""
    said, around = "A sentence of the report of some length. ", "The text that stands around a passage. " * 6
    excerpt = Excerpt(around, "The passage itself, as it stands in the source.", around)
    same = replace(CITATIONS[0], sentence=said, quote=excerpt.passage, excerpt=excerpt)
    citations = tuple(replace(same, occurrence=n) for n in range(1, 301))
    body = "".join(f"{said}[1]\n\n" for _ in citations)
    html = render_page(Page("T", "Q", body, citations=citations, sources=(NumberedSource(1, PRINCIPLE),)))
    shown = sum(len(c.sentence + "".join(c.reasons) + 2 * around + excerpt.passage) for c in citations)
    assert len(html.encode()) < len(body) + shown + 300 * 1_100


def test_two_sources_of_one_number_are_refused() -> None:
    twice = (NumberedSource(1, PRINCIPLE), NumberedSource(1, Source("elsewhere")))
    with pytest.raises(ValueError, match="number 1"):
        Page("T", "Q", "", sources=twice)


def test_the_example_in_the_documents_makes_a_page() -> None:
    text = (Path(__file__).parents[2] / "docs" / "report-page.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert example
    names: dict[str, str] = {}
    exec(example[1], names)
    assert texts(LexborHTMLParser(names["html"]), "#cite-1-1 mark") == [
        "gives less than half its rated output at 45 degrees"
    ]


def style_sheet() -> str:
    return (resources.files("deeproot.report.page") / "page.css").read_text(encoding="utf-8")


def colours(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one_colour: str, other: str) -> float:
    dark, light = sorted((luminance(one_colour), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_of_every_colour_can_be_read_on_every_ground(scheme: str) -> None:
    """WCAG AA asks for 4.5."""
    light, dark = style_sheet().split("@media screen and (prefers-color-scheme: dark)", 1)
    palette = colours(light if scheme == "light" else dark.split("}\n}")[0])
    inks = ["ink", "soft", "root", *Verdict]
    faint = [
        (ink, ground)
        for ink in inks
        for ground in ("paper", "panel", "wash")
        if contrast(palette[ink], palette[ground]) < 4.5
    ]
    assert not faint
    assert contrast(palette["ink"], palette["marked"]) >= 4.5


@pytest.mark.parametrize(("location", "rows"), [("sales.csv", 3), ("sales.go", 3), ("sales.md", 1)])
def test_rows_of_a_table_stay_lines_and_wrapped_prose_flows(location: str, rows: int) -> None:
    excerpt = Excerpt("Quarter,Budget\n", "Q1,200000", "\nQ2,1250")
    citation = replace(CITATIONS[0], source=Source(location), excerpt=excerpt)
    page = Page("Title", "Question?", "Budgets [1].", citations=(replace(citation, n=1, occurrence=1),))
    shown = one(parsed(page), ".context")
    assert shown.text().count("\n") == rows - 1
    assert ("lined" in (shown.attributes["class"] or "")) == (rows > 1)
