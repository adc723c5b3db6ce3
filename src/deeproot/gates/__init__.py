"""Gates: code that checks a report against its sources and its tree. Pure: nothing here reads a file or asks a model.

checks = verdicts_on(report.citations, text_of)
checks = settle(checks, opinions)            # what a model said of the doubtful ones, where there is a model
checked = conclude(state, report, checks)    # both gates: issues, score, grade
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..checks import Checked, CitationCheck, Issue, Part
from ..model import Verdict, one_line
from ..report.assemble import Report, findings_of
from ..state import State
from .citations import Lost, Opinion, TextOf, doubts, settle, verdicts_on
from .consistency import inconsistencies, raised_tags, sides, unfinished
from .quoting import Text
from .uncited import uncited_facts, written_parts

__all__ = [
    "Lost",
    "Opinion",
    "Text",
    "TextOf",
    "conclude",
    "doubts",
    "raised_tags",
    "settle",
    "verdicts_on",
    "written_parts",
]

GATE = "citations"
SHOWN = 140  # characters of a sentence in an issue
MOST_LISTED = 20
TOLERATED = 0.1  # the share of citations that may be supported only in part

UNCERTAIN = (Verdict.PARTIAL, Verdict.UNVERIFIABLE)
WORTH = {Verdict.SUPPORTED: 1.0, Verdict.PARTIAL: 0.5, Verdict.UNVERIFIABLE: 0.25}
SUPPORT, SOURCES, COVERAGE, CONSISTENCY = 50, 15, 20, 15
PER_ISSUE = 3


def conclude(state: State, report: Report, checks: Sequence[CitationCheck]) -> Checked:
    """Both gates over the report as it stands."""
    own = inconsistencies(state, report)
    cited = {citation.finding for citation in report.citations}
    disagreements = sides(finding for id, finding in findings_of(state).items() if id in cited)
    parts = (
        Part("support", round(SUPPORT * _support(checks), 1), SUPPORT),
        Part("sources", round(SOURCES * _held(checks), 1), SOURCES),
        Part("coverage", round(COVERAGE * _covered(state), 1), COVERAGE),
        Part("consistency", max(0.0, CONSISTENCY - PER_ISSUE * float(len(own))), CONSISTENCY),
    )
    uncited = tuple(uncited_facts(state, report))
    issues = (*_citation_issues(checks, report), *_uncited_issues(uncited), *own)
    return Checked(tuple(checks), issues, parts, disagreements, uncited)


def _support(checks: Sequence[CitationCheck]) -> float:
    """What cites nothing is supported by nothing."""
    return sum(WORTH.get(check.verdict, 0.0) for check in checks) / max(1, len(checks))


def _held(checks: Sequence[CitationCheck]) -> float:
    held = sum(1 for check in checks if check.excerpt or check.verdict is Verdict.SUPPORTED)
    return held / max(1, len(checks))


def _covered(state: State) -> float:
    return 1 - unfinished(state) / len(state.growths) if state.growths else 0.0


def _citation_issues(checks: Sequence[CitationCheck], report: Report) -> Iterator[Issue]:
    """One issue per citation that code holds something against, grave when it does not hold; the rest is counted."""
    if not checks:
        yield Issue(GATE, "uncited", "The report cites nothing.")
    numbers = {(citation.finding, citation.sentence): citation.n for citation in report.citations}
    for check in checks:
        grave = check.verdict.failed or check.reasons == (Lost.ALTERED.value,)
        if grave or (check.firm and check.verdict is Verdict.PARTIAL):
            number = numbers.get((check.finding, check.sentence), 0)
            why = "; ".join(check.reasons)
            detail = f"[{number}] {check.verdict}: {one_line(check.sentence, SHOWN)} ({why})"
            yield Issue(GATE, check.verdict, detail, grave)
    partial, unverifiable = (sum(check.verdict is one for check in checks) for one in UNCERTAIN)
    if partial > TOLERATED * len(checks):
        yield Issue(GATE, "partial", f"{partial} of {len(checks)} citations are supported only in part.")
    if unverifiable:
        yield Issue(GATE, "unverifiable", f"{unverifiable} of {len(checks)} citations cannot be checked.")


def _uncited_issues(uncited: Sequence[str]) -> Iterator[Issue]:
    for sentence in uncited[:MOST_LISTED]:
        yield Issue(GATE, "uncited", f"This states a fact and cites nothing: {one_line(sentence, SHOWN)}")
    if len(uncited) > MOST_LISTED:
        yield Issue(GATE, "uncited", f"So do {len(uncited) - MOST_LISTED} further sentences.")
