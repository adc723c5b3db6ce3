"""A scripted model on loopback that speaks OpenAI's chat completions and responses, streaming, and keeps a record.

    with ScriptedServer(script) as server:
        ... point an agent at server.url ...
        server.requests

The script is a function of the request. Tokens are counted as four characters each, and as cached as far as a
request begins like an earlier one, so what an agent reports can be compared with what it was told.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from os.path import commonprefix
from typing import Any, NamedTuple, Self

from deeproot.model import Usage

TOKEN = 4
LONGEST_HANG = 900.0
ERRORS = {
    401: ("authentication_error", "invalid api key"),
    429: ("rate_limit_error", "rate limited"),
    500: ("api_error", "internal error"),
}


class Message(NamedTuple):
    """`role` is user, assistant, tool or system; `text` is all of its text."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """What a model was sent, and the usage it told for it (none unless it answered to the end)."""

    messages: tuple[Message, ...]
    tools: tuple[str, ...]
    usage: Usage | None = None

    @property
    def last(self) -> Message:
        return self.messages[-1]

    @property
    def transcript(self) -> str:
        return "\n".join(f"{role}: {text}" for role, text in self.messages)

    def said(self, role: str) -> list[str]:
        return [message.text for message in self.messages if message.role == role]


@dataclass(frozen=True, slots=True)
class Say:
    """Answer with text; only its first half, and then nothing for ever, when `half`."""

    text: str
    half: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """Ask the agent to use a tool."""

    tool: str
    arguments: dict[str, object]


@dataclass(frozen=True, slots=True)
class Refuse:
    """Answer with an HTTP error."""

    status: int


@dataclass(frozen=True, slots=True)
class Hang:
    """Never answer."""


Act = Say | Call | Refuse | Hang
Script = Callable[[Request], Act]
Chunk = dict[str, Any]


class ScriptedServer(ThreadingHTTPServer):
    """Runs in threads of its own until the `with` block ends."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.closing = threading.Event()
        self.halfway = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"
        self._requests: list[Request] = []
        self._recording = threading.Lock()

    @property
    def requests(self) -> list[Request]:
        with self._recording:
            return list(self._requests)

    def take(self, request: Request) -> int:
        """Put a request on record; its number."""
        with self._recording:
            self._requests.append(request)
            return len(self._requests) - 1

    def tell(self, number: int, text: str) -> Usage:
        """The usage for an answer to a request, put on record with it."""
        with self._recording:
            request = self._requests[number]
            earlier = [before.transcript for before in self._requests[:number]]
            sent = request.transcript
            cached = max((len(commonprefix([sent, before])) for before in earlier), default=0)  # noqa: RUF071
            usage = Usage(len(sent) // TOKEN, len(text) // TOKEN + 1, min(cached, len(sent) - 1) // TOKEN)
            self._requests[number] = replace(request, usage=usage)
        return usage

    def __enter__(self) -> Self:
        threading.Thread(target=partial(self.serve_forever, 0.1), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ScriptedServer

    def log_message(self, format: str, *arguments: object) -> None:
        """The record is kept by the server."""

    def do_GET(self) -> None:
        self._json(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        try:
            if self.path.endswith("/chat/completions"):
                self._answer(read_chat(body), chat_chunks)
            elif self.path.endswith("/responses"):
                self._answer(read_responses(body), response_chunks)
            else:
                self._json(404, {"error": {"message": f"no such path: {self.path}", "type": "not_found"}})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _answer(self, request: Request, chunks: Callable[[Say | Call, Usage], Iterator[Chunk]]) -> None:
        number = self.server.take(request)
        match self.server.script(request):
            case Refuse(status):
                kind, message = ERRORS[status]
                wait = {"retry-after": "1"} if status == 429 else {}
                self._json(status, {"error": {"type": kind, "message": message, "code": status}}, wait)
            case Hang():
                self._wait()
            case Say(half=True) as act:
                self._stream(list(chunks(act, Usage()))[:-3])
                self.server.halfway.set()
                self._wait()
            case Say() | Call() as act:
                text = act.text if isinstance(act, Say) else json.dumps(act.arguments)
                self._stream(chunks(act, self.server.tell(number, text)))
                self.wfile.write(b"data: [DONE]\n\n")

    def _wait(self) -> None:
        self.server.closing.wait(LONGEST_HANG)
        self.close_connection = True

    def _json(self, status: int, body: object, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {
            "content-type": "application/json",
            "content-length": str(len(data)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, chunks: Iterator[Chunk] | list[Chunk]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for chunk in chunks:
            name = f"event: {chunk['type']}\n" if "type" in chunk else ""
            self.wfile.write(f"{name}data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.flush()


def text_of(content: object) -> str:
    """The text in a message's content: plain, or in parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(text_of(part.get("text") or part.get("content")) for part in parts if isinstance(part, dict))


def pieces(text: str) -> list[str]:
    """A text as it comes from a model, a few words at a time; an empty one has none."""
    return [text[at : at + 40] for at in range(0, len(text), 40)]


# Chat completions


def read_chat(body: Chunk) -> Request:
    messages = tuple(Message(message["role"], _chat_text(message)) for message in body.get("messages", ()))
    return Request(messages, tuple(tool["function"]["name"] for tool in body.get("tools") or ()))


def _chat_text(message: Chunk) -> str:
    calls = [json.dumps(call["function"]) for call in message.get("tool_calls") or ()]
    return "\n".join([text_of(message.get("content")), *calls]).strip("\n")


def chat_chunks(act: Say | Call, usage: Usage) -> Iterator[Chunk]:
    frame = {"id": "chat", "object": "chat.completion.chunk", "created": int(time.time()), "model": "scripted"}
    for delta in _chat_deltas(act):
        yield {**frame, "choices": [{"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None}]}
    reason = "stop" if isinstance(act, Say) else "tool_calls"
    yield {**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    told = {
        "prompt_tokens": usage.tokens_in,
        "completion_tokens": usage.tokens_out,
        "total_tokens": usage.tokens_in + usage.tokens_out,
        "prompt_tokens_details": {"cached_tokens": usage.tokens_cached},
    }
    yield {**frame, "choices": [], "usage": told}


def _chat_deltas(act: Say | Call) -> Iterator[Chunk]:
    if isinstance(act, Say):
        yield from ({"content": piece} for piece in pieces(act.text))
        return
    function = {"name": act.tool, "arguments": json.dumps(act.arguments)}
    yield {"content": None, "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]}


# Responses


def read_responses(body: Chunk) -> Request:
    items = body.get("input", ())
    items = [{"role": "user", "content": items}] if isinstance(items, str) else items
    messages = tuple(_response_message(item) for item in items)
    return Request(messages, tuple(tool.get("name") or tool["type"] for tool in body.get("tools") or ()))


def _response_message(item: Chunk) -> Message:
    match item.get("type"):
        case "function_call" | "custom_tool_call":
            return Message("assistant", json.dumps(item))
        case "function_call_output" | "custom_tool_call_output":
            return Message("tool", text_of(item.get("output")) or json.dumps(item.get("output")))
        case _:
            return Message(item.get("role", "other"), text_of(item.get("content")))


def response_chunks(act: Say | Call, usage: Usage) -> Iterator[Chunk]:
    frame = {"id": "resp", "object": "response", "created_at": int(time.time()), "model": "scripted"}
    yield {"type": "response.created", "response": {**frame, "status": "in_progress", "output": []}}
    item = _response_item(act)
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    for piece in pieces(act.text) if isinstance(act, Say) else ():
        place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        yield {"type": "response.output_text.delta", **place, "delta": piece}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    told = {
        "input_tokens": usage.tokens_in,
        "input_tokens_details": {"cached_tokens": usage.tokens_cached},
        "output_tokens": usage.tokens_out,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.tokens_in + usage.tokens_out,
    }
    done = {**frame, "status": "completed", "output": [item], "usage": told}
    yield {"type": "response.completed", "response": done}


def _response_item(act: Say | Call) -> Chunk:
    if isinstance(act, Say):
        content = [{"type": "output_text", "text": act.text, "annotations": []}]
        return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
    arguments = json.dumps(act.arguments)
    return {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": act.tool, "arguments": arguments}
