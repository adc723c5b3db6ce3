"""What an error of a provider means for the next attempt. Decided by the error's type, never by its words."""

from __future__ import annotations

import re

from pydantic_ai import exceptions as x

from ...asks import Failure, Reason
from ...model import one_line
from ..agent import LAST_WORDS, Event, reason_for
from . import Place


def failure(error: x.AgentRunError, place: Place) -> Failure:
    """The error as a value. What the provider said is quoted; the key is taken out by the caller."""
    reason, meaning = _judge(error, place)
    after = error.retry_after or _told_delay(error.body) if isinstance(error, x.ModelAPIError) else None
    return Failure(reason, f"{place.name} {meaning} {_said(error)}".strip(), after)


def _told_delay(body: object) -> float | None:
    """Google says how long to wait in the body: `{"error": {"details": [{"retryDelay": "34s"}]}}`."""
    found = Event(body).items("error", "details")
    delays = [re.fullmatch(r"(\d+(?:\.\d+)?)s", detail.text("retryDelay")) for detail in found]
    return next((float(delay[1]) for delay in delays if delay), None)


def _judge(error: x.AgentRunError, place: Place) -> tuple[Reason, str]:
    """A prompt that is too long, or rejected for what it says, is one ask's affair; a bad key is the run's."""
    match error:
        case x.ModelAuthenticationError():
            variable = place.provider.keys[0] if place.provider.keys else "the key"
            return Reason.REFUSED, f"refused the key (check {variable})."
        case x.ModelNotFoundError():
            return Reason.REFUSED, "is not there: no such model, or a wrong address."
        case x.ModelQuotaExceededError():
            return Reason.REFUSED, "has no quota or credit left."
        case x.ModelContextWindowExceededError():
            return Reason.FAILED, "cannot take a prompt of this length."
        case x.ModelRequestRejectedError():
            return Reason.FAILED, "rejected the request."
        case x.ModelRateLimitError():
            return Reason.RATE_LIMITED, "asks to slow down."
        case x.ModelTimeoutError():
            return Reason.TIMED_OUT, "did not answer in time."
        case x.ModelConnectionError():
            return Reason.UNAVAILABLE, "could not be reached, or broke off."
        case x.ModelHTTPError(status_code=status) if status < 500:
            return reason_for(status), f"answered with status {status}."
        case x.ModelAPIError():
            return Reason.UNAVAILABLE, "is in trouble."
        case _:
            return Reason.FAILED, "gave an answer that cannot be used."


def _said(error: x.AgentRunError) -> str:
    """The provider's own words, out of the wrapping they came in."""
    found = error.body if isinstance(error, x.ModelAPIError) else None
    if isinstance(found, dict) and isinstance(found.get("error"), dict):
        found = found["error"]
    if isinstance(found, dict) and isinstance(found.get("message"), str):
        found = found["message"]
    said = one_line(found if isinstance(found, str) else str(error), LAST_WORDS)
    return f"It says: {said}" if said else ""
