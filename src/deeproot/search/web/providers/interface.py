"""Asking a programming interface on the web and checking the shape of what it says."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from ....asks import Failure, Reason
from ....model import one_line
from ..fetch import Fetcher
from ..wire import Call

T = TypeVar("T")

_TAG = re.compile(r"<[^>]{0,200}>")
SNIPPET = 500


async def ask(
    fetcher: Fetcher, name: str, url: str, shape: TypeAdapter[T], call: Call | None = None, trusted: str = ""
) -> T | Failure:
    """What the interface at this address says, in its declared shape. Failures name the provider, never the address."""
    response = await fetcher.call(url, call, trusted)
    if isinstance(response, Failure):
        return replace(response, message=f"{name}: {_MEANING.get(response.reason, 'gave no answer')}")
    try:
        return shape.validate_json(response.body)
    except ValidationError:
        return Failure(Reason.FAILED, f"{name}: gave an answer of another shape than agreed")


_MEANING = {
    Reason.REFUSED: "refused (check its key or its address)",
    Reason.RATE_LIMITED: "asks to slow down",
    Reason.TIMED_OUT: "did not answer in time",
    Reason.UNAVAILABLE: "cannot be reached or is in trouble",
}


def plain(text: str) -> str:
    """A title or snippet without markup, on one line."""
    return one_line(html.unescape(_TAG.sub("", text)), SNIPPET)
