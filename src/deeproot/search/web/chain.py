"""One provider after the other, until one has results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...asks import Failure, Reason
from ...clock import Clock
from ...model import Tag
from .providers import Provider, Result

# How long a provider rests that asked to slow down without saying for how long, or that is in trouble.
REST = {Reason.RATE_LIMITED: 60.0, Reason.UNAVAILABLE: 30.0, Reason.TIMED_OUT: 30.0}


@dataclass(frozen=True, slots=True)
class Results:
    """What the first provider with an answer gave, and what happened on the way to it."""

    results: tuple[Result, ...] = ()
    provider: str = ""
    tags: tuple[Tag, ...] = ()
    failures: tuple[Failure, ...] = ()


class Chain:
    """Asks providers in their order. One that refuses is left out for the run, one in trouble rests for a while."""

    def __init__(self, providers: Sequence[Provider], clock: Clock) -> None:
        self.providers = tuple(providers)
        self._clock = clock
        self._resting: dict[str, tuple[float, Failure]] = {}

    async def results(self, query: str, limit: int) -> Results | Failure:
        """Results; none when every provider that answered has none; a failure when no provider answers."""
        failures: list[Failure] = []
        answered = False
        for provider in self.providers:
            found = self._rest(provider) or await provider.results(query, limit)
            if isinstance(found, Failure):
                self._note(provider, found)
                failures.append(found)
                continue
            answered = True
            if found:
                return Results(found, provider.name, _tags(failures), tuple(failures))
        if answered or all(failure.reason is Reason.EMPTY for failure in failures):
            return Results((), "", _tags(failures), tuple(failures))
        return _together(failures)

    def _rest(self, provider: Provider) -> Failure | None:
        until, failure = self._resting.get(provider.name, (0.0, None))
        return failure if until > self._clock.monotonic() else None

    def _note(self, provider: Provider, failure: Failure) -> None:
        if self._rest(provider):
            return
        rest = failure.retry_after or REST.get(failure.reason, 0.0)
        if failure.reason is Reason.REFUSED:
            rest = float("inf")
        self._resting[provider.name] = (self._clock.monotonic() + rest, failure)


def _tags(failures: Sequence[Failure]) -> tuple[Tag, ...]:
    limited = any(failure.reason is Reason.RATE_LIMITED for failure in failures)
    return (Tag.RATE_LIMITED,) if limited else ()


def _together(failures: Sequence[Failure]) -> Failure:
    """Every failure in one: a pause is worth waiting for when any provider asked for it."""
    waits = [failure.retry_after for failure in failures if failure.retry_after is not None]
    limited = any(failure.reason is Reason.RATE_LIMITED for failure in failures)
    said = "; ".join(failure.message for failure in failures)
    reason = Reason.RATE_LIMITED if limited else Reason.UNAVAILABLE
    return Failure(reason, f"no search provider answered: {said}", min(waits, default=None))
