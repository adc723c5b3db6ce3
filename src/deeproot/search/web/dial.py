"""From a checked target to a connection: resolve once, check every address, connect to that very address.

So a resolver that changes its mind between the check and the connection gets no second chance.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from functools import partial
from ipaddress import ip_address
from typing import Protocol

import anyio
from anyio.abc import ByteStream, SocketStream
from anyio.streams.tls import TLSStream

from ...asks import Failure, Reason
from .aside import run_aside
from .guard import Address, Guard, Target

# How many addresses of a name are tried, and the seconds each but the last is given.
MOST_TRIED, PATIENCE = 3, 2.5


class Network(Protocol):
    """What lies outside. Raises OSError when it fails."""

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """The addresses of a name."""

    async def connect(self, address: str, port: int) -> ByteStream:
        """A connection to one address."""


class Internet:
    async def resolve(self, host: str, port: int) -> Sequence[str]:
        found = await run_aside(partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM))
        return list(dict.fromkeys(str(place[0]) for *_, place in found))

    async def connect(self, address: str, port: int) -> SocketStream:
        return await anyio.connect_tcp(address, port)


class Dialer:
    """Opens connections. `reached` says whether any was ever made, and so whether there is a network at all."""

    def __init__(self, network: Network | None = None, tls: ssl.SSLContext | None = None) -> None:
        self._network = network or Internet()
        self._tls = tls
        self.reached = False

    async def open(self, target: Target, guard: Guard, seconds: float) -> ByteStream | Failure:
        """A connection to the target, encrypted where its scheme says so, within that many seconds."""
        try:
            with anyio.fail_after(seconds):
                stream = await self._dial(target, guard)
                if isinstance(stream, Failure) or target.scheme == "http":
                    return stream
                return await self._encrypted(stream, target)
        except TimeoutError:
            return Failure(Reason.TIMED_OUT, f"{target.origin}: no connection within {seconds:g} seconds")
        except ssl.SSLError as error:
            return Failure(Reason.FAILED, f"{target.origin}: no safe connection ({error.reason or error.strerror})")
        except (OSError, anyio.BrokenResourceError, anyio.EndOfStream, ValueError) as error:
            return Failure(Reason.UNAVAILABLE, f"{target.origin} cannot be reached ({_cause(error)})")

    async def reaches(self, targets: Sequence[Target], guard: Guard, seconds: float) -> bool:
        """Whether any of these can be connected to. Nothing is sent."""

        async def call(target: Target) -> None:
            try:
                stream = await self._dial(target, guard)
            except (OSError, ValueError):
                return
            if not isinstance(stream, Failure):
                await anyio.aclose_forcefully(stream)
                group.cancel_scope.cancel()

        with anyio.move_on_after(seconds):
            async with anyio.create_task_group() as group:
                for target in targets:
                    group.start_soon(call, target)
        return self.reached

    async def _dial(self, target: Target, guard: Guard) -> ByteStream | Failure:
        """A bare connection to one of the target's addresses, none of which may be refused."""
        found = await self._network.resolve(target.host, target.port)
        if not found:
            raise OSError("the name has no address")
        addresses = [ip_address(each) for each in found]
        refused = [why for address in addresses if (why := guard.refusal(target, address))]
        if refused:
            return Failure(Reason.REFUSED, f"{target.origin}: {refused[0].reason}")
        stream = await self._connect(addresses[:MOST_TRIED], target.port)
        self.reached = True
        return stream

    async def _connect(self, addresses: Sequence[Address], port: int) -> ByteStream:
        """The first that answers."""
        *others, last = addresses
        for address in others:
            with anyio.move_on_after(PATIENCE), suppress(OSError):
                return await self._network.connect(str(address), port)
        return await self._network.connect(str(last), port)

    async def _encrypted(self, stream: ByteStream, target: Target) -> ByteStream:
        self._tls = self._tls or ssl.create_default_context()
        async with AsyncExitStack() as unless_wrapped:
            unless_wrapped.push_async_callback(anyio.aclose_forcefully, stream)
            wrapped = await TLSStream.wrap(
                stream, server_side=False, hostname=target.host, ssl_context=self._tls, standard_compatible=False
            )
            unless_wrapped.pop_all()
        return wrapped


def _cause(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else "") or str(error) or type(error).__name__
