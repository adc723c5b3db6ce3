"""Public fakes: a scripted backend, a clock that runs fast, a disk that fails, a model server. No mocks needed."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import threading
import time
from bisect import bisect, insort
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import anyio

from . import asks as a
from .answers import schema
from .asks import ANSWERS, Answer, Ask, Failure, Kind, Reason, Reply
from .backends import Abilities
from .backends.mock import MockBackend
from .model import Passage, Section, Usage
from .project.disk import Disk
from .search import Found

Scripted = str | Answer | Reply | Failure
Script = Callable[[Ask], Scripted | None]


class ScriptedBackend:
    """Answers from a script, and from the mock backend where the script says nothing.

    A script is a function of the ask, or a list of answers per kind that are given in turn. `asks` is what was
    asked, in order; `running` and `most_running` count asks under way at once.
    """

    name = "scripted"

    def __init__(
        self,
        script: Script | Mapping[Kind, Sequence[Scripted]] | None = None,
        *,
        abilities: Abilities | None = None,
        seconds: float = 0.0,
        name: str = "scripted",
    ) -> None:
        self.name = name
        self.abilities = abilities or Abilities(tools=True)
        self.asks: list[Ask] = []
        self.running = self.most_running = 0
        self._script = script if callable(script) else None
        self._lists = {kind: list(answers) for kind, answers in script.items()} if isinstance(script, Mapping) else {}
        self._seconds = seconds
        self._mock = MockBackend()

    async def answer(self, ask: Ask) -> Reply | Failure:
        self.asks.append(ask)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            if self._seconds:
                await anyio.sleep(self._seconds)
            return await self._reply(ask)
        finally:
            self.running -= 1

    async def _reply(self, ask: Ask) -> Reply | Failure:
        waiting = self._lists.get(ask.kind)
        said = waiting.pop(0) if waiting else self._script(ask) if self._script else None
        if said is None:
            said = await self._mock.answer(ask)
        if isinstance(said, Reply | Failure):
            return said
        return Reply(said if isinstance(said, str) else answer_text(said), usage=Usage(10, 5))

    def asked(self, kind: Kind) -> list[Ask]:
        return [ask for ask in self.asks if ask.kind is kind]

    async def aclose(self) -> None:
        """Nothing is held."""


def answer_text(answer: Answer) -> str:
    """An answer as a backend would write it."""
    return json.dumps(asdict(answer))


class FakeClock:
    """A clock that runs `speed` times as fast as the real one; `jump` moves the wall clock only."""

    def __init__(self, speed: float = 1000.0, start: float = 1_700_000_000.0) -> None:
        self._speed = speed
        self._origin = time.monotonic()
        self._start = start

    def monotonic(self) -> float:
        return (time.monotonic() - self._origin) * self._speed

    def now(self) -> float:
        return self._start + self.monotonic()

    def jump(self, seconds: float) -> None:
        self._start += seconds

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds / self._speed)


class FaultyDisk(Disk):
    """Counts the places where a crash could fall and, at the `at`-th, kills the process or fails.

    `fault` is "kill", or the name of what the operating system shall answer: "ENOSPC", "EIO".
    """

    def __init__(self, at: int, fault: str = "kill") -> None:
        self.at = at
        self.fault = fault
        self.points = 0

    def point(self, name: str, path: Path) -> None:  # noqa: ARG002
        self.points += 1
        if self.points != self.at:
            return
        if self.fault == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        number = getattr(errno, self.fault)
        raise OSError(number, os.strerror(number), str(path))


class ListSearcher:
    """Finds the passages it was given, those that share most words with the query first."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = list(passages)
        self.queries: list[str] = []

    async def search(self, query: str, limit: int) -> Found:
        self.queries.append(query)
        words = set(query.casefold().split())
        return Found(tuple(sorted(self._passages, key=lambda p: -len(words & set(p.text.casefold().split())))[:limit]))

    async def read(self, location: str, query: str, limit: int) -> Found | Failure:
        found = await self.search(query, len(self._passages))
        if self.source_text(location) is None:
            return Failure(Reason.REFUSED, f"{location} is not among the passages")
        return Found(tuple(p for p in found.passages if p.source.location == location)[:limit])

    def source_text(self, location: str) -> str | None:
        return next((p.text for p in self._passages if p.source.location == location), None)


