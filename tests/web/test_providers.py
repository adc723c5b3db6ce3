"""Every provider against the shapes its service really sends, served on loopback."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import anyio
import pytest
from loopback import Answer, Asked, Page, Site, StepClock, as_json

from deeproot.asks import Failure, Reason
from deeproot.errors import UsageError
from deeproot.search.web.fetch import Fetcher
from deeproot.search.web.guard import Guard, Target, parse
from deeproot.search.web.providers import Provider, ProviderMeans, Result, open_providers
from deeproot.search.web.providers.arxiv import ArXiv
from deeproot.search.web.providers.brave import Brave
from deeproot.search.web.providers.searxng import SearXNG
from deeproot.search.web.providers.tavily import Tavily
from deeproot.search.web.providers.wikipedia import Wikipedia
from deeproot.search.web.wire import FetchLimits

KEY = "secret-key-1234567890"
QUERY = "how long do apples keep"


@dataclass(frozen=True, slots=True)
class Case:
    """A provider, an answer of its service as it was recorded, an answer without results, and what is made of it."""

    open: Callable[[ProviderMeans, str], Provider]
    full: Page
    empty: Page
    expected: Callable[[str], Result]
    asked: Callable[[Asked], bool]


def _target(root: str) -> Target:
    found = parse(root)
    assert isinstance(found, Target)
    return found


def _query(asked: Asked, name: str) -> str:
    return parse_qs(urlsplit(asked.path).query)[name][0]


FEED = """<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom"
 xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/x</id><title>arXiv Query: search_query=all:apples</title>
  <link href="https://arxiv.org/api/query?search_query=all:apples" type="application/atom+xml"/>
  <opensearch:totalResults>1</opensearch:totalResults>
  {entries}
