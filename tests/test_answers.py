"""From what a backend said to a typed answer: tolerant about the wrapping, strict about the content."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deeproot.answers import Invalid, parse_answer, schema
from deeproot.asks import ANSWERS, ChildrenAnswer, DocumentAnswer, Kind, PlanAnswer, ProposedTopic, RecoverAnswer

PLAN = PlanAnswer((ProposedTopic("A", "About A", ("Says A",)),))
TEXT = json.dumps(asdict(PLAN))


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"\n\n  {TEXT}\n",
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}\n```\nHope this helps!",
        f"Here you are: {TEXT} Anything else?",
        f"<think>maybe {{'topics'}} or {{\"topics\": 1}}</think>{TEXT}",
        f'{{"note": "first thoughts"}}\n{TEXT}',
        json.dumps(asdict(PLAN), indent=4),
        TEXT.replace("About A", "About\\u0020A"),
        '{"topics": [{"title": "A", "description": "About A", "criteria": ["Says A"], "extra": 1}], "more": []}',
    ],
)
def test_the_answer_is_found_in_whatever_surrounds_it(text: str) -> None:
    assert parse_answer(PlanAnswer, text) == PLAN


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("Sorry, no.", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        ("null", "no JSON object"),
        ("{", "no JSON object"),
        (TEXT[:-3], "no JSON object|topics"),
        ('{"topics": "A"}', "topics"),
        ('{"topics": [{"title": 7}]}', "topics.0.title"),
        ('{"topics": [{}]}', "topics.0.title"),
        ('{"error": "overloaded"}', "topics"),
        ("{" * 50_000, "no JSON object"),
    ],
)
def test_what_is_no_answer_is_told_in_words_for_its_author(text: str, says: str) -> None:
    invalid = parse_answer(PlanAnswer, text)
    assert isinstance(invalid, Invalid)
    assert any(word in " ".join(invalid.errors) for word in says.split("|"))


def test_raw_line_breaks_inside_strings_are_forgiven() -> None:
    assert parse_answer(RecoverAnswer, '{"notes": "one\ntwo\tthree"}') == RecoverAnswer("one\ntwo\tthree")


@pytest.mark.parametrize("half", ["\\ud83d", "\\uDE00", "\ud83d"])
def test_half_a_surrogate_pair_becomes_something_a_file_can_hold(half: str) -> None:
    answer = parse_answer(RecoverAnswer, f'{{"notes": "half {half} pair"}}')
    assert isinstance(answer, RecoverAnswer)
    answer.notes.encode("utf-8")


def test_many_errors_are_not_all_sent_back() -> None:
    text = json.dumps({"topics": [{"title": n} for n in range(100)]})
    invalid = parse_answer(PlanAnswer, text)
    assert isinstance(invalid, Invalid)
    assert 1 <= len(invalid.errors) <= 5


@pytest.mark.parametrize("depth", [100, 500, 900, 5_000, 200_000])
def test_deep_nesting_is_an_invalid_answer_and_no_crash(depth: int) -> None:
    text = '{"topics": ' + "[" * depth + "]" * depth + "}"
    assert isinstance(parse_answer(PlanAnswer, text), Invalid)


@pytest.mark.parametrize("weight", ["NaN", "Infinity", "-1e999", "1e999"])
def test_a_weight_that_is_no_number_is_no_crash(weight: str) -> None:
    finding = f'{{"claim": "c", "quote": "q", "source": "S1", "weight": {weight}}}'
    parsed = parse_answer(DocumentAnswer, f'{{"summary": "s", "findings": [{finding}]}}')
    assert isinstance(parsed, DocumentAnswer | Invalid)


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_of_ask_has_an_answer_with_a_schema(kind: Kind) -> None:
    assert schema(ANSWERS[kind])["type"] == "object"


words = st.text(max_size=40)
topics = st.lists(st.builds(ProposedTopic, words, words, st.lists(words, max_size=3).map(tuple)), max_size=4).map(tuple)


@given(st.builds(ChildrenAnswer, topics), st.text(alphabet="abc `\n.#", max_size=30), st.booleans())
def test_what_was_written_is_what_is_read(answer: ChildrenAnswer, around: str, ascii: bool) -> None:
    text = around + json.dumps(asdict(answer), ensure_ascii=ascii) + around
    assert parse_answer(ChildrenAnswer, text) == answer


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(), lambda s: st.lists(s) | st.dictionaries(st.text(), s)
    )
)
def test_no_json_whatever_makes_it_raise(value: Any) -> None:
    for kind in ANSWERS.values():
        parse_answer(kind, json.dumps(value))
