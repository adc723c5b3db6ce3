"""The brief: what the writer of an answer is told beside the evidence. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from ...asks import Brief, TagNote
from ...backends.offline import scoper
from ...report.style import CONSTRAINTS
from ...state import State

AUDIENCE = "Someone who asked and will act on the answer; knows the field's words, not this matter."
TONE = "Plain, direct, exact. States what the evidence says; does not hedge and does not address the reader."


def brief_for(state: State, issues: Sequence[str] = ()) -> Brief:
    """The order for an answer; `issues` are what a gate held against the last draft."""
    kind = state.scope.query_type if state.scope else scoper.query_type(state.settings.question)
    constraints = (CONSTRAINTS[kind], *(f"Mend this: {issue}" for issue in issues))
    return Brief(kind, AUDIENCE, TONE, constraints, _tags(state))


def _tags(state: State) -> tuple[TagNote, ...]:
    """Every tag of the run, with the subquestions it was raised on."""
    titles: dict[str, dict[str, None]] = {}
    for growth in state.walk():
        for tag in growth.topic.tags:
            titles.setdefault(tag, {})[growth.topic.title] = None
    for raised in state.raised:
        known = titles.setdefault(raised.tag, {})
        if raised.topic in state.growths:
            known[state.topic(raised.topic).title] = None
    return tuple(TagNote(tag, tuple(known)) for tag, known in titles.items())


def brief_json(brief: Brief) -> str:
    return json.dumps(asdict(brief), indent=1, ensure_ascii=False)
