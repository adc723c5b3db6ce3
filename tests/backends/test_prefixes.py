"""Prompts begin alike, so that a provider's cache can serve most of what is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import anyio
import pytest
from soak import Ran, run

from deeproot.asks import Kind, QueriesAnswer
from deeproot.cli import main
from deeproot.model import Passage, Source
from deeproot.testing import ModelRequest, ModelServer, Served, oblige

WORDS = ("Aspect", "Tide", "Moon")
"""Each is searched for by a query of its own."""
OWN = 8
"""Passages each topic has under each word. A search finds as many again nearby, so that half of what a child finds was
given to its parent already: as much as in a run over the sources of a library."""


def curious(request: ModelRequest) -> Served:
    """Three queries for a topic; the picker takes what is near the question first."""
    if request.kind is None:
        paths = re.findall(r"\[unexpanded\] \((.+)\)$", request.prompt, re.MULTILINE)
        return "<output>" + "\n".join(sorted(paths, key=lambda path: path.count("/"))) + "</output>"
    if request.kind is not Kind.QUERIES:
        return oblige(request)
    (number,) = re.findall(r"^The topic: Aspect (\S+)$", request.prompt, re.MULTILINE)
    return QueriesAnswer(tuple(f"{word} {' '.join(line(number))}" for word in WORDS))


def line(number: str) -> list[str]:
    """`1.2` → `1`, `1.2`: a topic and what it grew from."""
    return [*filter(None, [number.rpartition(".")[0]]), number]


def library(breadth: int, levels: int) -> Iterator[Passage]:
    """Passages about every topic of a full tree, which also speak of the one above it."""
    for level in range(1, levels + 1):
        for path in product(range(1, breadth + 1), repeat=level):
            number = ".".join(map(str, path))
            for word, copy in product(WORDS, range(OWN)):
                said = f"{word} {' '.join(line(number))} : for the {copy}. time a boat tore at its chain and was held. "
                yield Passage(Source(f"notes/{number}/{word}.md"), said * 5, copy + 1, copy + 1)


def served(project: Path, breadth: int, depth: int) -> tuple[Ran, ModelServer]:
    with ModelServer(curious) as server:
        limits: dict[str, Any] = {"breadth": breadth, "depth": depth, "max_iterations": 40, "strategy": "guided"}
        ran = anyio.run(lambda: run(server, project, passages=list(library(breadth, depth + 1)), **limits))
    assert sum(growth.document is not None for growth in ran.state.walk()) == 40
    return ran, server


@pytest.mark.parametrize(("breadth", "depth"), [(2, 5), (3, 3)])
def test_four_fifths_of_what_a_guided_run_sends_was_sent_before(
    memory_path: Path,
    breadth: int,
    depth: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By the server's own record, and `research log` says the same."""
    _ran, server = served(memory_path, breadth, depth)
    share = server.repeated / server.characters
    assert share >= 0.8
    monkeypatch.chdir(memory_path)
    assert main(["log", "served"]) == 0
    (told,) = re.findall(r", (\d+) % of the prompts cacheable$", capsys.readouterr().out, re.MULTILINE)
    assert abs(int(told) - 100 * share) <= 2
