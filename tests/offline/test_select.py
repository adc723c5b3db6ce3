"""What a report of so many words has room for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deeproot.model import Document
from deeproot.report.select import select
from offline.market import document, finding, topic


def ids(chosen: tuple[tuple[object, Document], ...]) -> list[str]:
    return [found.id for _, own in chosen for found in own.findings]


def test_the_heaviest_findings_are_kept_whatever_their_topic() -> None:
    light = [
        finding(f"F1-{n}", f"Light sentence number {n} says very little about {n} shops.", weight=0.1)
        for n in range(1, 9)
    ]
    heavy = [
        finding(f"F2-{n}", f"Heavy sentence number {n} says a lot about {n} markets.", weight=0.9) for n in range(1, 4)
    ]
    chosen = ids(select([(topic("A"), document(*light)), (topic("B", "2"), document(*heavy))], 100))
    assert {"F2-1", "F2-2", "F2-3"} <= set(chosen)
    assert len(chosen) < 11


def test_among_equals_every_topic_gets_its_turn() -> None:
    pairs = [
        (
            topic(name, str(t)),
            document(*(finding(f"F{t}-{n}", f"{name} fact {n} of {t}{n} cases is this.") for n in range(1, 9))),
        )
        for t, name in enumerate(("North", "South", "East"), 1)
    ]
    chosen = ids(select(pairs, 130))
    assert {id[:2] for id in chosen} == {"F1", "F2", "F3"}


def test_the_same_quote_in_two_topics_is_kept_where_it_weighs_more() -> None:
    quote = "Members came back 62% more often than other customers."
    pairs = [
        (topic("A"), document(finding("F1-1", quote, weight=0.4))),
        (topic("B", "2"), document(finding("F2-1", f"  {quote}", weight=0.5))),
    ]
    assert ids(select(pairs, 500)) == ["F2-1"]


def test_other_numbers_are_another_statement() -> None:
    pairs = [
        (topic("A"), document(finding("F1-1", "Retention was 62% in the second quarter."))),
        (topic("B", "2"), document(finding("F2-1", "Retention was 58% in the second quarter."))),
    ]
    assert ids(select(pairs, 500)) == ["F1-1", "F2-1"]


def test_rows_that_are_only_numbers_are_told_apart() -> None:
    rows = document(finding("F1-1", "2024,350000,0.25", "t.csv"), finding("F1-2", "2024,350000", "t.csv"))
    assert ids(select([(topic("A"), rows)], 500)) == ["F1-1", "F1-2"]


def test_every_topic_stays_in_its_place_with_all_but_its_findings() -> None:
    pairs = [(topic("A"), document(gaps=("a gap",))), (topic("B", "2"), document(finding("F2-1", "A fact.")))]
    chosen = select(pairs, 0)
    assert [kept for kept, _ in chosen] == [kept for kept, _ in pairs]
    assert chosen[0][1].gaps == ("a gap",)
    assert ids(chosen) == []


@given(st.lists(st.tuples(st.integers(1, 40), st.floats(0, 1)), max_size=30), st.integers(0, 2000))
def test_the_budget_holds(findings: list[tuple[int, float]], words: int) -> None:
    own = document(
        *(
            finding(f"F1-{n}", f"{n} " + " ".join(f"w{n}" for _ in range(size)), weight=w)
            for n, (size, w) in enumerate(findings, 1)
        )
    )
    ((_, chosen),) = select([(topic("A"), own)], words)
    assert sum(len(found.quote.split()) for found in chosen.findings) <= words
    assert set(chosen.findings) <= set(own.findings)
