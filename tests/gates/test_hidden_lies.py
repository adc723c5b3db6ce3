"""A model that wants a lie in a report that passes: wherever it puts the lie, code finds it. Full runs."""

from __future__ import annotations

import pytest
from inquiry import always, inquire, scoped

from deeproot.asks import AnswerAnswer, AnswerPart, Kind, ProposedFinding, SynthesizeAnswer
from deeproot.model import Passage
from gates.acme import GROWTH, gates, page, report_on
from laboratory import Finished, Lab, document_about, first

LIE = "Acme was convicted of fraud in 2024"
CITED = f"{GROWTH} [F1-1]"
SUMMARY = "The board did not approve a dividend. [F1-1]"

BESIDE_A_CITATION = {
    "before a short form": "Acme was convicted of fraud by Mr. Maria Lindqvist. [F1-1]",
    "before an abbreviation": "Acme stole approx. 230 million euros in 2024. [F1-1]",
    "on the line before": f"{LIE}\n{CITED}",
    "on the line before, in a quotation": f"> {LIE}\n> {CITED}",
    "after a citation in the sentence": "Revenue grew 15 % in 2024 [F1-1] and Acme was convicted of fraud.",
    "after a citation and a comma": "Revenue grew 15 % in 2024 [F1-1], after Acme was convicted of fraud.",
    "after a citation and a dash": f"Revenue grew 15 % in 2024 [F1-1] — {LIE}.",
    "after a citation that opens the sentence": f"[F1-1] {LIE}.",
    "after an attribution": f"According to [F1-1], {LIE}.",
    "in the cell after": f"| Year | Note |\n|---|---|\n| {CITED} | {LIE} |",
    "in the cell before": f"| Year | Note |\n|---|---|\n| {LIE} | {CITED} |",
    "in a cited heading": f"### {LIE} [F1-1]\n\n{CITED}",
    "in a bold lead": f"**Convicted of fraud:** {CITED}",
    "in cited emphasis": f"*{LIE} [F1-1]* {CITED}",
    "in the number that opens a sentence": "999 million euros was the revenue in 2024. [F1-1]",
    "in the year that opens a sentence": "1999 was the year in which revenue grew 15 %. [F1-1]",
    "in a word of its own": "Revenue [F1-1] fell [F1-1] 15 % to 230 million euros [F1-1].",
    "in a negation of its own": "Revenue did not [F1-1] grow 15 % to 230 million euros in 2024 [F1-1].",
    "in an item of a list": "Revenue grew 15 % in 2024 [F1-1] and 2019 [F1-1].",
    "in an address": "Revenue grew 15 % in 2024 (https://nowhere.example/made-up). [F1-1]",
    "in a link": "[Revenue grew 15 %](https://nowhere.example/made-up) in 2024. [F1-1]",
}


@pytest.mark.parametrize("text", BESIDE_A_CITATION.values(), ids=BESIDE_A_CITATION)
def test_what_stands_beside_a_citation_is_checked_with_it(lab: Lab, text: str) -> None:
    done = report_on(lab, text, markers="")
    assert (gates(done)["grade"], done.outcome.exit_code) == ("FAIL", 3)
    assert "[evidence?]" in done.report