# A model server on loopback


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What a model server was sent."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def messages(self) -> tuple[tuple[str, str], ...]:
        """Role and text of each, the system's first."""
        system = self.body.get("system") or self.body.get("systemInstruction", {}).get("parts")
        before = [{"role": "system", "content": system}] if system else []
        said = [*before, *self.body.get("messages", []), *self.body.get("contents", [])]
        return tuple((each["role"], _plain(each.get("content") or each.get("parts"))) for each in said)

    @property
    def text(self) -> str:
        """All that was said, in order: what a provider's cache compares."""
        return "\n".join(f"{role}: {text}" for role, text in self.messages)

    @property
    def prompt(self) -> str:
        """What was said last."""
        return self.messages[-1][1]

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The form the answer is held to."""
        openai = self.body.get("response_format", {}).get("json_schema", {}).get("schema")
        anthropic = self.body.get("output_config", {}).get("format", {}).get("schema")
        google = self.body.get("generationConfig", {}).get("responseJsonSchema")
        found: Mapping[str, Any] | None = openai or anthropic or google
        return found

    @property
    def model(self) -> str:
        return str(self.body.get("model") or self.path.rpartition("/")[2].partition(":")[0])

    @property
    def kind(self) -> Kind | None:
        """What is asked, told from the form of the answer; None when it has none."""
        wanted = set((self.schema or {}).get("properties", {}))
        return next((kind for kind in Kind if set(schema(ANSWERS[kind])["properties"]) == wanted), None)


def _plain(content: object) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in _dicts(content))


def _dicts(content: object) -> list[dict[str, str]]:
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


@dataclass(frozen=True, slots=True)
class HttpError:
    """An error status instead of an answer, in the shape of the provider. `kind` is its machine-readable word.

    `details` are more of what Google says about it.
    """

    status: int
    message: str = "a scripted error"
    kind: str = "scripted_error"
    headers: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, str] = field(default_factory=dict)


class Mishap(StrEnum):
    """What can befall an answer on its way."""

    SILENT = "nothing is sent"
    STALLED = "half of it is sent, and the connection stays open"
    CUT = "half of it is sent, and the connection breaks"
    GARBLED = "what is sent is no JSON"


Served = str | Answer | HttpError | Mishap
ROUTED_COST = 0.0001
"""What OpenRouter charges for an answer, in dollars."""


def oblige(request: ModelRequest) -> Served:
    """The least answer to an ask that a run can go on with. An ask without a form is taken for the picker's."""
    text = request.text
    match request.kind:
        case Kind.PLAN:
            return a.PlanAnswer(tuple(map(a.ProposedTopic, _numbered("Aspect ", text))))
        case Kind.QUERIES:
            return a.QueriesAnswer((_last(r"^The topic: (.+)$", text),))
        case Kind.DOCUMENT:
            return _obliging_document(text)
        case Kind.CHILDREN:
            titles = _numbered(_last(r"^The topic: (.+)$", text) + ".", text)
            return a.ChildrenAnswer(tuple(map(a.ProposedTopic, titles)))
        case Kind.REVIEW:
            wanted = _last(r"^Its acceptance criteria:\n((?:- .+\n)+)", text).splitlines()
            return a.ReviewAnswer(tuple(a.CriterionVerdict(line[2:], True) for line in wanted))
        case Kind.SECTION:
            ids = dict.fromkeys(re.findall(r"^Topic ([\d.]+):", text, re.MULTILINE))
            return a.SectionAnswer(tuple(Section(id, "Nothing more was found.") for id in ids))
        case Kind.SYNTHESIZE:
            return a.SynthesizeAnswer("A report", "It was looked into.")
        case Kind.FINAL_REVIEW:
            return a.FinalReviewAnswer(*[a.Opinion(True)] * 4)
        case Kind.REVISE:
            return a.ReviseAnswer()
        case Kind.RECOVER:
            return a.RecoverAnswer("Repeat the step.")
        case Kind.SCOPE:
            asked = tuple(map(a.SubQuestion, _numbered("Aspect ", text)))
            return a.ScopeAnswer(a.QueryType.FACTUAL, a.Tier.MEDIUM, asked)
        case Kind.DECIDE:
            return a.DecideAnswer("It was looked into.", (), False)
        case Kind.ANSWER:
            return _obliging_answer(text)
        case _:
            paths = re.findall(r"\[unexpanded\] \((.+)\)$", text, re.MULTILINE)
            return f"<output>{chr(10).join(paths)}</output>"


