"""The phase config: a YAML file that drives `research ask`. What is wrong in it is told with file and line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ..errors import UsageError
from ..settings import GATES

UNLIMITED = "unlimited"


@dataclass(frozen=True, slots=True)
class PhaseConfig:
    """What the file says; None where it says nothing. `unlimited` is a time budget without an end."""

    time_budget: float | None = None
    unlimited: bool = False
    max_iterations: int | None = None
    retry_limit: int | None = None
    gates: tuple[str, ...] | None = None


def load_phase_config(path: Path) -> PhaseConfig:
    """Read and check a phase config. UsageError names the file, the line and what to write instead."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--phase-config {path}: cannot be read ({_cause(error)}).") from error
    return parse_phase_config(text, str(path))


def _cause(error: OSError | UnicodeDecodeError) -> str:
    return error.strerror or "no such file" if isinstance(error, OSError) else "it is not UTF-8 text"


def parse_phase_config(text: str, where: str = "phase-config") -> PhaseConfig:
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        values = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise UsageError(f"{where}{line}: this is not YAML: {getattr(error, 'problem', None) or error}.") from None
    if root is None:
        return PhaseConfig()
    if not isinstance(root, yaml.MappingNode):
        raise UsageError(f"{where}:1: expected keys and values, such as max_iterations: 7.")
    read: dict[str, Any] = {}
    for key, _ in root.value:
        place = f"{where}:{key.start_mark.line + 1}"
        if key.value not in _READERS:
            raise UsageError(f"{place}: unknown key {key.value!r}. Known: {', '.join(_READERS)}.")
        if key.value in read:
            raise UsageError(f"{place}: {key.value} stands here a second time.")
        read[key.value] = _READERS[key.value](values[key.value], f"{place}: {key.value}")
    return _made(read)


def _made(read: dict[str, Any]) -> PhaseConfig:
    endless = read.get("time_budget") == UNLIMITED
    return PhaseConfig(**{**read, "time_budget": None if endless else read.get("time_budget")}, unlimited=endless)


def _minutes(value: object, place: str) -> float | str:
    if value == UNLIMITED:
        return UNLIMITED
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise UsageError(f"{place} is {value!r}; write minutes above 0, such as 5 or 2.5, or unlimited.")
    return float(value)


def _count(value: object, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 1000:
        raise UsageError(f"{place} is {value!r}; write a whole number from 1 to 1000.")
    return value


def _gates(value: object, place: str) -> tuple[str, ...]:
    names = [] if value is None else value
    if not isinstance(names, list) or any(name not in GATES for name in names):
        raise UsageError(f"{place} is {value!r}; write a list of these, or an empty one: {', '.join(GATES)}.")
    return tuple(dict.fromkeys(names))


_READERS: dict[str, Callable[[object, str], Any]] = {
    "time_budget": _minutes,
    "max_iterations": _count,
    "retry_limit": _count,
    "gates": _gates,
}
