"""Code as an answer: lines of a program, or a fenced block of a document, as they stand."""

from __future__ import annotations

import re
import textwrap
from pathlib import PurePath

from ...model import Finding
from .forms import Form
from .said import file_name

MOST_LINES = 14
INDENT = "    "

_FENCE = re.compile(r"^ {0,3}```[^\n]*\n(?P<code>.*?)^ {0,3}```", re.MULTILINE | re.DOTALL)
_FENCE_LINE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*\n?", re.MULTILINE)
_LANGUAGES = {"py": "python", "js": "javascript", "ts": "typescript", "rs": "rust", "sh": "bash", "rb": "ruby"}
_OPENS = re.compile(r"[:{(\[,]\s*$")
_UNINDENTED = re.compile(r"^\S.*", re.MULTILINE)
_BESIDE = re.compile(r"[)\]}@]|(?:async |def|class|else|elif|except|finally|func|function|fn)\b")
_CALLABLE = re.compile(
    r"\s*(?:@[^\n]*\n\s*)*(?:(?:async|export|pub|public|static)\s+)*(?:def|class|func|function|fn)\s+(?!_)\w"
)
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


def can_be_used(code: str, form: Form) -> bool:
    """Whether these lines are an example, or begin something that others may call: not the inside of a program."""
    return form is not Form.CODE or _CALLABLE.match(code) is not None


def block(code: str, finding: Finding) -> str:
    """A fenced block and where it stands."""
    path = PurePath(finding.source.location)
    suffix = path.suffix.lstrip(".")
    language = _LANGUAGES.get(suffix, "" if suffix in _PROSE else suffix)
    place = file_name(finding.source.location)
    return f"```{language}\n{_aligned(code)}\n```\n\nThis stands in `{place}` [{finding.id}]."


def _aligned(code: str) -> str:
    """A passage begins in the middle of its line: the lines after the first are moved to it, or below what it opens."""
    first, _, rest = code.partition("\n")
    moved = textwrap.dedent(rest)
    outermost = _UNINDENTED.search(moved)
    inside = _OPENS.search(first) and outermost and not _BESIDE.match(outermost[0])
    return f"{first}\n{textwrap.indent(moved, INDENT) if inside else moved}" if rest else first
