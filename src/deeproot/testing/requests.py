"""What a model server is sent, and what it can be told to answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any

from ..answers import schema
from ..asks import ANSWERS, Answer, Kind


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What a model server was sent."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def messages(self) -> tuple[tuple[str, str], ...]:
        """Role and text of each, the system's first."""
        system = self.body.get("system") or self.body.get("systemInstruction", {}).get("parts")
        before = [{"role": "system", "content": system}] if system else []
        said = [*before, *self.body.get("messages", []), *self.body.get("contents", [])]
        return tuple((each["role"], _plain(each.get("content") or each.get("parts"))) for each in said)

    @property
    def text(self) -> str:
        """All that was said, in order: what a provider's cache compares."""
        return "\n".join(f"{role}: {text}" for role, text in self.messages)

    @property
    def prompt(self) -> str:
        """What was said last."""
        return self.messages[-1][1]

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The form the answer is held to."""
        openai = self.body.get("response_format", {}).get("json_schema", {}).get("schema")
        anthropic = self.body.get("output_config", {}).get("format", {}).get("schema")
        google = self.body.get("generationConfig", {}).get("responseJsonSchema")
        found: Mapping[str, Any] | None = openai or anthropic or google
        return found

    @property
    def model(self) -> str:
        return str(self.body.get("model") or self.path.rpartition("/")[2].partition(":")[0])

    @property
    def kind(self) -> Kind | None:
        """What is asked, told from the form of the answer; None when it has none."""
        wanted = frozenset((self.schema or {}).get("properties", {}))
        return next((kind for kind in Kind if _fields(kind) == wanted), None)


@cache
def _fields(kind: Kind) -> frozenset[str]:
    """What an answer of this kind has."""
    return frozenset(schema(ANSWERS[kind])["properties"])


def _plain(content: object) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in _dicts(content))


def _dicts(content: object) -> list[dict[str, str]]:
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


@dataclass(frozen=True, slots=True)
class HttpError:
    """An error status instead of an answer, in the shape of the provider. `kind` is its machine-readable word.

    `details` are more of what Google says about it.
    """

    status: int
    message: str = "a scripted error"
    kind: str = "scripted_error"
    headers: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, str] = field(default_factory=dict)


class Mishap(StrEnum):
    """What can befall an answer on its way."""

    SILENT = "nothing is sent"
    STALLED = "half of it is sent, and the connection stays open"
    CUT = "half of it is sent, and the connection breaks"
    GARBLED = "what is sent is no JSON"


Served = str | Answer | HttpError | Mishap
ROUTED_COST = 0.0001
"""What OpenRouter charges for an answer, in dollars."""
