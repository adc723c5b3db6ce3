"""With a model that says yes to everything, every planted error is caught by code, and the report says so."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from deeproot.asks import (
    Ask,
    DocumentAnswer,
    DocumentInputs,
    Kind,
    PlanInputs,
    ProposedSource,
    SectionAnswer,
    SectionInputs,
    SynthesizeAnswer,
)
from deeproot.backends import Abilities
from deeproot.checks import CitationCheck
from deeproot.gates import Lost, conclude
from deeproot.knowledge.sources import text_hash
from deeproot.model import Passage, Section, Source, Tag, Verdict
from deeproot.report.assemble import assemble
from deeproot.testing import ListSearcher, Scripted, ScriptedBackend
from gates.acme import GROWTH, PAGES, REVENUE, YesMan, cited, finding, gates, report_on
from laboratory import Finished, Lab, plan_of


@pytest.mark.parametrize(
    "sentence",
    [
        "Revenue grew 15 % to 230 million euros in 2024, driven by exports.",
        "In 2024, Acme's revenue grew 15 % to 230 million euros.",
        "The board did not approve a dividend.",
        "Maria Lindqvist remained chief executive.",
    ],
)
def test_what_the_source_says_passes(lab: Lab, sentence: str) -> None:
    done = report_on(lab, sentence)
    assert done.outcome.exit_code == 0
    assert cited(done, sentence)["verdict"] == "supported"
    assert "[evidence?]" not in done.report


@pytest.mark.parametrize(
    "sentence",
    [
        "Revenue fell 15 % to 230 million euros in 2024.",
        "Revenue grew 51 % to 230 million euros in 2024.",
        "Revenue grew 15 % to 230 billion euros in 2024.",
        "Revenue grew 15 % to 230 million euros in 2019.",
        "The board approved a dividend.",
        "Acme fired its chief executive in 2024 over fraud.",
        "Peter Novak remained chief executive throughout the year.",
        "The new reactor reached a temperature of 900 degrees.",
        "Giraffes sleep standing in the savanna.",
    ],
)
def test_a_sentence_its_source_does_not_bear_out_fails_the_report(lab: Lab, sentence: str) -> None:
    done = report_on(lab, sentence)
    row = cited(done, sentence)
    assert row["verdict"] not in ("supported", "unverifiable"), row
    assert row["verdict"] == "partial" or done.outcome.exit_code == 3
    assert gates(done)["citations_status"] == "partial"
    assert row["verdict"] == "partial" or f"{sentence} [1] [evidence?]" in done.report


def test_a_failed_gate_sends_its_list_to_the_reviser_and_a_mended_report_passes(lab: Lab) -> None:
    wrong = "Revenue fell 15 % to 230 million euros in 2024."
    document = DocumentAnswer("About revenue.", (finding(),))
    yes = YesMan(f"{wrong} [F1-1]", document)

    def mending(ask: Ask) -> Scripted | None:
        if ask.kind is Kind.REVISE:
            assert "refuted" in ask.prompt
            assert wrong in ask.prompt
            return json.dumps({"summary": None, "sections": [{"topic": "1", "text": f"{GROWTH} [F1-1]"}]})
        return yes(ask)

    backend = ScriptedBackend(mending, abilities=Abilities())
    done = lab.run(backend, breadth=1, means={"searcher": ListSearcher(PAGES)})
    assert done.outcome.exit_code == 0
    assert gates(done)["grade"] == "PASS"
    assert len(backend.asked(Kind.REVISE)) == 1
    assert wrong not in done.report


def test_an_invented_address_is_no_source(lab: Lab) -> None:
    invented = (ProposedSource("S9", "https://nowhere.example/made-up", "Made up"),)
    done = report_on(lab, GROWTH, findings=(finding(source="S9"),), sources=invented)
    assert done.outcome.exit_code == 3
    assert cited(done, GROWTH)["reasons"] == ["the source was never read"]
    assert "[evidence?]" in done.report


@pytest.mark.parametrize(
    "quote",
    [
        "Revenue grew 16 % to 230 million euros in 2024, driven by exports.",
        "Revenue grew 15 % to 23",
        "The board did approve a dividend.",
        "Revenue grew 15 % to 230 million euros in 2024. The board did not approve it.",
    ],
)
def test_an_altered_quote_fails_the_report_though_the_sentence_is_true(lab: Lab, quote: str) -> None:
    done = report_on(lab, GROWTH, findings=(finding(quote),))
    assert done.outcome.exit_code == 3
    assert cited(done, GROWTH)["reasons"] == ["the quote does not stand in the source"]


def test_a_fact_without_a_citation_is_listed_and_not_dropped(lab: Lab) -> None:
    loose = "The plant in Turku was closed in 2021."
    document = DocumentAnswer("About revenue.", (finding(),))
    yes = YesMan(f"{GROWTH} [F1-1]", document)

    def script(ask: Ask) -> Scripted | None:
        if ask.kind is Kind.SECTION:
            return SectionAnswer((Section("1", f"{loose} {GROWTH} [F1-1]"),))
        return yes(ask)

    backend = ScriptedBackend(script, abilities=Abilities())
    done = lab.run(backend, breadth=1, means={"searcher": ListSearcher(PAGES)})
    assert done.outcome.exit_code == 0
    assert gates(done)["grade"] == "CAUTION"
    assert gates(done)["citations_status"] == "partial"
    assert loose in gates(done)["missing_citations"]
    assert loose in done.report


def test_of_very_many_facts_without_a_citation_some_are_listed_and_the_rest_counted(lab: Lab) -> None:
    loose = " ".join(f"The plant in Turku made {year * 7} engines in {year}." for year in range(1950, 1973))
    details = [issue["detail"] for issue in gates(report_on(lab, f"{loose} {GROWTH}"))["issues"]]
    assert len(details) == 21
    assert details[-1] == "So do 3 further sentences."


def test_what_its_source_does_not_say_counts_as_not_cited(lab: Lab) -> None:
    wrong = "Revenue fell 15 % to 230 million euros in 2024."
    assert gates(report_on(lab, wrong))["missing_citations"] == [wrong]


def test_two_sources_that_disagree_are_shown_side_by_side(lab: Lab) -> None:
    told = [f"Acme's revenue grew {share} % in 2024, driven by exports." for share in (15, 12)]
    pages = [
        Passage(Source(f"https://press.example/{n}", f"press {n}", text_hash(text)), text, 1, 1)
        for n, text in enumerate(told, 1)
    ]

    def script(ask: Ask) -> Scripted | None:
        match ask.inputs:
            case PlanInputs():
                return plan_of("Revenue")
            case DocumentInputs(passages=given):
                return DocumentAnswer("Two.", tuple(finding(p.text, f"S{n}") for n, p in enumerate(given, 1)))
            case SectionInputs(topics=((_, document),)):
                text = " ".join(f"{found.quote} [{found.id}]" for found in document.findings)
                return SectionAnswer((Section("1", text),))
        return None

    backend = ScriptedBackend(script, abilities=Abilities())
    done = lab.run(backend, breadth=1, means={"searcher": ListSearcher(pages)})
    shown = done.report.split("## Disagreements")[1].split("\n## ")[0]
    assert "15 %" in shown
    assert "12 %" in shown
    assert "#SOURCE_DISAGREEMENT" in done.report.split("## Limitations")[1].split("\n## ")[0]
    assert gates(done)["disagreements"]


def test_a_disagreement_is_tagged_once_however_often_the_report_is_checked(lab: Lab) -> None:
    one, other = (f"Acme's revenue grew {share} % in 2024, driven by exports." for share in (15, 12))
    pages = [Passage(Source(f"{text}.txt", "", text_hash(text)), text, 1, 1) for text in (one, other)]
    found = (finding(one, "S1"), finding(other, "S2"))
    done = report_on(lab, f"{one} [F1-1] {other} [F1-2] Acme went bankrupt.", findings=found, pages=pages)
    assert len(done.of_kind("report.checked")) > 1
    assert [event.tag for event in done.state.raised].count(Tag.SOURCE_DISAGREEMENT) == 1


def test_only_what_the_report_cites_can_disagree_in_it(lab: Lab) -> None:
    one, other = (f"Acme's revenue grew {share} % in 2024, driven by exports." for share in (15, 12))
    pages = [Passage(Source(f"{text}.txt", "", text_hash(text)), text, 1, 1) for text in (one, other)]
    found = (finding(one, "S1"), finding(other, "S2"))
    summary = SynthesizeAnswer("Acme", f"{one} [F1-1]", ())
    assert gates(report_on(lab, one, findings=found, pages=pages, synthesis=summary))["disagreements"] == []


def test_the_methodology_counts_what_was_read_and_what_is_cited(lab: Lab) -> None:
    done = report_on(lab, GROWTH)
    assert "2 sources read, 1 cited." in done.report
    assert "Gates: PASS, quality 100 of 100" in done.report


class TestTheModelsOpinion:
    """It settles what code leaves in doubt, and nothing else."""

    PARAPHRASE = "Exports drove Acme's growth in 2024."
    SCATTERED = "The Turku plant was paid by the pension fund."
    YEARBOOK = (
        f"{REVENUE} The plant in Turku opened late. Suppliers were paid on time. Deliveries were delayed by storms. "
        "Two ships were sold. The pension fund was closed to new members. Apprentices returned in autumn."
    )

    def run(self, lab: Lab, sentence: str, opine: Callable[[Ask], Scripted | None]) -> Finished:
        page = Passage(Source("yearbook.txt", "Yearbook", text_hash(self.YEARBOOK)), self.YEARBOOK, 1, 1)
        verbatim = SynthesizeAnswer("Acme", f"{GROWTH} [F1-1]", ())
        yes = YesMan(f"{sentence} [F1-1]", DocumentAnswer("About revenue.", (finding(),)), verbatim)
        backend = ScriptedBackend(lambda ask: opine(ask) if ask.kind is Kind.JUDGE else yes(ask), abilities=Abilities())
        return lab.run(backend, breadth=1, means={"searcher": ListSearcher([page])})

    def test_is_asked_about_the_passage_alone(self, lab: Lab) -> None:
        done = self.run(lab, self.PARAPHRASE, lambda _: None)
        (ask,) = done.backend.asked(Kind.JUDGE)
        assert self.PARAPHRASE in ask.prompt
        assert "driven by exports" in ask.prompt
        assert "pension fund" not in ask.prompt

    def test_may_find_support_where_every_word_is_in_the_source(self, lab: Lab) -> None:
        row = cited(self.run(lab, self.SCATTERED, lambda _: None), self.SCATTERED)
        assert (row["verdict"], row["by"]) == ("supported", "scripted")

    def test_lifts_nothing_over_words_the_source_does_not_have(self, lab: Lab) -> None:
        row = cited(self.run(lab, self.PARAPHRASE, lambda _: None), self.PARAPHRASE)
        assert (row["verdict"], row["by"]) == ("partial", "scripted")

    def test_can_refute(self, lab: Lab) -> None:
        said = json.dumps({"verdicts": [{"n": 1, "verdict": "refuted", "reason": "They never were."}]})
        done = self.run(lab, self.SCATTERED, lambda _: said)
        assert done.outcome.exit_code == 3
        assert cited(done, self.SCATTERED)["reasons"] == ["They never were."]

    def test_can_lower_what_code_takes_for_supported_and_has_to_be_had_for_nothing_else(self, lab: Lab) -> None:
        reworded = "Acme's revenue grew 15 % in 2024."
        said = json.dumps({"verdicts": [{"n": 1, "verdict": "refuted", "reason": "Of another year."}]})
        done = self.run(lab, reworded, lambda _: said)
        assert (cited(done, reworded)["verdict"], cited(done, reworded)["by"]) == ("refuted", "scripted")
        silent = self.run(Lab(lab.project / "again"), reworded, lambda _: "no idea")
        assert (cited(silent, reworded)["verdict"], cited(silent, reworded)["by"]) == ("supported", "code")

    def test_must_be_one(self, lab: Lab) -> None:
        said = json.dumps({"verdicts": [{"n": 1, "verdict": "unverifiable", "reason": "I cannot say."}]})
        done = self.run(lab, self.SCATTERED, lambda _: said)
        assert "choose supported, partial, unsupported or refuted" in done.backend.asked(Kind.JUDGE)[1].prompt
        assert cited(done, self.SCATTERED)["by"] == "code"

    def test_that_never_comes_leaves_the_citation_unverifiable(self, lab: Lab) -> None:
        done = self.run(lab, self.SCATTERED, lambda _: "no idea")
        assert done.outcome.exit_code == 0
        assert cited(done, self.SCATTERED)["verdict"] == "unverifiable"


@pytest.mark.parametrize("mark", ["#", "//"])
def test_a_comment_that_runs_over_lines_is_quoted_without_its_marks(lab: Lab, mark: str) -> None:
    text = f"stop()\n    {mark} Leave the waiter alone; it may be a task\n    {mark} that ignores the request.\nrun()"
    page = Passage(Source("loop.py", "loop.py", text_hash(text)), text, 1, 4)
    quote = f"Leave the waiter alone; it may be a task\n    {mark} that ignores the request."
    sentence = "“Leave the waiter alone; it may be a task that ignores the request.”"
    yes = YesMan(f"{sentence} [F1-1]", DocumentAnswer("About the loop.", (finding(quote),)))
    backend = ScriptedBackend(yes, abilities=Abilities())
    done = lab.run(backend, breadth=1, means={"searcher": ListSearcher([page])})
    assert cited(done, sentence)["verdict"] == "supported"
    assert not backend.asked(Kind.JUDGE)


def test_the_section_a_quote_stands_under_may_introduce_it_and_another_one_may_not(lab: Lab) -> None:
    text = "Stops the queue and waits for its consumers."
    pages = [Passage(Source("loop.py", "loop.py", text_hash(text)), text, 1, 1, "Queue.shutdown")]
    named, misnamed = (f"`{symbol}`: “{text}”" for symbol in ("Queue.shutdown", "Network.restart"))
    done = report_on(lab, named, findings=(finding(text),), pages=pages)
    assert (cited(done, named)["verdict"], cited(done, named)["section"]) == ("supported", "Queue.shutdown")
    other = report_on(Lab(lab.project / "again"), misnamed, findings=(finding(text),), pages=pages)
    assert cited(other, misnamed)["verdict"] != "supported"


def test_a_tenth_of_the_citations_may_be_supported_in_part_and_no_more(lab: Lab) -> None:
    state = report_on(lab, GROWTH).state
    supported = CitationCheck("F1-1", GROWTH, Verdict.SUPPORTED)
    partial = CitationCheck("F1-1", GROWTH, Verdict.PARTIAL)

    def rules(*checks: CitationCheck) -> list[str]:
        return [issue.rule for issue in conclude(state, assemble(state), checks).issues]

    assert rules(*[supported] * 9, partial) == []
    assert rules(*[supported] * 8, partial) == ["partial"]


def test_a_citation_whose_kept_source_was_altered_fails_the_report(lab: Lab) -> None:
    state = report_on(lab, GROWTH).state
    altered = CitationCheck("F1-1", GROWTH, Verdict.UNVERIFIABLE, (Lost.ALTERED.value,))
    missing = CitationCheck("F1-1", GROWTH, Verdict.UNVERIFIABLE, (Lost.MISSING.value,))
    assert [conclude(state, assemble(state), [check]).grade for check in (altered, missing)] == ["FAIL", "CAUTION"]
