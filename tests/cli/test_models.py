"""`research models` and `research doctor`: what is there, what is missing, and whether it works."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from deeproot.backends import Backend, BackendSettings, command, http
from deeproot.cli import main
from deeproot.cli.models import Check, available, examine
from deeproot.errors import BackendError
from deeproot.testing import HttpError, Mishap, ModelRequest, ModelServer, Served, oblige

KEY = "sk-canary-0cc175b9c0f1"
Options = dict[str, tuple[bool, str]]


@pytest.fixture(autouse=True)
def bare(memory_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with no agent, no key and no server; returns the folder on its PATH."""
    programs = memory_path / "bin"
    programs.mkdir()
    project = memory_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.setenv("PATH", str(programs))
    for provider in http.PROVIDERS:
        for variable in provider.keys:
            monkeypatch.delenv(variable, raising=False)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("OLLAMA_BASE_URL", f"http://127.0.0.1:{unused.getsockname()[1]}/v1")
    return programs


def options() -> Options:
    return {option.model.split("/")[0].split(":")[0]: (option.usable, option.why) for option in available()}


def install(programs: Path, word: str) -> None:
    program = programs / word
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)


# models


def test_on_a_bare_machine_the_rest_says_what_it_needs() -> None:
    seen = options()
    assert {name for name, (usable, _why) in seen.items() if usable} >= {"offline", "mock", "command"}
    assert seen["claude"] == (False, "no `claude` on PATH")
    assert seen["openai"] == (False, "needs a key: set OPENAI_API_KEY in the environment.")
    assert seen["ollama"][0] is False
    assert "no server answers at http://127.0.0.1" in seen["ollama"][1]


def test_a_program_on_the_path_makes_its_agent_usable(bare: Path) -> None:
    install(bare, "codex")
    assert options()["codex"] == (True, f"found at {bare / 'codex'}")


def test_a_key_makes_its_provider_usable_and_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    assert options()["anthropic"] == (True, "a key is set")
    for format in ("text", "json"):
        assert main(["models", "--format", format]) == 0
    assert KEY not in capsys.readouterr().out


KEYRING = """
from . import errors
def get_password(service, name):
    if name == "GEMINI_API_KEY":
        raise errors.KeyringError("locked")
    return {("deeproot", "OPENAI_API_KEY"): "%s"}.get((service, name))
"""


