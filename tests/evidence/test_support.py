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
        ("Two hospitals reported their data.", "Two hospitals failed to report their data."),
        ("The authors saw a change in weight.", "The authors hardly saw a change in weight."),
        ("It did not open without tickets.", "It did open without tickets."),
        ("It rose 4 % in Bonn and 2 % in Rome.", "It rose 4 % in Rome and 2 % in Bonn."),
        ("The plan was approved in Bonn and dropped in Rome.", "The plan was approved in Rome and dropped in Bonn."),
        ("A profit of 48 million and a loss of 12 million.", "A profit of 12 million and a loss of 48 million."),
        (
            "Sales reached 12 tons in 2020, after 14 tons in 2021.",
            "Sales reached 12 tons in 2021, after 14 tons in 2020.",
        ),
        ("It infects bees but not wasps.", "It infects wasps but not bees."),
        ("The council voted 31 to 22 against it.", "The council voted 22 to 31 against it."),
        ("The council voted 31 to 22 for the ban.", "The council voted 31 to 22 against the ban."),
        ("Tenants pay 1,250 francs per month.", "Tenants pay 1,250 francs per year."),
        ("The bank had misled investors.", "The bank denied that it had misled investors."),
        ("Most of the colonies survived.", "Half of the colonies survived."),
        ("Most patients reported nausea.", "Some patients reported nausea."),
        ("A few residents opposed the plan.", "Most residents opposed the plan."),
        ("Fenwick acquired Harrow in 2022.", "Harrow acquired Fenwick in 2022."),
        ("The dog chased the cat.", "The cat chased the dog."),
        ("Harrow's founder left Fenwick's board.", "Fenwick's founder left Harrow's board."),
        ("According to Fenwick, Harrow's deal failed.", "According to Harrow, Fenwick's deal failed."),
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
        ("Antisemitism was condemned.", "Anti-Semitism, they say, was condemned."),
        ("COVID19 patients recovered.", "In May, COVID-19 patients recovered."),
        ("British bakers protested.", "In the U.K. bakers protested."),
        ("Cuban doctors protested.", "In Cuba doctors protested."),
        ("Voting is automatic.", "Voting happens automatically there."),
        ("Activation of the alarm failed.", "To activate the alarm failed, they said."),
        ("Team Alpha came 4th.", "Team Alpha, they say, came 4 of 9."),
        ("He served from 11 June 2003.", "June: he served, it says, from 2003.06.11 on."),
    ],
)
def test_the_same_thing_written_otherwise_is_not_held_against_a_sentence(claim: str, source: str) -> None:
    assert judge(claim, source).verdict is Verdict.SUPPORTED, judge(claim, source)


@pytest.mark.parametrize(
    ("claim", "source", "firm"),
    [
        ("The drug causes liver damage.", "The drug may cause liver damage.", True),
        ("Temperatures exceed 40 °C in places.", "Temperatures could exceed 40 °C in places.", True),
        ("Coffee consumption caused lower mortality.", "Coffee consumption was associated with lower mortality.", True),
        ("Coffee consumption lowers mortality.", "Coffee consumption was associated with lower mortality.", False),
        ("The drug reduced pain in patients.", "The drug reduced pain in mice, but not in patients.", True),
        ("The drug reduced pain.", "The drug in all reduced pain in mice.", False),
        ("Firms may publish pay data.", "Firms in all must publish pay data.", True),
        ("Inflation fell below 3 % by 2025.", "Vogt expects inflation to fall below 3 % by 2025.", True),
        ("It employs more than 5,000 people.", "It employs between 4,000 and 5,000 people.", True),
        ("It employs fewer than 4,000 people.", "It employs between 4,000 and 5,000 people.", True),
    ],
)
def test_a_sentence_that_says_more_than_its_source_is_not_supported(claim: str, source: str, firm: bool) -> None:
    found = judge(claim, source)
    assert found.verdict not in (Verdict.SUPPORTED, Verdict.UNVERIFIABLE), found
    assert found.firm is firm, found


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Harrow's founder left.", "In May Fenwick's founder and Harrow's founder left."),
        ("It grew in Italy.", "It grew in Spain and in Italy."),
        ("In 2021 it reached 14 tons.", "It reached 12 tons in 2020 and 14 tons in 2021."),
        ("No effect was seen in humans.", "Pain fell in mice, but no effect was seen in humans."),
        ("The drug might cause liver damage.", "The drug may cause liver damage."),
        ("Possible liver damage is named.", "The drug may cause liver damage."),
        ("Harrow was acquired by Fenwick.", "Fenwick acquired Harrow in 2022."),
        ("Ann married Bob in 2001.", "Bob married Ann in 2001."),
        ("Many residents opposed the plan.", "Most residents opposed the plan."),
        ("Body weight barely changed.", "They hardly saw any change in weight."),
        ("Mr. Tom Beck left the board.", "Tom Beck left the board of Fenwick."),
        ("- **Members:** 412 people", "In all, 412 people joined."),
    ],
)
def test_the_same_said_with_other_small_words_is_never_refused_firmly(claim: str, source: str) -> None:
    found = judge(claim, source)
    assert found.verdict is Verdict.SUPPORTED or not found.firm, found


