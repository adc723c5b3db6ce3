"""A quote is in its source word for word, or it is not: what copying may change, and what nobody may."""

from __future__ import annotations

import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deeproot.evidence import Span, find_quote, nearest_passages, prepare

SOURCE = (
    "Revenue grew by 15.5 % in 2023 (p < 0.05), the company's best year; costs fell to $3,200 from 1 250 000 francs.\n"
    "The well-known drug did not reduce the risk in 10–20 patients, a change of -3.1 points. It wasn't “safe”.\n\n"
    "Earlier *in vitro* work had shown an exam-\nple of non-inferior results. Is it safe? Between 5 million and 6 "
    "million people were asked, of whom 40% answered."
)


@pytest.mark.parametrize(
    "quote",
    [
        "Revenue grew by 15.5 % in 2023",
        "REVENUE grew BY 15.5 % in 2023",
        "Revenue  grew\nby\t15.5 %\u00a0in 2023",
        "Revenue grew by 15.5% in 2023 (p<0.05)",
        "the company’s best year",
        "“the company's best year”",
        "the **company's** best _year_",
        "The `well-known` drug",
        "The well–known drug did not reduce the risk",
        "in 10-20 patients, a change of −3.1 points.",
        'It wasn\'t "safe"',
        "It wasn’t safe",
        "Earlier in vitro work",
        "an example of non-inferior results",
        "an ex-\nample of non-inferior results",
        "Earlier in vitro work had shown an example",
        "costs fell to $3,200 from 1 250 000 francs",
        "costs fell to $3,200.",
        "The well-known drug did not reduce the risk in 10–20 patients",
        "Is it safe?",
        "  Is it safe  ",
        "Between 5 million and 6 million people",
        "40% answered",
    ],
)
def test_what_copying_does_to_a_quote_is_forgiven(quote: str) -> None:
    assert find_quote(quote, SOURCE) is not None


@pytest.mark.parametrize(
    ("quote", "why"),
    [
        ("Revenue grew by 16.5 % in 2023", "another number"),
        ("Revenue grew by 155 % in 2023", "the decimal point is gone"),
        ("Revenue grew by 15,5 % in 2023", "another decimal mark"),
        ("Revenue grew by 15. 5 % in 2023", "a full stop for a decimal point"),
        ("Revenue grew by -15.5 % in 2023", "a sign that is not there"),
        ("a change of 3.1 points", "a sign that is gone"),
        ("a change of +3.1 points", "another sign"),
        ("in 10, 20 patients", "a list for a range"),
        ("in 10 20 patients", "no range"),
        ("Revenue grew by 15.5 in 2023", "no percent sign"),
        ("Revenue grew by 15.5 ‰ in 2023", "another unit"),
        ("(p > 0.05)", "another comparison"),
        ("(p ≤ 0.05)", "nearly the same comparison"),
        ("(p 0.05)", "no comparison"),
        ("The well-known drug did reduce the risk", "the negation is gone"),
        ("It was safe", "the contracted negation is gone"),
        ("Revenue shrank by 15.5 % in 2023", "the opposite word"),
        ("Revenue grew 15.5 % in 2023", "a word is gone"),
        ("Revenue then grew by 15.5 % in 2023", "a word was added"),
        ("Revenue by grew 15.5 % in 2023", "another order"),
        ("The well known drug", "a compound taken apart"),
        ("The wellknown drug", "a compound joined"),
        ("fell to £3,200", "another currency"),
        ("It is safe.", "a question turned into a statement"),
    ],
)
def test_what_changes_the_meaning_is_never_forgiven(quote: str, why: str) -> None:
    assert find_quote(quote, SOURCE) is None, why


@pytest.mark.parametrize(
    "quote",
    [
        "Revenue grew by 15",
        "5 % in 2023",
        "Revenue grew by 15.5",
        "3.1 points",
        "0.05), the company's",
        "3,200 from 1 250 000 francs",
        "costs fell to $3",
        "000 francs",
        "250 000 francs",
        "costs fell to $3,200 from 1",
        "inferior results",
        "known drug",
        "The well",
        "10",
        "20 patients",
        "Between 5",
        "of whom 40",
        "evenue grew",
        "Revenue gr",
        "It wasn",
        "ample of non-inferior",
    ],
)
def test_a_quote_cut_inside_a_word_or_number_is_not_found(quote: str) -> None:
    assert find_quote(quote, SOURCE) is None


