"""Which sentence a marker cites: nothing that stands in it goes unchecked."""

from __future__ import annotations

from itertools import pairwise

import pytest

from deeproot.report.marking import marked

CITED = {
    "Revenue grew [F1-1].": ["Revenue grew"],
    "Revenue fell. It grew again. [F1-1]": ["It grew again."],
    "It fell, said Dr. Weiss of St. Gallen [F1-1].": ["It fell, said Dr. Weiss of St. Gallen"],
    "999 million euros were lost [F1-1].": ["999 million euros were lost"],
    "1. Revenue grew [F1-1].\n2. Costs fell [F1-2].": ["Revenue grew", "Costs fell"],
    "- Revenue\n  grew [F1-1]": ["Revenue grew"],
    "> Revenue\n> grew [F1-1]": ["Revenue grew"],
    "Revenue grew [F1-1], driven by exports.": ["Revenue grew, driven by exports."],
    "[F1-1] says that revenue grew.": ["says that revenue grew."],
    "Revenue grew in May [F1-1], but it fell in June [F1-2].": ["Revenue grew in May", "but it fell in June"],
    "Revenue did not [F1-1] grow in May [F1-2].": ["Revenue did not grow in May"] * 2,
    "Apples grow in Kent [F1-1], Surrey [F1-2] and Essex [F1-3].": [
        "Apples grow in Kent",
        "Apples grow in Surrey",
        "Apples grow in Essex",
    ],
    "Acme [F1-1] and Globex [F1-2] grew in May.": ["Acme grew in May.", "Globex grew in May."],
    "In May [F1-1], revenue grew by a fifth [F1-2].": ["In May, revenue grew by a fifth"] * 2,
    "Revenue grew. [F1-1][F1-2]": ["Revenue grew."],
    "Revenue grew. [F1-1; F1-2]": ["Revenue grew."],
    "Revenue grew.\n\n[F1-1]": ["Revenue grew."],
    "Revenue grew. [F1-1]\n\n[F1-2] says that costs fell.": ["Revenue grew.", "says that costs fell."],
    "| Year | What |\n|---|---|\n| 2024 | grew [F1-1] | fell |": ["2024 | grew | fell"],
    "| Grew [F1-1] | Year |\n|---|---|\n| a | b |": ["Grew | Year"],
}


@pytest.mark.parametrize(("text", "sentences"), CITED.items(), ids=CITED)
def test_a_marker_cites_all_that_is_said_around_it(text: str, sentences: list[str]) -> None:
    assert [group.sentence for group in marked(text)] == sentences


@pytest.mark.parametrize("text", CITED, ids=CITED)
def test_groups_stand_in_order_and_hold_their_markers(text: str) -> None:
    groups = marked(text)
    assert [text[group.start : group.end] for group in groups] == [group.markers for group in groups]
    assert all(one.end <= other.start for one, other in pairwise(groups))


def test_a_marker_that_opens_a_paragraph_leaves_the_space_before_it_alone() -> None:
    text = "Revenue grew.\n\n[F1-1] says that costs fell."
    (group,) = marked(text)
    assert text[: group.start] == "Revenue grew.\n\n"


def test_without_markers_there_is_nothing() -> None:
    assert marked("Revenue grew [1].") == []