</feed>"""
ENTRY = """<entry>
    <id>http://arxiv.org/abs/2101.00001v2</id><title>On the keeping
      of apples &amp; pears</title>
    <summary>  They keep. </summary><author><name>Anon</name></author>
    <link href="https://arxiv.org/pdf/2101.00001v2" rel="related" type="application/pdf" title="pdf"/>
  </entry>"""
ERROR_ENTRY = """<entry><id>https://arxiv.org/api/errors#incorrect_id_format</id><title>Error</title>
    <summary>incorrect id format</summary></entry>"""

CASES = {
    "brave": Case(
        lambda means, root: Brave(means, KEY, root),
        as_json(
            {
                "type": "search",
                "query": {"original": QUERY, "more_results_available": True},
                "mixed": {"type": "mixed", "main": [{"type": "web", "index": 0, "all": False}]},
                "web": {
                    "type": "search",
                    "results": [
                        {
                            "title": "Apples &amp; <strong>cellars</strong>",
                            "url": "https://fruit.example/apples",
                            "is_source_local": False,
                            "description": "Apples <strong>keep</strong> long.",
                            "meta_url": {"hostname": "fruit.example"},
                        }
                    ],
                    "family_friendly": True,
                },
            }
        ),
        as_json({"type": "search", "query": {"original": QUERY}}),
        lambda _: Result("Apples & cellars", "https://fruit.example/apples", "Apples keep long."),
        lambda asked: asked.headers["x-subscription-token"] == KEY and _query(asked, "q") == QUERY,
    ),
    "tavily": Case(
        lambda means, root: Tavily(means, KEY, root),
        as_json(
            {
                "query": QUERY,
                "follow_up_questions": None,
                "answer": None,
                "images": [],
                "results": [
                    {
                        "title": "Apples",
                        "url": "https://fruit.example/apples",
                        "content": "They keep\nlong.",
                        "score": 0.81,
                        "raw_content": None,
                    }
                ],
                "response_time": 1.67,
                "request_id": "x",
            }
        ),
        as_json({"query": QUERY, "results": [], "response_time": 0.5}),
        lambda _: Result("Apples", "https://fruit.example/apples", "They keep long."),
        lambda asked: asked.headers["authorization"] == f"Bearer {KEY}" and json.loads(asked.body)["query"] == QUERY,
    ),
    "searxng": Case(
        lambda means, root: SearXNG(means, _target(root)),
        as_json(
            {
                "query": QUERY,
                "number_of_results": 0,
                "results": [
                    {
                        "url": "https://fruit.example/apples",
                        "title": "Apples",
                        "content": "They keep long.",
                        "engine": "mojeek",
                        "parsed_url": ["https", "fruit.example", "/apples", "", "", ""],
                        "template": "default.html",
                        "engines": ["mojeek"],
                        "positions": [1],
                        "score": 1.0,
                        "category": "general",
                        "publishedDate": None,
                    }
                ],
                "answers": [],
                "corrections": [],
                "infoboxes": [],
                "suggestions": [],
                "unresponsive_engines": [["brave", "too many requests"]],
            }
        ),
        as_json({"query": QUERY, "results": [], "unresponsive_engines": [["google", "CAPTCHA"]]}),
        lambda _: Result("Apples", "https://fruit.example/apples", "They keep long."),
        lambda asked: _query(asked, "q") == QUERY and _query(asked, "format") == "json",
    ),
    "wikipedia": Case(
        lambda means, root: Wikipedia(means, root),
        as_json(
            {
                "pages": [
                    {
                        "id": 18978754,
                        "key": "Apple_(fruit)",
                        "title": "Apple (fruit)",
                        "excerpt": 'An <span class="searchmatch">apple</span> &quot;keeps&quot;',
                        "matched_title": None,
                        "anchor": None,
                        "description": "fruit",
                        "thumbnail": None,
                    }
                ]
            }
        ),
        as_json({"pages": []}),
        lambda root: Result("Apple (fruit)", f"{root}/wiki/Apple_(fruit)", 'An apple "keeps"'),
        lambda asked: _query(asked, "q") == QUERY and asked.headers["user-agent"].startswith("deeproot/"),
    ),
    "arxiv": Case(
        lambda means, root: ArXiv(means, root),
        Page(FEED.format(entries=ENTRY + ERROR_ENTRY), content_type="application/atom+xml; charset=utf-8"),
        Page(FEED.format(entries=""), content_type="application/atom+xml"),
        lambda _: Result("On the keeping of apples & pears", "https://arxiv.org/abs/2101.00001", "They keep."),
        lambda asked: _query(asked, "search_query") == "all:long AND all:apples AND all:keep",
    ),
}
ALL = pytest.mark.parametrize("name", CASES)


def ask(name: str, answer: Answer, limit: int = 10) -> tuple[tuple[Result, ...] | Failure, Asked, str]:
    with Site(lambda _: answer) as site:
        guard = Guard(frozenset({f"127.0.0.1:{site.port}"}))
        fetcher = Fetcher(StepClock(), guard, FetchLimits(idle=0.5) if answer is silent else None)
        provider = CASES[name].open(ProviderMeans(fetcher), site.root)
        found = anyio.run(provider.results, QUERY, limit)
        return found, site.asked[0], site.root


@ALL
def test_results_are_understood(name: str) -> None:
    found, asked, root = ask(name, CASES[name].full)
    assert found == (CASES[name].expected(root),)
    assert CASES[name].asked(asked)


@ALL
def test_no_results_are_no_failure(name: str) -> None:
    assert ask(name, CASES[name].empty)[0] == ()


@ALL
def test_no_more_results_are_given_than_wanted(name: str) -> None:
    assert ask(name, CASES[name].full, limit=0)[0] == ()


def silent(connection: socket.socket) -> None:
    connection.settimeout(10)
    connection.recv(1)


TROUBLE: dict[str, tuple[Answer, Reason, float | None]] = {
    "401": (as_json({"error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}, 401), Reason.REFUSED, None),
    "429": (Page("slow down", 429, headers={"Retry-After": "17"}), Reason.RATE_LIMITED, 17.0),
    "500": (Page("<html>oops", 500), Reason.UNAVAILABLE, None),
    "a time-out": (silent, Reason.TIMED_OUT, None),
    "no JSON and no feed": (Page("<html>Rate exceeded.", content_type="text/plain"), Reason.FAILED, None),
    "JSON of another shape": (as_json({"results": {"a": 1}, "web": 3, "pages": "x"}), Reason.FAILED, None),
    "a bare list": (as_json([1, 2]), Reason.FAILED, None),
    "an entity bomb": (Page('<!DOCTYPE x [<!ENTITY a "b">]><feed/>'), Reason.FAILED, None),
}


@ALL
@pytest.mark.parametrize("trouble", TROUBLE)
def test_trouble_is_a_failure_with_its_reason_and_without_the_key(name: str, trouble: str) -> None:
    answer, reason, after = TROUBLE[trouble]
    found, *_ = ask(name, answer)
    assert isinstance(found, Failure), found
    assert (found.reason, found.retry_after) == (reason, after)
    assert found.message.startswith(f"{name}: ")
    assert KEY not in found.message


def means(**environment: str) -> ProviderMeans:
    keys = {name: value for name, value in environment.items() if name.endswith("_KEY")}
    return ProviderMeans(
        Fetcher(StepClock()), lambda names: next((keys[n] for n in names if n in keys), None), environment
    )


def test_those_that_are_set_up_come_first_and_those_that_are_not_are_left_out() -> None:
    def names(**environment: str) -> list[str]:
        return [provider.name for provider in open_providers(means(**environment)) if provider.name != "ddgs"]

    assert names() == ["wikipedia", "arxiv"]
    assert names(BRAVE_API_KEY="k") == ["brave", "wikipedia", "arxiv"]
    everything = names(BRAVE_API_KEY="k", TAVILY_API_KEY="k", SEARXNG_URL="http://localhost:8888")
    assert everything == ["tavily", "brave", "searxng", "wikipedia", "arxiv"]


def test_providers_can_be_chosen_by_name() -> None:
    assert [each.name for each in open_providers(means(), ["arxiv", "wikipedia"])] == ["arxiv", "wikipedia"]
    with pytest.raises(UsageError, match="altavista"):
        open_providers(means(), ["altavista"])


def test_an_address_that_is_none_is_told_with_its_variable() -> None:
    with pytest.raises(UsageError, match="SEARXNG_URL"):
        open_providers(means(SEARXNG_URL="localhost 8888"))


def test_the_language_of_wikipedia_can_be_chosen() -> None:
    (found,) = open_providers(means(DEEPROOT_WIKIPEDIA="de"), ["wikipedia"])
    assert found.base == "https://de.wikipedia.org"
    with pytest.raises(UsageError, match="DEEPROOT_WIKIPEDIA"):
        open_providers(means(DEEPROOT_WIKIPEDIA="../x"), ["wikipedia"])
