"""Rows of tables: a sentence that gives cells with the names of their columns must have a row of its own."""

from __future__ import annotations

import pytest

from deeproot.evidence import Verdict, judge

COMMAS = 'Quarter,Year,Budget,Notes\nQ1,2023,200000,"good, on time"\nQ2,2023,1250,late\nQ3,2024,"1,700",late\n'
TABS = "Region\tShare\nNorth\t12 %\nSouth\t31 %\n"
MARKDOWN = "Some text.\n\n| City | Trams |\n|---|---|\n| Turku | **12** |\n| Oslo | 40 |\n\nMore text follows here.\n"


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (COMMAS, "Quarter: Q1; Year: 2023; Budget: 200000; Notes: good, on time"),
        (COMMAS, "Quarter: Q3; Budget: 1,700"),
        (COMMAS, "Year: 2023; Budget: 1250."),
        (TABS, "Region: South; Share: 31 %"),
        (MARKDOWN, "City: Turku; Trams: 12"),
        (COMMAS.replace("\n", "\r\n"), "Quarter: Q2; Year: 2023; Notes: late"),
    ],
)
def test_a_row_is_supported_cell_for_cell(table: str, sentence: str) -> None:
    found = judge(sentence, table)
    assert (found.verdict, found.firm) == (Verdict.SUPPORTED, True), found
    assert found.passage
    assert found.passage.of(table).count("\n") == 0, "one row is shown"


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (COMMAS, "Quarter: Q1; Year: 2023; Budget: 250000"),
        (COMMAS, "Quarter: Q1; Year: 2024; Budget: 200000"),
        (COMMAS, "Quarter: Q2; Budget: 200000"),
        (COMMAS, "Quarter: Q3; Budget: 1.700"),
        (COMMAS, "Quarter: Q2; Notes: not late"),
        (TABS, "Region: North; Share: 31 %"),
        (MARKDOWN, "City: Oslo; Trams: 12"),
    ],
)
def test_cells_of_different_rows_are_no_row(table: str, sentence: str) -> None:
    found = judge(sentence, table)
    assert (found.verdict, found.firm) == (Verdict.UNSUPPORTED, True), found


def test_numbers_in_neighbouring_cells_are_numbers_of_their_own() -> None:
    assert judge("In Q1 2023 the budget was 200000.", COMMAS).verdict is Verdict.SUPPORTED
    assert judge("In Q1 2023 the budget was 2023200.", COMMAS).verdict is Verdict.UNSUPPORTED


def test_prose_with_commas_is_no_table() -> None:
    prose = "Apples, pears and plums ripen late.\nIn the north, they ripen in September, in the south earlier.\n"
    assert judge("In the north, they ripen in September.", prose).verdict is not Verdict.UNSUPPORTED


def test_a_broken_table_is_read_as_text() -> None:
    assert judge("The year 2023 was good.", 'Year,Note\n2023,"good\nand never closed') is not None
