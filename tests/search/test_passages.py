"""Cutting texts into passages, and words into terms."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deeproot.search.passages import LONG, SHORT, cut
from deeproot.search.readers import Mark, Reading
from deeproot.search.words import joined, query_terms, stem, tokens

SENTENCE = "Every sentence of this text is about as long as this one. "
TEXTS = st.text(alphabet=st.sampled_from("ab .!?\n\t\r。é漢"), max_size=3000)


@given(TEXTS, st.booleans())
def test_passages_are_in_order_and_hold_every_word(text: str, lined: bool) -> None:
    spans = list(cut(Reading(text, lined=lined)))
    kept = "".join("".join(text[span.start : span.stop].split()) for span in spans)
    assert kept == "".join(text.split())
    assert all(one.stop <= other.start for one, other in pairwise(spans))


@given(TEXTS, st.booleans())
def test_line_numbers_are_those_of_the_text(text: str, lined: bool) -> None:
    for span in cut(Reading(text, lined=lined)):
        assert span.first_line == text.count("\n", 0, span.start) + 1
        assert span.last_line == text.count("\n", 0, span.stop) + 1


@given(TEXTS, st.booleans())
def test_no_passage_is_too_long(text: str, lined: bool) -> None:
    assert all(0 < span.stop - span.start <= LONG for span in cut(Reading(text, lined=lined)))


def test_long_paragraphs_are_cut_after_a_sentence() -> None:
    text = SENTENCE * 60
    pieces = [text[span.start : span.stop] for span in cut(Reading(text))]
    assert len(pieces) > 5
    assert all(piece.endswith("one.") for piece in pieces)
    assert all(len(piece) >= SHORT for piece in pieces[:-1])


def test_short_paragraphs_are_gathered() -> None:
    text = "\n\n".join(["A short paragraph of a few words."] * 20)
    lengths = [span.stop - span.start for span in cut(Reading(text))]
    assert all(SHORT <= length <= LONG for length in lengths[:-1])


def test_lines_are_not_broken_where_a_line_is_the_unit() -> None:
    text = "\n".join(f"row {number}, first. second. third" for number in range(100))
    for span in cut(Reading(text, lined=True)):
        assert text[span.start : span.stop].startswith("row")
        assert text[span.start : span.stop].endswith("third")


def test_no_passage_crosses_into_the_next_section() -> None:
    text = "one\n\n# Two\n\ntwo\n\n# Three\n\nthree\n"
    reading = Reading(text, marks=(Mark(5, 11, "Two"), Mark(17, 25, "Three")))
    assert [(span.section, text[span.start : span.stop]) for span in cut(reading)] == [
        ("", "one"),
        ("Two", "two"),
        ("Three", "three"),
    ]


@pytest.mark.parametrize(
    "forms",
    [
        "study studies studied studying",
        "activation activate activates activated activating",
        "hope hopes hoped hoping",
        "run runs running",
        "class classes",
        "organisation organization organizations",
        "government governments",
    ],
)
def test_forms_of_an_english_word_share_a_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize("word", ["is", "bus", "sing", "red", "größe", "東京", "x86", "analysis", "nation"])
def test_words_that_only_look_like_forms_stay(word: str) -> None:
    assert stem(word) == word


def test_tokens_are_folded_words() -> None:
    assert tokens("Ünïcode “Quoted” café—bar snake_case") == [
        "unicode",
        "quoted",
        "cafe",
        "bar",
        "snake",
        "case",
    ]
    assert tokens("東京都 हिन्दी Привет") == ["東京", "京都", "हिन्दी", "привет"]


def test_hyphened_words_and_greek_letters_are_found_however_they_are_written() -> None:
    assert "il6" in query_terms("IL-6")
    assert query_terms("the β receptor") == query_terms("the beta receptor")
    assert joined("e-mail and well - known") == ["email"]


def test_a_query_asks_for_the_parts_of_a_name_too() -> None:
    assert set(query_terms("What is FileSearch?")) == {"filesearch", stem("file"), "search"}


@given(st.text(max_size=300))
def test_any_text_has_tokens_without_spaces_or_capitals(text: str) -> None:
    for token in tokens(text):
        assert token
        assert not any(character.isspace() for character in token)
        assert token == token.lower()
