"""Cutting passages into sentences that may be quoted."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deeproot.backends.offline.forms import Form
from deeproot.backends.offline.sentences import readable, sentences
from deeproot.gates.quoting import Text, stands


def cut(text: str, form: Form = Form.PROSE) -> list[str]:
    return [" ".join(sentence.text.split()) for sentence in sentences(text, form)]


@given(st.text(), st.sampled_from(Form))
def test_every_sentence_is_a_slice_and_they_follow_each_other(text: str, form: Form) -> None:
    found = sentences(text, form)
    assert all(text[sentence.start : sentence.stop] == sentence.text for sentence in found)
    assert all(one.stop <= other.start for one, other in pairwise(found))


@pytest.mark.parametrize(
    "whole",
    [
        "Dr. Smith met Mr. J. Brown of Acme Inc. at the U.S. office.",
        "Sales grew by 4.2% in stores, e.g. in Boston and in New York.",
        "Körner über 4 cm, z. B. bei Hagel, beschädigen die Module oft.",
    ],
)
def test_short_forms_do_not_end_a_sentence(whole: str) -> None:
    assert cut(f"{whole} The next sentence is another one.") == [whole, "The next sentence is another one."]


def test_wrapped_lines_are_one_sentence() -> None:
    text = (
        "The loyalty program was opened to every customer in\nthe second quarter of the year. It grew fast after that."
    )
    assert cut(text)[0] == "The loyalty program was opened to every customer in the second quarter of the year."


def test_items_of_a_list_stand_alone_without_their_bullets() -> None:
    text = "* 250,000 customers used the online shop\n* Orders grew by a fifth\n1. Phone orders fell by half"
    assert cut(text) == [
        "250,000 customers used the online shop",
        "Orders grew by a fifth",
        "Phone orders fell by half",
    ]


def test_headings_rules_and_mail_headers_are_not_quoted() -> None:
    text = (
        "# The report of the second quarter\n=======\nFrom: Jo Lee <jo@example.com>\nMessage Body:\n"
        "@jo.lee:\nThe shop opened on time in March.\n"
    )
    assert cut(text) == ["The shop opened on time in March."]


def test_quoted_mail_is_joined_and_shown_without_its_margin() -> None:
    text = "> We linked about 85% of all sales to loyalty accounts\n> by the end of the second quarter."
    (sentence,) = sentences(text)
    assert readable(sentence.text) == (
        "We linked about 85% of all sales to loyalty accounts by the end of the second quarter."
    )


def test_words_that_a_manual_page_broke_are_whole_when_shown() -> None:
    (sentence,) = sentences("The information shall be taken from the prop\u2010\n       erties of the file.")
    assert readable(sentence.text) == "The information shall be taken from the properties of the file."


def test_console_sessions_and_code_set_in_from_the_margin_are_not_quoted() -> None:
    text = (
        "Run the command that is shown below here.\n\n    $ research the question --files docs --quiet now\n\n"
        "    value = compute(first, second); print(value) if value else none\n\n"
        ">>> answer = ask the model about the answer to it\n\n    This line is set in and reads like a sentence.\n"
    )
    assert cut(text) == [
        "Run the command that is shown below here.",
        "This line is set in and reads like a sentence.",
    ]


def test_rows_of_a_table_in_markdown_are_quoted_whole_and_know_their_header() -> None:
    (row,) = sentences("| Store | Sales |\n|---|---|\n| Boston | 120 |")
    assert (row.text, row.header) == ("| Boston | 120 |", "| Store | Sales |")


def test_scripts_without_spaces_are_cut_at_their_own_full_stop() -> None:
    assert cut("東京の人口は約千四百万人である。大阪の人口は約八百八十万人である。") == [
        "東京の人口は約千四百万人である。",
        "大阪の人口は約八百八十万人である。",
    ]


def test_comments_over_several_lines_are_one_sentence_and_code_is_none() -> None:
    text = "# Leave the waiter alone; it may be a task\n# that ignores the cancellation.\nself._waiter = None\n"
    (sentence,) = sentences(text, Form.CODE)
    assert readable(sentence.text) == "Leave the waiter alone; it may be a task that ignores the cancellation."


def test_what_is_said_of_an_argument_is_quoted_without_its_name() -> None:
    text = (
        "Args:\n    color_system (str, optional): The color system supported by your terminal.\n"
        "    :param shield: Keeps the scope from being cancelled.\n"
    )
    found = [sentence.text for sentence in sentences(text, Form.CODE)]
    assert found == ["The color system supported by your terminal.", "Keeps the scope from being cancelled."]


@pytest.mark.parametrize("mark", ["#", "//", ">", "> >", " *", "--", ";;", "%"])
def test_a_quote_that_is_shown_without_its_margins_is_still_found_in_its_source(mark: str) -> None:
    text = f"{mark} The lock is taken over\n{mark} after an hour of silence.\n"
    assert readable(text) == "The lock is taken over after an hour of silence."
    assert stands(readable(text), Text(text))


def test_a_sign_before_a_figure_is_no_margin() -> None:
    assert not stands("Doses of 5 mg a day and more were given.", Text("Doses of\n> 5 mg a day and more were given.\n"))


def test_what_a_program_says_about_itself_is_a_statement_and_its_other_values_are_none() -> None:
    text = '__author__ = "Ada Byron"\n__all__ = ["run"]\nname = "Ada Byron of London"\n'
    assert cut(text, Form.CODE) == ['__author__ = "Ada Byron"']


def test_a_row_that_its_passage_tore_apart_is_no_sentence() -> None:
    assert cut("| Which row does this sentence give to its reader?") == []
