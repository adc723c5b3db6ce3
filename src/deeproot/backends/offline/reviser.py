"""The reviser's answer: what can be mended by rule."""

from __future__ import annotations

import re

from ...asks import ReviseAnswer, ReviseInputs
from ...model import Section

_MARKER = re.compile(r"\s*\[F\d[\d.]*-\d+\]")
_ID = re.compile(r"\[(F\d[\d.]*-\d+)\]")


def revise(inputs: ReviseInputs) -> ReviseAnswer:
    """Citations of nothing are taken out with their sentence, empty topics get a line."""
    unknown = {id for issue in inputs.issues if "cites no finding" in issue for id in _ID.findall(issue)}
    silent = {section.topic for section in inputs.sections if not section.text.strip()}
    changed = [Section(s.topic, _without(s.text, unknown)) for s in inputs.sections if s.topic not in silent]
    filled = [Section(topic, "Nothing was found on this.") for topic in sorted(silent)]
    known = {section.topic: section.text for section in inputs.sections}
    sections = tuple(section for section in (*changed, *filled) if section.text != known[section.topic])
    summary = _without(inputs.summary, unknown)
    # A revision that changes nothing is no answer; the summary as it stands says that there is nothing to mend.
    return ReviseAnswer(summary if summary != inputs.summary or not sections else None, sections)


def _without(text: str, unknown: set[str]) -> str:
    """The text without the lines whose only citations are unknown, and without unknown markers elsewhere."""
    lines = []
    for line in text.split("\n"):
        cited = set(_ID.findall(line))
        if cited and cited <= unknown:
            continue
        lines.append(_MARKER.sub(lambda match: "" if match[0].strip()[1:-1] in unknown else match[0], line))
    return "\n".join(lines)
