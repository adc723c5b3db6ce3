"""Conversations, kept in files so that a resumed run can go on with them.

A session is its messages, in a file named by their hash. Nothing ever changes one: an answer makes a new session, so
a fork leaves its parent as it was, and a step that is asked again after a crash finds what it found before.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Message(NamedTuple):
    """As chat templates know it: `role` is user or assistant."""

    role: str
    content: str


class Sessions:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, messages: Sequence[Message]) -> str:
        """The id of the session with these messages, which is on record from now on."""
        data = json.dumps(messages).encode()
        session = hashlib.sha256(data).hexdigest()[:32]
        path = self._folder / f"{session}.json"
        self._folder.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        temporary.write_bytes(data)
        temporary.replace(path)
        return session

    def read(self, session: str | None) -> list[Message]:
        """Its messages; none when it is not on record any more."""
        if not session or not re.fullmatch(r"[0-9a-f]{32}", session):
            return []
        try:
            data = (self._folder / f"{session}.json").read_bytes()
            return [Message(*message) for message in json.loads(data)]
        except (OSError, ValueError, TypeError):
            return []
