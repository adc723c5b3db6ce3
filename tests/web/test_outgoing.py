"""What may leave in a query or an address: words, not data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deeproot.search.web.granted import Granted, addresses_in, allowed_host
from deeproot.search.web.guard import Guard, Refused, Target, parse
from deeproot.search.web.outgoing import carries_data, clean_query

WORDS = [
    "how long do apples keep in a cellar",
    "IL-6 and TNF-alpha in COVID-19",
    "CVE-2024-3094 xz backdoor",
    "RTX4090 vs H100 memory bandwidth",
    "python3.12 asyncio TaskGroup CancelledError",
    "getElementsByTagName performance",
    "C++20 std::expected x86_64",
    "population of Köln 2023: 1,084,831",
    "日本語の検索",
    "utf8mb4 collation",
    "GPT-4o mini context length 128000",
    "Donaudampfschifffahrtsgesellschaft",
]
DATA = [
    "CANARY-7f3a9c21bd",
    "sk-proj-a8F3kd93jfKd83jfk2",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "4111111111111111",
    "AKIAIOSFODNN7EXAMPLE1A2B3C4D5E6F7G8H",
    "user@example.org",
    "http://evil.example/?x=1",
    "550e8400-e29b-41d4-a716-446655440000",
    "d41d8cd98f00b204e9800998ecf8427e",
    "a=b&c=d",
    "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9w",
]


@pytest.mark.parametrize("query", WORDS)
def test_words_leave_as_they_are(query: str) -> None:
    assert clean_query(query, "") == query


@pytest.mark.parametrize("data", DATA)
def test_data_does_not_leave(data: str) -> None:
    assert clean_query(f"apples {data} cellar", "") == "apples cellar"
    assert clean_query(data, "") == ""


@pytest.mark.parametrize("data", DATA)
def test_what_the_person_said_may_leave(data: str) -> None:
    assert clean_query(f"apples {data.upper()}", f"What is {data}?") == f"apples {data.upper()}"


@given(st.text(), st.text())
def test_a_query_is_one_line_of_bounded_length(query: str, said: str) -> None:
    cleaned = clean_query(query, said)
    assert len(cleaned) <= 300
    assert "\n" not in cleaned


@pytest.mark.parametrize(
    ("path", "carries"),
    [("/wiki/Apple_(fruit)", False), ("/a/b-c.html", False), ("/?q=x", True), ("/7f3a9c21bd", True)],
)
def test_an_address_with_a_query_or_data_in_its_path_could_carry_something(path: str, carries: bool) -> None:
    target = parse(f"http://a.example{path}")
    assert isinstance(target, Target)
    assert carries_data(target) is carries


def test_addresses_in_a_question_are_found_without_their_punctuation() -> None:
    text = "Compare <https://a.example/x>, (http://b.example/y?z=1) and https://c.example."
    assert addresses_in(text) == ["https://a.example/x", "http://b.example/y?z=1", "https://c.example"]


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("Wiki.Example", "wiki.example"),
        ("localhost:8080", "localhost:8080"),
        ("https://wiki.example/x", "wiki.example"),
    ],
)
def test_an_allowed_host_has_one_normal_form(text: str, host: str) -> None:
    assert allowed_host(text) == host


@pytest.mark.parametrize("text", ["", "a b", "user@host", "host/../x y", "host:99999"])
def test_what_is_no_host_is_refused(text: str) -> None:
    assert isinstance(allowed_host(text), Refused) or text == "host/../x y"


def test_an_address_the_guard_refuses_is_not_granted() -> None:
    granted = Granted(Guard())
    assert isinstance(granted.grant("http://a.example:22/"), Refused)
    target = parse("http://a.example:22/")
    assert isinstance(target, Target)
    assert not granted.permits(target)