def _obliging_document(text: str) -> Answer:
    place = re.escape(_last(r"^\[S1\] (\S+)", text))
    quote = _last(rf"^\[S\d+\] {place}.*\n(.+)$", text) or _last(rf"^{place}.*\n(.+)$", text) if place else ""
    if not quote:
        return a.DocumentAnswer("Nothing was found.", gaps=("No passage was given.",))
    return a.DocumentAnswer(quote, (a.ProposedFinding(quote, quote, "S1"),))


def _obliging_answer(text: str) -> Answer:
    """From the first finding it was given, or from the first passage."""
    given = re.search(r"^- \[(F[\d.]+-\d+)\] (.+) \(S\d+\)$", text, re.MULTILINE)
    if given:
        return a.AnswerAnswer(f"{given[2]} [{given[1]}]")
    document = _obliging_document(text)
    assert isinstance(document, a.DocumentAnswer), "that is what it makes"
    said = f"{document.summary} [F1-1]" if document.findings else document.summary
    return a.AnswerAnswer(said, findings=document.findings, gaps=document.gaps)


def _numbered(begin: str, text: str) -> list[str]:
    """As many titles as the last ask allows."""
    return [f"{begin}{number}" for number in range(1, int(_last(r"^- At most (\d+) ", text) or 1) + 1)]


def _last(pattern: str, text: str) -> str:
    found: list[str] = re.findall(pattern, text, re.MULTILINE)
    return found[-1] if found else ""


class ModelServer:
    """Serves models on loopback as OpenAI, OpenRouter, Anthropic and Google do, from a script.

    Clients of OpenAI's shape are given `address`, OpenRouter's `router`; those of the others add the rest to `root`.
    The script is a function of the request, called in the thread that serves it. `requests` is what was asked, in
    order. It counts a token per four characters, and as cached what repeats the beginning of an earlier request.
    """

    def __init__(self, script: Callable[[ModelRequest], Served] = oblige) -> None:
        self.requests: list[ModelRequest] = []
        self.characters = self.repeated = 0
        self._script = script
        self._sorted: list[str] = []
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.models = self

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    @property
    def root(self) -> str:
        """The address for clients that add the version themselves, as Anthropic's does."""
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def address(self) -> str:
        return f"{self.root}/v1"

    @property
    def router(self) -> str:
        return f"{self.root}/api/v1"

    def serve(self, request: ModelRequest) -> tuple[Served, int]:
        """What to answer, and how many characters of the request were sent before."""
        repeated = self._remember(request)
        return self._script(request), repeated

    def _remember(self, request: ModelRequest) -> int:
        """The longest beginning shared with an earlier request: in sorted order one of the neighbours has it."""
        text = request.text
        with self._lock:
            place = bisect(self._sorted, text)
            near = self._sorted[max(0, place - 1) : place + 1]
            repeated = max((_shared(text, other) for other in near), default=0)
            insort(self._sorted, text)
            self.requests.append(request)
            self.characters += len(text)
            self.repeated += repeated
        return repeated


