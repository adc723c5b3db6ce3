"""`.research/project.toml`: what runs in this project start with unless the command line says otherwise.

Two tables: `[run]` has options by their names with underscores, `[models]` a model for single hats.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import UsageError

NAME = "project.toml"


class RunDefaults(BaseModel):
    """The table `[run]`: options by their names, with underscores."""

    model_config = ConfigDict(extra="forbid", strict=True)

    model: str | None = None
    review_model: str | None = None
    breadth: int | None = Field(default=None, ge=1)
    depth: int | None = Field(default=None, ge=0)
    max_iterations: int | None = Field(default=None, ge=1)
    timeout: int | None = Field(default=None, ge=1)
    idle_timeout: int | None = Field(default=None, ge=1)
    concurrency: int | None = Field(default=None, ge=1)
    words: int | None = Field(default=None, ge=1)
    strategy: Literal["breadth", "guided"] | None = None
    files: list[str] | None = None
    time: float | None = Field(default=None, gt=0)
    tokens: int | None = Field(default=None, ge=1)
    cost: float | None = Field(default=None, gt=0)
    calls: int | None = Field(default=None, ge=1)
    web: bool | None = None


class ProjectConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    run: RunDefaults = RunDefaults()
    models: dict[str, str] = {}


def load_config(project_folder: Path) -> ProjectConfig:
    """What the project's file says; nothing when there is none. UsageError names file, line and what to do."""
    path = project_folder / NAME
    if not path.is_file():
        return ProjectConfig()
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        return ProjectConfig.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not TOML: {error}.") from None
    except ValidationError as error:
        first = error.errors()[0]
        keys = [str(key) for key in first["loc"]]
        said = "unknown key" if first["type"] == "extra_forbidden" else first["msg"]
        raise UsageError(f"{path}:{_line(text, keys[-1])}: {'.'.join(keys)}: {said}. See docs/commands.md.") from None


def _line(text: str, key: str) -> int:
    """Where a key stands first; 1 when it cannot be told."""
    found = re.search(rf"^\s*\[?\"?{re.escape(key)}\b", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 + found[0].count("\n") if found else 1
