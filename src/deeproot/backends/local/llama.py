"""llama.cpp in this process, spoken to over loopback.

In the process, so that nothing is left behind however it ends. Over a socket, because closing it is what makes
llama.cpp stop in the middle of an answer. It keeps what it computed for the conversations it has seen, as far as
`CACHE_MIB` goes: a conversation that begins like one of them, as a fork does, costs only what is new in it.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import anyio.to_thread

CONTEXT = 8192
"""Tokens of a whole conversation. llama.cpp takes what the model was made for when that is less."""
BATCH = 64
"""Tokens read at a time. An ask can be given up only between two batches, which may take seconds each."""
CACHE_MIB = 1024
TOO_LONG = "exceed_context_size_error"


class NotLoaded(Exception):
    """The model file cannot be used. The message is complete."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back, whatever it was."""

    status: int
    text: str = ""
    cut_off: bool = False
    error: str = ""
    too_long: bool = False
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0


class Llama:
    """One model file. Loaded by the first request."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._key = secrets.token_hex(16)
        self._server: Any = None

    async def chat(self, body: dict[str, Any]) -> Answered:
        """The answer to a conversation. Cancelled or timed out, it stops computing; NotLoaded, OSError."""
        if self._server is None:
            self._server = await anyio.to_thread.run_sync(self._load, abandon_on_cancel=True)
        address = urlsplit(self._server.listening_address)
        assert address.hostname
        assert address.port
        status, payload = await self._post(address.hostname, address.port, json.dumps(body).encode())
        return _read(status, payload)

    async def aclose(self) -> None:
        """Let go of the model and its memory."""
        kept, self._server = [self._server], None
        await anyio.to_thread.run_sync(kept.clear)

    def _load(self) -> Any:
        """A running server. The names of its settings move between versions, hence the pinned one."""
        llama = import_module("xllamacpp")
        settings = llama.CommonParams()
        settings.model.path = str(self._path)
        settings.n_ctx = CONTEXT
        settings.n_batch = settings.n_ubatch = BATCH
        settings.n_parallel = 1
        settings.n_threads_http = 2
        settings.cache_ram_mib = CACHE_MIB
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads()
        settings.api_keys = [self._key]
        settings.verbosity = 0
        settings.warmup = settings.fit_params = settings.ui = settings.endpoint_slots = False
        try:
            return llama.Server(settings)
        except RuntimeError as error:
            raise NotLoaded(
                f"llama.cpp cannot load {self._path}: the file is damaged, or its model is of a kind that this "
                f"version ({llama.__version__}) does not know."
            ) from error

    async def _post(self, host: str, port: int, data: bytes) -> tuple[int, bytes]:
        """One request on a connection of its own."""
        head = (
            f"POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
            f"Authorization: Bearer {self._key}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(data)}\r\n\r\n"
        )
        received = bytearray()
        try:
            async with await anyio.connect_tcp(host, port) as stream:
                await stream.send(head.encode() + data)
                async for chunk in stream:
                    received += chunk
        except anyio.BrokenResourceError as error:
            raise ConnectionError("llama.cpp closed the connection") from error
        status, _, rest = bytes(received).partition(b"\r\n")
        if not status.startswith(b"HTTP/1.1 "):
            raise ConnectionError("llama.cpp did not answer")
        return int(status.split()[1]), rest.partition(b"\r\n\r\n")[2]


def threads() -> int:
    """One less than there are processors: more is slower where anything else runs as well."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, available - 1)


def _read(status: int, payload: bytes) -> Answered:
    value = json.loads(payload)
    if status != 200:
        return _refusal(status, value["error"])
    [choice] = value["choices"]
    usage = value["usage"]
    return Answered(
        status,
        text=choice["message"]["content"] or "",
        cut_off=choice["finish_reason"] == "length",
        tokens_in=usage["prompt_tokens"],
        tokens_out=usage["completion_tokens"],
        tokens_cached=usage["prompt_tokens_details"]["cached_tokens"],
    )


def _refusal(status: int, error: dict[str, Any]) -> Answered:
    if error["type"] != TOO_LONG:
        return Answered(status, error=error["message"])
    most = f"it has {error['n_prompt_tokens']} tokens, and {error['n_ctx']} are the most."
    return Answered(status, error=most, too_long=True)
