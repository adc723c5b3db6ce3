"""The one fetcher: what it reaches, what it refuses, and what it makes of every kind of trouble."""

from __future__ import annotations

import gzip
import shutil
import ssl
import subprocess
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path

import anyio
import pytest
from loopback import PUBLIC, Answer, FakeNetwork, Page, Script, Site, StepClock, Unplugged, redirect, web

from deeproot.asks import Failure, Reason
from deeproot.search.web.fetch import Fetcher
from deeproot.search.web.guard import Guard
from deeproot.search.web.response import Response
from deeproot.search.web.wire import Call, FetchLimits


@dataclass(frozen=True, slots=True)
class Fetched:
    outcome: Response | Failure
    site: Site
    network: FakeNetwork
    clock: StepClock

    @property
    def body(self) -> bytes:
        assert isinstance(self.outcome, Response), self.outcome
        return self.outcome.body

    @property
    def failure(self) -> Failure:
        assert isinstance(self.outcome, Failure), self.outcome
        return self.outcome


def fetch(
    url: str,
    script: Script | Mapping[str, Answer],
    names: Mapping[str, Sequence[Sequence[str]]] | None = None,
) -> Fetched:
    with web(script, names) as (site, network):
        clock = StepClock()
        fetcher = Fetcher(clock, network=network)
        return Fetched(anyio.run(fetcher.fetch, url), site, network, clock)


def test_a_page_is_read_from_the_address_its_name_resolves_to() -> None:
    done = fetch("http://example.org/a?b=c#d", {"/a?b=c": Page("<p>Hello", headers={"X": "y"})})
    assert done.outcome == Response("http://example.org/a?b=c", "text/html; charset=utf-8", b"<p>Hello")
    assert set(done.network.dialled) == {(PUBLIC, 80)}
    page = done.site.asked[-1]
    assert page.method == "GET"
    assert page.headers["host"] == "example.org"
    assert page.headers["user-agent"].startswith("deeproot/")
    assert not {"cookie", "referer", "authorization"} & page.headers.keys()


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "raw deflate", "two members"])
def test_a_packed_page_is_unpacked(encoding: str) -> None:
    text = b"All work and no play. " * 1000
    raw = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": gzip.compress(text),
        "deflate": zlib.compress(text),
        "raw deflate": raw.compress(text) + raw.flush(),
        "two members": gzip.compress(text[:100]) + gzip.compress(text[100:]) + b"\0\0\0",
    }[encoding]
    word = "deflate" if "deflate" in encoding else "gzip"
    assert fetch("http://a.example/", {"/": Page(packed, headers={"Content-Encoding": word})}).body == text


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "zstd"])
def test_a_page_packed_in_a_way_nobody_asked_for_fails(encoding: str) -> None:
    done = fetch("http://a.example/", {"/": Page(b"\x01\x02", headers={"Content-Encoding": encoding})})
    assert done.failure.reason is Reason.FAILED


def test_redirects_are_followed_and_the_final_address_is_told() -> None:
    done = fetch(
        "http://a.example/",
        {"/": redirect("/next"), "/next": redirect("http://b.example/there"), "/there": "arrived"},
    )
    assert done.body == b"arrived"
    assert isinstance(done.outcome, Response)
    assert done.outcome.url == "http://b.example/there"


def test_a_redirect_loop_ends_after_five() -> None:
    done = fetch("http://a.example/", {"/": redirect("/a"), "/a": redirect("/b"), "/b": redirect("/a")})
    assert "more than 5 redirects" in done.failure.message
    assert len(done.site.paths) == 6


_BAD_PLACES = """
    http://127.0.0.1/ http://localhost/ http://169.254.169.254/latest/meta-data/ http://[::1]/
    http://[64:ff9b::a9fe:a9fe]/ http://[::ffff:10.0.0.1]/ http://0.0.0.0/ http://[2002:7f00:1::]/
    http://metadata.example/ http://mixed.example/ file:///etc/passwd ftp://a.example/ gopher://a.example/
    http://a.example:25/ http://user@a.example/ http://a.example\\@b/
"""
BAD_PLACES = _BAD_PLACES.split()
INSIDE_NAMES = {
    "localhost": [["127.0.0.1", "::1"]],
    "metadata.example": [["169.254.169.254"]],
    "mixed.example": [[PUBLIC, "10.0.0.1"]],
}


@pytest.mark.parametrize("place", BAD_PLACES)
def test_what_is_not_public_is_refused_and_never_dialled(place: str) -> None:
    done = fetch(place, {"/": "secret"}, INSIDE_NAMES)
    assert done.failure.reason is Reason.REFUSED
    assert done.network.dialled == []


