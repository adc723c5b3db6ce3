"""One request and its response over one connection, with every limit applied while the bytes come in."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Protocol

import anyio
import h11
from anyio.abc import ByteStream

from ... import __version__
from .guard import Target
from .response import Head
from .unpack import Malformed, TooLarge, Unpacker, megabytes

USER_AGENT = f"deeproot/{__version__} (reads pages for a person's research; honours robots.txt)"
_CHUNK = 65536


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """What one address may cost. Seconds and bytes; `body` counts what is sent, `unpacked` what it decodes to."""

    connect: float = 10.0
    idle: float = 30.0
    total: float = 60.0
    redirects: int = 5
    head: int = 64 * 1024
    body: int = 16 * 1024 * 1024
    unpacked: int = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Call:
    """What is sent: a GET, or a POST when there is a body."""

    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None


class Wants(Protocol):
    def __call__(self, head: Head, /) -> bool:
        """Whether the body shall be read, once the head is known."""


async def exchange(
    stream: ByteStream, target: Target, call: Call, limits: FetchLimits, wants: Wants
) -> tuple[Head, bytes | None]:
    """Send a request and read what comes; no body when the head is not wanted.

    Raises TooLarge, Malformed, TimeoutError, and anyio's stream errors.
    """
    reader = _Reader(stream, limits)
    try:
        await reader.send(target, call)
        head = await reader.head()
        if not wants(head):
            return head, None
        return head, await reader.body(Unpacker.of(head.get("content-encoding"), limits.unpacked))
    except (h11.RemoteProtocolError, h11.LocalProtocolError, zlib.error, UnicodeError) as error:
        raise Malformed(f"not a proper HTTP response: {error}") from error


class _Reader:
    def __init__(self, stream: ByteStream, limits: FetchLimits) -> None:
        self._stream, self._limits = stream, limits
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=limits.head)

    async def send(self, target: Target, call: Call) -> None:
        headers = [
            ("Host", target.authority),
            ("User-Agent", USER_AGENT),
            ("Accept", "text/html, application/xhtml+xml, application/pdf, text/*, application/json, */*;q=0.5"),
            ("Accept-Language", "en, *;q=0.5"),
            ("Accept-Encoding", "gzip, deflate"),
            ("Connection", "close"),
            *call.headers,
        ]
        if call.body is not None:
            headers.append(("Content-Length", str(len(call.body))))
        method = "GET" if call.body is None else "POST"
        data = self._http.send(h11.Request(method=method, target=target.path, headers=headers)) or b""
        data += (self._http.send(h11.Data(call.body)) or b"") if call.body else b""
        data += self._http.send(h11.EndOfMessage()) or b""
        with anyio.fail_after(self._limits.idle):
            await self._stream.send(data)

    async def head(self) -> Head:
        while True:
            event = await self._next()
            if isinstance(event, h11.Response):
                headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in event.headers]
                return Head(event.status_code, dict(reversed(headers)))
            if not isinstance(event, h11.InformationalResponse):
                raise Malformed("the connection was closed before anything was sent")

    async def body(self, unpacker: Unpacker) -> bytes:
        parts, sent = [], 0
        while not isinstance(event := await self._next(), h11.EndOfMessage):
            if not isinstance(event, h11.Data):
                raise Malformed("the connection was closed in the middle")
            sent += len(event.data)
            if sent > self._limits.body:
                raise TooLarge(f"larger than {megabytes(self._limits.body)}")
            parts.append(unpacker.unpack(bytes(event.data)))
        unpacker.end()
        return b"".join(parts)

    async def _next(self) -> object:
        """The next event, once enough has come in for one."""
        while (event := self._http.next_event()) is h11.NEED_DATA:
            with anyio.fail_after(self._limits.idle):
                try:
                    data = await self._stream.receive(_CHUNK)
                except anyio.EndOfStream:
                    data = b""
            self._http.receive_data(data)
        return event


def retry_after(head: Head, now: float) -> float | None:
    """Seconds until another try is welcome, whether the server says it in seconds or as a date."""
    said = head.get("retry-after").strip()
    if said.isdecimal() and len(said) < 10:
        return float(said)
    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - now)
    except (ValueError, OverflowError):
        return None