@pytest.mark.parametrize(
    ("rough", "exact", "stands"),
    [
        ("about $3 billion", "$3.2 billion", True),
        ("more than 2 km", "2.3 km", True),
        ("some 400 patients", "412 patients", True),
        ("more than three billion dollars", "$3.2 billion", True),
        ("almost a third", "30 %", True),
        ("nearly 80 %", "79 %", True),
        ("about $3 billion", "$3.6 billion", False),
        ("more than 2 km", "1.9 km", False),
        ("nearly 80 %", "84 %", False),
    ],
)
def test_a_rough_number_stands_for_what_rounds_to_it(rough: str, exact: str, stands: bool) -> None:
    found = judge(f"They lost {rough} there.", f"As was said, they lost {exact} there.")
    assert (found.verdict is Verdict.SUPPORTED) is stands, found


@pytest.mark.parametrize("hidden", ["n\u200bot", "n\u00adot", "n**o**t"])
def test_what_hides_inside_a_word_is_read_over(hidden: str) -> None:
    found = judge(f"The regulator did {hidden} approve the merger.", "The regulator did approve the merger.")
    assert found.verdict is Verdict.REFUTED


def test_a_deed_of_somebody_else_is_not_lent_to_a_name_that_stands_elsewhere() -> None:
    source = "Ana Ruiz runs the firm and opened a plant. Its founder Tom Beck left the board in May."
    found = judge("Ana Ruiz left the board.", source)
    assert found.verdict is Verdict.PARTIAL
    assert found.firm
    assert judge("Tom Beck left the board.", source).verdict is Verdict.SUPPORTED


def test_a_short_form_does_not_end_a_sentence_of_the_source() -> None:
    source = (
        "Nobody came in the end. The mayor of St. Louis, Dr. E. Berg, spoke on Sept. 13 about floods. Then it rained."
    )
    found = judge("A mayor spoke of floods in September.", source)
    assert found.passage is not None
    assert found.passage.of(source) == "The mayor of St. Louis, Dr. E. Berg, spoke on Sept. 13 about floods."


def test_an_ordinary_word_that_begins_a_sentence_is_not_called_a_name() -> None:
    found = judge("Winning the cup took years.", "It took years to get the cup, they said.")
    assert found.reasons == ("not in the source: winning",)


def test_what_happens_without_a_thing_says_nothing_of_its_direction() -> None:
    source = "In leptin-deficient mice appetite rose and leptin levels of other mice were noted."
    assert judge("Leptin reduces appetite in mice.", source).verdict is Verdict.PARTIAL
    assert judge("Leptin reduces appetite in mice.", "In mice leptin raised appetite.").verdict is Verdict.REFUTED


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


FOUNDED_ON = [
    ("5 March 2024", "2024-03-05"),
    ("5 March 2024", "March 5, 2024"),
    ("5 March 2024", "the 5th of March 2024"),
    ("5 March 2024", "05.03.2024"),
    ("25 March 2024", "3/25/2024"),
    ("25 March 2024", "25/03/2024"),
]


