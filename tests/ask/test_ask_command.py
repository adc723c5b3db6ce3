"""`research ask` as it is typed: the answer on stdout, progress on stderr, files, exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commandline import Command

MOCK = ("--mock-mode", "--name", "q")


def test_the_answer_is_on_stdout_and_the_progress_on_stderr(research: Command, project: Path) -> None:
    """001-01."""
    code, out, err = research("ask", "Who wrote it?", *MOCK)
    assert code == 0
    assert out == (project / "reports" / "q" / "answer.md").read_text(encoding="utf-8")
    assert out.startswith("Mock mode")
    assert "A simple people question" not in out.split("## ")[0]
    assert "RESEARCH Who wrote it?" in err
    assert "COMPLETE: 1 call. reports/q/answer.md" in err
    assert (project / "reports" / "q" / "citations.json").exists()


def test_quiet_prints_the_answer_alone(research: Command) -> None:
    code, out, err = research("ask", "Who wrote it?", *MOCK, "-q")
    assert (code, err) == (0, "")
    assert out.startswith("Mock mode")


def test_json_is_one_object_about_everything(research: Command) -> None:
    code, out, _ = research("ask", "How does it work?", *MOCK, "--json", "--type", "news")
    told = json.loads(out)
    assert code == 0
    assert told["query_type"] == "news"
    assert told["tier"] == "medium"
    assert [each["id"] for each in told["subquestions"]] == ["1", "2", "3", "4"]
    assert told["decisions"][0]["decision"] == {
        "summary": "Mock mode found what it invented.",
        "gaps": [],
        "shouldContinue": False,
        "nextSearchTopic": "",
        "urlToSearch": "",
    }
    assert told["citations"][0]["finding"] == "F1-1"
    assert told["style"] == ["line 1, column 1: no list: news are given as a list, one item each"]
    assert told["ending"] == "complete"
    assert told["path"] == "reports/q/answer.md"


def test_deep_writes_report_md(research: Command, project: Path) -> None:
    code, out, _ = research("ask", "How does it work?", *MOCK, "--deep")
    assert code == 0
    assert out.startswith("# ")
    assert (project / "reports" / "q" / "report.md").exists()
    assert not (project / "reports" / "q" / "answer.md").exists()


def test_status_show_log_and_tree_know_a_question(research: Command) -> None:
    research("ask", "How does it work?", *MOCK)
    assert "q: complete" in research("status", "q")[1]
    assert "reports/q/answer.md" in research("status")[1]
    assert "Mock subquestion 2" in research("show", "q", "2")[1]
    log = research("log", "q")[1]
    assert "answerer::1" in log
    assert "7 answered calls" in log
    assert "Mock subquestion 1" in research("tree", "q")[1]


def test_the_name_of_a_question_is_taken_only_once(research: Command) -> None:
    research("ask", "How does it work?", *MOCK)
    code, _, err = research("ask", "How does it fail?", *MOCK)
    assert code == 64
    assert "already" in err


def test_a_finished_question_is_shown_again_by_a_resume(research: Command) -> None:
    _, first, _ = research("ask", "How does it work?", *MOCK)
    code, again, _ = research("ask", "--resume", "--name", "q", "-q")
    assert (code, again) == (0, first)


@pytest.mark.parametrize(
    ("argv", "error"),
    [
        (("ask", "--resume"), "--resume needs --name"),
        (("ask", "--resume", "--name", "none"), "There is no question called 'none' here to resume."),
        (("ask", "Why?", "--tier", "huge"), "invalid choice: 'huge'"),
        (("ask", "Why?", "--max-loops", "0"), "not a whole number from 1"),
        (("ask", "Why?", "--mock-mode", "--phase-config", "none.yaml"), "--phase-config none.yaml: cannot be read"),
        (("ask",), "Ask something"),
        (("ask", "Why?", "--mock-mode", "--files", "a,b"), "there is no file or folder a,b"),
        (("Why?", "--mock-mode", "--files", "nowhere"), "--files: there is no file or folder nowhere"),
        (("ask", "Why?", "--mock-mode", "--site", "file:///etc/passwd"), "only http and https are read"),
        (("ask", "Why?", "--mock-mode", "--site", "nonsense"), "--site 'nonsense' is not an address to read"),
        (("ask", "Why?", "--mock-mode", "--allow", "127.0.0.1:abc"), "--allow '127.0.0.1:abc' is not a host"),
        (("ask", "Why?", "--time", "-1"), "'-1' is neither minutes"),
    ],
)
def test_bad_input_gets_one_clear_line(research: Command, project: Path, argv: tuple[str, ...], error: str) -> None:
    code, out, err = research(*argv)
    assert code == 64
    assert out == ""
    assert error in err
    assert not (project / ".research").exists()


def test_questions_and_research_are_not_mixed_up(research: Command) -> None:
    research("ask", "How does it work?", *MOCK)
    code, _, err = research("--resume", "--name", "q")
    assert code == 64
    assert "'q' was started by `research ask`. Go on with it: research ask --name q --resume" in err
    code, _, err = research("ask", "How does it work?", *MOCK)
    assert code == 64
    assert "Go on with it: research ask --name q --resume." in err
    research("Some research", "--name", "r", "--mock-mode", "--breadth", "1", "--depth", "0", "--yes", "-q")
    code, _, err = research("ask", "--resume", "--name", "r")
    assert code == 64
    assert "Go on with it: research --name r --resume." in err


def test_a_resume_may_choose_another_reviewer(research: Command, project: Path) -> None:
    research("ask", "How does it work?", *MOCK, "--calls", "2")
    research("ask", "--resume", "--name", "q", "--review-model", "offline", "--calls", "unlimited")
    state = json.loads((project / ".research" / "q" / "state.json").read_text(encoding="utf-8"))
    assert (state["model"], state["review_model"]) == ("mock", "offline")


def test_a_phase_config_drives_the_run(research: Command, project: Path) -> None:
    """001-41, 001-42."""
    (project / "p.yaml").write_text("max_iterations: 3\nretry_limit: 2\ngates: []\ntime_budget: 9\n", encoding="utf-8")
    research("ask", "How does it work?", *MOCK, "--phase-config", "p.yaml")
    state = json.loads((project / ".research" / "q" / "state.json").read_text(encoding="utf-8"))
    assert state["phase_history"][-1] == "DRAFT"
    settings = _settings(project)
    assert settings["asking"] == {"deep": False, "max_loops": 3, "gates": []}
    assert (settings["retries"], settings["time"]) == (1, 9.0)


def test_what_is_typed_goes_before_the_phase_config(research: Command, project: Path) -> None:
    (project / "p.yaml").write_text("max_iterations: 3\ntime_budget: 9\n", encoding="utf-8")
    research("ask", "How does it work?", *MOCK, "--phase-config", "p.yaml", "--max-loops", "5", "--time", "4")
    assert _settings(project)["asking"]["max_loops"] == 5
    assert _settings(project)["time"] == 4.0


def _settings(project: Path) -> dict[str, Any]:
    lines = (project / ".research" / "q" / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    settings: dict[str, Any] = json.loads(lines[1])["batch"]["events"][0]["settings"]
    return settings


def test_a_dry_run_writes_nothing(research: Command, project: Path) -> None:
    code, out, _ = research("ask", "How does it work?", *MOCK, "--dry-run", "--time", "5", "--max-loops", "3")
    assert code == 0
    assert "Question     4 subquestions at first, 6 at most\n" in out
    assert "Calls        7 typically, 24 at most" in out
    assert "Limits       3 rounds, 5 minutes (3.5 research, 1.5 writing)" in out
    assert "2 retries a turn" in out
    assert not (project / ".research").exists()


def test_a_dry_run_tells_a_question_that_takes_one_call(research: Command) -> None:
    _, out, _ = research("ask", "Who wrote it?", *MOCK, "--dry-run")
    assert "Question     simple" in out
    assert "Calls        1 (" in out


@pytest.mark.parametrize("options", [(), ("--deep",), ("--breadth", "2"), ("--tier", "simple")])
def test_the_estimate_of_calls_is_what_a_question_without_trouble_takes(
    research: Command, options: tuple[str, ...]
) -> None:
    said = research("ask", "How does it work?", *MOCK, *options, "--dry-run")[1]
    expected = said.split("Calls")[1].split()[0]
    assert f"{expected} call" in research("ask", "How does it work?", *MOCK, *options)[2]


def test_a_question_starts_with_the_defaults_of_the_project(research: Command, project: Path) -> None:
    """001-16. What shapes a tree or a report is for research alone, and so are its hats."""
    (project / ".research").mkdir()
    (project / "notes").mkdir()
    (project / ".research" / "project.toml").write_text(
        '[run]\nmodel = "mock"\nbreadth = 9\nwords = 9999\ntime = 7\ncalls = 50\nfiles = ["notes"]\n'
        '[models]\nplanner = "offline"\nanswerer = "mock/writer"\n',
        encoding="utf-8",
    )
    assert research("ask", "How does it work?", "--name", "q", "--calls", "60")[0] == 0
    held = _settings(project)
    assert (held["model"], held["time"], held["calls"], held["files"]) == ("mock", 7.0, 60, ["notes"])
    assert (held["breadth"], held["words"], held["models"]) == (4, 300, [["answerer", "mock/writer"]])


def test_the_phase_config_goes_before_the_defaults_of_the_project(research: Command, project: Path) -> None:
    (project / ".research").mkdir()
    (project / ".research" / "project.toml").write_text("[run]\ntime = 7\n", encoding="utf-8")
    (project / "p.yaml").write_text("time_budget: 9\n", encoding="utf-8")
    research("ask", "How does it work?", *MOCK, "--phase-config", "p.yaml")
    assert _settings(project)["time"] == 9.0


SERVER = """# The server

