"""Facts that nobody could look up: what a report says without citing anything, wherever it stands. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import states_fact
from ..evidence.speech import VERBS
from ..report.assemble import Report
from ..state import State
from .consistency import part_of, split, written_findings

_MADE_BY_CODE = "\n## Methodology\n"  # ends an answer; in the list of sources before it every line has its number
_TITLE = re.compile(r"^# .+$", re.MULTILINE)
_CITED = re.compile(r"\[\d+\]")  # numbers in brackets are made by code, and by nothing else
_BOLD = re.compile(r"\*\*[^*\n]+(?<![.!…])\*\*:?")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FENCED = re.compile(
    r"^ {0,3}(?P<fence>```+|~~~+)(?P<language>.*)\n(?P<code>(?:.*\n)*?) {0,3}(?P=fence).*$", re.MULTILINE
)
_PROSE = ("", "text", "txt", "plain", "markdown", "md", "quote")  # languages in which a fence holds no program
_ASKING = re.compile(
    r"(?:are|can|did|do|does|how|is|should|was|were|what|when|where|whether|which|who|whose|why)\b", re.IGNORECASE
)
_LIMITING = re.compile(
    r"\b(?:absent|all|although|but|cannot|covers?|could|dated|differ|disagree|estimates?|evidence|few(?:er)?|incomplete"
    r"|insufficient|lacks?|lacking|less|limit(?:s|ed)?|limitations?|little|may|might|missing|never|no|nobody|none"
    r"|nothing|not|old(?:er)?|one|only|open|outside|partial(?:ly)?|rest(?:s|ed)?|scope|search(?:ed)?|single"
    r"|sources?|unclear|uncertain|unknown|unverified|without)\b|n['’]t\b",
    re.IGNORECASE,
)


def uncited_facts(state: State, report: Report) -> Iterator[str]:
    """What states a fact and carries no citation: sentences, headings, table heads, limitations that limit nothing."""
    for part in written_parts(state, report.text):
        yield from _in_part(_COMMENT.sub("", _FENCED.sub(_said, part)))
    title = _TITLE.search(report.text)
    if title and title[0][2:] != state.settings.question:
        yield from _heading(title[0])
    for line in () if state.settings.asking else state.draft.limitations:
        if not _LIMITING.search(line):
            yield from _in_part(line)


def written_parts(state: State, text: str) -> list[str]:
    """What writers wrote of a text; an answer has no fixed parts."""
    if state.settings.asking:
        return [_TITLE.sub("", text.rpartition(_MADE_BY_CODE)[0], count=1)]
    return [part_of(text, "Executive Summary"), written_findings(state, text)]


def _said(fenced: re.Match[str]) -> str:
    """What a fence holds is code where its language says so, and otherwise a text like any other."""
    return fenced["code"] if fenced["language"].strip().lower() in _PROSE else ""


def _in_part(part: str) -> Iterator[str]:
    end = 0
    for span in split(part):
        yield from _apart(part[end : span.start])
        sentence, end = span.of(part), span.end
        if _BOLD.fullmatch(sentence):
            yield from _heading(sentence)
        elif not _CITED.search(sentence) and states_fact(sentence):
            yield sentence
    yield from _apart(part[end:])


def _apart(text: str) -> Iterator[str]:
    """What belongs to no sentence and is shown all the same."""
    for line in text.splitlines():
        if line.lstrip().startswith("#"):
            yield from _heading(line)
        elif not _CITED.search(line):
            yield from (cell.strip() for cell in line.split("|") if states_fact(cell))


def _heading(line: str) -> Iterator[str]:
    """A heading that asserts: "Revenue fell"; not "Lessons learned", and not "How revenue fell"."""
    title = line.strip("#* \t:")
    if not _ASKING.match(title) and not VERBS.isdisjoint(title.lower().split()) and states_fact(title):
        yield title
