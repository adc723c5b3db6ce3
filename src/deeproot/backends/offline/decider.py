"""The loop decision without a model: what was found, what was not, and that another look would not change it."""

from __future__ import annotations

from ...asks import DecideAnswer, DecideInputs
from ...model import counted


def decide(inputs: DecideInputs) -> DecideAnswer:
    """Never asks for more: a subquestion without evidence was already searched for in several ways."""
    found = [document for _, document in inputs.topics if document.findings]
    findings = sum(len(document.findings) for document in found)
    files = len({finding.source.location for document in found for finding in document.findings})
    gaps = dict.fromkeys(gap for _, document in inputs.topics for gap in document.gaps)
    return DecideAnswer(
        f"{counted(findings, 'sentence')} of {counted(files, 'source')} bear on the question.",
        (*gaps, *(f"Nothing was found on: {title}" for title in inputs.given_up)),
        shouldContinue=False,
    )
