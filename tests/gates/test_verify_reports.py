"""`research verify` on reports with planted errors, on answers, and after somebody edited the journal."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from deeproot.cli import main
from gates.acme import GROWTH, report_on
from laboratory import Lab

NOTES = "# Orchards\n\nApples ripen in September in the north. Pears ripen in October in the north.\n"
WRONG = "Revenue at Acme fell 15 % to 230 million euros in 2024, driven by exports to other countries."


@pytest.fixture
def project(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(lab.project)
    return lab.project


@pytest.mark.usefixtures("project")
def test_a_report_that_failed_fails_again_and_says_why(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    report_on(lab, WRONG)
    assert main(["verify", "lab"]) == 3
    told = capsys.readouterr().out
    assert "[1] unsupported: the source gives the number for the other direction" in told
    assert "https://acme.example/revenue:1-1" in told
    assert "FAIL, quality" in told


@pytest.mark.usefixtures("project")
def test_on_eighty_columns_the_cells_stand_one_below_the_other(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report_on(lab, WRONG)
    monkeypatch.setenv("COLUMNS", "80")
    main(["verify", "lab"])
    lines = capsys.readouterr().out.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("[1] unsupported"))
    entry = lines[start : lines.index("", start)]
    assert all(len(line) <= 80 for line in entry)
    assert " ".join(line.strip() for line in entry).count(WRONG) == 1


@pytest.mark.usefixtures("project")
def test_json_holds_every_citation_with_its_passage(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    report_on(lab, WRONG)
    assert main(["verify", "lab", "--format", "json"]) == 3
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], told["grade"]) == (False, "FAIL")
    row = next(row for row in told["citations"] if row["sentence"] == WRONG)
    assert row["verdict"] == "unsupported"
    assert row["quote"] == GROWTH
    assert GROWTH in row["excerpt"]["passage"]


@pytest.mark.usefixtures("project")
def test_a_models_verdict_on_record_stands_only_where_code_is_in_doubt(
    lab: Lab, capsys: pytest.CaptureFixture[str]
) -> None:
    doubtful = "Exports drove Acme's growth in 2024."

    def verdict() -> tuple[str, str]:
        main(["verify", "lab", "--format", "json"])
        rows = json.loads(capsys.readouterr().out)["citations"]
        return next((row["verdict"], row["by"]) for row in rows if row["sentence"] == doubtful)

    report_on(lab, doubtful)
    assert verdict() == ("partial", "scripted")
    for source in lab.researcher.knowledge.glob("sources/*"):
        source.unlink()
    assert verdict() == ("unverifiable", "code")


def test_a_quote_that_was_altered_in_the_journal_is_found(
    lab: Lab, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report_on(lab, GROWTH)
    journal = project / ".research" / "lab" / "journal.jsonl"
    journal.write_text(journal.read_text().replace("grew 15 %", "grew 25 %"))
    assert main(["verify", "lab"]) == 3
    told = capsys.readouterr().out
    assert "the quote does not stand in the source" in told
    assert "report.md does not say what the journal says" in told


def test_a_report_that_an_older_version_worded_otherwise_is_sound(
    lab: Lab, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was handed over is known by its hash; what code writes around the findings may change."""
    report_on(lab, GROWTH)
    journal, report = project / ".research" / "lab" / "journal.jsonl", project / "reports" / "lab" / "report.md"
    before = report.read_bytes()
    report.write_bytes(before.replace(b"made by code", b"put there by code"))
    written, found = (sha256(text).hexdigest() for text in (before, report.read_bytes()))
    assert written in journal.read_text()
    journal.write_text(journal.read_text().replace(written, found))
    assert main(["verify", "lab"]) == 0
    report.write_bytes(report.read_bytes().replace(b"Begun on", b"Ended on"))
    assert main(["verify", "lab"]) == 3
    assert "report.md is not what was written\n" in capsys.readouterr().out, "from which line on cannot be known"


def test_an_answer_is_verified_like_a_report(
    memory_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(memory_path)
    (memory_path / "notes").mkdir()
    (memory_path / "notes" / "orchards.md").write_text(NOTES)
    question = "When do apples ripen in the north?"
    assert main(["ask", question, "--files", "notes", "--name", "fruit", "--model", "offline", "--quiet"]) == 0
    assert main(["verify", "fruit"]) == 0
    answer = memory_path / "reports" / "fruit" / "answer.md"
    answer.write_text(answer.read_text().replace("September", "August"))
    capsys.readouterr()
    assert main(["verify", "fruit"]) == 3
    assert "answer.md is not what was written" in capsys.readouterr().out
