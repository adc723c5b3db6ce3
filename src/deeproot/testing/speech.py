"""How each provider streams an answer and words an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from .requests import ROUTED_COST, HttpError, ModelRequest

Events = Iterator[tuple[str, object]]


def speech_of(request: ModelRequest) -> Callable[[ModelRequest, str, int], Events]:
    """How the provider speaks that is asked this way."""
    if ":streamGenerateContent" in request.path:
        return _as_google
    if request.path.startswith("/api/v1/"):
        return _as_openrouter
    return _as_anthropic if request.path.endswith("/messages") else _as_openai


def error_body(request: ModelRequest, error: HttpError) -> object:
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