@pytest.mark.parametrize("mark", ["…", "...", "[...]", "[…]", "(...)", ". . ."])
def test_an_ellipsis_stands_for_what_was_left_out_of_a_sentence(mark: str) -> None:
    found = find_quote(f"Revenue grew {mark} the company's best year", SOURCE)
    assert found is not None
    assert [part.of(SOURCE) for part in found.parts] == ["Revenue grew", "the company's best year"]
    assert found.of(SOURCE).startswith("Revenue grew by")
    assert found.of(SOURCE).endswith("best year")


@pytest.mark.parametrize(
    ("quote", "why"),
    [
        ("the company's best year … Revenue grew", "out of order"),
        ("Revenue grew by 15.5 % … reduce the risk", "from two sentences"),
        ("The well-known drug … reduce the risk", "hides the negation"),
        ("The well-known drug did … reduce the risk", "hides the negation alone"),
        ("Revenue grew by 15… % in 2023", "hides part of a number"),
        ("Revenue grew … the company's worst year", "one part is not there"),
    ],
)
def test_an_ellipsis_is_no_licence_to_splice(quote: str, why: str) -> None:
    assert find_quote(quote, SOURCE) is None, why


def test_an_ellipsis_does_not_reach_over_a_contrast_that_denies() -> None:
    source = "The drug reduced pain in mice by 30 %, but no effect at all was ever seen in humans."
    assert find_quote("The drug reduced pain … in humans", source) is None
    assert find_quote("The drug reduced pain … by 30 %", source) is not None


def test_an_ellipsis_may_leave_out_whole_sentences_nearby_and_not_far_away() -> None:
    near = "One sentence here. Another follows it. The third closes."
    assert find_quote("One sentence here. … The third closes.", near) is not None
    assert find_quote("One sentence here. … The third closes.", near.replace("follows", "follows " * 100)) is None


def test_the_span_is_the_place_in_the_original_text() -> None:
    found = find_quote("AN EXAMPLE of non-inferior results", SOURCE)
    assert found is not None
    assert found.of(SOURCE) == "an exam-\nple of non-inferior results"


def test_an_exact_place_comes_before_an_earlier_tolerated_one() -> None:
    text = "the Second law. The second law."
    assert find_quote("The second law.", text) == Span(16, 31)


def test_a_cut_place_does_not_hide_a_whole_one_that_follows() -> None:
    text = "It rose by 1.5 and then by 1 again."
    found = find_quote("by 1", text)
    assert found is not None
    assert found.start == text.index("by 1 again")


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("caf\u00e9 noir", "Un cafe\u0301 noir, merci."),
        ("the \ufb01nal \ufb02ow", "see the final flow here"),
        ("final flow", "see the \ufb01nal \ufb02ow here"),
        ("co\u00adoperation", "their cooperation failed"),
        ("研究結果", "この研究結果は重要である"),
        ("5 µM OF STRASSE", "it took 5 μm of Straße"),
        ("İstanbul grew", "In 2001 İstanbul grew."),
    ],
)
def test_the_same_characters_written_otherwise_are_the_same_text(quote: str, text: str) -> None:
    assert find_quote(quote, text) is not None


@pytest.mark.parametrize("quote", ["", "   ", "…", "“”", "—"])
def test_a_quote_without_words_is_never_found(quote: str) -> None:
    assert find_quote(quote, SOURCE) is None


@pytest.mark.parametrize("text", ["", " ", "…", "a", "-a-", "a b", "«a» b."])
def test_any_text_can_be_prepared_and_put_together_again(text: str) -> None:
    ready = prepare(text)
    pieces = [text[ready.offsets[at] : ready.end(at)] for at in range(len(ready.words))]
    rebuilt = "".join(gap + word for gap, word in zip(ready.gaps, [*pieces, ""], strict=True))
    assert rebuilt == text


def test_the_nearest_passages_are_given_best_first_and_apart() -> None:
    text = "Sales rose in May. " + "Nothing happened at all. " * 5 + "Sales rose sharply in the month of June."
    found = nearest_passages("Sales rose sharply in June", text, 2)
    assert [one.span.of(text) for one in found] == ["Sales rose sharply in the", "Sales rose in May. Nothing"]
    assert found[0].share > found[1].share
    assert found[0].span.start > found[1].span.end