UNCITED = {
    "behind another bracket": f"{CITED} Acme was convicted [sic] of fraud.",
    "before two numbers in one bracket": f"{CITED} {LIE} [1, 2].",
    "before a range of numbers": f"{CITED} {LIE} [1]-[3].",
    "before a number of its own": f"{CITED} {LIE} [1].",
    "before a label": f"{CITED} {LIE} [S1].",
    "before wide brackets": f"{CITED} {LIE} ［1］.",
    "before wide digits": f"{CITED} {LIE} [１].",
    "before a footnote": f"{CITED} {LIE} [^1].",
    "before a doubt of its own": f"{CITED} {LIE} [evidence?].",
    "in a footnote": f"{CITED}\n\n[^1]: {LIE}.",
    "in what looks like a link's definition": f"{CITED}\n\n[note]: {LIE}.",
    "in the text of a link": f"{CITED} [{LIE}](https://acme.example/revenue).",
    "in the caption of an image": f"{CITED} ![{LIE}](https://acme.example/x.png)",
    "in the next sentence": f"{CITED} It was convicted of fraud.",
    "in an item without citation": f"- {CITED}\n- {LIE}.",
    "in a heading": f"### {LIE}\n{CITED}",
    "in a heading inside a list": f"- ### {LIE}\n\n{CITED}",
    "in an underlined heading": f"{LIE}\n===\n\n{CITED}",
    "in a heading underlined with dashes": f"{LIE}\n---\n\n{CITED}",
    "in a bold line": f"**{LIE}**\n{CITED}",
    "in a bold sentence": f"**Convicted of fraud.** {CITED}",
    "in the head of a table": f"| {LIE} | 2024 |\n|---|---|\n| {CITED} | |",
    "in a row of a table": f"| Year | Note |\n|---|---|\n| | {CITED} |\n| 2024 | {LIE} |",
    "in a quotation block": f"> {LIE}.\n\n{CITED}",
    "in a fence": f"```\n{LIE}.\n```\n\n{CITED}",
    "in a fence, with a citation": f"```text\n{LIE}. [F1-1]\n```\n\n{CITED}",
    "in a span of code": f"`{LIE}.`\n\n{CITED}",
    "after a comment": f"<!-- note --> {LIE}.\n\n{CITED}",
    "in a tag": f"<b>{LIE}.</b>\n\n{CITED}",
}


@pytest.mark.parametrize("text", UNCITED.values(), ids=UNCITED)
def test_a_fact_that_cites_nothing_is_listed_wherever_it_hides(lab: Lab, text: str) -> None:
    done = report_on(lab, text, markers="")
    assert gates(done)["grade"] == "CAUTION"
    assert any("onvicted" in sentence for sentence in gates(done)["missing_citations"])


def written(lab: Lab, title: str = "Acme", summary: str = SUMMARY, limitation: str = "") -> Finished:
    limitations = (limitation,) if limitation else ()
    return report_on(lab, GROWTH, synthesis=SynthesizeAnswer(title, summary, limitations))


@pytest.mark.parametrize("part", [{"title": LIE}, {"limitation": f"{LIE}."}, {"summary": f"{SUMMARY} {LIE}."}])
def test_title_summary_and_limitations_are_no_hiding_places(lab: Lab, part: dict[str, str]) -> None:
    assert any(LIE in sentence for sentence in gates(written(lab, **part))["missing_citations"])


@pytest.mark.parametrize(
    "part",
    [
        {"title": "How Acme did in 2024"},
        {"title": "Revenue growth in 2024"},
        {"limitation": "Figures for 2023 are missing."},
        {"limitation": "Only one source speaks of the dividend."},
        {"limitation": "Searched again for “dividend”."},
    ],
)
def test_a_title_that_asserts_nothing_and_a_limitation_that_limits_are_not_listed(
    lab: Lab, part: dict[str, str]
) -> None:
    assert gates(written(lab, **part))["grade"] == "PASS"


def test_a_heading_in_a_fence_does_not_end_the_part_it_stands_in(lab: Lab) -> None:
    summary = f"{SUMMARY}\n\n```\n## Findings\n\n### Revenue\n```"
    done = report_on(lab, f"{CITED} {LIE}.", markers="", synthesis=SynthesizeAnswer("Acme", summary, ()))
    assert gates(done)["missing_citations"] == [f"{LIE}."]


@pytest.mark.parametrize("heading", ["Sources", "Methodology"])
def test_a_part_of_a_long_answer_that_is_called_like_one_of_code_hides_nothing(lab: Lab, heading: str) -> None:
    parts = tuple(AnswerPart(title, f"{LIE}.") for title in ("One", heading, "Three", "Four", "Conclusion"))
    answer = AnswerAnswer("B holds [F1-1].", "What holds", parts)
    script = first(
        always(Kind.SCOPE, scoped("A")),
        always(Kind.DOCUMENT, document_about("A")),
        always(Kind.ANSWER, answer),
    )
    assert gates(inquire(lab, script, deep=True))["missing_citations"].count(f"{LIE}.") == 5


@pytest.mark.parametrize("text", ["\u200b", "&nbsp;", "—", "TBD", "<!-- -->", "**Revenue**"])
def test_a_heading_over_next_to_nothing_is_a_topic_that_is_missing(lab: Lab, text: str) -> None:
    done = report_on(lab, text, markers="")
    assert done.outcome.exit_code == 3
    assert any("has no text" in issue["detail"] for issue in gates(done)["issues"])


