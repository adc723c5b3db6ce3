"""The top of the page: what was asked, what the gates say of the answer, and how to read the citations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...checks import Grade, Part
from ...model import Verdict
from ..numbering import DOUBT
from .cards import badge
from .markup import Markup, joined, tag
from .parts import Fact, Flaw, GateSummary, Page
from .references import Places, to_passage

MOST_OPEN = 5  # flaws that are seen at once; a report with more of them is not hidden behind their list

_GRADES = {
    Grade.PASS: "The report passed its checks.",
    Grade.CAUTION: "Read it with care: some checks did not hold.",
    Grade.FAIL: "Do not rely on it as it stands.",
}
_MEANINGS = {
    Verdict.SUPPORTED: "the source says so",
    Verdict.PARTIAL: "the source says part of it",
    Verdict.UNSUPPORTED: "not in the source",
    Verdict.REFUTED: "the source says otherwise",
    Verdict.UNVERIFIABLE: "could not be checked",
}


def opening(page: Page) -> Markup:
    """The title, the question where it is another, and how the report came about."""
    title = page.title or page.question
    question = tag("p", page.question, class_="question", dir="auto") if page.question != title else Markup()
    return tag("header", tag("h1", title, dir="auto"), question, _facts(page.facts), class_="opening")


def _facts(facts: Sequence[Fact]) -> Markup:
    pairs = [tag("div", tag("dt", fact.name), tag("dd", fact.value)) for fact in facts]
    return tag("dl", *pairs, class_="facts") if pairs else Markup()


def gate_summary(gate: GateSummary, places: Places) -> Markup:
    """Grade, score and what the score is made of; then the flaws, the gravest of them open."""
    grade = tag("p", tag("strong", str(gate.grade), class_="grade"), " ", _GRADES[gate.grade])
    score = tag("p", tag("strong", str(gate.score)), tag("span", " of 100"), class_="score")
    parts = tag("ul", *map(_part, gate.parts), class_="parts") if gate.parts else Markup()
    return tag(
        "section",
        tag("h2", "Checks", class_="spoken"),
        tag("div", grade, score, class_="result"),
        parts,
        _flaws(gate.flaws, places),
        id="gate",
        class_=f"gate {gate.grade.lower()}",
    )


def _flaws(flaws: Sequence[Flaw], places: Places) -> Markup:
    items = [_flaw(flaw, places) for flaw in flaws]
    if len(items) <= MOST_OPEN:
        return tag("ul", *items, class_="flaws") if items else Markup()
    more = tag("summary", f"{len(items) - MOST_OPEN} more")
    folded = tag("details", more, tag("ul", *items[MOST_OPEN:], class_="flaws"))
    return joined([tag("ul", *items[:MOST_OPEN], class_="flaws"), folded])


def _flaw(flaw: Flaw, places: Places) -> Markup:
    way = [to_passage(flaw.place, places), " "] if flaw.place and flaw.place in places else []
    return tag("li", *way, flaw.text, dir="auto")


def _part(part: Part) -> Markup:
    share = min(1.0, max(0.0, part.points / part.most)) if part.most else 0.0
    bars = joined(
        [
            tag("rect", width=100, height=4, class_="track"),
            tag("rect", width=f"{100 * share:.1f}", height=4, class_="filled"),
        ]
    )
    drawing = tag("svg", bars, viewBox="0 0 100 4", preserveAspectRatio="none", aria_hidden="true")
    return tag("li", tag("span", part.name), tag("span", f"{part.points:g} of {part.most:g}", class_="points"), drawing)


def legend(page: Page) -> Markup:
    """What the signs at the citations mean, and how often each occurs."""
    if not page.citations:
        return Markup()
    counts = Counter(citation.verdict for citation in page.citations)
    rows = [_meaning(verdict, counts[verdict]) for verdict in _MEANINGS]
    hint = tag("p", "Choose a number in the text to see the passage it rests on.", class_="hint")
    doubt = tag("p", f"{DOUBT.strip()} marks what its source does not say.") if DOUBT in page.body else Markup()
    return tag("aside", tag("h2", "Citations"), hint, tag("dl", *rows), doubt, class_="legend", aria_label="Citations")


def _meaning(verdict: Verdict, count: int) -> Markup:
    name = tag("dt", badge(verdict), tag("span", str(count), class_="count"))
    return tag("div", name, tag("dd", _MEANINGS[verdict]), class_=None if count else "none")
