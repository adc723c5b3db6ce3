"""The passages in a prompt: labelled, as many as a backend can read, and none told twice in one session."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import chain, zip_longest

from ..model import Passage
from ..project.templates import fenced

SHORTEST = 200
"""Characters of a passage below which it is left out rather than cut."""


def best_first(found: Iterable[Sequence[Passage]]) -> tuple[Passage, ...]:
    """What several searches found, each place once: the best of every search, then the second best, …"""
    kept: dict[tuple[str, int, int], Passage] = {}
    for passage in chain.from_iterable(zip_longest(*found)):
        if passage is not None:
            kept.setdefault(_place(passage), passage)
    return tuple(kept.values())


def fitting(passages: Iterable[Passage], characters: int) -> tuple[Passage, ...]:
    """As many of the first passages as this many characters hold; the last of them may be shorter."""
    return tuple(_fitting(passages, characters))


def _fitting(passages: Iterable[Passage], left: int) -> Iterator[Passage]:
    for number, passage in enumerate(passages, 1):
        beside = len(_label(number, passage)) + len("\n\n\n")
        if left - beside < min(len(passage.text), SHORTEST):
            return
        yield _cut(passage, left - beside)
        left -= beside + len(passage.text)


def _cut(passage: Passage, characters: int) -> Passage:
    if len(passage.text) <= characters:
        return passage
    text = passage.text[:characters]
    return replace(passage, text=text, last_line=passage.first_line + text.count("\n"))


def passages_text(passages: Sequence[Passage], told: Collection[str] = ()) -> str:
    """Passages with the labels S1, S2, … by which findings cite them; of those `told` before, only the place."""
    if not passages:
        return "(nothing)"
    blocks = (
        f"{_label(number, passage)} (text given before)"
        if fingerprint(passage) in told
        else f"{_label(number, passage)}\n{passage.text}"
        for number, passage in enumerate(passages, 1)
    )
    return fenced("passages", "\n\n".join(blocks))


def told_text(passages: Sequence[Passage], told: Collection[str]) -> str:
    """The passages whose text was given before, for who does not remember; empty when there are none."""
    blocks = [f"{_heading(passage)}\n{passage.text}" for passage in passages if fingerprint(passage) in told]
    return f"Passages given before:\n{fenced('passages', chr(10).join(blocks))}\n\n" if blocks else ""


def fingerprint(passage: Passage) -> str:
    """The same for the same words at the same place."""
    return blake2b(json.dumps([*_place(passage), passage.text]).encode(), digest_size=6).hexdigest()


def _place(passage: Passage) -> tuple[str, int, int]:
    return passage.source.location, passage.first_line, passage.last_line


def _heading(passage: Passage) -> str:
    section = f" ({passage.section})" if passage.section else ""
    return f"{passage.source.location}:{passage.first_line}-{passage.last_line}{section}"


def _label(number: int, passage: Passage) -> str:
    return f"[S{number}] {_heading(passage)}"
