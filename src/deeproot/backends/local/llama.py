"""llama.cpp in this process, spoken to over loopback.

In the process, so that nothing is left behind however it ends. Over a socket, because closing it is what makes
llama.cpp stop in the middle of an answer. It keeps what it computed for the conversations it has seen, as far as
`CACHE_MIB` goes: a conversation that begins like one of them, as a fork does, costs only what is new in it.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import anyio.to_thread

from .sessions import Message
from .shape import Schema

CONTEXT = 16384
"""Tokens of a whole conversation. llama.cpp takes what the model was made for when that is less."""
BATCH = 64
"""Tokens read at a time. An ask can be given up only between two batches, which may take seconds each."""
CACHE_MIB = 2048
TOO_LONG = "exceed_context_size_error"
NO_THOUGHTS = {"enable_thinking": False}
"""For models that can: what they think before an answer would not fit its shape."""


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

    async def complete(self, messages: Sequence[Message], shape: Schema, most: int) -> Answered:
        """An answer of this shape to a conversation, of at most `most` tokens. NotLoaded, OSError.

        Cancelled or timed out, it stops computing. The model's own chat template is asked for first, and the plain
        text of its answer then: the chat interface reads answers once more, and refuses some that fit their schema.
        """
        if self._server is None:
            self._server = await anyio.to_thread.run_sync(self._load, abandon_on_cancel=True)
        chat = {"messages": [message._asdict() for message in messages], "chat_template_kwargs": NO_THOUGHTS}
        status, rendered = await self._post("/apply-template", chat)
        if status != 200:
            return _refusal(status, rendered["error"])
        wanted = {"prompt": rendered["prompt"], "json_schema": shape, "n_predict": most, "temperature": 0.0, "seed": 1}
        return _read(*await self._post("/completion", wanted))

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

    async def _post(self, path: str, body: Mapping[str, object]) -> tuple[int, dict[str, Any]]:
        """One request on a connection of its own; the status and the JSON object that came back."""
        address = urlsplit(self._server.listening_address)
        data = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {address.netloc}\r\nConnection: close\r\n"
            f"Authorization: Bearer {self._key}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(data)}\r\n\r\n"
        )
        received = bytearray()
        try:
            async with await anyio.connect_tcp(str(address.hostname), int(address.port or 0)) as stream:
                await stream.send(head.encode() + data)
                async for chunk in stream:
                    received += chunk
        except anyio.BrokenResourceError as error:
            raise ConnectionError("llama.cpp closed the connection") from error
        status, _, rest = bytes(received).partition(b"\r\n")
        if not status.startswith(b"HTTP/1.1 "):
            raise ConnectionError("llama.cpp did not answer")
        return int(status.split()[1]), json.loads(rest.partition(b"\r\n\r\n")[2])


def threads() -> int:
    """One less than there are processors: more is slower where anything else runs as well."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, available - 1)


def _read(status: int, value: dict[str, Any]) -> Answered:
    if status != 200:
        return _refusal(status, value["error"])
    return Answered(
        status,
        text=value["content"],
        cut_off=value["stop_type"] == "limit",
        tokens_in=value["tokens_evaluated"],
        tokens_out=value["tokens_predicted"],
        tokens_cached=value["timings"]["cache_n"],
    )


def _refusal(status: int, error: dict[str, Any]) -> Answered:
    if error["type"] != TOO_LONG:
        return Answered(status, error=error["message"])
    most = f"it has {error['n_prompt_tokens']} tokens, and {error['n_ctx']} are the most."
    return Answered(status, error=most, too_long=True)
