"""The agent command lines: first what all of them must do, then what is peculiar to each."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from agent_lines import (
    AGENTS,
    Lines,
    claude_init,
    claude_result,
    codex_answer,
    gemini_init,
    gemini_result,
    pi_answer,
    pi_turn,
)
from fake_agent import Called, FakeAgent

from deeproot.asks import Ask, Failure, Kind, PlanInputs, Reason, Reply
from deeproot.backends import Backend, BackendSettings
from deeproot.errors import BackendError
from deeproot.model import Usage

pytestmark = pytest.mark.anyio

MakeAgent = Callable[[str], FakeAgent]

every_agent = pytest.mark.parametrize("lines", AGENTS, ids=lambda lines: lines.word)


def backend(word: str, model: str = "small") -> Backend:
    module = import_module(f"deeproot.backends.{word}")
    opened: Backend = module.open_backend(BackendSettings(model, timeout=60, idle_timeout=60))
    return opened


def ask(prompt: str = "Plan this.", kind: Kind = Kind.PLAN, **more: Any) -> Ask:
    return Ask(kind, prompt, PlanInputs("Why?", 3), **more)


async def reply(chosen: Backend, asked: Ask | None = None) -> Reply:
    got = await chosen.answer(asked or ask())
    assert isinstance(got, Reply), got
    return got


async def failure(chosen: Backend) -> Failure:
    got = await chosen.answer(ask())
    assert isinstance(got, Failure), got
    return got


# All of them


@every_agent
async def test_an_answer_has_text_session_and_usage(fake_agent: MakeAgent, lines: Lines) -> None:
    fake_agent(lines.word).say(*lines.answer("Roots grow 🌱\ndown.", "s1"))
    got = await reply(backend(lines.word))
    assert (got.text, got.session, got.fork) == ("Roots grow 🌱\ndown.", "s1", "")
    told = got.usage
    assert (told.tokens_in, told.tokens_out, told.tokens_cached) == (1234, 56, 1000)
    assert told.cost in (0.25, None)


@every_agent
async def test_the_context_and_the_prompt_come_on_standard_input_alone(fake_agent: MakeAgent, lines: Lines) -> None:
    program = fake_agent(lines.word)
    program.say(*lines.answer("ok", "s1"))
    await reply(backend(lines.word), ask("--help; what now?", context="Known.\n"))
    [call] = program.calls
    assert call.prompt == "Known.\n--help; what now?"
    assert not any("what now" in word for word in call.arguments)


@every_agent
async def test_the_model_is_named_only_when_one_is_chosen(fake_agent: MakeAgent, lines: Lines) -> None:
    program = fake_agent(lines.word)
    program.say(*lines.answer("ok", "s1"))
    await reply(backend(lines.word, "maker/small"))
    await reply(backend(lines.word, ""))
    chosen, unchosen = program.calls
    assert "maker/small" in chosen.arguments
    assert not {"-m", "--model"} & set(unchosen.arguments)


@every_agent
async def test_a_session_is_continued_with_the_prompt_alone(fake_agent: MakeAgent, lines: Lines) -> None:
    program = fake_agent(lines.word)
    program.say(*lines.answer("ok", "s1"))
    got = await reply(backend(lines.word), ask("Next.", context="Known.", session="s1"))
    [call] = program.calls
    assert (call.prompt, got.fork) == ("Next.", "")
    assert tuple(call.arguments[-len(lines.resume) :]) == lines.resume


@every_agent
async def test_a_fork_leaves_the_parent_alone_and_has_a_session_of_its_own(fake_agent: MakeAgent, lines: Lines) -> None:
    program = fake_agent(lines.word)
    program.say(*lines.answer("ok", "s2"))
    got = await reply(backend(lines.word), ask("Next.", context="Known.", session="s1", fork=True))
    [call] = program.calls
    assert (call.prompt, got.session, got.fork) == ("Next.", "s2", "native")
    assert tuple(call.arguments[-len(lines.fork) :]) == lines.fork


@every_agent
async def test_a_lost_session_is_replaced_by_a_new_one_with_the_context(fake_agent: MakeAgent, lines: Lines) -> None:
    program = fake_agent(lines.word)
    program.behave(f"""
        if "s1" in arguments:
            sys.exit("No session found matching 's1'")
        say(*{lines.answer("fresh", "s2")!r})
    """)
    got = await reply(backend(lines.word), ask("Next.", context="Known. ", session="s1"))
    assert [call.prompt for call in program.calls] == ["Next.", "Known. Next."]
    assert (got.text, got.session, got.fork) == ("fresh", "s2", "")


@every_agent
@pytest.mark.parametrize(
    ("status", "reason"),
    [(401, Reason.REFUSED), (429, Reason.RATE_LIMITED), (503, Reason.UNAVAILABLE), (400, Reason.FAILED)],
)
async def test_a_failure_is_judged_by_its_status_whatever_the_exit_code(
    fake_agent: MakeAgent, lines: Lines, status: int, reason: Reason
) -> None:
    printed, code = lines.refused(status)
    fake_agent(lines.word).say(*printed, code=code)
    got = await failure(backend(lines.word))
    assert got.reason == reason
    assert "no entry" in got.message


@every_agent
async def test_exit_0_without_text_is_no_answer(fake_agent: MakeAgent, lines: Lines) -> None:
    fake_agent(lines.word).say(*lines.answer("", "s1"))
    assert (await failure(backend(lines.word))).reason == Reason.EMPTY


@every_agent
async def test_an_answer_that_breaks_off_is_no_answer(fake_agent: MakeAgent, lines: Lines) -> None:
    fake_agent(lines.word).behave(f"say(*{lines.answer('half', 's1')!r}); os.kill(os.getpid(), 9)")
    assert (await failure(backend(lines.word))).reason == Reason.FAILED


@every_agent
async def test_unknown_and_broken_lines_are_passed_over(fake_agent: MakeAgent, lines: Lines) -> None:
    noise = ["warming up", "{", "[]", "{}", '{"type": 7}', '{"type": "news", "message": null}', "nul\0"]
    fake_agent(lines.word).say(*noise, *lines.answer("ok", "s1"), *noise, stderr="warning\n" * 1000)
    assert (await reply(backend(lines.word))).text == "ok"


@every_agent
def test_a_missing_program_says_which_and_what_else_to_choose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: Lines
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackendError, match=rf"`{lines.word}` was not found.*--model offline"):
        backend(lines.word)


async def test_a_program_that_is_removed_while_we_run_is_unavailable(fake_agent: MakeAgent) -> None:
    program, chosen = fake_agent("codex"), backend("codex")
    program.remove()
    assert (await failure(chosen)).reason == Reason.UNAVAILABLE


# claude


@pytest.mark.parametrize(("kind", "tools"), [(Kind.DOCUMENT, True), (Kind.QUERIES, True), (Kind.REVIEW, False)])
async def test_claude_gets_reading_tools_only_for_asks_that_search(
    fake_agent: MakeAgent, kind: Kind, tools: bool
) -> None:
    program = fake_agent("claude")
    program.say(claude_init("s1"), claude_result(result="ok"))
    await reply(backend("claude"), ask(kind=kind))
    [call] = program.calls
    assert call.option("--tools") == ("WebSearch,WebFetch,Read,Grep,Glob" if tools else "")
    assert ("--allowedTools" in call.arguments) == tools
    assert call.environment["CLAUDE_CODE_MAX_RETRIES"] == "0"


async def test_an_error_of_claude_itself_is_told_in_its_words(fake_agent: MakeAgent) -> None:
    error = claude_result(subtype="error_max_turns", is_error=True, errors=["Reached 1 turn", "Stopped"])
    fake_agent("claude").say(claude_init("s1"), error)
    got = await failure(backend("claude"))
    assert got == Failure(Reason.FAILED, "claude: Reached 1 turn; Stopped")


async def test_claude_ending_with_an_error_before_a_session_opens_counts_as_lost(
    fake_agent: MakeAgent,
) -> None:
    lost = claude_result(subtype="error_during_execution", is_error=True, session_id="s1", errors=["Not found"])
    program = fake_agent("claude")
    program.behave(f"""
        if "--resume" in arguments:
            say({lost!r})
            sys.exit(1)
        say(*{[claude_init("s2"), claude_result(result="fresh")]!r})
    """)
    got = await reply(backend("claude"), ask(session="s1"))
    assert (got.text, got.session) == ("fresh", "s2")


# codex


@pytest.mark.parametrize(("kind", "search"), [(Kind.DOCUMENT, "live"), (Kind.PLAN, "disabled")])
async def test_codex_may_search_the_web_but_never_has_a_shell(fake_agent: MakeAgent, kind: Kind, search: str) -> None:
    program = fake_agent("codex")
    program.say(*codex_answer("ok", "s1"))
    await reply(backend("codex"), ask(kind=kind))
    words = program.calls[0].arguments
    settings = {words[at + 1] for at, word in enumerate(words) if word == "-c"}
    switched_off = {"shell_tool", "unified_exec", "multi_agent", "goals", "view_image"}
    assert settings == {f"features.{feature}=false" for feature in switched_off} | {f"web_search={search}"}
    assert program.calls[0].option("--sandbox") == "read-only"


async def test_codex_counts_a_whole_session_and_we_count_each_ask(fake_agent: MakeAgent) -> None:
    program, chosen = fake_agent("codex"), backend("codex")
    one = Usage(1234, 56, 1000)
    program.say(*codex_answer("first", "parent"))
    assert (await reply(chosen)).usage == one
    program.say(*codex_answer("second", "parent", asks=2))
    assert (await reply(chosen, ask(session="parent"))).usage == one
    program.say(*codex_answer("third", "child", asks=3))
    assert (await reply(chosen, ask(session="parent", fork=True))).usage == one
    program.say(*codex_answer("fourth", "child", asks=4))
    assert (await reply(chosen, ask(session="child"))).usage == one


async def test_codex_usage_is_unknown_when_the_session_began_in_another_run(fake_agent: MakeAgent) -> None:
    program, chosen = fake_agent("codex"), backend("codex")
    program.say(*codex_answer("fifth", "old", asks=5))
    assert (await reply(chosen, ask(session="old"))).usage == Usage()
    program.say(*codex_answer("sixth", "old", asks=6))
    assert (await reply(chosen, ask(session="old"))).usage == Usage(1234, 56, 1000)


# gemini


def policy(call: Called) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = tomllib.loads(Path(call.option("--policy")).read_text())["rule"]
    return rules


@pytest.mark.parametrize("kind", [Kind.DOCUMENT, Kind.PLAN])
async def test_gemini_is_denied_every_tool_but_those_that_search_and_read(fake_agent: MakeAgent, kind: Kind) -> None:
    program = fake_agent("gemini")
    program.say(gemini_init("s1"), {"type": "message", "role": "assistant", "content": "ok"})
    await reply(backend("gemini"), ask(kind=kind))
    rules = policy(program.calls[0])
    denied = next(rule for rule in rules if rule["toolName"] == "*")
    assert denied["decision"] == "deny"
    allowed = {name for rule in rules if rule["decision"] == "allow" for name in rule["toolName"]}
    reading = {"google_web_search", "web_fetch", "read_file", "list_directory", "grep_search", "glob"}
    assert allowed == (reading if kind == Kind.DOCUMENT else set())
    assert all(rule["priority"] > denied["priority"] for rule in rules if rule["decision"] == "allow")


async def test_gemini_pieces_join_and_tool_calls_part_them(fake_agent: MakeAgent) -> None:
    pieces = ["I will ", "look.", None, '{"topics"', ": []}"]
    events = [
        {"type": "message", "role": "assistant", "content": piece, "delta": True} if piece else {"type": "tool_use"}
        for piece in pieces
    ]
    fake_agent("gemini").say(gemini_init("s1"), *events, gemini_result())
    assert (await reply(backend("gemini"))).text == 'I will look.\n{"topics": []}'


async def test_gemini_forks_from_the_file_of_the_session(
    fake_agent: MakeAgent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path))
    chats = tmp_path / ".gemini" / "tmp" / "project" / "chats"
    chats.mkdir(parents=True)
    for session in ("37394e07-other", "37394e07-2c79"):
        (chats / f"session-{session[9:]}-37394e07.jsonl").write_text(json.dumps({"sessionId": session}) + "\n")
    program = fake_agent("gemini")
    program.say(*AGENTS[3].answer("ok", "s2"))
    await reply(backend("gemini"), ask(session="37394e07-2c79", fork=True))
    assert program.calls[0].option("--session-file") == str(chats / "session-2c79-37394e07.jsonl")


async def test_gemini_in_a_folder_it_does_not_trust_is_a_refusal(fake_agent: MakeAgent) -> None:
    fake_agent("gemini").say(code=55, stderr="Gemini CLI is not running in a trusted directory.\n")
    got = await failure(backend("gemini"))
    assert got.reason == Reason.REFUSED
    assert "trusted directory" in got.message


# pi


async def test_pi_has_no_tools_so_the_engine_searches(fake_agent: MakeAgent) -> None:
    program = fake_agent("pi")
    program.say(*pi_answer("ok", "s1"))
    chosen = backend("pi")
    await reply(chosen, ask(kind=Kind.DOCUMENT))
    assert chosen.abilities.tools is False
    assert "--no-tools" in program.calls[0].arguments


async def test_pi_succeeding_at_its_second_attempt_has_answered(fake_agent: MakeAgent) -> None:
    failed = pi_turn([], "error", errorMessage="500 internal error")
    fake_agent("pi").say({"type": "session", "id": "s1"}, failed, *pi_answer("at last", "s1"))
    assert (await reply(backend("pi"))).text == "at last"


async def test_pi_failing_after_some_text_has_not_answered(fake_agent: MakeAgent) -> None:
    failed = pi_turn([], "error", errorMessage="500 internal error")
    fake_agent("pi").say(*pi_answer("let me think", "s1"), failed)
    assert (await failure(backend("pi"))).reason == Reason.UNAVAILABLE