@pytest.mark.parametrize(
    ("quote", "text", "limit"), [("", "a b", 3), ("x y", "a b", 3), ("a", "a b", 0), ("a b c", "", 1)]
)
def test_there_may_be_no_nearest_passage(quote: str, text: str, limit: int) -> None:
    assert nearest_passages(quote, text, limit) == ()


@pytest.mark.parametrize("quote", ["a " * 400 + "a, a", "a … " * 7 + "b", "a … " * 40 + "a", "aa " * 400])
def test_a_text_of_one_word_over_and_over_is_searched_in_reasonable_time(quote: str) -> None:
    assert find_quote(quote, "a " * 20_000) is None


words = st.lists(st.text(string.ascii_letters + string.digits, min_size=1, max_size=6), min_size=3, max_size=30)


@given(words, st.data())
def test_any_run_of_words_is_found_at_its_place(every: list[str], data: st.DataObject) -> None:
    text = " ".join(word if not word[0].isdigit() else f"n{word}" for word in every)
    tokens = text.split()
    start = data.draw(st.integers(0, len(tokens) - 1))
    end = data.draw(st.integers(start + 1, len(tokens)))
    quote = " ".join(tokens[start:end])
    found = find_quote(quote, text)
    assert found is not None
    assert found.of(text) == quote
    assert f" {text} ".index(f" {quote} ") == found.start


@given(words, st.sampled_from(["  ", "\n", "\t ", "\u00a0"]), st.sampled_from([str.upper, str.lower, str.swapcase]))
def test_spaces_and_case_never_matter(every: list[str], space: str, change: object) -> None:
    text = " ".join(f"n{word}" for word in every)
    assert callable(change)
    assert find_quote(space.join(change(text).split()), text) is not None


@given(words, st.data())
def test_one_word_more_less_or_other_is_not_found(every: list[str], data: st.DataObject) -> None:
    tokens = [f"n{word}" for word in every]
    text = " ".join(tokens)
    at = data.draw(st.integers(1, len(tokens) - 2))
    word = "n" + data.draw(st.text(string.ascii_letters + string.digits, max_size=4))
    kind = data.draw(st.sampled_from(["insert", "remove", "change"]))
    changed = [*tokens[:at], *([] if kind == "remove" else [word]), *tokens[at + (kind != "insert") :]]
    quote = " ".join(changed)
    assume(f" {quote} ".lower() not in f" {text} ".lower())
    assert find_quote(quote, text) is None


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from(["{}", "{}.5", "-{}", "{} %", "<{}", "3–{}"]))
def test_a_changed_digit_is_not_found(here: int, there: int, form: str) -> None:
    assume(here != there)
    text = f"the value was {form.format(here)} in all groups"
    assert find_quote(text, text) is not None
    assert find_quote(text.replace(form.format(here), form.format(there), 1), text) is None


FILLER = "Nothing of the kind was ever observed near the harbour, and 1 250 sailors agreed. "


@given(st.integers(0, 120), st.integers(0, 120), st.sampled_from([" ", "  ", "\n", " \n "]), st.booleans())
def test_a_long_text_gives_the_same_answer_as_one_made_ready(before: int, after: int, space: str, cut: bool) -> None:
    quote = "a remarkably quiet 15.5 % of them"
    text = FILLER * before + "They met a remarkably quiet 15.5 % of them there. " + FILLER * after
    asked = space.join((quote.partition(".5")[0] if cut else quote).split(" "))
    assert find_quote(asked, text) == find_quote(asked, prepare(text))
    assert (find_quote(asked, text) is None) == cut


@pytest.mark.parametrize(
    "quote", ["an extraordi-\nnary harbour", "the EXTRAORDINARY  harbour", "extra … harbour", "ordinary harbour"]
)
def test_a_word_split_at_a_lines_end_is_found_in_a_long_text_too(quote: str) -> None:
    text = FILLER * 60 + "They saw an extraordinary harbour. They left the extraordi-\nnary harbour. " + FILLER * 60
    assert (find_quote(quote, text) is None) == (find_quote(quote, prepare(text)) is None)
    assert (find_quote(quote, text) is None) == quote.startswith(("extra ", "ordinary"))