def _shared(one: str, other: str) -> int:
    """How many characters two texts have in common from the start."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if one.startswith(other[:middle]) else (least, middle - 1)
    return least


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 100
    models: ModelServer

    def handle_error(self, *_: object) -> None:
        """A client that hangs up is what some scripts are about."""


Events = Iterator[tuple[str, object]]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def log_message(self, *_: object) -> None:
        """The requests are the log."""

    def do_GET(self) -> None:
        self._json(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = ModelRequest(self.path, dict(self.headers), body)
        served, repeated = self.server.models.serve(request)
        match served:
            case HttpError():
                self._json(served.status, _error(request, served), served.headers)
            case Mishap.SILENT:
                self._wait()
            case Mishap():
                self._stream(request, "A half answer, which has no other half.", repeated, served)
            case _:
                text = served if isinstance(served, str) else answer_text(served)
                self._stream(request, text, repeated)

    def _json(self, status: int, value: object, headers: Mapping[str, str] | None = None) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        for name, text in {
            "Content-Type": "application/json",
            "Content-Length": len(content),
            **(headers or {}),
        }.items():
            self.send_header(name, str(text))
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, request: ModelRequest, text: str, repeated: int, mishap: Mishap | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        events = list(_speech(request)(request, text, repeated))
        for name, data in events[: len(events) // 2] if mishap else events:
            written = "{no JSON" if mishap is Mishap.GARBLED else data if isinstance(data, str) else json.dumps(data)
            self._chunk(f"event: {name}\ndata: {written}\n\n" if name else f"data: {written}\n\n")
        if mishap is Mishap.STALLED:
            self._wait()
        if mishap:
            self.close_connection = True
        else:
            self._chunk("")

    def _chunk(self, text: str) -> None:
        content = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))

    def _wait(self) -> None:
        """Until the client hangs up."""
        self.close_connection = True
        self.rfile.read(1)


def _speech(request: ModelRequest) -> Callable[[ModelRequest, str, int], Events]:
    """How the provider speaks that is asked this way."""
    if ":streamGenerateContent" in request.path:
        return _as_google
    if request.path.startswith("/api/v1/"):
        return _as_openrouter
    return _as_anthropic if request.path.endswith("/messages") else _as_openai


def _error(request: ModelRequest, error: HttpError) -> object:
    if ":streamGenerateContent" in request.path:
        about = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": error.kind}, error.details]
        return {"error": {"code": error.status, "message": error.message, "status": error.kind, "details": about}}
    if request.path.startswith("/api/v1/"):
        return {"error": {"code": error.status, "message": error.message}, "user_id": "user_1"}
    return {"type": "error", "error": {"message": error.message, "type": error.kind, "code": error.kind}}


def _pieces(text: str) -> list[str]:
    """A few, whatever the length."""
    size = max(1, len(text) // 4)
    return [text[start : start + size] for start in range(0, len(text), size)]


def _as_openai(request: ModelRequest, text: str, repeated: int) -> Events:
    begin = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": request.model}

    def chunk(delta: Mapping[str, str], finish: str | None = None) -> tuple[str, object]:
        return "", {**begin, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    for piece in _pieces(text):
        yield chunk({"content": piece})
    yield chunk({}, "stop")
    tokens_in, tokens_out = len(request.text) // 4, len(text) // 4
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}
    yield "", {**begin, "choices": [], "usage": {**usage, "prompt_tokens_details": {"cached_tokens": repeated // 4}}}
    yield "", "[DONE]"


def _as_anthropic(request: ModelRequest, text: str, repeated: int) -> Events:
    def event(name: str, **values: object) -> tuple[str, object]:
        return name, {"type": name, **values}

    cached = repeated // 4
    usage = {"input_tokens": len(request.text) // 4 - cached, "cache_read_input_tokens": cached, "output_tokens": 0}
    begin = {"id": "m", "type": "message", "role": "assistant", "model": request.model, "content": []}
    yield event("message_start", message={**begin, "stop_reason": None, "stop_sequence": None, "usage": usage})
    yield event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    for piece in _pieces(text):
        yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
    yield event("content_block_stop", index=0)
    ended = {"stop_reason": "end_turn", "stop_sequence": None}
    yield event("message_delta", delta=ended, usage={"output_tokens": len(text) // 4})
    yield event("message_stop")


def _as_openrouter(request: ModelRequest, text: str, repeated: int) -> Events:
    """OpenAI's shape, with who served it and what it cost."""
    for name, data in _as_openai(request, text, repeated):
        if isinstance(data, dict) and "usage" in data:
            data["usage"] |= {"cost": ROUTED_COST, "is_byok": False}
        yield name, {**data, "provider": "Scripted"} if isinstance(data, dict) else data


def _as_google(request: ModelRequest, text: str, repeated: int) -> Events:
    tokens_in, tokens_out = len(request.text) // 4, len(text) // 4
    usage = {
        "promptTokenCount": tokens_in,
        "candidatesTokenCount": tokens_out,
        "cachedContentTokenCount": repeated // 4,
    }
    told = {"usageMetadata": {**usage, "totalTokenCount": tokens_in + tokens_out}, "modelVersion": request.model}
    for piece in _pieces(text):
        yield "", {"candidates": [{"content": {"role": "model", "parts": [{"text": piece}]}, "index": 0}], **told}
    ended = {"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP", "index": 0}
    yield "", {"candidates": [ended], **told}
