"""Planted errors in full runs, with a model that finds everything supported: code fails the report, exit 3."""

from __future__ import annotations

import pytest

from deeproot.asks import DocumentAnswer, ProposedFinding
from deeproot.backends import Abilities
from deeproot.testing import ListSearcher, ScriptedBackend
from gates.acme import BUDGET, GROWTH, STAFF, YesMan, cited, finding, gates, page, report_on
from laboratory import Lab

NUMBERS = [
    "Revenue grew 16 % to 230 million euros in 2024.",
    "Revenue grew 1.5 % to 230 million euros in 2024.",
    "Revenue grew 15 % to 240 million euros in 2024.",
    "Revenue grew 15 % to 230 million dollars in 2024.",
    "Revenue grew 15 % in 2023.",
    "Revenue grew sixteen percent in 2024.",
    "Revenue doubled in 2024.",
    "Acme's revenue reached 203 million euros.",
]
DIRECTIONS = [
    "Revenue fell 15 % to 230 million euros.",
    "Revenue declined in 2024, driven by exports.",
    "Exports reduced revenue in 2024.",
    "Revenue at Acme fell 15 % to 230 million euros in 2024.",
]
NEGATIONS = [
    "A dividend was approved by the board.",
    "Revenue did not grow in 2024.",
    "Maria Lindqvist did not remain chief executive.",
    "Maria Lindqvist left as chief executive.",
]
INVENTIONS = [
    "Acme fired its chief executive in 2024 over fraud.",
    "Acme was convicted of bribery in 2024.",
    "Acme opened a plant in Brazil in 2024.",
    "The company sued its auditors.",
    "Anna Korhonen remained chief executive throughout the year.",
    "Maria Svensson remained chief executive.",
    "Globex published its figures in March.",
]
QUOTATIONS = [
    "“approve a dividend”",
    "“Revenue grew 15 % to 2”",
    "“Revenue grew 16 % to 230 million euros in 2024, driven by exports.”",
    "“The board did approve a dividend.”",
    "“Revenue grew 15 % to 23”",
    "According to *revenue*: “Revenue fell 15 % to 230 million euros in 2024, driven by exports.”",
    "“The board approved a dividend. Revenue grew 15 % to 230 million euros in 2024, driven by exports.”",
    f"Acme fired its chief executive over fraud: “{GROWTH}”",
    f"The board approved a dividend: “{GROWTH}”",
]


@pytest.mark.parametrize("sentence", [*NUMBERS, *DIRECTIONS, *NEGATIONS, *INVENTIONS, *QUOTATIONS])
def test_what_the_source_does_not_say_fails_the_report(lab: Lab, sentence: str) -> None:
    done = report_on(lab, sentence)
    row = cited(done, sentence)
    assert row["verdict"] in ("unsupported", "refuted"), row
    assert row["by"] == "code"
    assert done.outcome.exit_code == 3
    assert gates(done)["grade"] == "FAIL"
    assert f"{sentence} [1] [evidence?]" in done.report


@pytest.mark.parametrize(
    "sentence",
    [
        "Revenue grew 15 % every year.",
        "Revenue grew only in 2024.",
        "Revenue grew 15 % in 2024, its best year ever.",
    ],
)
def test_what_goes_further_than_the_source_is_never_supported(lab: Lab, sentence: str) -> None:
    row = cited(report_on(lab, sentence), sentence)
    assert (row["verdict"], row["by"]) == ("partial", "code")


@pytest.mark.parametrize(
    "sentence",
    [
        f"“{GROWTH}”",
        f"`revenue`: “{GROWTH}”",
        f"According to *revenue*: “{GROWTH}”",
        f"By comparison, https://acme.example/revenue: “{GROWTH}”",
        f"“{GROWTH} The board did not approve a dividend.”",
        "The page says “Revenue grew 15 % … driven by exports” and “The board did not approve a dividend.”",
        "Revenue grew 15 % to EUR 230 million in 2024.",
        "Revenue grew fifteen percent to 230 million euros in 2024.",
    ],
)
def test_an_introduction_and_quotations_that_stand_there_are_supported(lab: Lab, sentence: str) -> None:
    done = report_on(lab, sentence)
    assert cited(done, sentence)["verdict"] == "supported"
    assert gates(done)["grade"] == "PASS"


def test_each_of_two_sources_may_hold_one_of_two_quotations(lab: Lab) -> None:
    sentence = f"“{GROWTH}”, and “Acme employed 1,240 people at the end of 2024.”"
    findings = (finding(), ProposedFinding("Acme employed 1,240 people.", STAFF, "S2"))
    done = report_on(lab, sentence, findings=findings, markers=" [F1-1][F1-2]")
    assert cited(done, sentence)["verdict"] == "supported"
    assert done.outcome.exit_code == 0


def test_a_quotation_that_is_not_there_is_shown_with_the_place_most_like_it(lab: Lab) -> None:
    sentence = "“Revenue grew 16 % to 230 million euros in 2024, driven by exports.”"
    row = cited(report_on(lab, sentence), sentence)
    assert "Revenue grew 15 % to 230 million euros" in row["excerpt"]["passage"]


ROW = "Q1,2023,200000,Sales"


@pytest.mark.parametrize(
    ("sentence", "exit_code"),
    [
        ("`budget`: “Quarter: Q1; Year: 2023; Budget: 200000; Team: Sales”", 0),
        ("`budget`: “Quarter: Q1; Year: 2023; Budget: 210000; Team: Sales”", 3),
        ("`budget`: “Quarter: Q1; Year: 2024; Budget: 200000; Team: Sales”", 3),
        ("Quarter: Q2; Year: 2023; Budget: 200000; Team: Sales", 3),
    ],
)
def test_a_row_of_a_table_is_quoted_with_its_columns_or_not_at_all(lab: Lab, sentence: str, exit_code: int) -> None:
    table = [page("budget", BUDGET)]
    done = report_on(lab, sentence, findings=(ProposedFinding(f"“{ROW}”", ROW, "S1"),), pages=table)
    assert done.outcome.exit_code == exit_code
    assert cited(done, sentence)["verdict"] == ("unsupported" if exit_code else "supported")


def test_a_report_that_cites_nothing_is_let_go_with_caution_and_a_low_score(lab: Lab) -> None:
    nothing = DocumentAnswer("Insufficient evidence: nothing was found.", gaps=("No source speaks of it.",))
    honest = "Insufficient evidence: 140 passages of 16 files were searched. All is listed under the limitations."
    backend = ScriptedBackend(YesMan(honest, nothing), abilities=Abilities())
    done = lab.run(backend, breadth=1, means={"searcher": ListSearcher([])})
    found = gates(done)
    assert done.outcome.exit_code == 0
    assert (found["grade"], found["quality_score"] < 40) == ("CAUTION", True), found
    assert [issue["detail"] for issue in found["issues"]] == ["The report cites nothing."]


def test_numbers_in_brackets_inside_a_quotation_do_not_make_it_another(lab: Lab) -> None:
    text = "Revenue grew 15 % [12] in 2024, the auditors said."
    done = report_on(lab, f"“{text}”", findings=(finding(text),), pages=[page("audit", text)])
    assert done.outcome.exit_code == 0
    assert "[evidence?]" not in done.report
