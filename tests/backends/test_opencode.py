"""The opencode backend against programs that print what opencode was seen to print."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_agent import FakeAgent
from processes import pids_in, survivors

from deeproot.asks import Ask, Failure, Kind, PlanInputs, Reason, Reply
from deeproot.backends import Backend, BackendSettings
from deeproot.backends.opencode import open_backend
from deeproot.errors import BackendError
from deeproot.model import Usage

pytestmark = pytest.mark.anyio

SESSION = "ses_1"


@pytest.fixture
def opencode(fake_agent: Callable[[str], FakeAgent]) -> FakeAgent:
    agent = fake_agent("opencode")
    agent.say(*answer("hello"))
    return agent


def backend(model: str = "big-pickle", seconds: float = 60, idle: float = 60) -> Backend:
    return open_backend(BackendSettings(model, timeout=seconds, idle_timeout=idle))


def ask(prompt: str = "Plan this.", kind: Kind = Kind.PLAN, **more: Any) -> Ask:
    return Ask(kind, prompt, PlanInputs("Why?", 3), **more)


def event(kind: str, session: str = SESSION, **body: object) -> dict[str, object]:
    return {"type": kind, "timestamp": 1794766776468, "sessionID": session, **body}


def text(words: str, session: str = SESSION) -> dict[str, object]:
    return event("text", session, part={"type": "text", "text": words})


def step(reason: str = "stop", cost: float = 0.25, **tokens: int) -> dict[str, object]:
    used = {"input": 234, "output": 50, "reasoning": 6, "cache": {"write": 0, "read": 1000}, **tokens}
    return event("step_finish", part={"type": "step-finish", "reason": reason, "tokens": used, "cost": cost})


def answer(words: str) -> list[dict[str, object]]:
    return [event("step_start", part={"type": "step-start"}), text(words), step()]


def error(name: str, message: str, **data: object) -> dict[str, object]:
    return event("error", error={"name": name, "data": {"message": message, **data}})


async def reply(asked: Ask | None = None) -> Reply:
    got = await backend().answer(asked or ask())
    assert isinstance(got, Reply), got
    return got


async def failure(chosen: Backend | None = None) -> Failure:
    got = await (chosen or backend()).answer(ask())
    assert isinstance(got, Failure), got
    return got


# How it is called


@pytest.mark.parametrize(
    ("given", "flag"),
    [
        ("minimax-m2.1-free", "opencode/minimax-m2.1-free"),
        ("anthropic/claude-sonnet", "anthropic/claude-sonnet"),
        ("openrouter/meta/llama", "openrouter/meta/llama"),
        ("opencode/big-pickle", "opencode/big-pickle"),
    ],
)
async def test_a_model_is_named_with_its_provider(opencode: FakeAgent, given: str, flag: str) -> None:
    await backend(given).answer(ask())
    assert opencode.calls[0].arguments[:3] == ["run", "--model", flag]


async def test_without_a_model_opencode_chooses(opencode: FakeAgent) -> None:
    await backend("").answer(ask())
    assert "--model" not in opencode.calls[0].arguments


async def test_the_prompt_comes_after_the_context_on_standard_input(opencode: FakeAgent) -> None:
    await reply(ask("Grüße 🌱?\n", context="Known so far.\n"))
    assert opencode.calls[0].prompt == "Known so far.\nGrüße 🌱?\n"


async def test_a_continued_session_gets_the_prompt_alone(opencode: FakeAgent) -> None:
    got = await reply(ask("Next.", context="Known.", session="ses_0"))
    [call] = opencode.calls
    assert (call.prompt, call.option("--session")) == ("Next.", "ses_0")
    assert "--fork" not in call.arguments
    assert got.fork == ""


async def test_a_fork_is_made_by_opencode_itself(opencode: FakeAgent) -> None:
    opencode.say(text("hello", "ses_child"))
    got = await reply(ask(session="ses_parent", fork=True))
    assert opencode.calls[0].arguments[-3:] == ["--session", "ses_parent", "--fork"]
    assert (got.session, got.fork) == ("ses_child", "native")


async def test_a_session_that_is_gone_is_replaced_by_a_new_one_with_the_context(opencode: FakeAgent) -> None:
    opencode.behave(f"""
        if "--session" in arguments:
            sys.exit("Error: Session not found")
        say(*{answer("fresh")!r})
    """)
    got = await reply(ask("Next.", context="Known. ", session="ses_gone", fork=True))
    assert opencode.calls[1].prompt == "Known. Next."
    assert (got.text, got.session, got.fork) == ("fresh", SESSION, "")


@pytest.mark.parametrize("kind", list(Kind))
async def test_only_asks_that_search_may_use_tools_and_none_may_act(opencode: FakeAgent, kind: Kind) -> None:
    await reply(ask(kind=kind))
    [call] = opencode.calls
    config = json.loads(call.environment["OPENCODE_CONFIG_CONTENT"])
    permission = config["agent"][call.option("--agent")]["permission"]
    assert next(iter(permission.items())) == ("*", "deny")
    allowed = {tool for tool, rule in permission.items() if rule != "deny"}
    searches = kind in (Kind.DOCUMENT, Kind.QUERIES)
    assert allowed == ({"websearch", "webfetch", "read", "grep", "glob", "list"} if searches else set())


async def test_configuration_the_user_passes_in_the_environment_is_kept(
    opencode: FakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = {"provider": {"local": {"name": "mine"}}, "agent": {"mine": {"mode": "primary"}}}
    monkeypatch.setenv("OPENCODE_CONFIG_CONTENT", json.dumps(mine))
    await reply()
    config = json.loads(opencode.calls[0].environment["OPENCODE_CONFIG_CONTENT"])
    assert config["provider"] == mine["provider"]
    assert config["agent"]["mine"] == mine["agent"]["mine"]


def test_a_missing_program_is_one_sentence_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackendError, match=r"`opencode` was not found.*--model offline") as raised:
        backend()
    assert raised.value.exit_code == 1


# What it answers


async def test_text_parts_are_the_reply_and_steps_add_up_to_its_usage(opencode: FakeAgent) -> None:
    opencode.say(text("I will look."), step("tool-calls"), text('{"topics": []}'), step(input=100))
    got = await reply()
    assert got.text == 'I will look.\n{"topics": []}'
    assert got.session == SESSION
    assert got.usage == Usage(tokens_in=2334, tokens_out=112, tokens_cached=2000, cost=0.5)


async def test_plain_text_from_an_opencode_without_events_is_the_answer(opencode: FakeAgent) -> None:
    plain = '{\n "topics": [\n{"type": "text", "title": "Roots"}\n]}'
    opencode.say(plain)
    got = await reply()
    assert (got.text, got.session, got.usage) == (plain, None, Usage())


async def test_noise_around_the_events_is_not_part_of_the_answer(opencode: FakeAgent) -> None:
    noise = [
        "INFO starting",
        "{not json",
        "[1]",
        '{"type": "text"}',
        '{"sessionID": 7}',
        '{"a":' * 5000,
        "\x00",
    ]
    opencode.say(*noise, *answer("hello"), "bye", stderr="warning: old node\n")
    assert (await reply()).text == "hello"


async def test_events_of_unknown_or_broken_shape_are_passed_over(opencode: FakeAgent) -> None:
    broken = [
        event("text"),
        event("text", part=[1]),
        event("step_finish", part={"tokens": "many"}),
        event("new"),
    ]
    opencode.say(*broken, *answer("hello"))
    got = await reply()
    assert (got.text, got.usage.tokens_out) == ("hello", 56)


async def test_letters_split_between_chunks_come_out_whole(opencode: FakeAgent) -> None:
    opencode.behave(f"""
        line = json.dumps({text("Wurzeln schlagen 🌱 tief")!r}, ensure_ascii=False) + "\\n"
        for byte in line.encode():
            os.write(1, bytes([byte]))
            time.sleep(0.0005)
    """)
    assert (await reply()).text == "Wurzeln schlagen 🌱 tief"


async def test_a_flood_of_tool_output_costs_neither_the_answer_nor_its_usage(opencode: FakeAgent) -> None:
    page = event("tool_use", part={"type": "tool", "state": {"output": "x" * 1_000_000}})
    opencode.behave(f"""
        say({step("tool-calls")!r})
        page = json.dumps({page!r})
        for _ in range(100):
            say(page)
        say(*{answer("found")!r})
    """)
    got = await reply()
    assert (got.text, got.usage.cost) == ("found", 0.5)


async def test_a_flood_without_events_ends_as_bounded_text(opencode: FakeAgent) -> None:
    opencode.behave("for _ in range(100): say('x' * 1_000_000)")
    assert len((await reply()).text) < 10_000_000


# How it fails


async def test_a_non_zero_exit_carries_the_end_of_standard_error(opencode: FakeAgent) -> None:
    opencode.say(code=3, stderr="\x1b[91mError:\x1b[0m the cellar\nis flooded\n")
    got = await failure()
    assert got.reason == Reason.FAILED
    assert got.message == "opencode exited with 3: Error: the cellar is flooded"


async def test_an_answer_that_breaks_off_is_no_answer(opencode: FakeAgent) -> None:
    opencode.behave(f"say({text('half of it')!r})\nos.kill(os.getpid(), 9)")
    got = await failure()
    assert (got.reason, "137" in got.message) == (Reason.FAILED, True)


async def test_a_denied_tool_and_exit_0_without_text_is_an_empty_answer(opencode: FakeAgent) -> None:
    denied = {"type": "tool", "tool": "bash", "state": {"status": "error", "error": "The user rejected it."}}
    opencode.say(event("step_start"), event("tool_use", part=denied), step("tool-calls"))
    got = await failure()
    assert got.reason == Reason.EMPTY
    assert got.message == "opencode ended without an answer. A tool was denied: The user rejected it."


async def test_a_tool_that_is_not_allowed_at_all_is_named(opencode: FakeAgent) -> None:
    state = {"status": "completed", "output": "Model tried to call unavailable tool 'write'."}
    opencode.say(event("tool_use", part={"type": "tool", "tool": "invalid", "state": state}), step("stop"))
    assert (await failure()).message.endswith("Model tried to call unavailable tool 'write'.")


async def test_a_message_for_people_holds_no_events(opencode: FakeAgent) -> None:
    opencode.say(event("step_start"), step("stop"))
    assert (await failure()).message == "opencode ended without an answer."


async def test_nothing_at_all_and_exit_0_is_an_empty_answer(opencode: FakeAgent) -> None:
    opencode.say("", stderr="no terminal\n")
    got = await failure()
    assert got.reason == Reason.EMPTY
    assert got.message.endswith("no terminal")


@pytest.mark.parametrize("code", [0, 1])
@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (401, Reason.REFUSED),
        (403, Reason.REFUSED),
        (429, Reason.RATE_LIMITED),
        (500, Reason.UNAVAILABLE),
        (400, Reason.FAILED),
    ],
)
async def test_an_error_event_is_judged_by_its_status(
    opencode: FakeAgent, status: int, reason: Reason, code: int
) -> None:
    opencode.say(error("APIError", "invalid api key", statusCode=status), code=code)
    got = await failure()
    assert (got.reason, got.message) == (reason, "opencode: invalid api key")


async def test_a_rate_limit_says_how_long_to_wait(opencode: FakeAgent) -> None:
    opencode.say(error("APIError", "slow down", statusCode=429, responseHeaders={"retry-after": "7"}), code=1)
    assert (await failure()).retry_after == 7.0


REMOVED = "Unexpected server error. Check server logs for details."


def without_the_model(listing: str) -> str:
    return f"""
        if arguments == ["models"]:
            {listing}
        else:
            say({error("UnknownError", REMOVED)!r})
            sys.exit(1)
    """


async def test_a_model_that_left_the_catalogue_is_refused_with_what_there_is(opencode: FakeAgent) -> None:
    opencode.behave(without_the_model("say('opencode/big-pickle', 'local/qwen')"))
    got = await failure(backend("minimax-m2.1-free"))
    assert got.reason == Reason.REFUSED
    assert "opencode/minimax-m2.1-free" in got.message
    assert "opencode/big-pickle, local/qwen" in got.message


async def test_an_unknown_error_of_a_model_in_the_catalogue_may_be_tried_again(opencode: FakeAgent) -> None:
    opencode.behave(without_the_model("say('opencode/big-pickle')"))
    assert await failure() == Failure(Reason.FAILED, f"opencode: {REMOVED}")


async def test_a_catalogue_that_cannot_be_read_does_not_hide_the_refusal(opencode: FakeAgent) -> None:
    opencode.behave(without_the_model("sys.exit('offline')"))
    got = await failure()
    assert got.reason == Reason.REFUSED
    assert "`opencode models`" in got.message


async def test_a_hanging_opencode_is_ended_with_its_children(opencode: FakeAgent, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    opencode.behave(f"""
        if os.fork():
            say({text("begun")!r})
        with open({str(pids)!r}, "a") as file:
            file.write(f"{{os.getpid()}}\\n")
        while True:
            say("still here")
            time.sleep(0.1)
    """)
    got = await failure(backend(seconds=3))
    assert got == Failure(Reason.TIMED_OUT, "opencode timed out after 3 s.")
    assert survivors(pids_in(pids, 2)) == []


async def test_a_silent_opencode_is_ended_before_its_time(opencode: FakeAgent) -> None:
    opencode.behave("time.sleep(600)")
    got = await failure(backend(idle=0.5))
    assert got == Failure(Reason.TIMED_OUT, "opencode timed out: it printed nothing for 0.5 s.")
