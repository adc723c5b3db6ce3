"""Code as an answer: lines of a program, or a fenced block of a document, as they stand."""

from __future__ import annotations

import re
import textwrap
from pathlib import PurePath

from ...model import Finding
from .said import file_name
from .sentences import Form

MOST_LINES = 14

_FENCE = re.compile(r"^ {0,3}```[^\n]*\n(?P<code>.*?)^ {0,3}```", re.MULTILINE | re.DOTALL)
_FENCE_LINE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*\n?", re.MULTILINE)
_LANGUAGES = {"py": "python", "js": "javascript", "ts": "typescript", "rs": "rust", "sh": "bash", "rb": "ruby"}
_PROSE = ("md", "rst", "txt", "html", "")


def lines_of_code(text: str, form: Form) -> str:
    """The code in a passage: the beginning of a program's, a whole block of a document's; empty when there is none."""
    if form is Form.CODE:
        return "\n".join(text.splitlines()[:MOST_LINES]).rstrip()
    if form is Form.EXHIBIT:
        code = _FENCE_LINE.sub("", text).rstrip()
        return code if code.count("\n") < MOST_LINES else ""
    fenced = _FENCE.search(text)
    return fenced["code"].rstrip() if fenced and fenced["code"].count("\n") <= MOST_LINES else ""


def block(code: str, finding: Finding) -> str:
    """A fenced block and where it stands."""
    path = PurePath(finding.source.location)
    suffix = path.suffix.lstrip(".")
    language = _LANGUAGES.get(suffix, "" if suffix in _PROSE else suffix)
    place = file_name(finding.source.location)
    return f"```{language}\n{_aligned(code)}\n```\n\nThis stands in `{place}` [{finding.id}]."


def _aligned(code: str) -> str:
    """A passage begins in the middle of its line: the lines after the first are moved to it."""
    first, *rest = code.split("\n")
    return "\n".join([first, textwrap.dedent("\n".join(rest))]) if rest else first
