"""What a source says against what a sentence says it says: planted errors, and sentences true to their source."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deeproot.evidence import Verdict, judge, read

REPORT = """Annual report 2023

Northwind's revenue grew by 15 % in 2023, from 40 million to 46 million euros. Operating costs fell by 3
percentage points. The company hired 120 engineers in Lisbon and opened a second plant there. Its chief
executive, Ana Duarte, did not
receive a bonus. Southgate, a rival, saw its revenue fall by 4 % in the same year.

The new battery lasts longer than the old one and weighs 12 kg. Tests in 2022 did not show any damage after 500 cycles.
Customers in Spain paid more than customers in France. The board approved the merger in March 2023."""


@pytest.mark.parametrize(
    "sentence",
    [
        "Northwind's revenue grew by 15 % in 2023.",
        "In 2023 Northwind's revenue grew by 15 percent [3].",
        "Operating costs fell by 3 percentage points.",
        "The company hired 120 engineers in Lisbon.",
        "The new battery lasts longer than the old one.",
        "The board approved the merger in March 2023.",
        "Tests in 2022 did not show any damage after 500 cycles.",
        "Ana Duarte, the chief executive, did not receive a bonus.",
        "Customers in Spain paid more than customers in France.",
        "Southgate saw its revenue fall by 4 %.",
    ],
)
def test_what_the_source_says_is_supported(sentence: str) -> None:
    found = judge(sentence, REPORT)
    assert found.verdict is Verdict.SUPPORTED, found


@pytest.mark.parametrize(
    ("sentence", "planted"),
    [
        ("Northwind's revenue grew by 25 % in 2023.", "changed number"),
        ("Northwind's revenue fell by 15 % in 2023.", "flipped direction"),
        ("Northwind's revenue did not grow by 15 % in 2023.", "negation"),
        ("Northwind's revenue grew by 15 % in 2021.", "other year"),
        ("Operating costs fell by 3 %.", "percent for percentage points"),
        ("Operating costs rose by 3 percentage points.", "flipped direction"),
        ("The new battery weighs 12 mg.", "unit changed"),
        ("The new battery weighs 12.5 kg.", "decimals changed"),
        ("Tests in 2022 did show damage after 500 cycles.", "negation removed"),
        ("Ana Duarte, the chief executive, received a bonus.", "negation removed"),
        ("The board rejected the merger in March 2023.", "opposite word"),
        ("Customers in France paid more than customers in Spain.", "sides swapped"),
        ("The company fired 120 engineers in Lisbon.", "opposite word"),
    ],
)
def test_a_planted_contradiction_is_refuted_with_a_reason(sentence: str, planted: str) -> None:
    found = judge(sentence, REPORT)
    assert found.verdict is Verdict.REFUTED, (planted, found)
    assert found.reasons


@pytest.mark.parametrize(
    ("sentence", "planted"),
    [
        ("Eastbrook's revenue grew by 15 % in 2023.", "other entity"),
        ("Southgate's revenue grew by 15 % in 2023.", "the rival's name with the company's number"),
        ("The company fired its chief executive in 2023 over fraud.", "invented event with a matching year"),
        ("The company hired 120 engineers in Porto.", "other place"),
        ("Only the board approved the merger in March 2023.", "a word that excludes"),
        ("Revenue grew by 15 million euros in 2023.", "a percentage read as an amount"),
        ("The company hired 1,200 engineers in Lisbon.", "a digit more"),
        ("The company acquired Southgate in 2023.", "invented event of known names"),
        ("The board approved the merger in 2022.", "a year that stands elsewhere"),
    ],
)
def test_a_planted_error_never_passes(sentence: str, planted: str) -> None:
    found = judge(sentence, REPORT)
    assert found.verdict not in (Verdict.SUPPORTED, Verdict.UNVERIFIABLE), (planted, found)
    assert found.reasons


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Revenue fell 15 %.", "Revenue grew 15 %."),
        ("Revenue grew 15 %.", "Revenue grew 12 %."),
        ("Sales rose to $5 million.", "Sales rose to $5 billion."),
        ("Unemployment rose in 2020.", "Unemployment did not rise in 2020."),
        ("Unemployment didn't rise in 2020.", "Unemployment rose in 2020."),
        ("The drug is not safe for children.", "The drug is safe for children."),
        ("Exports exceeded imports in 2019.", "Imports exceeded exports in 2019."),
        ("The plant opened in 1998.", "The plant opened in 1989."),
        ("Statins lower cholesterol in adults.", "Statins raise cholesterol in adults."),
        ("The treatment lasted 2 weeks.", "The treatment lasted 2 months."),
        ("The tax applies to farms.", "The tax does not apply to farms."),
        ("Females arrived before males.", "Males arrived before females."),
        ("The share rose from 58 % to 41 %.", "The share rose from 41 % to 58 %."),
    ],
)
def test_each_pair_is_a_contradiction_and_neither_side_is_one_of_itself(claim: str, source: str) -> None:
    assert judge(claim, source).verdict is Verdict.REFUTED
    assert judge(claim, claim).verdict is Verdict.SUPPORTED
    assert judge(source, source).verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("It cost 1,500 euros.", "The repair, it is said, cost 1.5 thousand euros."),
        ("It took three days.", "In all it took 3 days."),
        ("It took 3 days.", "In all it took three days."),
        ("About 1,000 people came.", "In the end 1,012 people came."),
        ("The season 2018–19 ended.", "The season of 2018-2019 ended."),
        ("Prices fell by five per cent.", "Prices in general fell by 5%."),
        ("Spain paid more than France.", "France paid less than Spain, officials said."),
        ("More than 3,000 people signed.", "In all, 3,100 people signed."),
        ("Sick leave fell by 25 %.", "Sick leave, they say, fell by a quarter."),
        ("The World Health Organization warned of measles.", "The WHO warned of measles on Monday."),
        ("The WHO warned of measles.", "The World Health Organization warned of measles on Monday."),
        ("French bakers protested.", "In France bakers protested."),
        ("Birth-weight mattered.", "Birthweight mattered, they found."),
    ],
)
def test_the_same_thing_written_otherwise_is_not_held_against_a_sentence(claim: str, source: str) -> None:
    assert judge(claim, source).verdict is Verdict.SUPPORTED, judge(claim, source)


def test_a_later_sentence_that_agrees_outweighs_one_that_differs() -> None:
    source = "Sales fell by 15 % in 2020. Sales grew by 15 % in 2021."
    assert judge("Sales grew by 15 % in 2021.", source).verdict is Verdict.SUPPORTED
    assert judge("Sales grew by 15 % in 2020.", source).verdict is not Verdict.SUPPORTED


def test_a_sentence_about_something_else_is_unsupported() -> None:
    found = judge("Penguins breed on the Antarctic coast in winter.", REPORT)
    assert found.verdict is Verdict.UNSUPPORTED
    assert found.score < 0.2


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("", REPORT),
        ("It is so.", REPORT),
        ("Revenue grew.", ""),
        ("Revenue grew.", " \n"),
        ("Revenue grew. " * 400, REPORT),
    ],
)
def test_where_nothing_can_be_looked_up_there_is_no_verdict(sentence: str, source: str) -> None:
    assert judge(sentence, source).verdict is Verdict.UNVERIFIABLE


def test_the_passage_is_where_the_source_comes_closest() -> None:
    found = judge("The battery weighs 12 kg.", REPORT)
    assert found.passage is not None
    assert found.passage.of(REPORT) == "The new battery lasts longer than the old one and weighs 12 kg."


def test_a_source_can_be_read_once_and_judged_against_often() -> None:
    source = read(REPORT)
    for sentence in ("Operating costs fell.", "The board approved the merger.", "Penguins breed."):
        assert judge(sentence, source) == judge(sentence, REPORT)


@given(st.text(max_size=200), st.text(max_size=400))
def test_any_two_texts_can_be_judged(sentence: str, source: str) -> None:
    found = judge(sentence, source)
    assert 0.0 <= found.score <= 1.0
    assert found.passage is None or 0 <= found.passage.start <= found.passage.end <= len(source)
    assert found.verdict is not Verdict.SUPPORTED or found.passage is not None


def test_a_judgement_does_not_depend_on_the_order_of_hashes() -> None:
    code = (
        "from deeproot.evidence import judge, find_quote, nearest_passages\n"
        f"text = {REPORT!r}\n"
        "print(judge('Only Ana hired 7 higher, lower and longer engineers in Rome, Oslo, 2021.', text))\n"
        "print(nearest_passages('the company paid a bonus in Spain', text))\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1", "42")
    }
    assert len(printed) == 1


@pytest.mark.parametrize(
    ("sentence", "source", "firm"),
    [
        ("Revenue grew.", "Revenue grew.", True),
        ("Revenue grew 15 %.", "Revenue grew 12 %.", True),
        ("Penguins breed in winter.", "Revenue grew 12 %.", True),
        ("Eastbrook's sales climbed in May.", "Sales climbed in May.", True),
        ("Sales improved a lot in the spring.", "In spring turnover was better.", False),
        ("Staff left.", "No staff left.", True),
        ("The vaccine helps people under 65.", "The vaccine helps people over 65.", True),
    ],
)
def test_a_verdict_is_firm_where_code_saw_a_hard_reason(sentence: str, source: str, firm: bool) -> None:
    found = judge(sentence, source)
    assert found.firm is firm, found
    assert (found.verdict is Verdict.SUPPORTED) == (sentence == source), found
