"""The style rules: every hit has its place, and what is quoted is nobody's style."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deeproot.asks import QueryType
from deeproot.report.style import CONSTRAINTS, HEDGES, Hit, check_style

GOOD = {
    QueryType.ACADEMIC: "Sleep helps memory [1].\n\nA second trial found the same [2].",
    QueryType.NEWS: "- The probe landed on 3 May [1].\n- A second one was launched [2].",
    QueryType.PEOPLE: "Grace Hopper was born in 1906 [1]. She wrote a compiler [2].",
    QueryType.CODING: "```python\nargs[0]  # maybe\n```\n\nThis reads the first argument [1].",
    QueryType.COMPARISON: "| gather | TaskGroup |\n|---|---|\n| goes on [1] | cancels the rest [2] |",
    QueryType.FACTUAL: "The server listens on port 8000 [1].",
}
DEEP = "# Ports\n\nThe server listens on port 8000 [1].\n\n" + "\n\n".join(
    f"## {title}\n\nA fact [1]." for title in ("One", "Two", "Three", "Four", "Conclusion")
)


def rules(text: str, kind: QueryType = QueryType.FACTUAL, deep: bool = False) -> list[str]:
    return [hit.rule for hit in check_style(text, kind, deep)]


@pytest.mark.parametrize("kind", QueryType)
def test_a_good_answer_of_every_kind_passes(kind: QueryType) -> None:
    assert check_style(GOOD[kind], kind) == ()
    assert CONSTRAINTS[kind]


def test_a_good_long_answer_passes() -> None:
    assert check_style(DEEP, QueryType.FACTUAL, deep=True) == ()


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("starts with a header", "# Ports\n\nThe port is 8000 [1]."),
        ("starts with a header", "\n  ## Ports\n\nThe port is 8000 [1]."),
        ("citation form", "The port is 8000 [1, 2]."),
        ("citation form", "The port is 8000 [1;2]."),
        ("citation form", "The port is 8000 [1-3]."),
        ("citation form", "The port is 8000 [1] [2]."),
        ("citation form", "The port is 8000 [1],[2]."),
        ("more than 3 citations in a sentence", "The port is 8000 [1][2][3][4]."),
        ("more than 3 citations in a sentence", "It is so [1][2], and so [3], and so [4]."),
        ("no citation", "The port is 8000."),
        ("sources of its own", "The port is 8000 [1].\n\n## References\n\n- one"),
        ("sources of its own", "The port is 8000 [1].\n\n**Sources:**\n- one"),
        ("ends with a question", "The port is 8000 [1]. Shall I tell you more?"),
        ("ends with a question", "The port is 8000 [1]. Is it 8000? [1]"),
        ("ends with a question", "The port is 8000 [1]. **Want more?**\n"),
        ("hedging", "It seems that the port is 8000 [1]."),
        ("hedging", "The port is perhaps 8000 [1]."),
        ("hedging", "It is worth\nnoting that the port is 8000 [1]."),
        ("long lead", "word " * 81 + "[1]."),
    ],
)
def test_a_broken_rule_is_named(rule: str, text: str) -> None:
    """001-53, 001-54, 001-55, 001-58."""
    assert rules(text) == [rule]


@pytest.mark.parametrize(
    ("kind", "rule", "text"),
    [
        (QueryType.ACADEMIC, "one paragraph", "Sleep helps memory [1]."),
        (QueryType.NEWS, "no list", "The probe landed [1]."),
        (QueryType.PEOPLE, "name as a header", "**Grace Hopper**\n\nShe wrote a compiler [1]."),
        (QueryType.CODING, "code comes first", "Use a loop [1].\n\n```python\nfor x in y: ...\n```"),
        (QueryType.COMPARISON, "no table", "The one is faster than the other [1]."),
    ],
)
def test_every_kind_of_question_has_its_own_rule(kind: QueryType, rule: str, text: str) -> None:
    """001-56."""
    assert rules(text, kind) == [rule]
    assert rule not in rules(text, QueryType.FACTUAL)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("no title", DEEP.removeprefix("# Ports\n\n")),
        ("no title", DEEP.replace("# Ports", "## Ports", 1)),
        ("header after the title", DEEP.replace("The server listens on port 8000 [1].\n\n", "", 1)),
        ("few sections", DEEP.replace("## One", "**One**")),
        ("no conclusion", DEEP.replace("## Conclusion", "## The end")),
    ],
)
def test_a_long_answer_has_rules_of_its_own(rule: str, text: str) -> None:
    """001-57."""
    assert rules(text, deep=True)[:1] == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "According to `a.py`: “Perhaps it seems so [1, 2].” [1] “Maybe.” [1]",
        'The page says "it appears that ports are free" [1].',
        "The flag is `perhaps` [1].",
        "It holds [1].\n\n> It seems to me that it holds.",
        "It holds [1].\n\n```\nmaybe = x[1] [2]\n```",
        "It held in 1906 [1][2][3]. It holds today [1][2][3].",
    ],
)
def test_quotes_and_code_are_nobodys_style(text: str) -> None:
    assert rules(text) == []


def test_a_hit_tells_line_column_and_text() -> None:
    text = "The port is 8000 [1].\nThe host is, perhaps, local [1].\n\n  Maybe so."
    assert check_style(text, QueryType.FACTUAL) == (
        Hit(2, 14, "hedging", "perhaps"),
        Hit(4, 3, "hedging", "Maybe"),
    )
    assert str(Hit(2, 14, "hedging", "perhaps")) == "line 2, column 14: hedging: perhaps"


@given(st.sampled_from(HEDGES), st.lists(st.sampled_from(["alpha", "Beta.", "\n", "\n\n", "42 [1]"]), max_size=12))
def test_a_hedge_is_found_where_it_stands(phrase: str, before: list[str]) -> None:
    text = " ".join([*before, phrase, "gamma [1]."])
    hits = [hit for hit in check_style(text, QueryType.FACTUAL) if hit.rule == "hedging"]
    assert hits
    line = text.split("\n")[hits[-1].line - 1]
    assert line[hits[-1].column - 1 :].casefold().startswith(phrase)


@given(st.text(alphabet='ab [](1,2)#?`“”"\n*|-.', max_size=80), st.sampled_from(QueryType), st.booleans())
def test_any_text_can_be_checked_and_every_place_is_in_it(text: str, kind: QueryType, deep: bool) -> None:
    lines = text.split("\n")
    for hit in check_style(text, kind, deep):
        assert 1 <= hit.line <= len(lines)
        assert 1 <= hit.column <= len(lines[hit.line - 1]) + 1


def test_quotations_that_end_without_a_stop_are_sentences_of_their_own() -> None:
    text = " ".join(f"“row {number}; what it holds” [{number}]" for number in range(1, 6))
    assert check_style(text, QueryType.FACTUAL) == ()
