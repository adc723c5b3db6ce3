"""The page of a run: what the gates found is on it, and leads to where it stands."""

from __future__ import annotations

from datetime import UTC, datetime

from selectolax.lexbor import LexborHTMLParser

from gates.acme import GROWTH, report_on
from laboratory import Finished, Lab

FELL = "Revenue fell 15 % to 230 million euros in 2024."


def page_of(done: Finished) -> LexborHTMLParser:
    return LexborHTMLParser((done.researcher.reports / "report.html").read_text(encoding="utf-8"))


def texts(page: LexborHTMLParser, selector: str) -> list[str]:
    return [node.text() for node in page.css(selector)]


def test_a_sentence_that_its_source_refutes_leads_from_the_checks_to_the_passage(lab: Lab) -> None:
    page = page_of(report_on(lab, FELL))
    assert texts(page, ".grade") == ["FAIL"]
    way = page.css_first("#gate .flaws a.ref")
    assert way
    card = page.css_first(way.attributes["href"] or "")
    assert card
    assert "Revenue fell 15 %" in card.text()
    assert "Revenue grew 15 %" in "".join(node.text() for node in card.css("mark"))


def test_of_two_sentences_refuted_by_one_source_each_leads_to_its_own_passage(lab: Lab) -> None:
    page = page_of(report_on(lab, f"{FELL} [F1-1] The board approved a dividend."))
    ways = [way.attributes["href"] or "" for way in page.css("#gate .flaws a.ref")]
    said = [page.css_first(f"{way} blockquote").text() for way in ways]  # type: ignore[union-attr]
    assert said == [FELL, "The board approved a dividend."]


def test_what_makes_a_report_fail_stands_before_what_is_only_to_be_looked_at(lab: Lab) -> None:
    page = page_of(report_on(lab, f"The investors heard that they “approve a dividend”. [F1-1] {FELL}"))
    verdicts = [flaw.partition(":")[0] for flaw in texts(page, "#gate .flaws li")]
    assert verdicts[:2] == ["[1] refuted", "[1] partial"]


def test_the_page_tells_how_many_of_the_sources_that_were_read_are_cited(lab: Lab) -> None:
    assert "1 cited of 2 read" in texts(page_of(report_on(lab, GROWTH)), ".facts dd")


def test_a_report_that_passes_has_no_flaws_and_its_score_is_told_in_words(lab: Lab) -> None:
    page = page_of(report_on(lab, GROWTH))
    assert texts(page, ".grade") == ["PASS"]
    assert not page.css(".flaws")
    names = [name for name in texts(page, ".parts li > span") if " of " not in name]
    assert names == ["Citations supported", "Source texts held", "Topics completed", "Consistency"]


def test_the_day_of_the_research_stands_on_the_page_and_in_the_report(lab: Lab) -> None:
    done = report_on(lab, GROWTH)
    day = datetime.fromtimestamp(done.state.started, UTC).date().isoformat()
    assert day in texts(page_of(done), ".facts dd")
    assert f"- Begun on {day}.\n" in done.report
