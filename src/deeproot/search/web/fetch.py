"""The one fetcher: every request that leaves for the web goes through here, and each redirect starts over."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from dataclasses import dataclass, replace

import anyio

from ...asks import Failure, Reason
from ...clock import Clock, RealClock
from ...model import one_line
from .dial import Dialer, Network
from .guard import Guard, Refused, Target, parse
from .pace import Pace
from .response import Head, Response
from .robots import LARGEST, Robots, parse_robots
from .unpack import Malformed, TooLarge
from .wire import Call, FetchLimits, Wants, exchange, retry_after

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_BY_STATUS = {401: Reason.REFUSED, 403: Reason.REFUSED, 408: Reason.TIMED_OUT, 429: Reason.RATE_LIMITED}
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class _Unread:
    """An answer of which only the head was read: a redirect, an error, or not what was wanted."""

    target: Target
    head: Head


@dataclass(frozen=True, slots=True)
class _Manner:
    """How an address is approached."""

    call: Call
    wants: Wants
    guard: Guard
    limits: FetchLimits
    robots: bool


def _anything(head: Head) -> bool:  # noqa: ARG001 - the signature of Wants
    return True


class Fetcher:
    """Reads addresses as far as its guard lets it; what goes wrong is a Failure. May be shared by tasks."""

    def __init__(
        self,
        clock: Clock | None = None,
        guard: Guard | None = None,
        limits: FetchLimits | None = None,
        network: Network | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.guard = guard or Guard()
        self._clock = clock or RealClock()
        self._limits = limits or FetchLimits()
        self._dialer = Dialer(network, tls)
        self._pace = Pace(self._clock)
        self._robots: dict[str, Robots | Failure] = {}
        self._reading: dict[str, anyio.Lock] = {}

    @property
    def reached(self) -> bool:
        """Whether any host was ever reached: if not, there may be no network."""
        return self._dialer.reached

    async def reaches(self, addresses: Sequence[str], seconds: float) -> bool:
        """Whether any of these, which their owner named, can be connected to: without a network none can."""
        targets = [target for target in map(parse, addresses) if isinstance(target, Target)]
        trusting = Guard(frozenset(f"{target.host}:{target.port}" for target in targets))
        return await self._dialer.reaches(targets, trusting, seconds)

    async def fetch(self, url: str, wants: Wants = _anything) -> Response | Failure:
        """A page, as far as robots.txt permits; `wants` may decline it once its head is known."""
        return self._judged(await self._follow(url, _Manner(Call(), wants, self.guard, self._limits, robots=True)))

    async def call(self, url: str, call: Call | None = None, trusted: str = "") -> Response | Failure:
        """A programming interface, which robots.txt is not about. `trusted` is a place its owner named."""
        guard = Guard(self.guard.trusted | {trusted}) if trusted else self.guard
        manner = _Manner(call or Call(), _anything, guard, self._limits, robots=False)
        return self._judged(await self._follow(url, manner))

    async def robots(self, target: Target) -> Robots | Failure:
        """What the host asks of us, read once per run."""
        async with self._reading.setdefault(target.origin, anyio.Lock()):
            if target.origin not in self._robots:
                self._robots[target.origin] = await self._read_robots(target)
            return self._robots[target.origin]

    async def _read_robots(self, target: Target) -> Robots | Failure:
        """A host without the file permits everything; one whose file cannot be had, nothing."""
        small = replace(self._limits, body=LARGEST, unpacked=LARGEST)
        manner = _Manner(Call(), _anything, self.guard, small, robots=False)
        found = await self._follow(f"{target.origin}/robots.txt", manner)
        if isinstance(found, _Unread) and 400 <= found.head.status < 500 and found.head.status != 429:
            return Robots()
        judged = self._judged(found)
        if isinstance(judged, Failure):
            return replace(judged, message=f"robots.txt cannot be read, so no page is. {judged.message}")
        return parse_robots(judged.body.decode("utf-8", "replace"))

    async def _follow(self, url: str, manner: _Manner) -> Response | _Unread | Failure:
        """Request after request until there is no further redirect."""
        before: Target | None = None
        for _ in range(manner.limits.redirects + 1):
            target = manner.guard.target(url, before.url if before else "")
            if isinstance(target, Refused):
                return Failure(Reason.REFUSED, f"{_shown(url)}: {target.reason}")
            if before and target.origin != before.origin:
                manner = replace(manner, call=Call())  # what is meant for one host, such as a key, is told to no other
            found = await self._request(target, manner)
            if not isinstance(found, _Unread) or found.head.status not in _REDIRECTS:
                return found
            if manner.call.body is not None:
                return Failure(Reason.FAILED, f"{target.origin} redirects what was posted to it")
            url, before = found.head.get("location"), target
        return Failure(Reason.FAILED, f"{_shown(url)}: more than {manner.limits.redirects} redirects")

    async def _request(self, target: Target, manner: _Manner) -> Response | _Unread | Failure:
        """One request, when robots.txt and the host's pace permit it."""
        robots = await self.robots(target) if manner.robots else Robots()
        if isinstance(robots, Failure):
            return robots
        if not robots.allows(target.path):
            return Failure(Reason.REFUSED, f"{_shown(target.url)}: robots.txt asks not to read it")
        held = await self._pace.turn(target.host, robots.delay)
        if held:
            return Failure(Reason.RATE_LIMITED, f"{target.host} asked to be left alone for a while", held)
        with anyio.move_on_after(manner.limits.total):
            return await self._exchange(target, manner)
        return Failure(Reason.TIMED_OUT, f"{_shown(target.url)}: took longer than {manner.limits.total:g} seconds")

    async def _exchange(self, target: Target, manner: _Manner) -> Response | _Unread | Failure:
        stream = await self._dialer.open(target, manner.guard, manner.limits.connect)
        if isinstance(stream, Failure):
            return stream
        try:
            head, body = await exchange(
                stream, target, manner.call, manner.limits, lambda head: head.good and manner.wants(head)
            )
        except TimeoutError:
            return Failure(Reason.TIMED_OUT, f"{_shown(target.url)}: silent for {manner.limits.idle:g} seconds")
        except (TooLarge, Malformed) as error:
            return Failure(Reason.FAILED, f"{_shown(target.url)}: {one_line(str(error), _SHOWN)}")
        except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return Failure(Reason.UNAVAILABLE, f"{_shown(target.url)}: the connection broke")
        finally:
            await anyio.aclose_forcefully(stream)
        return _Unread(target, head) if body is None else Response(target.url, head.get("content-type"), body)

    def _judged(self, found: Response | _Unread | Failure) -> Response | Failure:
        """What a status means for the next try."""
        if not isinstance(found, _Unread):
            return found
        target, head = found.target, found.head
        if head.good:
            return Failure(Reason.FAILED, f"{_shown(target.url)}: {head.content_type or 'no type'} is not read")
        reason = _BY_STATUS.get(head.status, Reason.UNAVAILABLE if head.status >= 500 else Reason.FAILED)
        after = retry_after(head, self._clock.now())
        if after and reason is Reason.RATE_LIMITED:
            self._pace.hold(target.host, after)
        return Failure(reason, f"{_shown(target.url)} answered with status {head.status}", after)


def _shown(url: str) -> str:
    return one_line(url, _SHOWN)
