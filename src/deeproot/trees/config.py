"""What a tree search is told, and what it tells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..settings import DEFAULT_MODEL, DEFAULT_TIMEOUT


@dataclass(frozen=True, slots=True)
class TreeNode:
    """What a prompt builder is told about a node."""

    id: str
    slug: str
    title: str
    depth: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TreeSearchConfig:
    """Prompt builders say what is wanted; the form of the answer is added to what they return.

    `picker_prompt` is given the outline and the leaves it may choose from. `frontmatter_schema` is a type pydantic can
    check: a dataclass, a model, a TypedDict. `max_depth` counts levels: 1 is the children of the root alone.
    """

    root_dir: Path
    root_prompt: str
    document_prompt: Callable[[TreeNode], str]
    children_prompt: Callable[[TreeNode], str]
    picker_prompt: Callable[[str, Sequence[TreeNode]], str] | None = None
    frontmatter_schema: type[Any] | None = None
    concurrency: int = 4
    max_depth: int = 4
    model: str = DEFAULT_MODEL
    timeout: int = DEFAULT_TIMEOUT

    def __post_init__(self) -> None:
        for name in ("concurrency", "max_depth", "timeout"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}; it must be at least 1.")


@dataclass(frozen=True, slots=True)
class TreeSearchResult:
    """Nodes of the whole tree: with children, without, finished before this call, and given up."""

    expanded: int
    leaves: int
    skipped: int
    failed: int
