"""How often a host is asked: once a second, more slowly where it says so, not at all while it asks to be left alone."""

from __future__ import annotations

from ...clock import Clock

INTERVAL = 1.0
PATIENCE = 10.0


class Pace:
    """Gives out turns per host. Waiting is done here, so that it counts against no time limit of a request."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._next: dict[str, float] = {}
        self._held: dict[str, float] = {}

    async def turn(self, host: str, delay: float = 0.0) -> float:
        """Wait for the next turn and return 0; or return the seconds a held host must still be left alone."""
        now = self._clock.monotonic()
        held = self._held.get(host, now) - now
        if held > PATIENCE:
            return held
        at = max(now + max(0.0, held), self._next.get(host, now))
        self._next[host] = at + max(INTERVAL, delay)
        if at > now:
            await self._clock.sleep(at - now)
        return 0.0

    def hold(self, host: str, seconds: float) -> None:
        """The host asked for a pause."""
        self._held[host] = self._clock.monotonic() + seconds
