"""Sentences made of words of their source that say something else: from two clauses, turned round, cut, stretched."""

from __future__ import annotations

import pytest

from deeproot.evidence import Verdict, judge

BANK = (
    "The Harbour Bank reported a net profit of 48 million pounds for 2021, compared with a loss of 12 million in "
    "2020. Its chief economist, Lena Vogt, expects inflation to fall below 3 % by 2025. Customers withdrew deposits "
    "worth 900 million after the announcement. Unlike its rival Castle Bank, the Harbour Bank did not receive state "
    "aid. Fewer than 50 branches remain open. The share price rose 4 % in London and fell 2 % in Frankfurt. The bank "
    "denied that it had misled investors."
)
HEALTH = (
    "The parasite infects bees but not wasps. Researchers in Kyoto found the gene in 7 of 90 samples. The vaccine was "
    "62 % effective against infection and 91 % effective against severe disease. Levels of lead were ten times lower "
    "than the legal limit. No deaths were recorded before 2018. The treatment is approved in Japan and under review "
    "in Canada. Half of the colonies survived the winter. The team could not rule out contamination."
)
LAW = (
    "The court ruled in favour of the tenants on 3 May 2017. The landlord must repay 1,250 francs per month. The city "
    "council voted 31 to 22 against the ban. Under the act, employers with at least 20 staff have to publish pay "
    "data. Mayor Iris Kohl had proposed the ban in 2015. The appeal was rejected by the Supreme Court, not by the "
    "Court of Appeal. Neither party commented."
)
REFUSED = [
    (BANK, "The Harbour Bank reported a loss of 48 million pounds for 2021."),
    (BANK, "The Harbour Bank reported a net profit of 12 million pounds for 2020."),
    (BANK, "The Harbour Bank reported a net profit of 48 million pounds for 2020."),
    (BANK, "The share price rose 4 % in Frankfurt and fell 2 % in London."),
    (BANK, "The share price fell 4 % in London."),
    (HEALTH, "The vaccine was 91 % effective against infection."),
    (HEALTH, "The vaccine was 62 % effective against severe disease."),
    (HEALTH, "The parasite infects wasps but not bees."),
    (HEALTH, "The treatment is approved in Canada and under review in Japan."),
    (LAW, "The city council voted 22 to 31 against the ban."),
    (LAW, "The city council voted 31 to 22 for the ban."),
    (LAW, "The appeal was rejected by the Court of Appeal."),
    (BANK, "The Harbour Bank received state aid."),
    (BANK, "Like its rival Castle Bank, the Harbour Bank received state aid."),
    (BANK, "The bank had misled investors."),
    (HEALTH, "Deaths were recorded before 2018."),
    (HEALTH, "The parasite infects wasps."),
    (HEALTH, "The team ruled out contamination."),
    (LAW, "Both parties commented."),
    (LAW, "The appeal was accepted by the Supreme Court."),
    (BANK, "Lena Vogt expects inflation to rise above 3 % by 2025."),
    (BANK, "More than 50 branches remain open."),
    (HEALTH, "Researchers in Kyoto found the gene in 7 % of samples."),
    (HEALTH, "Researchers in Kyoto found the gene in 90 of 97 samples."),
    (HEALTH, "Levels of lead were ten times higher than the legal limit."),
    (HEALTH, "Most of the colonies survived the winter."),
    (HEALTH, "Levels of lead were ten percent lower than the legal limit."),
    (LAW, "The landlord must repay 1,250 francs per year."),
    (LAW, "Employers with at most 20 staff have to publish pay data."),
    (LAW, "Employers with more than 200 staff have to publish pay data."),
    (HEALTH, "Researchers in Osaka found the gene in 7 of 90 samples."),
    (BANK, "Customers withdrew deposits worth 900 million before the announcement."),
    (HEALTH, "No deaths were recorded after 2018."),
    (LAW, "Employers with at least 20 staff may publish pay data."),
    (LAW, "The landlord can repay 1,250 francs per month."),
    (HEALTH, "The treatment is under review in Japan."),
    (BANK, "The Harbour Bank reported a net profit of 48 billion pounds for 2021."),
    (BANK, "Customers withdrew deposits worth 900,000 after the announcement."),
    (LAW, "The landlord must repay 1,250 euros per month."),
    (LAW, "The landlord must repay 1.250 francs per month."),
    (BANK, 'The bank said it "had misled investors".'),
    (BANK, "it had misled investors"),
    (HEALTH, "The parasite infects … wasps."),
    (LAW, "The appeal was rejected by … the Court of Appeal."),
    (LAW, "The city council voted 31 to 2"),
]
DOUBTED = [
    (BANK, "The bank admitted that it had misled investors."),
    (BANK, "Inflation fell below 3 % in 2025."),
    (BANK, "Exactly 50 branches remain open."),
    (HEALTH, "Half of the colonies died in the winter."),
    (LAW, "All employers have to publish pay data."),
    (BANK, "Lena Vogt is the chief executive of the Harbour Bank."),
    (BANK, "Castle Bank's chief economist, Lena Vogt, expects inflation to fall below 3 %."),
    (LAW, "Iris Kohl voted against the ban."),
    (LAW, "Iris Kohl opposed the ban in 2015."),
    (LAW, "The landlord had proposed the ban in 2015."),
    (LAW, "Mayor Iris Kohl had proposed the ban in 2017."),
    (BANK, 'Lena Vogt said inflation would "fall below 2 % by 2025".'),
]


@pytest.mark.parametrize(("source", "sentence"), REFUSED)
def test_what_its_clauses_do_not_say_together_is_refused_firmly(source: str, sentence: str) -> None:
    found = judge(sentence, source)
    assert (found.firm, found.verdict.failed) == (True, True), found


@pytest.mark.parametrize(("source", "sentence"), DOUBTED)
def test_what_goes_a_little_beyond_a_clause_is_not_supported(source: str, sentence: str) -> None:
    assert judge(sentence, source).verdict is Verdict.PARTIAL


@pytest.mark.parametrize("source", [BANK, HEALTH, LAW])
def test_each_sentence_of_a_source_is_supported_by_it(source: str) -> None:
    assert {judge(f"{one.rstrip('.')}.", source).verdict for one in source.split(". ")} == {Verdict.SUPPORTED}
