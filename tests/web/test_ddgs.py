"""The provider `ddgs`, with the real library and an engine that is served on loopback."""

from __future__ import annotations

import socket

import anyio
import pytest
from loopback import Answer, Page, Site

from deeproot.asks import Failure, Reason
from deeproot.search.web.providers import Result
from deeproot.search.web.providers.ddgs import Ddgs, open_provider

library = pytest.importorskip("ddgs", reason="the extra `web` is not installed")

HIT = """<div class="result results_links"><div class="links_main links_deep result__body">
<h2 class="result__title"><a class="result__a" href="https://fruit.example/apples">Apples &amp; cellars</a></h2>
<a class="result__snippet" href="https://fruit.example/apples">Apples <b>keep</b> long.</a></div></div>"""
ANSWER = "<html><body><form id=search_form></form><div class='serp__results'>{}</div></body></html>"


def ask(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> tuple[tuple[Result, ...] | Failure, Site]:
    from ddgs.engines.duckduckgo import Duckduckgo

    with Site(lambda _: answer) as site:
        monkeypatch.setattr(Duckduckgo, "search_url", f"{site.root}/html/")
        provider = Ddgs(lambda: library.DDGS(timeout=20 if isinstance(answer, Page) else 2), "duckduckgo")
        return anyio.run(provider.results, "how long do apples keep", 5), site


def test_results_are_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    found, site = ask(Page(ANSWER.format(HIT)), monkeypatch)
    assert found == (Result("Apples & cellars", "https://fruit.example/apples", "Apples keep long."),)
    assert b"q=how+long+do+apples+keep" in site.asked[0].body


@pytest.mark.parametrize(
    "answer",
    [
        Page(ANSWER.format("<div class=no-results>No results.</div>")),
        Page("no", 401),
        Page("slow down", 429, headers={"Retry-After": "5"}),
        Page("oops", 500),
        Page('{"json": true}', content_type="application/json"),
    ],
    ids=["nothing found", "401", "429", "500", "another shape"],
)
def test_the_library_tells_no_results_and_trouble_alike_so_the_next_provider_is_asked(
    answer: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, _ = ask(answer, monkeypatch)
    assert isinstance(found, Failure)
    assert found.reason is Reason.EMPTY
    assert found.message.startswith("ddgs: ")


def test_silence_is_a_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(connection: socket.socket) -> None:
        connection.settimeout(10)
        connection.recv(1)

    found, _ = ask(silent, monkeypatch)
    assert isinstance(found, Failure)
    assert found.reason in (Reason.TIMED_OUT, Reason.EMPTY)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("RatelimitException", Reason.RATE_LIMITED),
        ("TimeoutException", Reason.TIMED_OUT),
        ("DDGSException", Reason.EMPTY),
    ],
)
def test_the_librarys_errors_are_failures_with_their_reason(error: str, reason: Reason) -> None:
    class Failing:
        def text(self, query: str, *, max_results: int, backend: str) -> list[dict[str, str]]:  # noqa: ARG002
            raise getattr(library.exceptions, error)("told by the library")

    found = anyio.run(Ddgs(Failing).results, "apples", 5)
    assert isinstance(found, Failure)
    assert found.reason is reason


def test_it_is_there_when_the_library_is() -> None:
    from deeproot.search.web.fetch import Fetcher
    from deeproot.search.web.providers import ProviderMeans

    provider = open_provider(ProviderMeans(Fetcher()))
    assert provider is not None
    assert provider.name == "ddgs"