The server listens on port 8000 by default. Another port is given as the first argument.

## Shutting down

The server stops when it is interrupted. Open connections are closed after five seconds.
"""


def test_the_offline_backend_answers_in_quotes_and_obeys_the_style(research: Command, project: Path) -> None:
    (project / "server.md").write_text(SERVER, encoding="utf-8")
    code, out, _ = research("ask", "What is the default port of the server?", "--model", "offline", "--name", "q")
    assert code == 0
    assert out.startswith("According to *The server*: “The server listens on port 8000 by default.” [1]")
    assert "Style rules still broken" not in out
    assert "1 call to offline" in out


@pytest.mark.parametrize("kind", ["academic", "news", "people", "comparison", "factual"])
@pytest.mark.parametrize("tier", ["simple", "medium"])
def test_offline_answers_of_every_kind_pass_the_lint(research: Command, project: Path, kind: str, tier: str) -> None:
    (project / "server.md").write_text(SERVER, encoding="utf-8")
    question = "When does the server stop, and on which port does it listen?"
    code, out, _ = research(
        "ask", question, "--model", "offline", "--json", "--name", "q", "--type", kind, "--tier", tier
    )
    told = json.loads(out)
    assert code == 0
    assert told["citations"]
    assert told["style"] == []


def test_what_the_files_do_not_say_is_said(research: Command, project: Path) -> None:
    (project / "server.md").write_text(SERVER, encoding="utf-8")
    code, out, _ = research("ask", "Who is Ada Lovelace?", "--model", "offline", "--name", "q")
    assert code == 2
    assert out.startswith("Insufficient evidence: nothing that was searched answers “Who is Ada Lovelace?”.")
    assert "#RETRY_EXHAUSTED" in out