@pytest.mark.parametrize("place", BAD_PLACES)
def test_a_redirect_to_what_is_not_public_is_refused_and_never_dialled(place: str) -> None:
    done = fetch("http://a.example/", {"/": redirect(place)}, INSIDE_NAMES)
    assert done.failure.reason is Reason.REFUSED
    assert set(done.network.dialled) == {(PUBLIC, 80)}


def test_a_resolver_that_changes_its_mind_gets_no_second_chance() -> None:
    done = fetch("http://rebind.example/", {"/": "fine"}, {"rebind.example": [[PUBLIC], [PUBLIC], ["127.0.0.1"]]})
    assert done.body == b"fine"
    assert done.network.resolved == ["rebind.example"] * 2  # robots.txt and the page, once each
    assert set(done.network.dialled) == {(PUBLIC, 80)}


def test_a_name_that_resolves_inside_by_the_time_of_the_page_is_refused() -> None:
    done = fetch("http://rebind.example/", {"/": "fine"}, {"rebind.example": [[PUBLIC], ["127.0.0.1"]]})
    assert done.failure.reason is Reason.REFUSED
    assert set(done.network.dialled) == {(PUBLIC, 80)}


def test_a_trusted_place_is_reached_on_loopback() -> None:
    with Site({"/": "mine"}) as site:
        fetcher = Fetcher(StepClock(), Guard(frozenset({f"127.0.0.1:{site.port}"})))
        outcome = anyio.run(fetcher.fetch, f"{site.root}/")
    assert isinstance(outcome, Response)
    assert outcome.body == b"mine"


STATUSES = {
    401: Reason.REFUSED, 403: Reason.REFUSED, 404: Reason.FAILED, 408: Reason.TIMED_OUT, 410: Reason.FAILED,
    429: Reason.RATE_LIMITED, 500: Reason.UNAVAILABLE, 503: Reason.UNAVAILABLE, 304: Reason.FAILED,
}  # fmt: skip


@pytest.mark.parametrize(("status", "reason"), STATUSES.items())
def test_a_status_says_what_to_do_next(status: int, reason: Reason) -> None:
    done = fetch("http://a.example/", {"/": Page("no", status)})
    assert done.failure.reason is reason
    assert str(status) in done.failure.message


def test_retry_after_is_understood_in_seconds_and_as_a_date() -> None:
    date = formatdate(StepClock().now() + 90, usegmt=True)
    for said, seconds in (("120", 120), (date, 90), ("soon", None), ("-5", None)):
        done = fetch("http://a.example/", {"/": Page("no", 429, headers={"Retry-After": said})})
        after = done.failure.retry_after
        assert after == seconds or (after is not None and seconds == 90 and abs(after - 90) <= 2)


def test_a_host_that_asked_to_be_left_alone_is_not_asked_again() -> None:
    with web({"/": Page("no", 429, headers={"Retry-After": "600"}), "/b": "b"}) as (site, network):
        fetcher = Fetcher(StepClock(), None, None, network)

        async def both() -> list[Response | Failure]:
            return [await fetcher.fetch("http://a.example/"), await fetcher.fetch("http://a.example/b")]

        first, second = anyio.run(both)
    assert isinstance(first, Failure)
    assert isinstance(second, Failure)
    assert second.reason is Reason.RATE_LIMITED
    assert second.retry_after
    assert site.paths == ["/"]


def test_a_host_is_asked_once_a_second_and_hosts_do_not_wait_for_each_other() -> None:
    with web(lambda _: "text") as (site, network):
        clock = StepClock()
        fetcher = Fetcher(clock, None, None, network)

        async def four() -> None:
            async with anyio.create_task_group() as group:
                for url in ("http://a.example/1", "http://a.example/2", "http://a.example/3", "http://b.example/1"):
                    group.start_soon(fetcher.fetch, url)

        anyio.run(four)
    assert len(site.asked) == 6  # with robots.txt of both hosts
    assert clock.monotonic() >= 3


def test_the_host_says_how_slowly_it_wants_to_be_asked() -> None:
    with web({"/robots.txt": "User-agent: *\nCrawl-delay: 7", "/1": "x", "/2": "x"}) as (_, network):
        clock = StepClock()
        fetcher = Fetcher(clock, None, None, network)

        async def both() -> None:
            await fetcher.fetch("http://a.example/1")
            await fetcher.fetch("http://a.example/2")

        anyio.run(both)
    assert clock.slept == [1, 7]


def test_robots_txt_is_read_first_and_honoured_on_redirects_too() -> None:
    robots = "User-agent: deeproot\nDisallow: /private\n"
    script: dict[str, Answer] = {
        "/robots.txt": Page(robots, content_type="text/plain"),
        "/": redirect("/private/x"),
        "/private/x": "no",
    }
    done = fetch("http://a.example/", script)
    assert done.failure.reason is Reason.REFUSED
    assert "robots.txt" in done.failure.message
    assert [asked.path for asked in done.site.asked] == ["/robots.txt", "/"]


