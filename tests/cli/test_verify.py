"""`research verify`: a finished report is checked again, and whatever was altered is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from deeproot.cli import main

NOTES = "# Orchards\n\nApples ripen in September in the north. Pears ripen in October in the north.\n"


@pytest.fixture
def finished(memory_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A folder with a report the embedded default made of a note."""
    monkeypatch.chdir(memory_path)
    (memory_path / "notes").mkdir()
    (memory_path / "notes" / "orchards.md").write_text(NOTES)
    question = "When do apples ripen in the north?"
    options = ["--files", "notes", "--name", "fruit", "--model", "offline", "--depth", "0", "--quiet"]
    assert main([question, *options]) == 0
    capsys.readouterr()
    return memory_path


@pytest.mark.usefixtures("finished")
def test_a_report_nobody_touched_is_sound(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "fruit", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"]
    assert told["altered"] == []
    assert {row["verdict"] for row in told["citations"]} == {"supported"}
    assert any("Apples ripen" in row["quote"] for row in told["citations"])
    assert told["grade"] == "PASS"
    assert told["quality_score"] == 100


def alter_report(project: Path) -> str:
    path = project / "reports" / "fruit" / "report.md"
    path.write_text(path.read_text().replace("September", "August"))
    return "report.md is not what was written"


def alter_citations(project: Path) -> str:
    path = project / "reports" / "fruit" / "citations.json"
    path.write_text(path.read_text().replace("September", "August"))
    return "citations.json is not what was written"


def alter_line_ends(project: Path) -> str:
    path = project / "reports" / "fruit" / "report.md"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    return "report.md is not what was written, from line 1 on"


def hide_a_character(project: Path) -> str:
    path = project / "reports" / "fruit" / "report.md"
    path.write_text(path.read_text().replace("ripen in", "ripen\u200b in", 1))
    return "report.md is not what was written"


def swap_a_letter_for_its_double(project: Path) -> str:
    path = project / "reports" / "fruit" / "report.md"
    path.write_text(path.read_text().replace("a", "\u0430", 1))
    return "report.md is not what was written"


def better_the_grade(project: Path) -> str:
    path = project / "reports" / "fruit" / "gates.json"
    path.write_text(path.read_text().replace("100", "101"))
    return "gates.json is not what was written"


def make_citations_no_json(project: Path) -> str:
    (project / "reports" / "fruit" / "citations.json").write_text("[" * 100_000 + "NaN")
    return "citations.json is not what was written"


def alter_page(project: Path) -> str:
    path = project / "reports" / "fruit" / "report.html"
    path.write_bytes(path.read_bytes() + b"<!-- \xff -->")
    return "report.html is not what was written"


def put_a_folder_in_its_place(project: Path) -> str:
    path = project / "reports" / "fruit" / "report.md"
    path.unlink()
    path.mkdir()
    return "report.md is gone"


def alter_source(project: Path) -> str:
    (path,) = (project / ".research" / "knowledge" / "sources").iterdir()
    path.write_text(path.read_text().replace("September", "August"))
    return f"ALTERED  {path.relative_to(project)} is not what was read"


def remove_source(project: Path) -> str:
    (path,) = (project / ".research" / "knowledge" / "sources").iterdir()
    path.unlink()
    return f"ALTERED  {path.relative_to(project)} is gone"


@pytest.mark.parametrize(
    "alter",
    [
        alter_report,
        alter_line_ends,
        hide_a_character,
        swap_a_letter_for_its_double,
        alter_citations,
        make_citations_no_json,
        better_the_grade,
        alter_page,
        put_a_folder_in_its_place,
        alter_source,
        remove_source,
    ],
)
def test_what_was_altered_is_named_and_the_exit_code_is_3(
    finished: Path, capsys: pytest.CaptureFixture[str], alter: Callable[[Path], str]
) -> None:
    named = alter(finished)
    assert main(["verify", "fruit"]) == 3
    assert named in capsys.readouterr().out


def test_the_file_itself_may_change_the_stored_source_still_proves_the_quote(finished: Path) -> None:
    (finished / "notes" / "orchards.md").write_text("Nothing is left of it.\n")
    assert main(["verify", "fruit"]) == 0


def test_without_a_report_there_is_nothing_to_verify(
    memory_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(memory_path)
    assert main(["verify", "nobody"]) == 64
    assert "no researcher called 'nobody'" in capsys.readouterr().err
