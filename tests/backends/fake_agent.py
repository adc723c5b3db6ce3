"""Agent programs for tests: executables that note how they were called and behave as a test says."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PROLOGUE = """\
#!{python} -IS
import json, os, sys, time
prompt = sys.stdin.read()
arguments = sys.argv[1:]
calls = {calls!r}
with open(calls, "a") as file:
    file.write(json.dumps([arguments, prompt, dict(os.environ)]) + "\\n")
def say(*lines):
    for line in lines:
        print(line if isinstance(line, str) else json.dumps(line), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Called:
    arguments: list[str]
    prompt: str
    environment: Mapping[str, str]

    def option(self, name: str) -> str:
        return self.arguments[self.arguments.index(name) + 1]


class FakeAgent:
    """`behave` writes the program; its code may use `say` (text or JSON lines), `arguments` and `prompt`."""

    def __init__(self, folder: Path, word: str) -> None:
        self._program = folder / word
        self._calls = folder / f"{word}.calls"
        self.say()

    def behave(self, code: str) -> None:
        prologue = PROLOGUE.format(python=sys.executable, calls=str(self._calls))
        self._program.write_text(prologue + textwrap.dedent(code))
        self._program.chmod(0o755)

    def say(self, *lines: object, code: int = 0, stderr: str = "") -> None:
        """Print these lines, then end with this exit code."""
        self.behave(f"say(*{list(lines)!r})\nsys.stderr.write({stderr!r})\nsys.exit({code})\n")

    def remove(self) -> None:
        self._program.unlink()

    @property
    def calls(self) -> list[Called]:
        if not self._calls.exists():
            return []
        return [Called(*json.loads(line)) for line in self._calls.read_text().splitlines()]
