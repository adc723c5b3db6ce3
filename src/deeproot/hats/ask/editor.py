"""The editor of an answer: what has to be mended before it is taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...asks import AnswerAnswer, QueryType
from ...events import ReportWritten
from ...model import Finding, one_line
from ...report.answer import Written, style_of
from ...report.numbering import cited_ids

TRIES = 4  # an answer may be no JSON, misquote and break the rules, one after the other, and still be mended


@dataclass(slots=True)
class Editor:
    """Judges the answers of one writer: what is wrong always, and once what the lint says.

    `findings` are those an answer may cite, by their ids.
    """

    findings: Callable[[AnswerAnswer], dict[str, Finding]]
    kind: QueryType
    deep: bool
    sent_back: bool = False

    def problems(self, answer: AnswerAnswer) -> Sequence[str]:
        known = self.findings(answer)
        texts = [answer.text, *(part.text for part in answer.parts)]
        cited = dict.fromkeys(id for text in texts for id in cited_ids(text))
        problems = [] if answer.text.strip() else ["text: it is empty"]
        problems += [f"[{id}] is not one of the findings" for id in cited if id not in known]
        if not problems and not self.sent_back:
            problems = self.style(answer)
            self.sent_back = bool(problems)
        return problems

    def style(self, answer: AnswerAnswer) -> list[str]:
        """An answer that has nothing to cite says so, and no form is asked of it."""
        known = self.findings(answer)
        written = Written(answer.text, answer.title, answer.parts)
        return [str(hit) for hit in style_of(written, known, self.kind, self.deep)] if known else []

    def report(self, answer: AnswerAnswer, question: str, plain: str = "") -> ReportWritten:
        title = one_line(answer.title, 200) or one_line(question, 200)
        limits = tuple(map(one_line, answer.gaps))
        parts = answer.parts if self.deep else ()
        return ReportWritten(title, answer.text.strip(), limits, plain, parts, tuple(self.style(answer)))
