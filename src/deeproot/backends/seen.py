"""What the tools of an agent gave it to read, told from its events: pages with their texts, files by their names.

Only what a page itself says is taken. Of a tool that has a model sum the page up, only the address counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from ..asks import Seen

MOST = 200
LONGEST = 2_000_000
"""Characters of one text."""
CUT = f"\n\n[cut after {LONGEST:,} characters]"


_TARGET = r"\((?:[^()\s\\]|\\.|\([^()\s]*\))*(?:\s+\"(?:[^\"\\]|\\.)*\")?\)"
_IMAGE = re.compile(r"!\[(?:[^\[\]\\]|\\.)*\]" + _TARGET)
_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]" + _TARGET)
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!<>~|])")


class Sights:
    """Gathers what was seen for one reply: nothing twice, and no more than a bound."""

    def __init__(self) -> None:
        self._seen: dict[Seen, None] = {}

    def add(self, seen: Seen) -> None:
        if len(self._seen) < MOST:
            text = seen.text if len(seen.text) <= LONGEST else seen.text[:LONGEST] + CUT
            self._seen[replace(seen, text=text)] = None

    def all(self) -> tuple[Seen, ...]:
        return tuple(self._seen)


def page(address: str, text: str, title: str = "") -> Iterator[Seen]:
    """A page as it was given to the agent; nothing without an address and a text."""
    if address.startswith(("http://", "https://")) and text.strip():
        yield Seen(address, text, title)


def web_page(address: str, markdown: str) -> Iterator[Seen]:
    """A page that a tool turned into Markdown: as it was given, and as it reads. An agent may quote either."""
    yield from page(address, markdown)
    plain = _ESCAPED.sub(r"\1", _LINK.sub(r"\1", _IMAGE.sub("", markdown)))
    if plain != markdown:
        yield from page(address, plain)


def opened(address: str) -> Iterator[Seen]:
    """A page of which the agent's tool tells only that it was opened. What it says is for us to read."""
    if address.startswith(("http://", "https://")):
        yield Seen(address)


def file(path: str) -> Iterator[Seen]:
    """A file the agent read. What it says is for us to read again."""
    if path:
        yield Seen(path)


def search_results(output: str) -> Iterator[Seen]:
    """The pages a search tool quotes, where it tells them as JSON with `results`.

    Results that are told as one running text are no evidence: the words of one page could pass for another page.
    """
    try:
        told = json.loads(output)
    except (ValueError, RecursionError):
        return
    results = told.get("results") if isinstance(told, dict) else None
    for result in results if isinstance(results, list) else ():
        match result:
            case {"url": str(address), "excerpts": list(excerpts)}:
                title = result.get("title")
                text = "\n\n".join(excerpt for excerpt in excerpts if isinstance(excerpt, str))
                yield from page(address, text, title if isinstance(title, str) else "")
