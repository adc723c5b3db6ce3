"""A web on loopback: a site that serves what a test scripts, a network of fake names and addresses, a clock to step."""

from __future__ import annotations

import json
import socket
import socketserver
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Self

import anyio
import anyio.lowlevel
from anyio.abc import SocketStream

PUBLIC = "93.184.216.34"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as the site saw it."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def url(self) -> str:
        return f"http://{self.headers['host']}{self.path}"


@dataclass(frozen=True, slots=True)
class Page:
    """A scripted answer."""

    body: str | bytes = ""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        body = self.body.encode() if isinstance(self.body, str) else self.body
        head = {"Content-Type": self.content_type, "Content-Length": str(len(body)), **self.headers}
        lines = [f"HTTP/1.1 {self.status} Scripted", *(f"{name}: {value}" for name, value in head.items() if value)]
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


Raw = Callable[[socket.socket], None]
Answer = Page | str | bytes | Raw
Script = Callable[[Asked], Answer | None]

MISSING = Page("nothing here", 404)


def redirect(location: str, status: int = 302) -> Page:
    return Page(status=status, headers={"Location": location})


def as_json(value: object, status: int = 200, **headers: str) -> Page:
    return Page(json.dumps(value), status, "application/json", headers)


class Site:
    """Serves a script, or pages by path, on loopback. `asked` is every request, in order.

    Text is a page of HTML; bytes are sent as they are, head and all; a function is given the socket.
    """

    def __init__(self, script: Script | Mapping[str, Answer], tls: ssl.SSLContext | None = None) -> None:
        self.asked: list[Asked] = []
        self._script = script if callable(script) else lambda asked: script.get(asked.path)
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.site = self
        if tls:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def paths(self) -> list[str]:
        """What was asked for, without robots.txt."""
        return [asked.path for asked in self.asked if asked.path != "/robots.txt"]

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def serve(self, asked: Asked, connection: socket.socket) -> None:
        self.asked.append(asked)
        answer = self._script(asked) or MISSING
        if callable(answer):
            answer(connection)
        elif isinstance(answer, bytes):
            connection.sendall(answer)
        else:
            page = Page(answer) if isinstance(answer, str) else answer
            connection.sendall(page.to_bytes())


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 100
    site: Site

    def handle_error(self, *_: object) -> None:
        """A client that hangs up is what many tests are about."""


class _Handler(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        first, *lines = self._head()
        method, path, _ = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = self.rfile.read(int(headers.get("content-length", 0)))
        with suppress(OSError):
            self.server.site.serve(Asked(method, path, headers, body), self.connection)

    def _head(self) -> list[str]:
        lines = []
        while line := self.rfile.readline().decode("latin-1").rstrip("\r\n"):
            lines.append(line)
        return lines


class FakeNetwork:
    """Every name has a public address unless a test says otherwise; every address leads to the one site.

    names: addresses by name; with several lists, each resolution takes the next and the last one stays.
    """

    def __init__(self, site: Site, names: Mapping[str, Sequence[Sequence[str]]] | None = None) -> None:
        self._site = site
        self._names = {name: list(answers) for name, answers in (names or {}).items()}
        self.resolved: list[str] = []
        self.dialled: list[tuple[str, int]] = []

    async def resolve(self, host: str, port: int) -> Sequence[str]:  # noqa: ARG002
        self.resolved.append(host)
        answers = self._names.get(host)
        if answers is None:
            return [host] if _is_address(host) else [PUBLIC]
        return answers.pop(0) if len(answers) > 1 else answers[0]

    async def connect(self, address: str, port: int) -> SocketStream:
        self.dialled.append((address, port))
        return await anyio.connect_tcp("127.0.0.1", self._site.port)


def _is_address(host: str) -> bool:
    for family in (socket.AF_INET, socket.AF_INET6):
        with suppress(OSError):
            return bool(socket.inet_pton(family, host))
    return False


class Unplugged:
    """A machine without a network."""

    def __init__(self) -> None:
        self.resolved: list[str] = []

    async def resolve(self, host: str, port: int) -> Sequence[str]:  # noqa: ARG002
        self.resolved.append(host)
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    async def connect(self, address: str, port: int) -> SocketStream:  # noqa: ARG002
        raise OSError("Network is unreachable")


class StepClock:
    """Time passes only by sleeping, and sleeping takes none."""

    def __init__(self, start: float = 1_700_000_000.0) -> None:
        self._start = start
        self._passed = 0.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self._start + self._passed

    def monotonic(self) -> float:
        return self._passed

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await anyio.lowlevel.checkpoint()
        self._passed += seconds


@contextmanager
def web(
    script: Script | Mapping[str, Answer], names: Mapping[str, Sequence[Sequence[str]]] | None = None
) -> Iterator[tuple[Site, FakeNetwork]]:
    """A site, and a network in which every public name leads to it."""
    with Site(script) as site:
        yield site, FakeNetwork(site, names)
