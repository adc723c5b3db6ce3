"""What a researcher hands over: the report of research, or the answer to a question. Pure."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..checks import Checked
from ..model import Document, Topic, Verdict
from ..state import State
from .answer import assemble_answer
from .assemble import Report, assemble
from .notes import render_note

if TYPE_CHECKING:
    from .page import Page

REPORT, ANSWER, CITATIONS, GATES, PAGE = "report.md", "answer.md", "citations.json", "gates.json", "report.html"


def assembled(state: State) -> Report:
    """The text as it stands, whatever the run makes."""
    return assemble_answer(state) if state.settings.asking else assemble(state)


def published(state: State) -> dict[str, str]:
    """The files of `reports/<name>/`, by name."""
    return publication(state).files()


@dataclass(frozen=True, slots=True)
class Publication:
    """What is handed over, as it stood at one moment. To render it takes time, but no longer the state."""

    text_name: str
    report: Report
    checked: Checked | None
    page: Page | None
    notes: tuple[tuple[str, Topic, Document], ...]

    def files(self) -> dict[str, str]:
        files = {self.text_name: self.report.text, CITATIONS: self.report.citations_json()}
        if self.checked:
            files[GATES] = gates_json(self.checked)
        if self.page:
            files[PAGE] = _rendered(self.page)
        return files | {name: render_note(topic, document, topic.tags) for name, topic, document in self.notes}


def publication(state: State) -> Publication:
    report, checked = assembled(state), state.draft.checked
    page = _page(state, report) if checked else None
    return Publication(_text_name(state), report, checked, page, _notes(state) if state.settings.asking else ())


def _page(state: State, report: Report) -> Page:
    from .page import page_of  # Markdown and its sanitiser are needed here and below alone

    return page_of(state, report)


def _rendered(page: Page) -> str:
    from .page import render_page

    return render_page(page)


def gates_json(checked: Checked) -> str:
    """`gates.json`: what both gates concluded. The verdicts one by one are in `citations.json`."""
    failed = [check.sentence for check in checked.citations if check.verdict.failed]
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


def _notes(state: State) -> tuple[tuple[str, Topic, Document], ...]:
    """An Evidence Note per subquestion that was researched: its name, and what goes into it."""
    return tuple(
        (f"notes/{growth.topic.slug}.md", growth.topic, growth.document) for growth in state.walk() if growth.document
    )
