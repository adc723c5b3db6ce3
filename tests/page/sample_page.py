"""A small corpus and a report on it, as a page: what the tests look at, and what the picture in the docs shows."""

from __future__ import annotations

import re

from deeproot.checks import Excerpt, Grade, Part
from deeproot.model import Source, Status, Verdict
from deeproot.report.page import (
    CheckedCitation,
    Entry,
    Fact,
    Flaw,
    GateSummary,
    NumberedSource,
    Page,
)

TITLE = "Heating an old house with a heat pump"
QUESTION = "Can a heat pump keep an old, badly insulated house warm in a cold winter, and what decides it?"

PRINCIPLE = Source("handbook/how-heat-pumps-work.md", "How heat pumps work")
TRIAL = Source("https://example.org/field-trial/winter-report", "Winter field trial, 40 houses")
RADIATORS = Source("handbook/radiators.md", "Radiators at low temperature")
COLD = Source("https://example.net/notes/frost", "Frost on the outdoor unit")

CORPUS = {
    PRINCIPLE: """A heat pump does not make heat, it moves it. A fluid boils in the outdoor unit at a temperature
below that of the air, a compressor raises its pressure, and it condenses inside at a higher temperature.

How much is gained depends on the distance between the two temperatures. Each degree by which the water
in the heating circuit can be cooler saves about 2.5 per cent of the electricity. A unit that delivers four
units of heat for one of electricity at 35 degrees delivers fewer than three at 55 degrees.""",
    TRIAL: """The trial followed 40 houses built before 1950 through one winter. None was insulated for the trial.

Indoor temperature was held at 20 degrees in 37 of the 40 houses on every day of the winter. In the three
others it fell short on the coldest four days, when the outdoor temperature was below -14 degrees.

The mean seasonal performance factor was 2.9. Houses in which radiators had been replaced reached 3.3.
Running costs fell in 31 houses and rose in nine.""",
    RADIATORS: """A radiator made for 70 degrees gives less than half its rated output at 45 degrees.

Most rooms can do with it: radiators in old houses were often chosen too large. Where one is not enough, a radiator
of the same width with twice the depth gives nearly twice the heat. Usually two to four rooms need a new one.""",
    COLD: """Moist air just above freezing is the hardest weather for an outdoor unit, not deep frost.

Ice on the fins is melted by running the cycle in reverse for a few minutes. Over a winter, defrosting costs between
3 and 7 per cent of the electricity.""",
}

BODY = f"""# {TITLE}

## Executive Summary

Yes, in most cases. In a winter trial of 40 uninsulated houses built before 1950, heat pumps held 20 degrees indoors
every day in 37 of them [1]. What decides it is less the age of the walls than **how warm the water in the radiators
has to be** [2]: every degree less saves about 2.5 per cent of the electricity [2]. Running costs fell in all
houses [1] [evidence?].

## Findings

### How a heat pump gains heat

A heat pump does not make heat but moves it, and gains less the larger the step between outdoor air and heating
water [2]. A unit that gives four parts of heat for one part of electricity at 35 degrees gives fewer than three at 55
degrees [2].

### Old houses in a cold winter

In the field trial the mean seasonal performance factor was 2.9, and 3.3 where radiators had been replaced [1].

#### The coldest days

Three of the houses fell short on the four coldest days, below −14 degrees [1]. Defrosting the outdoor unit costs 3 to
7 per cent of the electricity over a winter [3], most of it in deep frost [3]
[evidence?].

#### Running costs by region

*Not researched: given up after repeated failures (#RETRY_EXHAUSTED).*

### Radiators

| Water temperature | Output of a radiator made for 70 degrees |
|---|---|
| 70 degrees | all of it |
| 45 degrees | less than half [4] |

Radiators in old houses were often chosen too large, so most rooms can do with less [4]. Usually two to four rooms need
a new one [4].

## Limitations

- Running costs by region: given up (#RETRY_EXHAUSTED); what was found is incomplete.

## Methodology

- 5 topics (4 complete) in 14 iterations, breadth 3, depth 1.
- Begun on 2026-03-02.
- Answered by a local model.
- 9 sources read, 4 cited.

## Sources

- [1] {TRIAL.title}. {TRIAL.location}
- [2] {PRINCIPLE.title}. {PRINCIPLE.location}
- [3] {COLD.title}. {COLD.location}
- [4] {RADIATORS.title}. {RADIATORS.location}
"""

OUTLINE = (
    Entry("1", "How a heat pump gains heat", 0, Status.COMPLETE),
    Entry("2", "Old houses in a cold winter", 0, Status.COMPLETE),
    Entry("2.1", "The coldest days", 1, Status.COMPLETE),
    Entry("2.2", "Running costs by region", 1, Status.EXHAUSTED),
    Entry("3", "Radiators", 0, Status.COMPLETE),
)

NUMBERS = {1: TRIAL, 2: PRINCIPLE, 3: COLD, 4: RADIATORS}


