"""A site that does its worst costs its own page and nothing else."""

from __future__ import annotations

import gzip
import random
import socket
import tracemalloc
import zlib
from collections.abc import Callable
from functools import cache
from itertools import repeat

import anyio
import pytest
from loopback import Answer, Page, StepClock, web

from deeproot.asks import Failure, Reason
from deeproot.search.web.fetch import Fetcher
from deeproot.search.web.response import Response
from deeproot.search.web.wire import FetchLimits

MB = 1024 * 1024
SMALL = FetchLimits(body=2 * MB, unpacked=4 * MB)
QUICK = FetchLimits(idle=0.6, total=1.5)
OK = b"HTTP/1.1 200 OK\r\n"


@cache
def bomb(size: int, wbits: int) -> bytes:
    packer = zlib.compressobj(1, wbits=wbits)
    return b"".join(packer.compress(bytes(MB)) for _ in range(size // MB)) + packer.flush()


def bombing(encoding: str, make: Callable[[], bytes]) -> Callable[[socket.socket], None]:
    return lambda connection: connection.sendall(Page(make(), headers={"Content-Encoding": encoding}).to_bytes())


def endlessly(head: bytes, part: bytes, pause: float = 0.0) -> Callable[[socket.socket], None]:
    """Send a head, then the same again and again until the client hangs up."""

    def send(connection: socket.socket) -> None:
        connection.sendall(head)
        for each in repeat(part):
            connection.sendall(each)
            if pause:
                connection.settimeout(pause)
                try:
                    if not connection.recv(1):
                        return
                except TimeoutError:
                    continue

    return send


def silent(connection: socket.socket) -> None:
    connection.settimeout(5)
    connection.recv(1)


CHUNKED = OK + b"Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
HOSTILE: dict[str, tuple[Answer, Reason]] = {
    "a gzip bomb of 300 MB": (bombing("gzip", lambda: bomb(300 * MB, 31)), Reason.FAILED),
    "a deflate bomb": (bombing("deflate", lambda: bomb(64 * MB, 15)), Reason.FAILED),
    "a bomb in a bomb": (bombing("gzip, gzip", lambda: gzip.compress(bomb(64 * MB, 31))), Reason.FAILED),
    "an endless body": (endlessly(OK + b"Content-Type: text/plain\r\n\r\n", b"x" * 65536), Reason.FAILED),
    "a PDF that never ends": (
        endlessly(OK + b"Content-Type: application/pdf\r\n\r\n%PDF-1.7\n", b"1 0 obj\n" * 9999),
        Reason.FAILED,
    ),
    "endless chunks": (endlessly(CHUNKED, b"8000\r\n" + b"x" * 0x8000 + b"\r\n"), Reason.FAILED),
    "an endless chunk size": (endlessly(CHUNKED, b"0" * 65536), Reason.FAILED),
    "a slow drip": (endlessly(CHUNKED, b"1\r\nx\r\n", pause=0.05), Reason.TIMED_OUT),
    "a slow head": (endlessly(OK, b"X: y\r\n", pause=0.05), Reason.TIMED_OUT),
    "silence": (silent, Reason.TIMED_OUT),
    "a flood of headers": (endlessly(OK, b"X-Header: " + b"y" * 1000 + b"\r\n"), Reason.FAILED),
    "one endless header": (endlessly(OK + b"X: ", b"y" * 65536), Reason.FAILED),
    "endless early hints": (endlessly(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", pause=0.05), Reason.TIMED_OUT),
    "a length that is too long": (OK + b"Content-Length: 1000\r\n\r\nshort", Reason.FAILED),
    "a length of two minds": (OK + b"Content-Length: 1\r\nContent-Length: 5\r\n\r\nshort", Reason.FAILED),
    "a length that is no number": (OK + b"Content-Length: -1\r\n\r\nshort", Reason.FAILED),
    "a cut packed body": (
        Page(gzip.compress(bytes(1000))[:-12], headers={"Content-Encoding": "gzip"}),
        Reason.FAILED,
    ),
    "a packed body that is none": (Page(b"plain", headers={"Content-Encoding": "gzip"}), Reason.FAILED),
    "no HTTP at all": (b"SSH-2.0-OpenSSH_9.9\r\n", Reason.FAILED),
    "nothing": (b"", Reason.FAILED),
    "a redirect to nowhere": (Page(status=302), Reason.FAILED),
    "a redirect to itself": (Page(status=302, headers={"Location": "/"}), Reason.FAILED),
    "a redirect with a smuggled header": (Page(status=302, headers={"Location": "/\tX-Evil: 1"}), Reason.REFUSED),
}


@pytest.mark.parametrize("deed", HOSTILE)
def test_a_hostile_answer_is_a_failure_with_its_reason(deed: str) -> None:
    answer, reason = HOSTILE[deed]
    with web({"/": answer, "/good": "fine"}) as (_, network):
        hasty = Fetcher(StepClock(), None, QUICK if reason is Reason.TIMED_OUT else SMALL, network)
        patient = Fetcher(StepClock(), None, SMALL, network)

        async def both() -> tuple[Response | Failure, Response | Failure]:
            return await hasty.fetch("http://a.example/"), await patient.fetch("http://a.example/good")

        bad, good = anyio.run(both)
    assert isinstance(bad, Failure)
    assert bad.reason is reason, bad
    assert isinstance(good, Response), "the next page of the same site is read as if nothing had been"


@pytest.mark.parametrize("deed", ["a gzip bomb of 300 MB", "an endless body", "endless chunks", "one endless header"])
def test_a_hostile_answer_never_fills_the_memory(deed: str) -> None:
    answer, _ = HOSTILE[deed]
    with web({"/": answer}) as (_, network):
        fetcher = Fetcher(StepClock(), None, SMALL, network)
        tracemalloc.start()
        anyio.run(fetcher.fetch, "http://a.example/")
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most < 24 * MB


def test_what_is_sent_is_counted_as_well_as_what_it_unpacks_to() -> None:
    noise = gzip.compress(random.Random(1).randbytes(3 * MB), 1)
    with web({"/": Page(noise, headers={"Content-Encoding": "gzip"})}) as (_, network):
        outcome = anyio.run(Fetcher(StepClock(), None, SMALL, network).fetch, "http://a.example/")
    assert isinstance(outcome, Failure)
    assert "larger than 2 MB" in outcome.message


def test_a_body_longer_than_it_says_is_cut_where_it_said() -> None:
    with web({"/": OK + b"Content-Length: 5\r\n\r\nshort and much more"}) as (_, network):
        outcome = anyio.run(Fetcher(StepClock(), None, SMALL, network).fetch, "http://a.example/")
    assert isinstance(outcome, Response)
    assert outcome.body == b"short"


def test_an_endless_robots_txt_keeps_us_from_that_host_only() -> None:
    flood = endlessly(OK + b"Content-Type: text/plain\r\n\r\n", b"Disallow: /a\n" * 5000)
    with web(lambda asked: flood if (asked.path, asked.headers["host"]) == ("/robots.txt", "a.example") else "x") as (
        site,
        network,
    ):
        fetcher = Fetcher(StepClock(), None, SMALL, network)

        async def both() -> tuple[Response | Failure, Response | Failure]:
            return await fetcher.fetch("http://a.example/"), await fetcher.fetch("http://b.example/")

        bad, good = anyio.run(both)
    assert isinstance(bad, Failure)
    assert isinstance(good, Response)
    assert [asked.headers["host"] for asked in site.asked if asked.path == "/"] == ["b.example"]
