"""One ask to a model over HTTP: streamed, held to a schema, watched, and kept as a session that can be forked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from ...answers import schema
from ...asks import ANSWERS, Ask, Failure, Kind, Reason, Reply
from ...model import Usage
from .. import PAID_PASSAGES, Abilities, BackendSettings, prompt_characters
from ..keys import redact, without_secrets
from . import Place, context_tokens, wire
from .failures import failure
from .sessions import Sessions

MANNER = "You take part in a research program. Do exactly what the message asks, and return only what it asks for."
"""The same for every ask, so that every prompt begins alike."""
CONTINUED = frozenset({Kind.DOCUMENT, Kind.CHILDREN})
"""Asks whose sessions are continued or forked: where caching has to be requested, it pays for these."""

FREE = ModelRequestParameters()
ANSWER_TOKENS = 1024
"""Of a small context, what is left for the answer."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What is sent, and how its session came to be."""

    messages: tuple[ModelMessage, ...]
    new_characters: int
    fork: str


def _abilities(place: Place) -> Abilities:
    able = Abilities(sessions=True, fork=True, passages=PAID_PASSAGES)
    context = context_tokens(place)
    return replace(able, characters=prompt_characters(context, ANSWER_TOKENS)) if context else able


def _length(messages: Iterable[ModelMessage]) -> int:
    parts = (part for message in messages for part in message.parts)
    return sum(len(part.content) for part in parts if isinstance(part, UserPromptPart | TextPart))


class HttpBackend:
    """Answers asks by asking a model over HTTP. The engine searches for it."""

    repeats = 3
    """How often an ask may be sent again as it is: one that failed has left nothing behind."""

    def __init__(self, place: Place, settings: BackendSettings) -> None:
        self.name = place.name
        self.provider = place.address or place.provider.word
        self.abilities = _abilities(place)
        self._place = place
        self._http = wire.client()
        self._model = wire.open_model(place, self._http)
        self._patience = wire.patience(place, self._model, settings)
        self._sessions: Sessions[ModelMessage] = Sessions()
        self._forms: dict[Kind, ModelRequestParameters] = {}

    async def answer(self, ask: Ask) -> Reply | Failure:
        exchange = self._exchange(ask)
        try:
            response = await self._converse(ask, exchange)
        except AgentRunError as error:
            response = failure(error, self._place)
        result = response if isinstance(response, Failure) else self._conclude(exchange, response)
        return without_secrets(result, self._place.key)

    def price(self, usage: Usage) -> float | None:
        """What so many tokens cost, from the library's list; nothing on a server the user runs."""
        if self._place.own:
            return 0.0
        tokens = RequestUsage(input_tokens=usage.tokens_in, output_tokens=usage.tokens_out)
        return self._cost(
            ModelResponse(parts=[], usage=tokens, model_name=self._place.model, provider_name=self._model.system)
        )

    async def aclose(self) -> None:
        await self._http.aclose()

    def _exchange(self, ask: Ask) -> Exchange:
        """The session and the prompt; where it is forgotten or has grown too long, its context and the prompt."""
        history = self._sessions.history(ask.session) or ()
        if _length(history) + len(ask.prompt) > self.abilities.characters:
            history = ()
        prompt = ask.prompt if history else ask.context + ask.prompt
        request = ModelRequest(parts=[UserPromptPart(prompt)], instructions=MANNER)
        fork = ("native" if history else "emulated") if ask.fork else ""
        return Exchange((*history, request), len(prompt), fork)

    async def _converse(self, ask: Ask, exchange: Exchange) -> ModelResponse | Failure:
        """Repeating is the performer's affair, so the library's own retries are off."""
        settings = ModelSettings(max_retries=0, cache=ask.kind in CONTINUED)
        watch = wire.Watch(self._patience)
        with wire.watching(watch):
            async with model_request_stream(
                self._model,
                exchange.messages,
                model_settings=settings,
                model_request_parameters=FREE if ask.free or not self._can_form else self._form(ask.kind),
            ) as stream:
                async for _ in stream:
                    pass
                return stream.get()
        return Failure(Reason.TIMED_OUT, f"{self.name} {watch.why}.")

    @property
    def _can_form(self) -> bool:
        """Whether the provider can hold a model to a schema."""
        return bool(self._model.profile.get("supports_json_schema_output"))

    def _form(self, kind: Kind) -> ModelRequestParameters:
        """What holds the model to the answer's schema; made once per kind."""
        if kind not in self._forms:
            wanted = OutputObjectDefinition(schema(ANSWERS[kind]), name=kind)
            self._forms[kind] = ModelRequestParameters(output_mode="native", output_object=wanted)
        return self._forms[kind]

    def _conclude(self, exchange: Exchange, response: ModelResponse) -> Reply | Failure:
        text = "".join(part.content for part in response.parts if isinstance(part, TextPart)).strip()
        if response.finish_reason == "length":
            return Failure(Reason.FAILED, f"{self.name} broke off: the answer is longer than the model can write.")
        if not text:
            return Failure(Reason.EMPTY, f"{self.name} ended without an answer.")
        text = redact(text, self._place.key)
        said = ModelResponse(parts=[TextPart(text)])
        session = self._sessions.keep((*exchange.messages, said), exchange.new_characters + len(text))
        model = response.model_name or self._place.model
        return Reply(text, session, self._usage(response), model, exchange.fork)

    def _usage(self, response: ModelResponse) -> Usage:
        told = response.usage
        return Usage(told.input_tokens, told.output_tokens, told.cache_read_tokens, self._cost(response))

    def _cost(self, response: ModelResponse) -> float | None:
        """As the provider reports it, or from the library's list of prices; None when neither knows."""
        told = (response.provider_details or {}).get("cost")
        if told is not None:
            return float(told)
        if self._place.own:
            return None
        try:
            return float(response.cost().total_price)
        except (LookupError, ValueError, AssertionError):
            return None
