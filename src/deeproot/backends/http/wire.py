"""The connection to a provider: its client from the library, and a watch over the bytes that come in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import anyio
import httpx2
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model

from ...errors import UsageError
from .. import BackendSettings
from . import Place, ollama_address

CONNECT = 10.0
FIRST_TOKEN = 60.0
IDLE = 30.0
NO_KEY = "none"
"""What is sent where no key is needed. Left out, the library would take one from the environment by itself."""
THINKING = 300.0
"""How long a model that thinks before it speaks may be silent: its provider sends nothing meanwhile."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds: for the first byte of an answer, for the next one, and for all of it."""

    first: float
    idle: float
    total: float


def patience(place: Place, model: Model, settings: BackendSettings) -> Patience:
    """A server of the user's own reads the prompt on its own processor: it has what `--idle-timeout` allows."""
    thinks = model.profile.get("thinking_always_enabled") or model.profile.get("thinking_enabled_by_default")
    first, idle = (THINKING, THINKING) if thinks else (FIRST_TOKEN, IDLE)
    return Patience(
        first=settings.idle_timeout if place.own else min(first, settings.idle_timeout),
        idle=min(idle, settings.idle_timeout),
        total=settings.timeout,
    )


class Watch:
    """Puts off the hour of giving up as long as bytes come, but not beyond the end."""

    def __init__(self, patience: Patience) -> None:
        now = anyio.current_time()
        self._patience = patience
        self._end = now + patience.total
        self._heard = False
        self.scope = anyio.CancelScope(deadline=min(self._end, now + patience.first))

    def heard(self) -> None:
        self._heard = True
        if not self.scope.cancel_called:
            self.scope.deadline = min(self._end, anyio.current_time() + self._patience.idle)

    @property
    def expired(self) -> bool:
        return self.scope.cancelled_caught

    @property
    def why(self) -> str:
        if self.scope.deadline >= self._end:
            return f"timed out after {self._patience.total:g} s"
        if self._heard:
            return f"stopped in the middle of its answer for {self._patience.idle:g} s"
        return f"did not begin to answer within {self._patience.first:g} s"


_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """Let the client tell this watch of every byte that is received here."""
    token = _watch.set(watch)
    try:
        with watch.scope:
            yield
    finally:
        _watch.reset(token)


class _Heard(httpx2.AsyncByteStream):
    """A response's body, telling the watch as it comes. Keep-alive signs count: they show that the server lives."""

    def __init__(self, body: httpx2.AsyncByteStream, watch: Watch) -> None:
        self._body = body
        self._watch = watch

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._body:
            self._watch.heard()
            yield chunk

    async def aclose(self) -> None:
        await self._body.aclose()


async def _listen(response: httpx2.Response) -> None:
    watch = _watch.get()
    if watch and isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Heard(response.stream, watch)


def client() -> httpx2.AsyncClient:
    """A hook listens, not a transport of ours: with one, proxies set in the environment would be passed over."""
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
    timeout = httpx2.Timeout(None, connect=CONNECT)
    return httpx2.AsyncClient(timeout=timeout, limits=limits, event_hooks={"response": [_listen]})


def open_model(place: Place, http: httpx2.AsyncClient) -> Model:
    """The library's model. ImportError when the provider's own library is not installed, UsageError for a bad name."""
    try:
        return _open(place, http)
    except UserError as error:
        raise UsageError(f"{place.name} is not the name of a model: {error}") from error


def _open(place: Place, http: httpx2.AsyncClient) -> Model:
    match place.provider.word:
        case "anthropic":
            return _anthropic(place, http)
        case "google":
            return _google(place, http)
        case "openrouter":
            return _openrouter(place, http)
        case "ollama":
            return _ollama(place, http)
        case _:
            return _openai(place, http)


def _openai(place: Place, http: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    if place.address is None:
        return OpenAIChatModel(place.model, provider=OpenAIProvider(api_key=place.key, http_client=http))
    key = place.key or NO_KEY
    compatible = OpenAICompatibleProvider("own", base_url=place.address, api_key=key, http_client=http)
    return OpenAIChatModel(place.model, provider=compatible)


def _anthropic(place: Place, http: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    key = place.key or NO_KEY
    return AnthropicModel(
        place.model, provider=AnthropicProvider(api_key=key, base_url=place.address, http_client=http)
    )


def _google(place: Place, http: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    key = place.key or NO_KEY
    return GoogleModel(place.model, provider=GoogleProvider(api_key=key, base_url=place.address, http_client=http))


def _openrouter(place: Place, http: httpx2.AsyncClient) -> Model:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openrouter import OpenRouterModel
    from pydantic_ai.providers.openrouter import OpenRouterProvider

    if place.address is None:
        return OpenRouterModel(place.model, provider=OpenRouterProvider(api_key=place.key, http_client=http))
    client = AsyncOpenAI(base_url=place.address, api_key=place.key or NO_KEY, http_client=http)
    return OpenRouterModel(place.model, provider=OpenRouterProvider(openai_client=client))


def _ollama(place: Place, http: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.ollama import OllamaModel
    from pydantic_ai.providers.ollama import OllamaProvider

    key = place.key or NO_KEY
    address = place.address or ollama_address()
    return OllamaModel(place.model, provider=OllamaProvider(base_url=address, api_key=key, http_client=http))
