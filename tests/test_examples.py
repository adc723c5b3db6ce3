"""The sessions shown in the documents are typed here, line by line, and print what stands there (`…` is anything)."""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from glob import glob
from pathlib import Path
from typing import NamedTuple

import pytest

from commandline import exit_code

DOCS = Path(__file__).parents[1] / "docs"
SESSION = re.compile(r"^```\n(\$ .*?)^```$", re.MULTILINE | re.DOTALL)


class Line(NamedTuple):
    """What is typed, and what is printed after it."""

    typed: str
    printed: str


def lines_of(document: str) -> Iterator[Line]:
    for session in SESSION.findall((DOCS / document).read_text(encoding="utf-8")):
        for typed, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", session, re.MULTILINE):
            yield Line(typed, printed)


class Shell:
    """As much of a shell as the documents need."""

    def __init__(self) -> None:
        self.code = 0

    def type(self, typed: str) -> str:
        command, _, last = typed.partition(" | tail -")
        match shlex.split(command):
            case ["echo", "$?"]:
                return f"{self.code}\n"
            case ["rm", *patterns]:
                for path in (path for pattern in patterns for path in glob(pattern)):  # noqa: PTH207 - as a shell does
                    Path(path).unlink()
                return ""
            case ["research", *words]:
                printed = self.research([word for word in words if word not in ("<", "/dev/null", "2>/dev/null")])
                out = printed[0] if "2>/dev/null" in words else printed[1]
                return "".join(out.splitlines(keepends=True)[-int(last) :]) if last else out
            case _:
                raise AssertionError(f"nobody knows how to type this: {typed}")

    def research(self, words: list[str]) -> tuple[str, str]:
        """What was printed on stdout, and on both."""
        out, both = io.StringIO(), io.StringIO()
        with redirect_stdout(Tee(out, both)), redirect_stderr(both):
            self.code = exit_code(tuple(words))
        return out.getvalue(), both.getvalue()


class Tee(io.StringIO):
    def __init__(self, *streams: io.StringIO) -> None:
        super().__init__()
        self._streams = streams

    def write(self, text: str) -> int:
        return max(stream.write(text) for stream in self._streams)


def pattern(printed: str) -> str:
    """`…` is anything, alone on a line any number of lines; how long something took is nobody's business."""
    lines = (
        re.escape(line).replace("…", ".*").replace(r"0\.00s", r"\d\.\d\ds") + "\n" for line in printed.splitlines()
    )
    return "".join("(?:.*\n)*?" if line == ".*\n" else line for line in lines)


@pytest.mark.parametrize("document", ["commands.md", "budgets.md", "tree-search.md"])
def test_what_is_typed_in_a_document_prints_what_stands_there(
    document: str, memory_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(memory_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    shell = Shell()
    lines = list(lines_of(document))
    assert lines
    for line in lines:
        printed = shell.type(line.typed)
        assert re.fullmatch(pattern(line.printed), printed), f"$ {line.typed}\n{printed}"
