"""Files that are only read when somebody names them: for agents that search by themselves and cite what they saw."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from ..asks import Failure, Reason
from . import Found, Limits
from .readers import Reading, formats, read

_LINES = re.compile(r"(?:#L?|:)\d+(?:[-–:]L?\d+)?$")


def without_lines(location: str) -> str:
    """A file's name without what agents put around it: a scheme, the lines they mean."""
    return _LINES.sub("", location.removeprefix("file://"))


class NamedFiles:
    """A searcher that finds nothing by itself and holds the text of the files under some paths."""

    def __init__(self, roots: Sequence[Path], limits: Limits = Limits()) -> None:  # noqa: B008 - frozen
        self._roots = [root.resolve() for root in roots]
        self._limits = limits

    async def search(self, query: str, limit: int) -> Found:  # noqa: ARG002
        return Found()

    async def read(self, location: str, query: str, limit: int) -> Failure:  # noqa: ARG002
        return Failure(Reason.REFUSED, f"{location}: the agent reads by itself")

    def source_text(self, location: str) -> str | None:
        """The text of a file under the paths, named as the agent named it; None for anything that cannot be read."""
        try:
            return self._text(location)
        except OSError:
            return None

    def _text(self, location: str) -> str | None:
        path = self._path(without_lines(location))
        found = formats().get(path.suffix.lower()) if path else None
        if path is None or found is None or path.stat().st_size > self._limits.file_bytes:
            return None
        reading = read(found, path.read_bytes(), self._limits)
        return reading.text if isinstance(reading, Reading) else None

    def _path(self, name: str) -> Path | None:
        """The file of that name, if it lies under one of the paths, links followed."""
        if not name or "\0" in name or "://" in name:
            return None
        for root in self._roots:
            # As a string: this stands on the way of every citation, and most name something that is not there.
            there = os.path.isfile(os.path.join(root, name))  # noqa: PTH113, PTH118
            if there and (path := (root / name).resolve()).is_relative_to(root):
                return path
        return None
