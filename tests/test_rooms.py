"""The import graph: no cycles, and imports point down. Imports in functions or for types alone are left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import deeproot

ROOT = Path(deeproot.__file__).parent
NOUNS = ("model", "checks", "settings", "asks", "events", "errors", "state", "answers", "clock", "outline")
ORDER = (
    NOUNS,
    ("evidence",),
    ("report",),
    ("gates",),
    ("project",),
    ("knowledge",),
    ("backends", "search"),
    ("hats",),
    ("engine",),
    ("researcher",),
    ("trees", "ask"),
    ("cli",),
)
LEVEL = {room: level for level, rooms in enumerate(ORDER) for room in rooms}
# Doors for others: they may use every room, and no room may use them.
DOORS = {"__init__", "__main__", "testing"}


def modules() -> dict[str, Path]:
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)] = path
    return found


def imports(name: str, path: Path) -> Iterator[str]:
    """The modules of ours that `name` imports when it is imported, as names without the package."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    known = modules()
    for node in _at_import(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (
                alias.name.removeprefix("deeproot.") for alias in node.names if alias.name.startswith("deeproot.")
            )
        elif node.level or (node.module or "").split(".")[0] == "deeproot":
            if node.level:
                base = package[: len(package) - node.level + 1] + (node.module or "").split(".")
            else:
                base = (node.module or "").split(".")[1:]
            base = [part for part in base if part]
            for alias in node.names:
                whole = ".".join([*base, alias.name])
                yield whole if whole in known else ".".join(base) or "__init__"


def _at_import(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and not _for_types(node):
            yield from _at_import(node)


def _for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


GRAPH = {name: {target for target in imports(name, path) if target != name} for name, path in modules().items()}


def room(name: str) -> str:
    return name.split(".")[0]


def test_the_graph_is_not_empty() -> None:
    assert len(GRAPH) > 30
    assert "engine.turns" in GRAPH["engine.engine"]
    assert "errors" in GRAPH["project.disk"]


def test_every_room_has_its_place_in_the_order() -> None:
    unknown = {room(name) for name in GRAPH} - LEVEL.keys() - DOORS
    assert not unknown, f"say in ORDER where {unknown} stands"


@pytest.mark.parametrize("name", sorted(GRAPH))
def test_imports_point_down(name: str) -> None:
    if room(name) in DOORS:
        return
    here = LEVEL[room(name)]
    upward = [
        target
        for target in GRAPH[name]
        if room(target) in DOORS - {"__init__"} or (room(target) in LEVEL and LEVEL[room(target)] > here)
    ]
    assert not upward, f"{name} imports upwards: {upward}"


def cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """A way from a node back to itself, or nothing."""
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        for target in sorted(graph.get(name, set()) - done):
            if found := visit(target, [*path, name]):
                return found
        done.add(name)
        return []

    return next((found for name in sorted(graph) if (found := visit(name, []))), [])


def test_a_cycle_would_be_found() -> None:
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


def test_there_is_no_cycle_between_modules() -> None:
    assert not cycle(GRAPH)


def test_there_is_no_cycle_between_rooms() -> None:
    rooms: dict[str, set[str]] = {}
    for name, targets in GRAPH.items():
        rooms.setdefault(room(name), set()).update(room(target) for target in targets if room(target) != room(name))
    assert not cycle(rooms)
