"""Models over HTTP, against a scripted server on loopback that speaks as OpenAI and as Anthropic do."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from soak import FAULTS, Ran, ideal_calls, model_at, run, soak

from deeproot.answers import parse_answer
from deeproot.asks import Ask, DocumentInputs, Failure, Kind, PlanAnswer, PlanInputs, ProposedTopic, Reason, Reply
from deeproot.backends import BackendSettings, http
from deeproot.backends.http.backend import HttpBackend
from deeproot.engine.engine import Ending
from deeproot.errors import BackendError, UsageError
from deeproot.model import Tag, Topic
from deeproot.project import journal
from deeproot.testing import (
    ROUTED_COST,
    HttpError,
    Mishap,
    ModelRequest,
    ModelServer,
    Served,
    answer_text,
    oblige,
)

KEY = "sk-canary-5d41402abc4b"
PLAN = Ask(Kind.PLAN, "Plan this.", PlanInputs("Why?", 2))
DOCUMENT = Ask(Kind.DOCUMENT, "Write this.", DocumentInputs("Why?", Topic("1", "One", "one", 0)), context="Known: a. ")
SHAPES = ("openai", "anthropic", "google", "openrouter", "ollama")
KEYED = ("openai", "anthropic", "google", "openrouter")

pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence")  # in Google's library, when it is compiled


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(http.CONTEXT_VARIABLE, "65536")
    for provider in http.PROVIDERS:
        for variable in provider.keys:
            monkeypatch.setenv(variable, KEY)


def open_at(server: ModelServer, shape: str, total: float = 20, idle: float = 10) -> HttpBackend:
    backend: HttpBackend = getattr(http, f"open_{shape}")(BackendSettings(model_at(server, shape), total, idle))
    return backend


@asynccontextmanager
async def opened(
    script: Callable[[ModelRequest], Served], shape: str, total: float = 20, idle: float = 10
) -> AsyncIterator[tuple[HttpBackend, ModelServer]]:
    with ModelServer(script) as server:
        backend = open_at(server, shape, total, idle)
        try:
            yield backend, server
        finally:
            await backend.aclose()


def always(served: Served) -> Callable[[ModelRequest], Served]:
    return lambda _request: served


def ask_once(served: Served, shape: str, total: float = 20, idle: float = 10) -> Reply | Failure:
    async def go() -> Reply | Failure:
        async with opened(always(served), shape, total, idle) as (backend, _server):
            return await backend.answer(PLAN)

    return anyio.run(go)


def reply_of(result: Reply | Failure) -> Reply:
    assert isinstance(result, Reply), result
    return result


def failure_of(result: Reply | Failure) -> Failure:
    assert isinstance(result, Failure), result
    return result


# What is asked and answered


@pytest.mark.parametrize("shape", SHAPES)
def test_an_answer_comes_with_its_model_and_usage(shape: str) -> None:
    answer = PlanAnswer((ProposedTopic("Ä title"),))
    reply = reply_of(ask_once(answer, shape))
    assert parse_answer(PlanAnswer, reply.text) == answer
    with ModelServer() as server:
        assert reply.model == model_at(server, shape).partition("@")[0]
    assert reply.usage.tokens_in > 0
    assert reply.usage.tokens_out == len(answer_text(answer)) // 4
    told = ROUTED_COST if shape == "openrouter" else None
    assert reply.usage.cost == told, "nobody knows what a server of one's own costs, unless it says so"


@pytest.mark.parametrize("shape", SHAPES)
def test_the_model_is_held_to_the_schema_of_the_answer(shape: str) -> None:
    async def go() -> None:
        async with opened(always("{}"), shape) as (backend, server):
            await backend.answer(PLAN)
            await backend.answer(DOCUMENT)
            assert [request.kind for request in server.requests] == [Kind.PLAN, Kind.DOCUMENT]
            assert all(request.body.get("stream") or "stream" in request.path for request in server.requests)

    anyio.run(go)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_free_answer_is_held_to_no_schema(shape: str) -> None:
    async def go() -> None:
        async with opened(always("# Markdown"), shape) as (backend, server):
            assert reply_of(await backend.answer(replace(DOCUMENT, free=True))).text == "# Markdown"
            assert server.requests[0].schema is None

    anyio.run(go)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_prompt_begins_with_the_same_words_then_the_context_then_the_prompt(shape: str) -> None:
    async def go() -> None:
        async with opened(always("{}"), shape) as (backend, server):
            await backend.answer(PLAN)
            await backend.answer(DOCUMENT)
            (one, plan), (two, document) = (request.messages for request in server.requests)
            assert one == two
            assert one[0] == "system"
            assert (plan[1], document[1]) == ("Plan this.", "Known: a. Write this.")

    anyio.run(go)


# Sessions


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("fork", [True, False])
def test_a_session_goes_on_with_what_was_said_and_without_the_context(shape: str, fork: bool) -> None:
    async def go() -> None:
        async with opened(always("Said."), shape) as (backend, server):
            first = reply_of(await backend.answer(DOCUMENT))
            second = reply_of(await backend.answer(replace(DOCUMENT, prompt="More.", session=first.session, fork=fork)))
            said = [text for _role, text in server.requests[1].messages[1:]]
            assert said == ["Known: a. Write this.", "Said.", "More."]
            assert second.usage.tokens_cached >= len(server.requests[0].text) // 4
            assert second.fork == ("native" if fork else "")

    anyio.run(go)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_fork_leaves_its_parent_as_it_was(shape: str) -> None:
    async def go() -> None:
        async with opened(always("Said."), shape) as (backend, server):
            parent = reply_of(await backend.answer(DOCUMENT)).session
            for prompt in ("One.", "Two."):
                await backend.answer(replace(DOCUMENT, prompt=prompt, session=parent, fork=True))
            said = [text for _role, text in server.requests[2].messages[1:]]
            assert said == ["Known: a. Write this.", "Said.", "Two."]

    anyio.run(go)


@pytest.mark.parametrize("fork", [True, False])
def test_a_session_of_another_process_is_replaced_by_its_context(fork: bool) -> None:
    async def go() -> None:
        async with opened(always("Said."), "openai") as (backend, server):
            reply = reply_of(await backend.answer(replace(DOCUMENT, session="from-before", fork=fork)))
            assert [text for _role, text in server.requests[0].messages[1:]] == ["Known: a. Write this."]
            assert reply.session
            assert reply.fork == ("emulated" if fork else "")

    anyio.run(go)


# Failures


def overflow(shape: str) -> HttpError:
    match shape:
        case "anthropic":
            return HttpError(400, "prompt is too long: 210000 tokens > 200000 maximum", "invalid_request_error")
        case "google":
            said = "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576)."
            return HttpError(400, said, "INVALID_ARGUMENT")
        case "openrouter":
            said = "This endpoint's maximum context length is 128000 tokens. You asked for 200000."
            return HttpError(400, said)
        case _:
            return HttpError(400, "the context is full", "context_length_exceeded")


def exhausted(shape: str) -> HttpError:
    paid = shape in ("anthropic", "openrouter")
    return HttpError(402, "pay", "billing_error") if paid else HttpError(429, "pay", "insufficient_quota")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (400, Reason.FAILED),
        (401, Reason.REFUSED),
        (403, Reason.REFUSED),
        (404, Reason.REFUSED),
        (408, Reason.UNAVAILABLE),
        (413, Reason.FAILED),
        (422, Reason.FAILED),
        (429, Reason.RATE_LIMITED),
        (500, Reason.UNAVAILABLE),
        (502, Reason.UNAVAILABLE),
        (503, Reason.UNAVAILABLE),
        (529, Reason.UNAVAILABLE),
    ],
)
def test_every_status_has_its_reason(shape: str, status: int, reason: Reason) -> None:
    failure = failure_of(ask_once(HttpError(status, "what the server said"), shape))
    assert failure.reason is reason
    assert "what the server said" in failure.message
    assert "\n" not in failure.message


@pytest.mark.parametrize("shape", SHAPES)
def test_a_prompt_that_is_too_long_fails_that_ask_alone(shape: str) -> None:
    failure = failure_of(ask_once(overflow(shape), shape))
    assert failure.reason is Reason.FAILED
    assert "length" in failure.message


@pytest.mark.parametrize("shape", ["openai", "anthropic", "openrouter"])
def test_an_exhausted_quota_is_final(shape: str) -> None:
    failure = failure_of(ask_once(exhausted(shape), shape))
    assert failure.reason is Reason.REFUSED
    assert "credit" in failure.message


def test_google_calls_a_bad_key_a_bad_request() -> None:
    failure = failure_of(ask_once(HttpError(400, "API key not valid.", "API_KEY_INVALID"), "google"))
    assert failure.reason is Reason.REFUSED
    assert "GOOGLE_API_KEY" in failure.message


def test_google_says_how_long_to_wait_in_the_body() -> None:
    served = HttpError(429, "later", details={"retryDelay": "34.5s"})
    failure = failure_of(ask_once(served, "google"))
    assert (failure.reason, failure.retry_after) == (Reason.RATE_LIMITED, 34.5)


@pytest.mark.parametrize("shape", SHAPES)
def test_how_long_to_wait_is_understood_in_seconds_and_as_a_date(shape: str) -> None:
    seconds = failure_of(ask_once(HttpError(429, headers={"Retry-After": "7"}), shape))
    assert seconds.retry_after == 7
    in_an_hour = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    date = failure_of(ask_once(HttpError(429, headers={"Retry-After": in_an_hour}), shape))
    assert date.retry_after is not None
    assert 3000 < date.retry_after <= 3600


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("served", "idle", "reason", "words"),
    [
        (Mishap.SILENT, 0.3, Reason.TIMED_OUT, "did not begin"),
        (Mishap.STALLED, 1.5, Reason.TIMED_OUT, "in the middle"),
        (Mishap.CUT, 20, Reason.UNAVAILABLE, "broke off"),
        (Mishap.GARBLED, 20, Reason.UNAVAILABLE, ""),
        ("", 20, Reason.EMPTY, "without an answer"),
        ("  \n ", 20, Reason.EMPTY, "without an answer"),
    ],
)
def test_what_can_befall_an_answer_is_a_value(
    shape: str, served: Served, idle: float, reason: Reason, words: str
) -> None:
    failure = failure_of(ask_once(served, shape, idle=idle))
    assert (failure.reason, words in failure.message) == (reason, True), failure


@pytest.mark.parametrize("shape", SHAPES)
def test_an_answer_that_takes_too_long_in_all_is_given_up(shape: str) -> None:
    failure = failure_of(ask_once(Mishap.STALLED, shape, total=0.3))
    assert failure.reason is Reason.TIMED_OUT
    assert "0.3 s" in failure.message


@pytest.mark.parametrize("shape", SHAPES)
def test_garbage_in_a_whole_answer_is_the_readers_affair(shape: str) -> None:
    assert reply_of(ask_once('{"topics": [', shape)).text == '{"topics": ['


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("served", [HttpError(500), HttpError(429), Mishap.CUT])
def test_nothing_is_sent_twice_behind_our_back(shape: str, served: Served) -> None:
    async def go() -> None:
        async with opened(always(served), shape) as (backend, server):
            await backend.answer(PLAN)
            assert len(server.requests) == 1

    anyio.run(go)


def test_a_server_that_is_not_there_is_a_value() -> None:
    async def go() -> Reply | Failure:
        with ModelServer() as server:
            backend = open_at(server, "openai")
        try:
            return await backend.answer(PLAN)
        finally:
            await backend.aclose()

    assert failure_of(anyio.run(go)).reason is Reason.UNAVAILABLE


def test_a_cancelled_ask_ends_at_once_and_the_next_is_answered() -> None:
    served: list[Served] = [Mishap.SILENT, "Said."]
    asked = threading.Event()

    def script(_request: ModelRequest) -> Served:
        asked.set()
        return served.pop(0)

    async def go() -> None:
        async with opened(script, "openai") as (backend, _server):
            async with anyio.create_task_group() as group:
                group.start_soon(backend.answer, PLAN)
                await anyio.to_thread.run_sync(asked.wait)
                group.cancel_scope.cancel()
            assert reply_of(await backend.answer(PLAN)).text == "Said."

    anyio.run(go)


# Keys, names and addresses


@pytest.mark.parametrize("shape", KEYED)
def test_a_key_that_a_server_repeats_goes_no_further(shape: str) -> None:
    for served in (HttpError(401, f"Incorrect API key provided: {KEY}"), f"Your key is {KEY}."):
        assert KEY not in repr(ask_once(served, shape))


def test_the_key_goes_to_the_provider_and_to_this_machine_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert http.locate(http.OPENAI, "m").key == KEY
    assert http.locate(http.OPENAI, "m@http://localhost:1/v1").key == KEY
    assert http.locate(http.OPENAI, "m@https://elsewhere.example/v1").key is None
    monkeypatch.setenv(http.ANY_ADDRESS_KEY, "another")
    assert http.locate(http.OPENAI, "m@https://elsewhere.example/v1").key == "another"


@pytest.mark.parametrize("shape", KEYED)
def test_the_key_is_sent_in_a_header_and_nowhere_else(shape: str) -> None:
    async def go() -> None:
        async with opened(always("{}"), shape) as (backend, server):
            await backend.answer(PLAN)
            request = server.requests[0]
            assert any(KEY in value for value in request.headers.values())
            assert KEY not in request.path + repr(request.body)

    anyio.run(go)


@pytest.mark.parametrize("provider", [p for p in http.PROVIDERS if p.keys], ids=lambda p: p.word)
def test_without_its_key_a_provider_is_not_opened(provider: http.Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in provider.keys:
        monkeypatch.delenv(variable)
    opener = getattr(http, f"open_{provider.word}")
    with pytest.raises(BackendError, match=provider.keys[0]):
        opener(BackendSettings("some-model"))


@pytest.mark.parametrize("provider", http.PROVIDERS, ids=lambda p: p.word)
def test_every_provider_opens_with_what_it_needs(provider: http.Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    model = provider.example.partition(":")[2] if provider.keys else "scripted"

    async def go() -> None:
        with ModelServer() as server:
            monkeypatch.setenv("OLLAMA_BASE_URL", server.address)
            backend = getattr(http, f"open_{provider.word}")(BackendSettings(model))
        assert backend.name == f"{provider.word}:{model}"
        assert (backend.abilities.tools, backend.abilities.sessions, backend.abilities.fork) == (False, True, True)
        await backend.aclose()

    anyio.run(go)


@pytest.mark.parametrize("provider", http.PROVIDERS, ids=lambda p: p.word)
def test_a_name_without_a_model_is_a_usage_error(provider: http.Provider) -> None:
    with pytest.raises(UsageError, match=provider.example):
        http.locate(provider, " ")


@pytest.mark.parametrize(
    "written",
    [
        "m@http://",
        "m@ftp://host/v1",
        "m@http://user:word@host/v1",
        "m@https://host/v1?key=1",
        "m@http://host:port/v1",
        "m@http://[::1/v1",
    ],
)
def test_an_address_that_cannot_be_meant_is_a_usage_error(written: str) -> None:
    with pytest.raises(UsageError) as raised:
        http.locate(http.OPENAI, written)
    assert "user:word" not in str(raised.value)


def test_a_model_may_have_colons_slashes_and_at_signs_in_its_name() -> None:
    assert http.locate(http.OLLAMA, "llama3.2:1b").model == "llama3.2:1b"
    assert http.locate(http.OPENROUTER, "mistralai/mistral-small").model == "mistralai/mistral-small"
    place = http.locate(http.OPENAI, "a@b@http://127.0.0.1:1/v1")
    assert (place.model, place.address) == ("a@b", "http://127.0.0.1:1/v1")


def test_ollama_is_sent_no_key() -> None:
    async def go() -> None:
        with ModelServer() as server:
            backend = http.open_ollama(BackendSettings(f"scripted@{server.address}", 20, 10))
            assert reply_of(await backend.answer(PLAN)).model == "scripted"
            assert server.requests[0].kind is Kind.PLAN
            assert not any(KEY in value for value in server.requests[0].headers.values())
            await backend.aclose()

    anyio.run(go)


# Whole runs


def served_run(server: ModelServer, project: Path, shape: str = "openai", **settings: Any) -> Ran:
    return anyio.run(lambda: run(server, project, shape, **settings))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("strategy", ["breadth", "guided"])
def test_a_whole_run_is_answered_over_http(memory_path: Path, shape: str, strategy: str) -> None:
    with ModelServer() as server:
        ran = served_run(server, memory_path, shape, strategy=strategy, breadth=2, depth=1)
    assert ran.outcome.ending is Ending.COMPLETE
    assert len(list(ran.state.walk())) == 6
    assert ran.researcher.report.exists()
    kinds = [request.kind for request in server.requests]
    picks = kinds.count(None)
    assert (picks > 0) is (strategy == "guided")
    assert len(kinds) == ideal_calls(ran.state) + picks
    steps = [entry.step for entry in journal.load(ran.researcher.journal).entries if entry.step]
    assert [step.reply.fork for step in steps if step.reply and step.reply.fork] == ["native"] * 4
    assert ran.state.usage.tokens_cached > 0


def test_a_run_that_goes_on_in_another_process_needs_no_session_of_the_first(memory_path: Path) -> None:
    """The sessions are gone with the process; the context takes their place."""
    broken: list[ModelRequest] = []

    def script(request: ModelRequest) -> Served:
        if request.kind is Kind.QUERIES and "Aspect 1.1" in request.text:
            broken.append(request)
            return HttpError(401)
        return oblige(request)

    with ModelServer(script) as server, pytest.raises(BackendError, match="OPENAI_API_KEY"):
        served_run(server, memory_path, breadth=1, depth=1)
    assert len(broken) == 1
    with ModelServer() as server:
        ran = served_run(server, memory_path, resume=True)
    assert ran.outcome.ending is Ending.COMPLETE
    (document,) = (request for request in server.requests if request.kind is Kind.DOCUMENT)
    assert len(document.messages) == 2, "the system text and one message"
    assert "What is known so far" in document.prompt


def test_a_server_that_fails_every_fifth_call_loses_no_topic(memory_path: Path) -> None:
    ran, server, fickle = soak(49, memory_path)
    growths = list(ran.state.walk())
    assert len(growths) == 7 + 7**2
    assert all(growth.topic.status.closed for growth in growths)
    assert all(growth.document or Tag.RETRY_EXHAUSTED in growth.topic.tags for growth in growths)
    assert fickle.faults > 4 * len(FAULTS)
    assert len(server.requests) <= 1.1 * ideal_calls(ran.state) + fickle.faults
