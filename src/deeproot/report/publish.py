"""What a researcher hands over: the report of research, or the answer to a question. Pure."""

from __future__ import annotations

import json
from dataclasses import asdict

from ..checks import Checked
from ..model import Verdict
from ..state import State
from .answer import assemble_answer
from .assemble import Report, assemble
from .notes import render_note

REPORT, ANSWER, CITATIONS, GATES, PAGE = "report.md", "answer.md", "citations.json", "gates.json", "report.html"
FAILED = (Verdict.UNSUPPORTED, Verdict.REFUTED)


def assembled(state: State) -> Report:
    """The text as it stands, whatever the run makes."""
    return assemble_answer(state) if state.settings.asking else assemble(state)


def published(state: State) -> dict[str, str]:
    """The files of `reports/<name>/`, by name."""
    report = assembled(state)
    files = {_text_name(state): report.text, CITATIONS: report.citations_json()}
    if state.draft.checked:
        files[GATES] = gates_json(state.draft.checked)
        files[PAGE] = _page(state, report)
    if state.settings.asking:
        files |= _notes(state)
    return files


def _page(state: State, report: Report) -> str:
    from .page import page_of, render_page  # Markdown and its sanitiser are needed here alone

    return render_page(page_of(state, report))


def gates_json(checked: Checked) -> str:
    """`gates.json`: what both gates concluded. The verdicts one by one are in `citations.json`."""
    failed = [check.sentence for check in checked.citations if check.verdict in FAILED]
    whole = all(check.verdict is Verdict.SUPPORTED for check in checked.citations) and not checked.uncited
    content = {
        "grade": checked.grade,
        "quality_score": checked.score,
        "parts": [asdict(part) for part in checked.parts],
        "citations_status": "complete" if whole else "partial",
        "missing_citations": [*failed, *checked.uncited],
        "issues": [asdict(issue) for issue in checked.issues],
        "disagreements": [asdict(sides) for sides in checked.disagreements],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _text_name(state: State) -> str:
    return ANSWER if state.settings.asking and not (state.scope and state.scope.deep) else REPORT


def _notes(state: State) -> dict[str, str]:
    """An Evidence Note per subquestion that was researched."""
    return {
        f"notes/{growth.topic.slug}.md": render_note(growth.topic, growth.document, growth.topic.tags)
        for growth in state.walk()
        if growth.document
    }
