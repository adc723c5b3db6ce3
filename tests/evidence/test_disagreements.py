"""Two sources, one thing, two numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deeproot.evidence import Stated, disagreements


def found(*texts: str) -> list[tuple[str, str]]:
    """What is given on both sides, for statements that each come from a source of their own."""
    statements = [Stated(text, f"source {at}", str(at)) for at, text in enumerate(texts)]
    return [(one.gives, one.other_gives) for one in disagreements(statements)]


@pytest.mark.parametrize(
    ("one", "other", "gives"),
    [
        ("Northwind's revenue grew by 15 % in 2023.", "In 2023, revenue at Northwind rose by 12 %.", ("15 %", "12 %")),
        ("Northwind employs 1,200 people.", "Northwind employs 1,900 people [4].", ("1,200", "1,900")),
        ("The Kestrel bridge opened in 1998.", "The Kestrel bridge opened in 1989.", ("1998", "1989")),
        (
            "Marta Ilves was born on 3 May 1951 in Tartu.",
            "Marta Ilves was born on 5 May 1951 in Tartu.",
            ("3 May 1951", "5 May 1951"),
        ),
        ("Acme was founded in March 1987.", "Acme was founded in June 1987.", ("March 1987", "June 1987")),
        ("Unemployment in Spain was 12 % in 2023.", "In 2023 unemployment in Spain was 14 %.", ("12 %", "14 %")),
        ("The Orion probe weighs 340 kg.", "The Orion probe weighs 520 kg.", ("340 kg", "520 kg")),
        (
            "The Vesna dam holds 3 million litres.",
            "The Vesna dam holds 5 million litres.",
            ("3 million litres", "5 million litres"),
        ),
        ("Northwind runs four plants in Chile.", "Northwind runs seven plants in Chile.", ("four", "seven")),
        ("Tokyo has 14 million inhabitants.", "Tokyo has 37 million inhabitants.", ("14 million", "37 million")),
        ("Sales of the Model Q rose 9 % in 2021.", "Sales of the Model Q fell 4 % in 2021.", ("9 %", "4 %")),
    ],
)
def test_different_values_for_the_same_thing_are_a_disagreement(one: str, other: str, gives: tuple[str, str]) -> None:
    assert found(one, other) == [gives]
    assert found(other, one) == [gives[::-1]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Northwind's revenue grew by 15 % in 2023.", "Northwind's revenue grew by 12 % in 2022."),
        ("Northwind's revenue grew by 15 % in 2023.", "Southgate's revenue grew by 12 % in 2023."),
        ("Northwind's revenue grew by 15 % in 2023.", "Northwind's costs grew by 12 % in 2023."),
        ("Northwind's revenue grew by 15 %.", "Northwind's revenue grew to 46 million euros."),
        ("Northwind's revenue rose by 15 %.", "Northwind's revenue rose to 12 %."),
        ("Northwind's revenue grew by 15.3 % in 2023.", "Northwind's revenue grew by 15 % in 2023."),
        ("Northwind employs about 1,200 people.", "Northwind employs 1,230 people."),
        ("Northwind employs more than 1,000 people.", "Northwind employs 1,230 people."),
        ("Northwind's revenue will grow by 15 % in 2023.", "Northwind's revenue grew by 12 % in 2023."),
        ("Northwind's revenue did not grow by 15 % in 2023.", "Northwind's revenue grew by 12 % in 2023."),
        ("Northwind's net profit was 4 million euros.", "Northwind's gross profit was 9 million euros."),
        ("Revenue grew by 15 % in 2023.", "Revenue grew by 12 % in 2023."),
        ("Unemployment in Spain was 12 % in 2023.", "Youth unemployment in Spain was 28 % in 2023."),
        ("Nausea occurred in 15 % of patients given aspirin.", "Nausea occurred in 9 % of patients given ibuprofen."),
        ("Prices in Oslo rose between 10 and 15 %.", "Prices in Oslo rose 12 %."),
        ("Prices in Oslo rose 10–15 %.", "Prices in Oslo rose 12 %."),
        ("Northwind's sales grew in 2022.", "Northwind's sales grew in 2023."),
        ("Article 5 of the Basel Accord covers banks.", "Article 7 of the Basel Accord covers banks."),
        ("The Kestrel bridge opened in May 1998.", "The Kestrel bridge opened in 1998."),
        ("Northwind hired 120 engineers in Lisbon.", "Northwind fired 140 engineers in Porto."),
        ("The trial ran for 12 weeks.", "The trial ran for 18 weeks."),
        ("Rainfall in Bergen rose from 5 mm to 9 mm.", "Rainfall in Bergen rose 7 mm."),
        ("Northwind's revenue in the first quarter was 4 million euros.", "Northwind's revenue was 9 million euros."),
        ("", "Northwind employs 5 people."),
    ],
)
def test_what_may_both_be_true_is_none(one: str, other: str) -> None:
    assert found(one, other) == []


def test_a_source_is_not_held_against_itself() -> None:
    texts = ("Northwind employs 1,200 people.", "Northwind employs 1,900 people.")
    assert disagreements([Stated(text, "the same") for text in texts]) == []


def test_both_statements_come_back_with_their_ids() -> None:
    one, other = Stated("Acme owns 12 ships.", "a.md", "F1-1"), Stated("Acme owns 15 ships.", "b.md", "F2-4")
    (pair,) = disagreements([one, Stated("Nothing here.", "c.md"), other])
    assert (pair.one, pair.other) == (one, other)


def test_three_sources_that_all_differ_are_three_pairs() -> None:
    assert len(found(*(f"Acme owns {number} ships." for number in (12, 15, 19)))) == 3


def test_a_value_that_many_share_is_one_side() -> None:
    assert found(*["Acme owns 12 ships."] * 3, "Acme owns 15 ships.").count(("12", "15")) == 3


@given(st.permutations([f"Acme {verb} {n} ships." for verb in ("owns", "built") for n in (3, 4, 4, 7)]))
def test_the_order_of_the_statements_does_not_matter(texts: list[str]) -> None:
    pairs = {frozenset(pair) for pair in found(*texts)}
    assert pairs == {frozenset(pair) for pair in found(*sorted(texts))}


@given(st.integers(10, 10**6), st.integers(2, 9))
def test_a_number_never_disagrees_with_itself_and_always_with_a_multiple(number: int, factor: int) -> None:
    assert not found(f"Acme owns {number:,} ships.", f"Acme owns {number:,} ships.")
    assert found(f"Acme owns {number:,} ships.", f"Acme owns {number * factor:,} ships.")


@given(st.integers(10**3, 10**6), st.integers(2, 4))
def test_a_number_never_disagrees_with_its_rounding(number: int, digits: int) -> None:
    rounded = int(float(f"{number:.{digits}g}"))
    assert not found(f"Acme owns {number:,} ships.", f"Acme owns {rounded:,} ships.")


@given(st.lists(st.text(max_size=80), max_size=6))
def test_any_statements_can_be_compared(texts: list[str]) -> None:
    statements = [Stated(text, str(at)) for at, text in enumerate(texts)]
    for pair in disagreements(statements):
        assert statements.index(pair.one) < statements.index(pair.other)


def test_one_matter_with_thousands_of_values_stays_small() -> None:
    statements = [Stated(f"Acme owns {n} ships.", str(n)) for n in range(10, 2010)]
    assert 0 < len(disagreements(statements)) <= 100