def cited(
    n: int, occurrence: int, sentence: str, quote: str, verdict: Verdict = Verdict.SUPPORTED, *reasons: str
) -> CheckedCitation:
    """A citation with the passage cut out of the corpus, where the quote stands there."""
    source = NUMBERS[n]
    text = CORPUS[source]
    found = re.search(r"\s+".join(re.escape(word) for word in quote.split()), text)
    locator = f"line {1 + text.count(chr(10), 0, found.start())}" if found else ""
    excerpt = _excerpt(text, found) if found else None
    return CheckedCitation(n, occurrence, sentence, verdict, source, quote, reasons, locator, excerpt)


def _excerpt(text: str, found: re.Match[str]) -> Excerpt:
    """The passage with whole sentences around it."""
    before = re.split(r"(?<=[.:])\s", text[: found.start()])[-3:]
    after = re.split(r"(?<=\.)\s", text[found.end() :])[:2]
    return Excerpt(" ".join(before), found[0], " ".join(after))


CITATIONS = (
    cited(
        1,
        1,
        "In a winter trial of 40 uninsulated houses built before 1950, heat pumps held 20 degrees indoors every day in "
        "37 of them.",
        "Indoor temperature was held at 20 degrees in 37 of the 40 houses on every day of the winter.",
        Verdict.SUPPORTED,
        "Numbers 40, 20 and 37 stand in the passage, 1950 in the sentence before it.",
    ),
    cited(
        2,
        1,
        "What decides it is less the age of the walls than how warm the water in the radiators has to be",
        "How much is gained depends on the distance between the two temperatures.",
        Verdict.PARTIAL,
        "The source speaks of the temperatures, not of the age of the walls.",
    ),
    cited(
        2,
        2,
        "every degree less saves about 2.5 per cent of the electricity",
        "Each degree by which the water in the heating circuit can be cooler saves about 2.5 per cent of the "
        "electricity.",
    ),
    cited(
        1,
        2,
        "Running costs fell in all houses.",
        "Running costs fell in 31 houses and rose in nine.",
        Verdict.REFUTED,
        "“all” is not in the source: it says 31 houses, and that costs rose in nine.",
    ),
    cited(
        2,
        3,
        "A heat pump does not make heat but moves it, and gains less the larger the step between outdoor air and "
        "heating water.",
        "A heat pump does not make heat, it moves it.",
    ),
    cited(
        2,
        4,
        "A unit that gives four parts of heat for one part of electricity at 35 degrees gives fewer than three at 55 "
        "degrees.",
        "A unit that delivers four units of heat for one of electricity at 35 degrees delivers fewer than three at 55 "
        "degrees.",
    ),
    cited(
        1,
        3,
        "In the field trial the mean seasonal performance factor was 2.9, and 3.3 where radiators had been replaced.",
        "The mean seasonal performance factor was 2.9. Houses in which radiators had been replaced reached 3.3.",
    ),
    cited(
        1,
        4,
        "Three of the houses fell short on the four coldest days, below −14 degrees.",
        "In the three others it fell short on the coldest four days, when the outdoor temperature was below -14 "
        "degrees.",
    ),
    cited(
        3,
        1,
        "Defrosting the outdoor unit costs 3 to 7 per cent of the electricity over a winter",
        "Over a winter, defrosting costs between 3 and 7 per cent of the electricity.",
    ),
    cited(
        3,
        2,
        "most of it in deep frost",
        "most ice forms in deep frost",
        Verdict.UNSUPPORTED,
        "The quote is not in the source, which names moist air just above freezing.",
    ),
    cited(
        4,
        1,
        "less than half",
        "A radiator made for 70 degrees gives less than half its rated output at 45 degrees.",
    ),
    cited(
        4,
        2,
        "Radiators in old houses were often chosen too large, so most rooms can do with less.",
        "radiators in old houses were often chosen too large",
    ),
    cited(4, 3, "Usually two to four rooms need a new one.", "Usually two to four rooms need a new one."),
)

PAGE = Page(
    title=TITLE,
    question=QUESTION,
    body=BODY,
    outline=OUTLINE,
    citations=CITATIONS,
    gate=GateSummary(
        Grade.FAIL,
        81,
        (
            Part("Citations supported", 38, 50),
            Part("Source texts held", 15, 15),
            Part("Topics completed", 16, 20),
            Part("Consistency", 12, 15),
        ),
        (
            Flaw("refuted: “Running costs fell in all houses.” (the source says 31 of 40)", (1, 2)),
            Flaw("unsupported: “most of it in deep frost” (the quote does not stand in the source)", (3, 2)),
            Flaw("Topic given up: Running costs by region (#RETRY_EXHAUSTED)."),
        ),
    ),
    facts=(
        Fact("Researched", "2026-03-02"),
        Fact("Answered by", "local model"),
        Fact("Topics", "4 of 5 complete"),
        Fact("Iterations", "14"),
        Fact("Sources", "4 cited of 9 read"),
    ),
    sources=tuple(NumberedSource(n, source) for n, source in NUMBERS.items()),
)
