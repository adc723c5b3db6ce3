"""Lies in full runs, by a model that finds everything supported: none of them is in a report that passes."""

from __future__ import annotations

import pytest

from deeproot.asks import ProposedFinding, SynthesizeAnswer
from gates.acme import cited, gates, page, report_on
from laboratory import Finished, Lab

TRIAL = (
    "The trial enrolled 412 patients in 14 hospitals. Treatment with velorin reduced pain in mice by 30 %, but "
    "no effect was seen in humans. Some patients reported nausea. The drug may cause liver damage at high "
    "doses. Two of the 14 hospitals failed to report their data. Coffee consumption was associated with lower "
    "mortality. The authors hardly saw any change in weight. The study ran from 12 March 2019 to 4 June 2021."
)
DEAL = (
    "In 2022 Northwind acquired Fabrikam for $3.2 billion. Contoso had sued Northwind over the deal and lost. "
    "According to Reuters, the regulator approved the merger without conditions. Northwind's chief executive, "
    "Ana Ruiz, said the company “will not cut jobs before 2025”. Fabrikam's founder Tom Beck left the board. "
    "The company employs between 4,000 and 5,000 people. Its margin rose from 12 % to 14 %."
)
CITY = (
    "Lisbon's metro carried 173 million passengers in 2019. The fare rose by 2 percentage points of income. "
    "Unemployment fell to 6.5 percent in May 2023. The bridge is 2.3 km long and opened on 6 August 1966. "
    "Temperatures could exceed 40 °C in some districts. Most residents opposed the plan, although a few "
    "supported it. The tower is not the tallest building in the country. The fund holds EUR 4.5 million."
)

