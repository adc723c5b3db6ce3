"""A model server on loopback, answered from a script."""

from __future__ import annotations

import json
import threading
from bisect import bisect, insort
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from .fakes import answer_text
from .obliging import oblige
from .requests import HttpError, Mishap, ModelRequest, Served
from .speech import error_body, speech_of


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
                self._json(served.status, error_body(request, served), served.headers)
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
        events = list(speech_of(request)(request, text, repeated))
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