@pytest.mark.parametrize(("one", "other"), FOUNDED_ON + [(other, one) for one, other in FOUNDED_ON])
def test_a_date_is_the_same_in_words_and_in_digits(one: str, other: str) -> None:
    source = f"The firm opened an office in Lisbon on {one}. It has twelve desks."
    assert judge(f"The firm opened an office in Lisbon on {other}.", source).verdict is Verdict.SUPPORTED


@pytest.mark.parametrize("source", ["5 March 2024", "2024-03-05", "5.3.2024"])
@pytest.mark.parametrize(
    "other", ["6 March 2024", "2024-03-06", "April 5, 2024", "2024-05-03", "5 May 2024", "2023-03-05", "in April 2024"]
)
def test_another_date_is_refused_however_it_is_written(source: str, other: str) -> None:
    found = judge(
        f"The firm opened an office in Lisbon on {other}.", f"The firm opened an office in Lisbon on {source}."
    )
    assert (found.firm, found.verdict.failed) == (True, True), found


def test_a_date_that_can_be_two_days_is_not_held_against_either_month() -> None:
    source = "The firm moved in June 2020. It opened an office in Lisbon on 5/3/2024."
    for month in ("March", "May"):
        found = judge(f"It opened an office in Lisbon in {month} 2024.", source)
        assert not (found.firm and found.verdict.failed), found


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The trial enrolled four hundred and twelve patients.", "The trial enrolled 412 patients."),
        ("The trial enrolled 412 patients.", "The trial enrolled four hundred twelve patients."),
        ("The town has 25,300 people.", "The town has twenty-five thousand three hundred people."),
        ("The metro carried 173m passengers in 2019.", "The metro carried 173 million passengers in 2019."),
        ("The fair drew 12k visitors.", "The fair drew 12,000 visitors."),
        ("The mast is 173m tall.", "The mast is 173 m tall."),
        ("The gene was in 7 of 90 samples.", "The gene was found in 7 of 90 samples."),
    ],
)
def test_a_number_is_the_same_in_words_digits_and_short(claim: str, source: str) -> None:
    found = judge(claim, source)
    assert found.verdict is Verdict.SUPPORTED, found


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The trial enrolled four hundred and twenty-one patients.", "The trial enrolled 412 patients."),
        ("The trial enrolled fifteen patients.", "The trial enrolled fourteen patients."),
        ("The trial enrolled 400 patients.", "The trial enrolled four hundred and twelve patients."),
        ("The trial enrolled 12 patients.", "The trial enrolled four hundred and twelve patients."),
        ("The metro carried 173 thousand passengers.", "The metro carried 173 million passengers."),
        ("The metro carried 173bn passengers.", "The metro carried 173 million passengers."),
        ("The gene was in 7 % of the samples.", "The gene was in 7 of 90 samples."),
        ("The trial never enrolled 412 patients.", "The trial enrolled 412 patients."),
        ("Its margin rose by 3 percentage points.", "Its margin rose from 12 % to 14 %."),
        ("Its margin fell by 2 percentage points.", "Its margin rose from 12 % to 14 %."),
        ("| Globex | 12 % |", "Northwind's margin was 12 % in May."),
    ],
)
def test_another_number_or_name_is_refused_however_it_is_written(claim: str, source: str) -> None:
    found = judge(claim, source)
    assert (found.firm, found.verdict.failed) == (True, True), found


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Its margin rose by 2 percentage points.", "Its margin rose from 12 % to 14 %."),
        ("| Acquirer | Northwind |", "Northwind acquired Fabrikam for $3.2 billion."),
        ("| Target | Fabrikam |", "Northwind acquired Fabrikam for $3.2 billion."),
    ],
)
def test_what_is_reckoned_or_labelled_is_left_to_a_reader(claim: str, source: str) -> None:
    found = judge(claim, source)
    assert (found.verdict, found.firm) == (Verdict.PARTIAL, False), found
