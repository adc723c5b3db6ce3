"""What a run leaves behind: receipts that add up, and no secret."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from agent_lines import AGENTS, Lines, codex_answer
from fake_agent import FakeAgent
from soak import run

from deeproot.asks import Kind
from deeproot.backends import http
from deeproot.backends.keys import REDACTED
from deeproot.cli import main
from deeproot.errors import BackendError
from deeproot.model import Usage
from deeproot.researcher import Means, Researcher
from deeproot.settings import Settings
from deeproot.testing import FakeClock, HttpError, ModelRequest, ModelServer, Served, oblige

pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence")  # in Google's library, when it is compiled

KEY = "sk-canary-5d41402abc4b"
MakeAgent = Callable[[str], FakeAgent]
SHAPES = ("openai", "anthropic", "google", "openrouter", "ollama")
every_agent = pytest.mark.parametrize("lines", AGENTS, ids=lambda lines: lines.word)


@pytest.fixture(autouse=True)
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in http.PROVIDERS:
        for variable in provider.keys:
            monkeypatch.setenv(variable, KEY)


def left_in(folder: Path) -> list[Path]:
    """The files in which the key can be read."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 5
    return [path for path in files if KEY.encode() in path.read_bytes()]


# Over HTTP


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "ollama"])
def test_a_key_that_a_server_repeats_is_in_no_file_of_a_run(memory_path: Path, shape: str) -> None:
    """In errors that are retried, in answers that are used, in what ends the run."""
    told: list[Served] = [HttpError(500, KEY), f"no JSON but {KEY}", HttpError(400, f"Bearer {KEY}")]

    def script(request: ModelRequest) -> Served:
        if request.kind is Kind.REVIEW:
            return HttpError(401, f"Incorrect key: {KEY}")
        return told.pop() if told and request.kind is Kind.DOCUMENT else oblige(request)

    with ModelServer(script) as server, pytest.raises(BackendError) as lost:
        anyio.run(lambda: run(server, memory_path, shape, breadth=1, depth=0))
    assert not told
    assert any(KEY in value for request in server.requests for value in request.headers.values())
    assert KEY not in str(lost.value)
    assert REDACTED in str(lost.value)
    assert left_in(memory_path) == []


@pytest.mark.parametrize("shape", SHAPES)
def test_the_receipts_of_a_run_over_http_add_up_to_what_the_server_told(
    memory_path: Path, shape: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """X-06."""
    with ModelServer() as server:
        ran = anyio.run(lambda: run(server, memory_path, shape, breadth=2, depth=1))
    rows = receipts("served", memory_path, capsys, monkeypatch)
    assert summed(rows) == ran.state.usage
    assert len([row for row in rows if row["kind"] == "ask"]) == ran.state.calls == len(server.requests)
    assert ran.state.usage.tokens_in == sum(len(request.text) // 4 for request in server.requests)


def receipts(
    name: str, project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> list[dict[str, Any]]:
    monkeypatch.chdir(project)
    capsys.readouterr()
    assert main(["log", name, "--format", "json"]) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return rows


def summed(rows: list[dict[str, Any]]) -> Usage:
    total = Usage()
    for row in rows:
        total += Usage(row["tokens_in"], row["tokens_out"], row["tokens_cached"], row["cost"])
    return total


# Agents

CODE = """
answers = {answers!r}
secret = os.environ["OPENAI_API_KEY"]
with open(calls) as file:
    documents = sum('"findings"' in json.loads(line)[1] or "last answer" in json.loads(line)[1] for line in file)
if '"topics"' in prompt:
    say(*answers["plan"])
elif '"queries"' in prompt:
    say(*answers["queries"])
elif '"notes"' in prompt:
    say(*answers["refused"])
    sys.exit({code})
elif documents < 3:
    say(*answers["document"][documents - 1])
    sys.stderr.write("my key is " + secret)
else:
    sys.stderr.write("it failed with " + secret)
    sys.exit(3)
"""
"""Plans, gives two documents that are none, fails, and is refused when asked why; all the while it shows its key."""


def talkative(agent: FakeAgent, lines: Lines) -> None:
    refused, code = lines.refused(401)
    plan = json.dumps({"topics": [{"title": f"What {KEY} is for"}]})
    documents = [lines.answer(f"no JSON but {KEY}", "s2") for _ in range(2)]
    if lines.word == "codex":  # it counts a session's tokens from its beginning
        documents[1] = codex_answer(f"no JSON but {KEY}", "s2", asks=2)
    answers = {
        "plan": lines.answer(plan, "s1"),
        "queries": lines.answer('{"queries": ["key"]}', "s3"),
        "document": documents,
        "refused": json.loads(json.dumps(refused).replace("no entry", KEY)),
    }
    agent.behave(CODE.format(answers=answers, code=code))


def a_talkative_run(project: Path, lines: Lines) -> str:
    """How it ended."""
    settings = Settings("Why?", "told", 1, 0, model=f"{lines.word}/small", review_model=f"{lines.word}/small")
    means = Means(clock=FakeClock(speed=1000))
    with pytest.raises(BackendError) as lost:
        anyio.run(Researcher(project, "told").start, settings, means)
    return str(lost.value)


@every_agent
def test_a_key_that_an_agent_shows_is_in_no_file_of_a_run(
    memory_path: Path, lines: Lines, fake_agent: MakeAgent
) -> None:
    agent = fake_agent(lines.word)
    talkative(agent, lines)
    ending = a_talkative_run(memory_path, lines)
    assert KEY not in ending
    assert REDACTED in ending
    assert left_in(memory_path) == []
    log = (memory_path / ".research" / "told" / "logs" / "errors.log").read_text(encoding="utf-8")
    assert f"it failed with {REDACTED}" in log


@every_agent
def test_the_receipts_of_an_agents_run_add_up_to_what_it_told(
    memory_path: Path,
    lines: Lines,
    fake_agent: MakeAgent,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """X-06. Every answer told of 1234 tokens read, 1000 of them cached, and 56 written; codex of all in its session."""
    talkative(fake_agent(lines.word), lines)
    a_talkative_run(memory_path, lines)
    rows = receipts("told", memory_path, capsys, monkeypatch)
    state = Researcher(memory_path, "told").past().state
    assert state.calls >= 3
    assert summed(rows) == state.usage
    assert [row["tokens_in"] for row in rows if row["tokens_in"]] == [1234] * state.calls
    told = Usage(1234 * state.calls, 56 * state.calls, 1000 * state.calls)
    assert Usage(state.usage.tokens_in, state.usage.tokens_out, state.usage.tokens_cached) == told


@pytest.mark.parametrize("model", ["offline", "mock", "command:true"])
def test_what_costs_nothing_has_receipts_of_nothing(
    memory_path: Path, model: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(memory_path)
    (memory_path / "notes.md").write_text("The tides are caused by the gravity of the Moon.", encoding="utf-8")
    words = ["What causes the tides?", "--name", "told", "--model", model, "--breadth", "1", "--depth", "0", "--quiet"]
    assert main([*words, "--yes"]) == (1 if model == "command:true" else 0)
    rows = receipts("told", memory_path, capsys, monkeypatch)
    assert rows
    assert summed(rows) == Researcher(memory_path, "told").past().state.usage == Usage()
