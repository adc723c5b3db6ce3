"""The sentences of a Markdown text, and which of them state a fact."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deeproot.evidence import quotations, sentences, states_fact

BODY = """# Batteries in 2023

Prices fell by 14 % in 2023. [1][2] Dr. Weiss of the U.S. Department of Energy expects 5 % more,
e.g. in vans [3]. The rest is unclear.[4] Is that so?

> Demand doubled, it is said.

- Sodium cells weigh 12 kg. They cost less [F1.2-3].
- **Lithium** stays ahead
  in range.
1. First, the plants.

| year | price |
|------|------:|
| 2022 | 151 $ |
| 2023 | 139 $ |

Setext heading
==============

```python
This is code. It has sentences.
```

<!-- A comment. It
goes on. -->
***
[1]: https://example.org "A link. Not a sentence."
Last words"""


def test_a_body_is_taken_apart_into_its_sentences() -> None:
    assert [span.of(BODY) for span in sentences(BODY)] == [
        "Prices fell by 14 % in 2023. [1][2]",
        "Dr. Weiss of the U.S. Department of Energy expects 5 % more,\ne.g. in vans [3].",
        "The rest is unclear.[4]",
        "Is that so?",
        "Demand doubled, it is said.",
        "Sodium cells weigh 12 kg.",
        "They cost less [F1.2-3].",
        "**Lithium** stays ahead\n  in range.",
        "First, the plants.",
        "| 2022 | 151 $ |",
        "| 2023 | 139 $ |",
        "Last words",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It grew 1.5 times. Then it fell.", ["It grew 1.5 times.", "Then it fell."]),
        ("He left the U.S. The firm stayed.", ["He left the U.S.", "The firm stayed."]),
        ("He joined Acme Inc. in May.", ["He joined Acme Inc. in May."]),
        ("“It works.” So they said.", ["“It works.”", "So they said."]),
        ("It fell [1]. [2] It rose.", ["It fell [1]. [2]", "It rose."]),
        ("It fell. [evidence?] It rose.", ["It fell. [evidence?]", "It rose."]),
        ("It fell [F1-1, F1-2]. It rose.", ["It fell [F1-1, F1-2].", "It rose."]),
        ("価格は下がった。需要は増えた。", ["価格は下がった。", "需要は増えた。"]),
        ("~~~\nnever closed. At all.", []),
        ("", []),
        ("...", []),
    ],
)
def test_where_a_sentence_ends(text: str, expected: list[str]) -> None:
    assert [span.of(text) for span in sentences(text)] == expected


@given(st.text(alphabet=st.sampled_from("aB1 .!?[]|-#>*`~\n:<\"'é。"), max_size=200))
@example("|a|\n|-|\n|b|")
@example("```\n```\na")
def test_sentences_stand_in_order_and_never_overlap(text: str) -> None:
    end = 0
    for span in sentences(text):
        assert end <= span.start < span.end <= len(text)
        assert span.of(text) == span.of(text).strip() != ""
        end = span.end


@given(st.lists(st.from_regex(r"[A-Z][a-z]{3,9}( [a-z]{4,9}){2,6}", fullmatch=True), min_size=1, max_size=8))
def test_plain_sentences_come_back_as_they_were_joined(parts: list[str]) -> None:
    text = " ".join(f"{part}." for part in parts)
    assert [span.of(text) for span in sentences(text)] == [f"{part}." for part in parts]


@pytest.mark.parametrize(
    "sentence",
    [
        "Revenue grew by 15 % in 2023 [1].",
        "**Northwind** acquired Southgate.",
        "The battery lasts longer than the old one.",
        "Statins lower cholesterol in adults.",
        "The plant opened in 1998",
        "Paris is the capital of France.",
        "There is no evidence that vaccines cause autism.",
        "- Hospitals closed wards in winter.",
        "| 2023 | 139 $ |",
        "Wind power is now cheaper than coal.",
        "However, the court rejected the appeal.",
        "No fewer than 40 sources reported outages in Spain.",
        "The bridge remains open to pedestrians.",
        "Doctors disagree about the dose.",
        "Acme was convicted of fraud in 2024, as its figures show:",
        "Acme committed these crimes:",
        "This report shows that Acme was convicted of fraud in 2024.",
        "Acme was convicted of fraud in 2024 (see above).",
        "Insufficient evidence is no excuse: Acme was convicted of fraud and files were searched.",
        "Insufficient evidence: Acme was convicted of fraud and files were searched.",
        "No source denies that Acme was convicted of fraud.",
    ],
)
def test_a_sentence_that_asserts_something_states_a_fact(sentence: str) -> None:
    assert states_fact(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "# Revenue grew by 15 %",
        "The next section looks at the costs.",
        "This report summarises what was found about Northwind.",
        "There are several reasons for this:",
        "Three things matter in Spain:",
        "What does it cost?",
        "Battery chemistry",
        "**Key findings**",
        "However, the picture is more complicated.",
        "This has several consequences.",
        "Let us turn to Northwind.",
        "No source gives a figure for Portugal.",
        "The sources do not say who paid for the bridge.",
        "Whether the merger was approved could not be verified.",
        "How long it lasts remains an open question.",
        "The details are listed below.",
        "[1][2]",
        "No reliable data were found for Chile.",
        "Acme puts it like this:",
        "According to Reuters:",
        "Insufficient evidence: 12 passages of 3 files were searched for “Acme in 2020”, and no sentence was found.",
        "Insufficient evidence: nothing in the files that were searched answers “Acme in 2020”.",
    ],
)
def test_connecting_prose_states_none(sentence: str) -> None:
    assert not states_fact(sentence)


@given(st.text(max_size=200))
def test_any_text_can_be_asked(text: str) -> None:
    assert states_fact(text) in (True, False)


@given(st.sampled_from(["Revenue grew by 15 % in 2023.", "The next part is short.", "Oslo lies in Norway."]))
def test_a_citation_changes_nothing_about_what_is_stated(sentence: str) -> None:
    assert states_fact(f"{sentence} [1][2]") == states_fact(sentence)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("She said “it is so” and «so it is».", ["it is so", "so it is"]),
        ('She said "it is so" and left.', ["it is so"]),
        ('**"It is so. It was so."** [1]', ["It is so. It was so."]),
        ("“He said “no” to us”, she said.", ["He said “no” to us"]),
        ('“He said "not at all" to us”, she said.', ['He said "not at all" to us']),
        ('He is 5\' 10" tall and "not very big at all", she said.', ["not very big at all"]),
        ('The "New Deal" of a "strong" man.', []),
        ('A 27" screen beside a 24" screen.', []),
        ('Type `print("to be or not")` there.', []),
        ('It "opens here\nand ends" there.', []),
        ("It ” closes “ before it opens", []),
        ("„Es ist so“, sagte sie und „so ist es”.", ["Es ist so", "so ist es"]),
        ("She said 'it isn't so at all' and left.", ["it isn't so at all"]),
        ("She said ‘it isn’t so at all’ and ‚so ist es wohl‘.", ["it isn’t so at all", "so ist es wohl"]),
        ("The workers' pay and the owners' duties in the '90s.", []),
        ("Type `print('to be or not')` there, the 'old' way.", []),
    ],
)
def test_what_clearly_stands_in_quotation_marks_is_a_quotation(text: str, quoted: list[str]) -> None:
    assert [span.of(text) for span in quotations(text)] == quoted


def test_a_quotation_in_straight_marks_is_not_taken_apart() -> None:
    text = 'He wrote "It is so. It was so." and left. Then it rained.'
    assert [span.of(text) for span in sentences(text)] == [text[:-16], "Then it rained."]
