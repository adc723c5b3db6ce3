"""A company's pages, and a model that writes what it is told to and finds everything in order."""

from __future__ import annotations

import json
from typing import Any

from deeproot.asks import Ask, DocumentAnswer, Kind, ProposedFinding, SectionAnswer, SynthesizeAnswer
from deeproot.backends import Abilities
from deeproot.knowledge.sources import text_hash
from deeproot.model import Passage, Section, Source
from deeproot.testing import ListSearcher, Scripted, ScriptedBackend
from laboratory import Finished, Lab, plan_of

REVENUE = (
    "Acme published its figures in March. Revenue grew 15 % to 230 million euros in 2024, driven by exports. "
    "The board did not approve a dividend. Maria Lindqvist remained chief executive throughout the year."
)
STAFF = "Acme employed 1,240 people at the end of 2024. Most of them work in the plant in Turku."
BUDGET = "Quarter,Year,Budget,Team\nQ1,2023,200000,Sales\nQ2,2023,1250,Support\nQ3,2024,1700,Sales\n"
GROWTH = "Revenue grew 15 % to 230 million euros in 2024, driven by exports."


def page(name: str, text: str) -> Passage:
    return Passage(Source(f"https://acme.example/{name}", name, text_hash(text)), text, 1, 1)


PAGES = [page("revenue", REVENUE), page("staff", STAFF)]


def finding(quote: str = GROWTH, source: str = "S1") -> ProposedFinding:
    return ProposedFinding("Revenue grew in 2024.", quote, source)


class YesMan:
    """Writes what it was told to write, finds everything supported, and mends nothing."""

    def __init__(self, text: str, document: DocumentAnswer, synthesis: SynthesizeAnswer | None = None) -> None:
        self._text, self._document, self._synthesis = text, document, synthesis

    def __call__(self, ask: Ask) -> Scripted | None:
        if ask.kind is Kind.PLAN:
            return plan_of("Revenue")
        if ask.kind is Kind.DOCUMENT:
            return self._document
        if ask.kind is Kind.SECTION:
            return SectionAnswer((Section("1", self._text),))
        return self._synthesis if ask.kind is Kind.SYNTHESIZE else None


def report_on(
    lab: Lab,
    sentence: str,
    *,
    findings: tuple[ProposedFinding, ...] = (),
    pages: list[Passage] | None = None,
    markers: str = " [F1-1]",
    synthesis: SynthesizeAnswer | None = None,
    **more: Any,
) -> Finished:
    """A finished run whose only section is this sentence, with these citations."""
    document = DocumentAnswer("About revenue.", findings or (finding(),), **more)
    backend = ScriptedBackend(YesMan(f"{sentence}{markers}", document, synthesis), abilities=Abilities())
    return lab.run(backend, breadth=1, means={"searcher": ListSearcher(pages or PAGES)})


def gates(done: Finished) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((done.researcher.reports / "gates.json").read_text())
    return loaded


def cited(done: Finished, sentence: str) -> dict[str, Any]:
    """What `citations.json` says of the first citation of a sentence."""
    rows = json.loads((done.researcher.reports / "citations.json").read_text())
    found: dict[str, Any] = next(row for row in rows if row["sentence"] == sentence)
    return found