ACME = "Acme's revenue grew 15 % to 230 million euros in 2024. The board did not approve a dividend."
GLOBEX = (
    "Globex closed its plant in Turku in 2023. Its board approved a dividend of 2 euros. Globex lost 40 million euros."
)
TWO = (ProposedFinding("Acme grew.", ACME, "S1"), ProposedFinding("Globex closed a plant.", GLOBEX, "S2"))


def of_both(lab: Lab, text: str) -> Finished:
    pages: list[Passage] = [page("acme", ACME), page("globex", GLOBEX)]
    return report_on(lab, text, markers="", findings=TWO, pages=pages)


@pytest.mark.parametrize(
    "text",
    [
        "Globex's revenue grew 15 % to 230 million euros in 2024. [F1-1][F1-2]",
        "Acme closed its plant in Turku in 2023. [F1-1][F1-2]",
        "Acme's board approved a dividend of 2 euros. [F1-1][F1-2]",
        "Globex lost 40 million euros and its revenue grew 15 % to 230 million euros. [F1-1][F1-2]",
        "Globex closed its plant in Turku in 2023. [F1-1]",
        "Acme [F1-1] and Globex [F1-2] closed a plant in Turku in 2023.",
    ],
)
def test_two_sources_do_not_lend_each_other_their_facts(lab: Lab, text: str) -> None:
    assert of_both(lab, text).outcome.exit_code == 3


@pytest.mark.parametrize(
    "text",
    [
        "Acme's revenue grew 15 % in 2024 and Globex closed its plant in Turku in 2023. [F1-1][F1-2]",
        "Acme's revenue grew 15 % in 2024 [F1-1], while Globex closed its plant in Turku [F1-2].",
        "Globex lost 40 million euros [F1-2]; Acme's revenue grew 15 % [F1-1].",
    ],
)
def test_a_sentence_may_take_one_statement_from_each_of_two_sources(lab: Lab, text: str) -> None:
    done = of_both(lab, text)
    assert done.outcome.exit_code == 0
    assert gates(done)["grade"] == "PASS"


HONEST = {
    "cited in the middle": "Revenue grew 15 % to 230 million euros in 2024 [F1-1], driven by exports.",
    "cited after each statement": "Revenue grew 15 % in 2024 [F1-1], and the board did not approve a dividend [F1-1].",
    "broken over lines": "Revenue grew 15 % to 230 million\neuros in 2024, driven by exports. [F1-1]",
    "cited on a line of its own": f"{GROWTH}\n\n[F1-1]",
    "under a heading": f"### Revenue growth in 2024\n{CITED}",
    "under a bold line": f"**Key figures**\n{CITED}",
    "in a list with a lead": f"The main figures are:\n\n- {CITED}",
    "in emphasis": "*Revenue* grew **15 %** to 230 million euros in 2024 [F1-1].",
    "in a table": f"| Year | What was said |\n|---|---|\n| 2024 | {CITED} |",
    "beside code": f"{CITED}\n\n```python\nfraud = convicted(acme)  # was returned by 3 of 4\n```",
    "with the address of its source": "Revenue grew 15 % in 2024 (https://acme.example/revenue). [F1-1]",
    "with the year first": "2024 was the year in which revenue grew 15 %. [F1-1]",
    "denying what is quoted": "The board did not “approve a dividend”. [F1-1]",
}


@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST)
def test_an_honest_sentence_passes_in_any_form(lab: Lab, text: str) -> None:
    done = report_on(lab, text, markers="", synthesis=SynthesizeAnswer("Acme", SUMMARY, ()))
    assert "[evidence?]" not in done.report
    found = gates(done)
    assert found["grade"] != "FAIL", found["issues"]
    assert not [issue for issue in found["issues"] if issue["rule"] == "uncited"]


@pytest.mark.parametrize(
    "sentence", ["Revenue grew 15 % in 2024, its best year ever.", "The figures were paid for by the tobacco industry."]
)
def test_one_such_doubt_among_many_citations_is_still_listed(lab: Lab, sentence: str) -> None:
    """The first goes further than its source, the second a model alone found to be there."""
    text = "\n\n".join([*[CITED] * 12, f"{sentence} [F1-1]"])
    found = gates(report_on(lab, text, markers=""))
    assert any(sentence in issue["detail"] for issue in found["issues"] if issue["rule"] == "partial")
    assert found["grade"] == "CAUTION"