REFUSED = [
    # number
    (TRIAL, "The trial enrolled 421 patients in 14 hospitals."),
    (TRIAL, "The trial enrolled 412 patients in 41 hospitals."),
    # order
    (DEAL, "In 2022 Northwind acquired Fabrikam for $3.2 million."),
    (CITY, "Lisbon's metro carried 173 thousand passengers in 2019."),
    # currency
    (DEAL, "In 2022 Northwind acquired Fabrikam for €3.2 billion."),
    (CITY, "The fund holds USD 4.5 million."),
    # unit
    (CITY, "The bridge is 2.3 miles long."),
    (CITY, "Temperatures could exceed 40 °F in some districts."),
    # points
    (DEAL, "Its margin rose by 2 %."),
    (CITY, "The fare rose by 2 percent of income."),
    # date
    (CITY, "The bridge opened on 8 June 1966."),
    (CITY, "The bridge opened on 6 August 1996."),
    (CITY, "Unemployment fell to 6.5 percent in March 2023."),
    (TRIAL, "The study ran from 12 March 2019 to 4 July 2021."),
    # range
    (DEAL, "The company employs between 4,000 and 6,000 people."),
    (DEAL, "The company employs more than 5,000 people."),
    (DEAL, "The company employs fewer than 4,000 people."),
    # fromto
    (DEAL, "Its margin rose from 14 % to 12 %."),
    (DEAL, "Its margin fell from 14 % to 12 %."),
    # direction
    (CITY, "Unemployment rose to 6.5 percent in May 2023."),
    (TRIAL, "Treatment with velorin increased pain in mice by 30 %."),
    (TRIAL, "Coffee consumption was associated with higher mortality."),
    # negation
    (TRIAL, "An effect was seen in humans."),
    (TRIAL, "The trial never enrolled 412 patients."),
    (TRIAL, "All hospitals reported their data."),
    (TRIAL, "Two of the 14 hospitals reported their data."),
    (TRIAL, "The authors saw a change in weight."),
    (DEAL, "The regulator approved the merger with conditions."),
    (DEAL, "The regulator did not approve the merger."),
    (DEAL, "The company will cut jobs before 2025."),
    (CITY, "The tower is the tallest building in the country."),
    (TRIAL, "Velorin failed to reduce pain in mice."),
    (DEAL, "Contoso had sued Northwind over the deal and won."),
    # scope
    (TRIAL, "All patients reported nausea."),
    (TRIAL, "Most patients reported nausea."),
    (CITY, "A few residents opposed the plan."),
    (CITY, "Most residents supported the plan."),
    # roles
    (DEAL, "In 2022 Fabrikam acquired Northwind for $3.2 billion."),
    (DEAL, "Northwind had sued Contoso over the deal and lost."),
    (DEAL, "Northwind's founder Tom Beck left the board."),
    (DEAL, "Fabrikam's chief executive, Ana Ruiz, said the company “will not cut jobs before 2025”."),
    # attribution
    (DEAL, "According to Bloomberg, the regulator approved the merger."),
    (DEAL, "According to Contoso, the regulator approved the merger without conditions."),
    # hedge
    (CITY, "Temperatures exceeded 40 °C in all districts."),
    # quote
    (DEAL, "Ana Ruiz said the company “will cut jobs before 2025”."),
    (DEAL, "Ana Ruiz said the company “will not cut jobs before 2026”."),
    (DEAL, "“Northwind acquired Fabrikam for $3.2 billion. The regulator … approved the merger … with conditions.”"),
    (DEAL, "“Northwind … approved the merger without conditions”"),
    (DEAL, "“Contoso … acquired Fabrikam for $3.2 billion”"),
    (DEAL, '"Northwind will cut jobs in 2023", Ana Ruiz said.'),
    (DEAL, "'Northwind will cut jobs in 2023', Ana Ruiz said."),
    (DEAL, "«Northwind will cut jobs in 2023», Ana Ruiz said."),
    (TRIAL, "“velorin reduced pain … in humans”"),
    (TRIAL, "“The trial enrolled 4”"),
    (TRIAL, "“reduced pain in mice by 3”"),
    (TRIAL, "“effect was seen in humans”"),
    (TRIAL, "“to report their data”"),
    # wrongsource
    (TRIAL, "Northwind acquired Fabrikam for $3.2 billion in 2022."),
    (CITY, "The trial enrolled 412 patients in 14 hospitals."),
    # absent
    (DEAL, "Northwind moved its headquarters to Dublin."),
    (CITY, "The metro is the safest in Europe."),
    # zerowidth
    (TRIAL, "The trial en\u200brolled 4\u200b21 patients in 14 hospitals."),
    (DEAL, "The regulator did n\u200bot approve the merger."),
    # softhyphen
    (DEAL, "The regulator did n\u00adot approve the merger."),
    # emph
    (DEAL, "The regulator did n**o**t approve the merger."),
    (TRIAL, "The trial enrolled 4**2**1 patients in 14 hospitals."),
    (TRIAL, "The trial enrolled 41**2**0 patients in 14 hospitals."),
    # entity
    (DEAL, "The regulator did n&#111;t approve the merger."),
    (TRIAL, "The trial enrolled 4&#50;1 patients in 14 hospitals."),
    # bidi
    (TRIAL, "The trial enrolled \u202e214\u202c patients in 14 hospitals."),
    # fullwidth
    (TRIAL, "The trial enrolled ４２１ patients in 14 hospitals."),
    # words
    (DEAL, "Northwind acquired Fabrikam for three billion dollars more than planned."),
    (TRIAL, "The trial enrolled four hundred and twenty-one patients."),
    # fraction
    (TRIAL, "A third of the hospitals failed to report their data."),
    # time
    (DEAL, "Northwind acquired Fabrikam in 2022 and sold it in 2023."),
    (TRIAL, "The study ran for five years."),
]
DOUBTED = [
    # scope
    (TRIAL, "Treatment with velorin reduced pain in humans by 30 %."),
    (CITY, "All residents opposed the plan."),
    (TRIAL, "None of the 14 hospitals reported their data."),
    # roles
    (DEAL, "Ana Ruiz left the board."),
    (DEAL, "Contoso acquired Fabrikam for $3.2 billion."),
    # attribution
    (DEAL, "Tom Beck said the company “will not cut jobs before 2025”."),
    # hedge
    (TRIAL, "The drug causes liver damage at high doses."),
    (TRIAL, "The drug causes liver damage."),
    (CITY, "Temperatures exceed 40 °C in some districts."),
    # cause
    (TRIAL, "Coffee consumption caused lower mortality."),
    (TRIAL, "Lower mortality was caused by coffee consumption."),
    # quote
    (DEAL, "Ana Ruiz said the company will 'cut jobs before 2025'."),
    (DEAL, "Ana Ruiz said the company will „cut jobs before 2025“."),
    (DEAL, 'Ana Ruiz said the company will "cut jobs before 2025".'),
    # absent
    (DEAL, "Ana Ruiz owns a yacht."),
    (TRIAL, "The trial was paid for by the tobacco industry."),
    # words
    (TRIAL, "The trial enrolled half a thousand patients."),
    # super
    (DEAL, "Its margin rose from 12 % to 14 %, the highest ever."),
]


def told(lab: Lab, text: str, sentence: str) -> Finished:
    """A report on a page that says this sentence, and what the page says first."""
    findings = (ProposedFinding("It says so.", text, "S1"),)
    true = SynthesizeAnswer("What is known", f"{text.split('. ')[0]}. [F1-1]", ())
    return report_on(lab, sentence, findings=findings, pages=[page("told", text)], synthesis=true)


@pytest.mark.parametrize(("text", "sentence"), REFUSED)
def test_what_the_source_says_otherwise_fails_the_report(lab: Lab, text: str, sentence: str) -> None:
    done = told(lab, text, sentence)
    assert cited(done, sentence)["verdict"] in ("unsupported", "refuted")
    assert (gates(done)["grade"], done.outcome.exit_code) == ("FAIL", 3)


@pytest.mark.parametrize(("text", "sentence"), DOUBTED)
def test_what_goes_beyond_the_source_never_passes(lab: Lab, text: str, sentence: str) -> None:
    done = told(lab, text, sentence)
    assert cited(done, sentence)["verdict"] != "supported"
    assert gates(done)["grade"] != "PASS"
