"""What each agent command line was seen to print, as small builders: one `Lines` per agent.

Every answer tells of 1234 tokens read (1000 of them cached) and 56 written, in that agent's own way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Line = dict[str, object]


@dataclass(frozen=True, slots=True)
class Lines:
    """`refused` is a failure with an HTTP status and the exit code that came with it."""

    word: str
    answer: Callable[[str, str], list[Line]]
    refused: Callable[[int], tuple[list[Line], int]]
    resume: tuple[str, ...]
    fork: tuple[str, ...]


def opencode_answer(text: str, session: str) -> list[Line]:
    tokens = {"input": 234, "output": 50, "reasoning": 6, "cache": {"write": 0, "read": 1000}}
    return [
        {"type": "step_start", "sessionID": session, "part": {"type": "step-start"}},
        {"type": "text", "sessionID": session, "part": {"type": "text", "text": text}},
        {"type": "step_finish", "sessionID": session, "part": {"tokens": tokens, "cost": 0.25}},
    ]


def opencode_refused(status: int) -> tuple[list[Line], int]:
    error = {"name": "APIError", "data": {"message": "no entry", "statusCode": status}}
    return [{"type": "error", "sessionID": "s0", "error": error}], 1


def claude_answer(text: str, session: str) -> list[Line]:
    return [claude_init(session), claude_result(result=text, session_id=session)]


def claude_init(session: str) -> Line:
    return {"type": "system", "subtype": "init", "session_id": session, "tools": []}


def claude_result(**more: object) -> Line:
    usage = {"input_tokens": 134, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 1000}
    return {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "api_error_status": None,
        "total_cost_usd": 0.25,
        "usage": {**usage, "output_tokens": 56},
        **more,
    }


def claude_refused(status: int) -> tuple[list[Line], int]:
    error = claude_result(is_error=True, api_error_status=status, result="API Error: no entry")
    return [claude_init("s0"), error], 1


def codex_answer(text: str, session: str, asks: int = 1) -> list[Line]:
    usage = {"input_tokens": 1234 * asks, "cached_input_tokens": 1000 * asks, "output_tokens": 56 * asks}
    return [
        {"type": "thread.started", "thread_id": session},
        {"type": "item.completed", "item": {"type": "error", "message": "Model metadata not found."}},
        {"type": "turn.started"},
        {"type": "error", "message": "Reconnecting... 1/1"},
        {"type": "item.completed", "item": {"type": "agent_message", "text": text}},
        {"type": "turn.completed", "usage": usage},
    ]


def codex_refused(status: int) -> tuple[list[Line], int]:
    error = {"message": f"unexpected status {status} Unauthorized: no entry"}
    return [{"type": "thread.started", "thread_id": "s0"}, {"type": "turn.failed", "error": error}], 1


def gemini_answer(text: str, session: str) -> list[Line]:
    first, second = text[: len(text) // 2], text[len(text) // 2 :]
    return [
        gemini_init(session),
        {"type": "message", "role": "user", "content": "the prompt"},
        {"type": "message", "role": "assistant", "content": first, "delta": True},
        {"type": "message", "role": "assistant", "content": second, "delta": True},
        gemini_result(),
    ]


def gemini_init(session: str) -> Line:
    return {"type": "init", "session_id": session, "model": "gemini-2.5-flash"}


def gemini_result(**more: object) -> Line:
    stats = {"total_tokens": 1290, "input_tokens": 1234, "output_tokens": 50, "cached": 1000}
    return {"type": "result", "status": "success", "stats": stats, **more}


def gemini_refused(status: int) -> tuple[list[Line], int]:
    message = f'[API Error: {{"error":{{"message":"no entry","code":{status}}}}}]'
    failed = gemini_result(status="error", error={"type": "unknown", "message": message})
    return [gemini_init("s0"), failed], status % 256


def pi_answer(text: str, session: str) -> list[Line]:
    growing = {"role": "assistant", "content": [{"type": "text", "text": text[:3]}]}
    return [
        {"type": "session", "version": 3, "id": session},
        {"type": "message_update", "message": growing},
        pi_turn([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}]),
        {"type": "agent_end", "messages": []},
    ]


def pi_turn(content: list[Line], stop: str = "stop", **more: object) -> Line:
    usage = {"input": 234, "output": 56, "cacheRead": 1000, "cacheWrite": 0, "cost": {"total": 0.25}}
    message = {"role": "assistant", "content": content, "usage": usage, "stopReason": stop, **more}
    return {"type": "turn_end", "message": message, "toolResults": []}


def pi_refused(status: int) -> tuple[list[Line], int]:
    turn = pi_turn([], "error", errorMessage=f"{status} no entry")
    return [{"type": "session", "id": "s0"}, turn], 0


AGENTS = [
    Lines(
        "opencode",
        opencode_answer,
        opencode_refused,
        resume=("--session", "s1"),
        fork=("--session", "s1", "--fork"),
    ),
    Lines(
        "claude",
        claude_answer,
        claude_refused,
        resume=("--resume", "s1"),
        fork=("--resume", "s1", "--fork-session"),
    ),
    Lines("codex", codex_answer, codex_refused, resume=("resume", "s1", "-"), fork=("fork", "s1", "-")),
    Lines(
        "gemini",
        gemini_answer,
        gemini_refused,
        resume=("--resume", "s1"),
        fork=("--session-file", "s1.jsonl"),
    ),
    Lines("pi", pi_answer, pi_refused, resume=("--session", "s1"), fork=("--fork", "s1")),
]
