"""The JSON schema of an answer, narrowed to what can be meant by this ask.

A choice from a list cannot name what is not there, and an answer with bounds comes to an end: both matter most to
the smallest models.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from ... import asks as a
from ...answers import schema

LONGEST_TEXT = 400
LONGEST_PROSE = 2000
"""Characters of a report's text. llama.cpp takes no bound above this."""
LONGEST_WORD = 8
MOST_ITEMS = 5

Schema = dict[str, Any]


def _verdict(ok: bool, least: int, most: int) -> Schema:
    issues = {
        "type": "array",
        "items": {"type": "string", "maxLength": LONGEST_TEXT},
        "minItems": least,
        "maxItems": most,
    }
    return {"type": "object", "properties": {"ok": {"const": ok}, "issues": issues}, "required": ["ok", "issues"]}


VERDICT: Schema = {"anyOf": [_verdict(True, 0, 0), _verdict(False, 1, MOST_ITEMS)]}
"""What is not in order needs an issue that says so, and the other way round."""


def answer_shape(ask: a.Ask) -> Schema:
    shape = deepcopy(schema(a.ANSWERS[ask.kind]))
    for part in _parts(shape):
        if part.get("type") == "string":
            part["maxLength"] = LONGEST_TEXT
        if part.get("type") == "array":
            part["maxItems"] = MOST_ITEMS
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
            _choice(shape["$defs"]["Section"], "topic", [topic.id for topic, _ in topics])
            _prose(shape["$defs"]["Section"], "text", words // max(1, len(topics)))
        case a.SynthesizeInputs(words=words):
            _prose(shape, "summary", words)
        case a.PickInputs(leaves=leaves, count=count):
            _length(shape, "paths", 1, count)
            shape["properties"]["paths"]["items"] = {"enum": list(leaves)}
        case a.FinalReviewInputs():
            shape["$defs"]["Verdict"] = VERDICT
        case _:
            pass


def _length(shape: Schema, name: str, least: int, most: int) -> None:
    shape["properties"][name] |= {"minItems": least, "maxItems": most}


def _choice(shape: Schema, name: str, options: list[str]) -> None:
    shape["properties"][name] = {"enum": options}


def _prose(shape: Schema, name: str, words: int) -> None:
    """Text of a length that was asked for."""
    shape["properties"][name]["maxLength"] = min(LONGEST_PROSE, max(LONGEST_TEXT, LONGEST_WORD * words))
