"""`local:/path/model.gguf`: a model file on this machine, run by llama.cpp in this process.

A small model wanders unless it is held: every answer is written under the JSON schema of its kind, narrowed to what
can be meant here (`shape.py`), from a fixed seed, so that the same ask has the same answer.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import anyio

from ...asks import Ask, Failure, Reason, Reply
from ...errors import BackendError
from ...model import Usage
from .. import PAID_PASSAGES, Abilities, Backend, BackendSettings, prompt_characters
from .gguf import context_length, is_model
from .llama import CONTEXT, Answered, Llama, NotLoaded
from .sessions import Message, Sessions
from .shape import answer_shape

PACKAGE = "xllamacpp"
ANSWER_TOKENS = 2048
SOON = 1.0
"""Seconds after which a model that is still loading is asked again."""


def open_backend(settings: BackendSettings) -> Backend:
    """BackendError when the file is not a model or the package is missing. The model is loaded by the first ask."""
    if not settings.model:
        raise BackendError("Which model file? Name it: --model local:/path/model.gguf")
    path = Path(settings.model).expanduser()
    _check_file(path)
    if find_spec(PACKAGE) is None:
        raise BackendError("Local models need a package that is not installed: pip install 'deeproot[local]'")
    return LocalBackend(path, settings)


def _check_file(path: Path) -> None:
    try:
        model = is_model(path)
    except OSError as error:
        raise BackendError(f"The model file {path} cannot be read: {os.strerror(error.errno or 0)}.") from error
    if not model:
        raise BackendError(f"{path} is not a model in the GGUF format, the only one that llama.cpp reads.")


class LocalBackend:
    """Answers asks with one model, one at a time: side by side they would only share the same processor."""

    queues = True

    def __init__(self, path: Path, settings: BackendSettings) -> None:
        context = min(CONTEXT, context_length(path) or CONTEXT)
        readable = prompt_characters(context, ANSWER_TOKENS)
        self.abilities = Abilities(sessions=True, fork=True, passages=PAID_PASSAGES, characters=readable)
        self.name = f"local:{settings.model}"
        self._file = path.name
        self._timeout = settings.timeout
        self._llama = Llama(path)
        self._sessions = Sessions(settings.scratch / "sessions")
        self._turn = anyio.Lock()

    async def answer(self, ask: Ask) -> Reply | Failure:
        """Waiting for other asks does not count as time taken; loading the model does."""
        async with self._turn:
            try:
                with anyio.fail_after(self._timeout):
                    return await self._answer(ask)
            except TimeoutError:
                return Failure(Reason.TIMED_OUT, f"{self._file} timed out after {self._timeout:g} s.")
            except NotLoaded as error:
                return Failure(Reason.REFUSED, str(error))
            except OSError as error:
                return Failure(Reason.UNAVAILABLE, f"{self._file}: {error}")

    async def aclose(self) -> None:
        await self._llama.aclose()

    async def _answer(self, ask: Ask) -> Reply | Failure:
        """In the ask's session; in a new one with the context when that is gone or has grown too long."""
        history = self._sessions.read(ask.session)
        if history:
            messages = [*history, Message("user", ask.prompt)]
            answered = await self._complete(ask, messages)
            if not answered.too_long:
                return self._conclude(messages, answered, "native" if ask.fork else "")
        messages = [Message("user", ask.context + ask.prompt)]
        return self._conclude(messages, await self._complete(ask, messages), "")

    async def _complete(self, ask: Ask, messages: list[Message]) -> Answered:
        return await self._llama.complete(messages, answer_shape(ask), ANSWER_TOKENS)

    def _conclude(self, messages: list[Message], answered: Answered, fork: str) -> Reply | Failure:
        if failure := self._failure(answered):
            return failure
        session = self._sessions.write([*messages, Message("assistant", answered.text)])
        usage = Usage(answered.tokens_in, answered.tokens_out, answered.tokens_cached)
        return Reply(answered.text, session, usage, self.name, fork)

    def _failure(self, answered: Answered) -> Failure | None:
        if answered.too_long:
            advice = "Search fewer files (--files), lower --breadth, or choose a model with a larger context."
            return Failure(Reason.FAILED, f"The prompt is too long for {self._file}: {answered.error} {advice}")
        if answered.status == 503:
            return Failure(Reason.UNAVAILABLE, f"{self._file}: {answered.error}", SOON)
        if answered.status != 200:
            return Failure(Reason.FAILED, f"{self._file}: {answered.error}")
        if answered.cut_off:
            return Failure(Reason.FAILED, f"The answer of {self._file} was cut off after {answered.tokens_out} tokens.")
        if not answered.text.strip():
            return Failure(Reason.EMPTY, f"{self._file} ended without an answer.")
        return None
