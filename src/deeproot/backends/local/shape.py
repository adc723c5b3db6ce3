"""The JSON schema of an answer, narrowed to what can be meant by this ask.

A choice from a list cannot name what is not there, and an answer with bounds comes to an end: both matter most to
the smallest models.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from typing import Any

from ... import asks as a
from ...answers import schema
from ...model import Document, Topic, Verdict

LONGEST_TEXT = 400
LONGEST_PROSE = 4000
LONGEST_WORD = 8
MOST_ITEMS = 5
PLAIN = r"[^\[\]\x00-\x09\x0B-\x1F]"
"""A character of prose, line feeds included. Brackets are for citations."""

Schema = dict[str, Any]


def _verdict(ok: bool, least: int, most: int) -> Schema:
    issues = {
        "type": "array",
        "items": {"type": "string", "maxLength": LONGEST_TEXT},
        "minItems": least,
        "maxItems": most,
    }
    parts = {"ok": {"const": ok}, "issues": issues}
    return {"type": "object", "properties": parts, "required": list(parts), "additionalProperties": False}


VERDICT: Schema = {"anyOf": [_verdict(True, 0, 0), _verdict(False, 1, MOST_ITEMS)]}
"""What is not in order needs an issue that says so, and the other way round."""


def answer_shape(ask: a.Ask) -> Schema:
    shape = deepcopy(schema(a.ANSWERS[ask.kind]))
    for part in _parts(shape):
        if part.get("type") == "string":
            part["maxLength"] = LONGEST_TEXT
        if part.get("type") == "array":
            part["maxItems"] = MOST_ITEMS
        if part.get("type") == "object":
            part["additionalProperties"] = False
    _narrow(shape, ask.inputs)
    return shape


def _parts(shape: object) -> Iterator[Schema]:
    if isinstance(shape, dict):
        yield shape
        for part in shape.values():
            yield from _parts(part)
    if isinstance(shape, list):
        for part in shape:
            yield from _parts(part)


def _narrow(shape: Schema, inputs: a.Inputs) -> None:
    match inputs:
        case a.PlanInputs(breadth=breadth):
            _length(shape, "topics", 1, breadth)
        case a.QueriesInputs(breadth=breadth):
            _length(shape, "queries", 1, breadth)
        case a.ChildrenInputs(breadth=breadth):
            _length(shape, "children", 0, breadth)
        case a.DocumentInputs(passages=passages) if passages:
            _choice(shape["$defs"]["ProposedFinding"], "source", [f"S{n}" for n in range(1, len(passages) + 1)])
            del shape["properties"]["sources"]
        case a.ReviewInputs(topic=topic) if topic.criteria:
            _length(shape, "criteria", len(topic.criteria), len(topic.criteria))
            _choice(shape["$defs"]["CriterionVerdict"], "criterion", list(topic.criteria))
        case a.SectionInputs(topics=topics, words=words):
            _length(shape, "sections", len(topics), len(topics))
            _section(shape, [topic.id for topic, _ in topics], _prose(words // max(1, len(topics)), _ids(topics)))
        case a.SynthesizeInputs(topics=topics, words=words):
            shape["properties"]["summary"] = _prose(words, _ids(topics))
        case a.ReviseInputs(summary=summary, sections=sections):
            texts = [summary, *(section.text for section in sections)]
            prose = _prose(max(map(len, texts)) // LONGEST_WORD, re.findall(r"\[(F[\d.]+-\d+)\]", " ".join(texts)))
            _length(shape, "sections", 0, len(sections))
            _section(shape, [section.topic for section in sections], prose)
            shape["properties"]["summary"] = prose
            shape["required"] = ["summary"]
        case a.PickInputs(leaves=leaves, count=count):
            _length(shape, "paths", 1, count)
            shape["properties"]["paths"]["items"] = {"enum": list(leaves)}
        case a.FinalReviewInputs():
            shape["$defs"]["Opinion"] = VERDICT
        case a.JudgeInputs(claims=claims):
            _length(shape, "verdicts", len(claims), len(claims))
            shape["$defs"]["Judged"]["properties"]["n"] = {"enum": list(range(1, len(claims) + 1))}
            _choice(shape["$defs"]["Judged"], "verdict", [v for v in Verdict if v is not Verdict.UNVERIFIABLE])
        case a.ScopeInputs(most=most):
            _length(shape, "subquestions", 1, most)
        case a.AnswerInputs():
            _narrow_answer(shape, inputs)
        case _:
            pass


def _narrow_answer(shape: Schema, inputs: a.AnswerInputs) -> None:
    """From passages it makes findings of its own, which it cites by their number; otherwise it cites those given."""
    parts = shape["properties"]
    del parts["sources"]
    if inputs.passages:
        _choice(shape["$defs"]["ProposedFinding"], "source", [f"S{n}" for n in range(1, len(inputs.passages) + 1)])
        ids = [f"F1-{n}" for n in range(1, MOST_ITEMS + 1)]
    else:
        del parts["findings"]
        ids = _ids(inputs.topics)
    parts["text"] = shape["$defs"]["AnswerPart"]["properties"]["text"] = _prose(inputs.words, ids)


def _length(shape: Schema, name: str, least: int, most: int) -> None:
    shape["properties"][name] |= {"minItems": least, "maxItems": most}


def _choice(shape: Schema, name: str, options: list[str]) -> None:
    shape["properties"][name] = {"enum": options}


def _section(shape: Schema, topics: list[str], prose: Schema) -> None:
    shape["$defs"]["Section"]["properties"] |= {"topic": {"enum": topics}, "text": prose}


def _ids(topics: Sequence[tuple[Topic, Document]]) -> list[str]:
    return [finding.id for _, document in topics for finding in document.findings]


def _prose(words: int, ids: Iterable[str]) -> Schema:
    """Text of a length that was asked for, which cites nothing but these findings."""
    longest = min(LONGEST_PROSE, max(LONGEST_TEXT, LONGEST_WORD * words))
    citations = "".join(r"|\[" + id.replace(".", r"\.") + r"\]" for id in dict.fromkeys(ids))
    return {"type": "string", "pattern": f"^({PLAIN}{citations}){{1,{longest}}}$"}
