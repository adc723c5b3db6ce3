"""What cannot be answered is said in one sentence, before anything is spent, with the exit code that fits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from agent_lines import AGENTS, Lines
from fake_agent import FakeAgent
from soak import model_at

from deeproot.backends import http
from deeproot.cli import main
from deeproot.testing import HttpError, ModelServer

pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence")  # in Google's library, when it is compiled

USAGE, FAILED = 64, 1
NOBODY = "http://127.0.0.1:9"
"""Where no server is: the port is set aside for discarding."""
SHAPES = ("openai", "anthropic", "google", "openrouter", "ollama")
MakeAgent = Callable[[str], FakeAgent]


@pytest.fixture(autouse=True)
def place(memory_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(memory_path)
    for provider in http.PROVIDERS:
        for variable in provider.keys:
            monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("OLLAMA_BASE_URL", f"{NOBODY}/v1")


def said(capsys: pytest.CaptureFixture[str], model: str, code: int, option: str = "--model") -> str:
    """The one line a run with this model ends with, after it has ended with this code."""
    before = ["--model", "mock"] if option != "--model" else []
    words = ["Why?", "--name", "refused", "--breadth", "1", "--depth", "0", "--yes", "--quiet", *before, option, model]
    assert main(words) == code
    printed = capsys.readouterr()
    assert "Traceback" not in printed.out + printed.err
    *_, last = printed.err.strip().splitlines()
    assert last.startswith("research: ")
    return last


CASES = [
    ("", USAGE, "empty"),
    ("nobody", USAGE, "No backend is called 'nobody'"),
    ("nobody/model", USAGE, "Known: "),
    ("openai:", USAGE, "openai:gpt-5-mini"),
    ("openai:m@ftp://host/v1", USAGE, "is not an address"),
    ("openai:m@http://user:word@host/v1", USAGE, "DEEPROOT_API_KEY"),
    ("openai:m", FAILED, "OPENAI_API_KEY"),
    ("anthropic:m", FAILED, "ANTHROPIC_API_KEY"),
    ("google:m", FAILED, "GOOGLE_API_KEY"),
    ("openrouter:a/m", FAILED, "OPENROUTER_API_KEY"),
    ("ollama:m", FAILED, "no server answers"),
    (f"openai:m@{NOBODY}/v1", FAILED, "no server answers"),
    ("opencode/m", FAILED, "`opencode` was not found"),
    ("claude", FAILED, "`claude` was not found"),
    ("codex", FAILED, "`codex` was not found"),
    ("gemini", FAILED, "`gemini` was not found"),
    ("pi", FAILED, "`pi` was not found"),
    ("local:", FAILED, "local:/path/model.gguf"),
    ("local:/nowhere/model.gguf", FAILED, "cannot be read"),
    ("command:", USAGE, "needs a program"),
    ("command:no-such-program", FAILED, "`no-such-program` was not found"),
    ("command:'half", USAGE, "No closing quotation"),
]


@pytest.mark.parametrize(("model", "code", "words"), CASES)
def test_a_model_that_cannot_answer_is_refused_before_anything_is_begun(
    model: str,
    code: int,
    words: str,
    memory_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", str(memory_path))
    assert words in said(capsys, model, code)
    assert not (memory_path / ".research" / "refused").exists()


def test_a_review_model_is_looked_at_as_early(memory_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "'nobody'" in said(capsys, "nobody", USAGE, "--review-model")
    assert not (memory_path / ".research" / "refused").exists()


def test_a_name_openrouter_cannot_have_is_a_usage_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-12345678")
    assert "is not the name of a model" in said(capsys, "openrouter:model", USAGE)


def test_a_model_ollama_does_not_have_is_told_with_those_it_has(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer() as server:
        monkeypatch.setenv("OLLAMA_BASE_URL", server.address)
        assert "It has: scripted." in said(capsys, "ollama:removed", FAILED)
        assert not server.requests


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("status", "words"), [(401, "refused the key"), (404, "no such model")])
def test_a_bad_key_and_a_removed_model_end_a_run_with_the_first_ask(
    shape: str, status: int, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in next(p.keys for p in http.PROVIDERS if p.word == shape):
        monkeypatch.setenv(variable, "sk-12345678")
    with ModelServer(lambda _request: HttpError(status, "no")) as server:
        assert words in said(capsys, f"{shape}:{model_at(server, shape)}", FAILED)
        assert len(server.requests) == 1


@pytest.mark.parametrize("lines", AGENTS, ids=lambda lines: lines.word)
@pytest.mark.parametrize("status", [401, 404])
def test_an_agent_with_a_bad_key_or_a_removed_model_ends_a_run_with_the_first_ask(
    lines: Lines, status: int, fake_agent: MakeAgent, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = fake_agent(lines.word)
    refused, code = lines.refused(status)
    agent.say(*refused, code=code)
    assert "no entry" in said(capsys, f"{lines.word}/small", FAILED)
    assert len(agent.calls) == 1


def test_the_doctor_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    for model, words in (("nobody", "No backend"), ("ollama:m", "no server answers"), ("openai:m", "OPENAI_API_KEY")):
        assert main(["doctor", model]) == FAILED
        (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("FAIL")]
        assert words in line


def test_what_is_listed_as_usable_is_what_can_be_opened(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def usable(word: str) -> bool:
        assert main(["models"]) == 0
        now, _, not_now = capsys.readouterr().out.partition("Not usable:")
        assert (word in now) is not (word in not_now)
        return word in now

    assert not usable("anthropic:MODEL")
    assert not usable("ollama:MODEL")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-12345678")
    assert usable("anthropic:MODEL")
    with ModelServer() as server:
        monkeypatch.setenv("OLLAMA_BASE_URL", server.address)
        assert usable("ollama:MODEL")