@pytest.mark.parametrize(("status", "reason"), [(500, Reason.UNAVAILABLE), (429, Reason.RATE_LIMITED)])
def test_a_host_whose_robots_txt_cannot_be_had_is_left_alone(status: int, reason: Reason) -> None:
    done = fetch("http://a.example/", {"/robots.txt": Page("", status), "/": "text"})
    assert done.failure.reason is reason
    assert done.site.paths == []


def test_a_programming_interface_is_called_without_robots_txt() -> None:
    with web({"/robots.txt": "User-agent: *\nDisallow: /", "/api": "data"}) as (site, network):
        fetcher = Fetcher(StepClock(), None, None, network)
        outcome = anyio.run(fetcher.call, "http://a.example/api", Call((("X-Key", "k"),), b"{}"))
    assert isinstance(outcome, Response)
    assert (site.asked[0].method, site.asked[0].body, site.asked[0].headers["x-key"]) == ("POST", b"{}", "k")


def test_a_key_is_told_to_no_other_host() -> None:
    with web({"/api": redirect("http://b.example/api2"), "/api2": "data"}) as (site, network):
        fetcher = Fetcher(StepClock(), None, None, network)
        anyio.run(fetcher.call, "http://a.example/api", Call((("X-Key", "k"),)))
    assert [asked.headers.get("x-key") for asked in site.asked] == ["k", None]


def test_what_is_not_wanted_is_not_downloaded() -> None:
    with web({"/": Page(b"\x89PNG" * 10, content_type="image/png")}) as (_, network):
        fetcher = Fetcher(StepClock(), None, None, network)
        outcome = anyio.run(fetcher.fetch, "http://a.example/", lambda head: head.content_type == "text/html")
    assert isinstance(outcome, Failure)
    assert "image/png is not read" in outcome.message


def test_a_machine_without_network_gets_a_failure_that_says_so() -> None:
    fetcher = Fetcher(StepClock(), None, None, Unplugged())
    outcome = anyio.run(fetcher.fetch, "http://a.example/")
    assert isinstance(outcome, Failure)
    assert outcome.reason is Reason.UNAVAILABLE
    assert not fetcher.reached


def test_the_next_address_is_tried_when_the_first_does_not_answer() -> None:
    class HalfDead(FakeNetwork):
        async def connect(self, address: str, port: int) -> anyio.abc.SocketStream:
            if address == "8.8.8.8":
                self.dialled.append((address, port))
                raise ConnectionRefusedError
            return await super().connect(address, port)

    with Site({"/": "text"}) as site:
        network = HalfDead(site, {"a.example": [["8.8.8.8", "1.1.1.1"]]})
        outcome = anyio.run(Fetcher(StepClock(), None, None, network).fetch, "http://a.example/")
    assert isinstance(outcome, Response)
    assert network.dialled[-2:] == [("8.8.8.8", 80), ("1.1.1.1", 80)]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate for safe.example that nobody but the test trusts."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("there is no openssl to make a certificate with")
    path = tmp_path_factory.mktemp("tls") / "safe.pem"
    options = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=safe.example"
    names = ["-addext", "subjectAltName=DNS:safe.example", "-keyout", str(path), "-out", str(path.with_suffix(".crt"))]
    subprocess.run([program, *options.split(), *names], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + path.with_suffix(".crt").read_bytes())
    return path


def fetch_safely(url: str, certificate: Path, trusted: Path | None) -> Response | Failure:
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(certificate)
    with Site({"/": "secret"}, served) as site:
        context = ssl.create_default_context(cafile=str(trusted) if trusted else None)
        return anyio.run(Fetcher(StepClock(), None, None, FakeNetwork(site), context).fetch, url)


def test_an_encrypted_page_is_read_when_its_certificate_is_for_that_name(certificate: Path) -> None:
    outcome = fetch_safely("https://safe.example/", certificate, certificate)
    assert isinstance(outcome, Response)
    assert outcome.body == b"secret"


def test_a_certificate_for_another_name_is_no_safe_connection(certificate: Path) -> None:
    outcome = fetch_safely("https://other.example/", certificate, certificate)
    assert isinstance(outcome, Failure)
    assert "no safe connection" in outcome.message


def test_a_certificate_nobody_vouches_for_is_no_safe_connection(certificate: Path) -> None:
    outcome = fetch_safely("https://safe.example/", certificate, None)
    assert isinstance(outcome, Failure)
    assert "no safe connection" in outcome.message


def test_a_server_that_does_not_encrypt_is_no_safe_connection() -> None:
    with web({"/": "text"}) as (_, network):
        outcome = anyio.run(Fetcher(StepClock(), None, FetchLimits(connect=0.3), network).fetch, "https://a.example/")
    assert isinstance(outcome, Failure)
    assert network.dialled == [(PUBLIC, 443)]
