"""From what a model said to a document or to children, and from a document to its file. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from ..answers import Invalid, parse_answer
from ..asks import DocumentAnswer, ProposedTopic
from ..model import Document, Topic
from ..project.treefiles import front_matter

_OUTPUT = re.compile(r"<output>(.*?)</output>", re.DOTALL | re.IGNORECASE)
_FRONT_MATTER = re.compile(r"---\s*\n(.*?)\n---\s*(?:\n|$)", re.DOTALL)
_WRAPPED = re.compile(
    r"<output>(?P<tagged>.*)</output>|```(?:markdown|md)\n(?P<fenced>.*)\n```", re.DOTALL | re.IGNORECASE
)


# Documents


def parse_document(text: str) -> Document | Invalid:
    """The Markdown as it is, out of its wrapping; an answer that is the researcher's JSON form is taken too."""
    text = text.strip()
    if text.startswith("{") and isinstance(answer := parse_answer(DocumentAnswer, text), DocumentAnswer):
        return Document(answer.summary, gaps=answer.gaps)
    wrapped = _WRAPPED.fullmatch(text)
    body = (wrapped["tagged"] or wrapped["fenced"]).strip() if wrapped else text
    return Document(body + "\n") if body else Invalid(("the document is empty",))


def front_matter_problems(document: Document, schema: type[Any] | None) -> Sequence[str]:
    """Front matter is free without a schema, but where there is some it must be readable."""
    found = _FRONT_MATTER.match(document.summary)
    if not found:
        missing = "the document does not begin with front matter between two lines of three hyphens"
        return [missing] if schema else []
    form: Any = schema or dict[Any, Any]
    try:
        _checker(form).validate_python(yaml.safe_load(found[1]))
    except ValidationError as error:
        return [f"front matter {'.'.join(map(str, d['loc']))}: {d['msg']}" for d in error.errors()]
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return [f"the front matter is not YAML: {error}"]
    return []


@cache
def _checker(schema: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(schema)


def document_file(topic: Topic, document: Document, _children: tuple[Topic, ...]) -> str:
    """What the author wrote; front matter is added where there is none."""
    if _FRONT_MATTER.match(document.summary):
        return document.summary
    return front_matter({"title": topic.title}) + document.summary


# Children


def parse_children(text: str) -> tuple[ProposedTopic, ...] | Invalid:
    """A JSON array of {title, slug} in <output> tags or bare; slugs are made from titles, so none can harm."""
    output = _OUTPUT.search(text)
    arrays = sorted(_arrays(output[1] if output else text), key=lambda array: not array)
    if not arrays:
        return Invalid(("the answer holds no JSON array of children inside <output> tags",))
    clean = json.dumps(arrays[0], ensure_ascii=False).encode("utf-8", "replace")
    try:
        return _children_codec().validate_json(clean)
    except ValidationError as error:
        return Invalid(tuple(f"children.{'.'.join(map(str, d['loc']))}: {d['msg']}" for d in error.errors()[:5]))


@cache
def _children_codec() -> TypeAdapter[tuple[ProposedTopic, ...]]:
    return TypeAdapter(tuple[ProposedTopic, ...])


def _arrays(text: str) -> Iterator[list[Any]]:
    """The JSON arrays of objects in a text, and empty ones; prose and other brackets are passed over."""
    decoder = json.JSONDecoder(strict=False)
    start = text.find("[")
    while start >= 0:
        try:
            found, end = decoder.raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError):
            found, end = None, start + 1
        if isinstance(found, list) and all(isinstance(item, dict) for item in found):
            yield found
        start = text.find("[", end)


def root_problems(topics: tuple[ProposedTopic, ...]) -> Sequence[str]:
    return [] if any(topic.title.strip() for topic in topics) else ["the root needs at least one child"]
