"""The answer that ends a report: its title, its summary and its limitations, all quoted or counted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ...asks import SynthesizeAnswer, SynthesizeInputs
from ...model import Finding, counted
from .question import headline
from .researcher import UNMENTIONED
from .words import rarities, terms
from .writer import by_merit, quoted

MOST_LEADS = 12  # findings the summary holds
ENOUGH = 3  # findings; with fewer the summary warns
MOST_MISSING = 3  # words of the question that an empty summary names as mentioned nowhere
TITLE_QUESTION = 20  # words; a question no longer than this is the title of its report

_ID = re.compile(r"\[(F\d[\d.]*-\d+)\]")


def synthesize(inputs: SynthesizeInputs) -> SynthesizeAnswer:
    """The strongest findings as the summary; every gap that was noted as a limitation."""
    findings = [finding for _, document in inputs.topics for finding in document.findings]
    rare = rarities([terms(finding.quote) for finding in findings])
    gaps = dict.fromkeys(gap for _, document in inputs.topics for gap in document.gaps)
    return SynthesizeAnswer(
        title=_title(inputs.question, rare),
        summary=_summary(inputs, findings) if findings else _no_summary(inputs),
        limitations=(*gaps, *_limits(findings)),
    )


def _title(question: str, rare: Mapping[str, float]) -> str:
    """The question itself, or what it is about when it is long."""
    plain = " ".join(question.split())
    return plain if len(plain.split()) <= TITLE_QUESTION else headline(question, rare)


def _summary(inputs: SynthesizeInputs, findings: Sequence[Finding]) -> str:
    """What the sections left to the summary."""
    cited = {id for section in inputs.sections for id in _ID.findall(section.text)}
    leads = by_merit(inputs.question, (finding for finding in findings if finding.id not in cited))[:MOST_LEADS]
    sources = len({finding.source.location for finding in findings})
    files = counted(sources, "file")
    if not leads:
        return f"{files} bear{'s' * (sources == 1)} on the question; see the topics below."
    opening = f"The strongest evidence, drawn from {files}:"
    if len(findings) < ENOUGH:
        opening = " ".join((*_missing(inputs), f"Little was found, in {files}, and it may not answer the question:"))
    return opening + "\n\n" + "\n".join(f"- {quoted([lead])}" for lead in leads)


def _no_summary(inputs: SynthesizeInputs) -> str:
    question = " ".join(inputs.question.split())
    said = (
        f"Insufficient evidence: nothing in the files that were searched answers “{question}”.",
        *_missing(inputs),
        "What was looked for and not found is listed under the limitations.",
    )
    return " ".join(said)


def _missing(inputs: SynthesizeInputs) -> list[str]:
    """What of the question the files never mention."""
    gaps = dict.fromkeys(gap for _, document in inputs.topics for gap in document.gaps if gap.startswith(UNMENTIONED))
    return list(gaps)[:MOST_MISSING]


def _limits(findings: Sequence[Finding]) -> tuple[str, ...]:
    if not findings:
        return ()
    return (
        "Written without a model: sentences were chosen by the words they share with the question and quoted as they "
        "stand. Nothing was inferred, and where sources disagree no side was taken.",
    )