def test_a_key_in_the_keyring_is_found(memory_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = memory_path / "packages" / "keyring"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(KEYRING % KEY, encoding="utf-8")
    (package / "errors.py").write_text("class KeyringError(Exception): pass\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(package.parent))
    for module in ("keyring", "keyring.errors"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    seen = options()
    assert http.locate(http.OPENAI, "m").key == KEY
    assert seen["openai"] == (True, "a key is set")
    assert seen["google"][0] is False, "a locked keyring is as good as none"


def test_a_server_on_this_machine_is_asked_what_it_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer() as server:
        monkeypatch.setenv("OLLAMA_BASE_URL", server.address)
        assert options()["ollama"] == (True, "serves scripted")


def test_nobody_but_this_machine_is_asked_what_it_serves() -> None:
    assert http.served_models("http://192.0.2.1/v1", 60) is None


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    assert options()["openai"] == (False, "needs the extra `models`: pip install 'deeproot[models]'.")
    with pytest.raises(BackendError, match=r"pip install 'deeproot\[models\]'"):
        http.open_openai(BackendSettings("some-model"))


def test_the_list_says_who_answers_when_nobody_was_chosen(bare: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models"]) == 0
    assert "Without --model, offline answers." in capsys.readouterr().out
    install(bare, "opencode")
    assert main(["models"]) == 0
    assert "Without --model, opencode/" in capsys.readouterr().out


def test_the_list_as_json_has_a_row_per_backend(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {"model", "usable", "why", "names"} == set(rows[0])
    assert {row["model"] for row in rows} >= {"offline", "claude/MODEL", "openai:MODEL", "ollama:MODEL"}


# doctor


def doctor(*arguments: str) -> int:
    return main(["doctor", *arguments])


def served(server: ModelServer, idle: float) -> Callable[[str, BackendSettings], Backend]:
    return lambda _name, settings: http.open_openai(
        replace(settings, model=f"scripted@{server.address}", idle_timeout=idle)
    )


def checks(script: Callable[[ModelRequest], Served] = oblige, idle: float = 20) -> dict[str, Check]:
    with ModelServer(script) as server:
        return {check.what.split()[0]: check for check in examine("openai:scripted", Path(), served(server, idle))}


def test_a_healthy_model_and_folder_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor("mock") == 0
    assert doctor() == 0
    printed = capsys.readouterr().out
    assert "FAIL" not in printed
    assert "model offline: answered in" in printed
    assert list(Path().iterdir()) == [], "a doctor leaves nothing behind"


def test_a_model_over_http_is_asked_one_real_question() -> None:
    seen = checks()["model"]
    assert seen.ok
    assert "tokens: Aspect 1, Aspect 2." in seen.seen


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (HttpError(401, f"bad key {KEY}"), "refused the key"),
        (HttpError(404), "no such model"),
        (HttpError(500, "on fire"), "on fire"),
        (Mishap.SILENT, "did not begin to answer"),
        ("", "without an answer"),
        ("Sorry, I cannot.", "not in the form asked for"),
    ],
)
def test_a_model_that_does_not_work_is_told_why(said: Served, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    seen = checks(lambda _request: said, idle=0.5 if said is Mishap.SILENT else 20)["model"]
    assert not seen.ok
    assert words in seen.seen
    assert KEY not in seen.seen


def test_a_backend_that_cannot_be_opened_fails_the_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor("claude/some-model") == 1
    assert doctor("nobody:model") == 1
    printed = capsys.readouterr().out
    assert "`claude`" in printed
    assert "'nobody'" in printed


def test_a_program_is_examined_like_any_other_model() -> None:
    opened = command.open_backend(BackendSettings(f"{sys.executable} -c 'print(1)'", 20, 20))
    *_, seen = examine("command:it", Path(), lambda _name, _settings: opened)
    assert not seen.ok
    assert "no JSON object" in seen.seen


def test_a_damaged_template_is_named_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(".research/templates")
    folder.mkdir(parents=True)
    (folder / "review.md").write_text("Fine.\n$nonsense\n", encoding="utf-8")
    assert doctor("mock") == 1
    assert "review.md:2: unknown variable $nonsense" in capsys.readouterr().out
    (folder / "review.md").write_text("Judge $document.\n", encoding="utf-8")
    assert doctor("mock") == 0
    assert "1 of them changed by hand" in capsys.readouterr().out


def test_an_unreadable_template_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(".research/templates")
    folder.mkdir(parents=True)
    (folder / "review.md").write_bytes(b"\xff\xfe")
    assert doctor("mock") == 1
    assert "review.md cannot be read" in capsys.readouterr().out


def test_locks_are_told_apart_by_whether_their_owner_lives(capsys: pytest.CaptureFixture[str]) -> None:
    for name, pid in (("living", os.getpid()), ("dead", 2**22 + 1)):
        folder = Path(".research") / name
        folder.mkdir(parents=True)
        notice = {"lock_token": "0" * 32, "pid": pid, "host": socket.gethostname(), "created": 1.0, "heartbeat": 1.0}
        (folder / "research.lock.json").write_text(json.dumps(notice), encoding="utf-8")
    assert doctor("mock") == 0
    printed = capsys.readouterr().out
    assert f"held by living (pid {os.getpid()}" in printed
    assert "taken over by the next run: dead (pid 4194305" in printed


def test_a_folder_that_cannot_be_written_is_named() -> None:
    """A missing one stands for all: a superuser may write into every other."""
    seen = next(examine("mock", Path("nowhere")))
    assert not seen.ok
    assert "nowhere cannot be written" in seen.seen


def test_the_findings_come_as_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor("mock", "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["what"] for row in rows] == ["folder", "templates", "locks", "model mock"]
    assert all(row["ok"] for row in rows)
