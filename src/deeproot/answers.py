"""From what a backend said to a typed answer: tolerant about the wrapping, strict about the content."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

A = TypeVar("A")

_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
_MOST_ERRORS = 5
_MOST_CANDIDATES = 1000


@dataclass(frozen=True, slots=True)
class Invalid:
    """Why a text is not the answer, in words that can be sent back to its author."""

    errors: tuple[str, ...]


_adapters: dict[type[Any], TypeAdapter[Any]] = {}


def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    """Made once per type: building one costs more than using it."""
    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]


def schema(kind: type[Any]) -> dict[str, Any]:
    """The JSON schema of an answer type, for backends that can be held to one."""
    return _adapter(kind).json_schema()


def parse_answer(kind: type[A], text: str) -> A | Invalid:
    """The first JSON object in `text` that is a `kind`; otherwise what is wrong with the nearest one."""
    if not text.strip():
        return Invalid(("the answer is empty",))
    problem: Invalid | None = None
    for candidate in _objects(_THOUGHTS.sub("", text)):
        try:
            answer: A = _adapter(kind).validate_python(candidate)
        except ValidationError as error:
            problem = problem or Invalid(tuple(_sentences(error)))
        else:
            return answer
    return problem or Invalid(("the answer holds no JSON object",))


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every outermost JSON object in the text, in order; prose and fences around them are passed over."""
    decoder = json.JSONDecoder(strict=False)
    clean = _clean if _SURROGATE.search(text) else lambda value: value
    start = text.find("{")
    for _ in range(_MOST_CANDIDATES):
        if start < 0:
            return
        try:
            found, end = decoder.raw_decode(text, start)
            found = clean(found)
        except (json.JSONDecodeError, RecursionError):
            end = start + 1
        else:
            yield found
        start = text.find("{", end)


def _clean(value: Any) -> Any:
    """The same value without half surrogate pairs, which no file can hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return value


def _sentences(error: ValidationError) -> Iterator[str]:
    for detail in error.errors(include_url=False, include_input=False)[:_MOST_ERRORS]:
        place = ".".join(str(part) for part in detail["loc"]) or "the object"
        yield f"{place}: {detail['msg']}"
