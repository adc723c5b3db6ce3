"""Retries: each with another strategy, three attempts at most, and what was given up is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inquiry import PORT, SIMPLE, FailingSearcher, always, inquire, reading, scoped, the_answer

from deeproot import asks as a
from deeproot.asks import Ask, Failure, Kind, Reason, SearchStrategy
from deeproot.engine.engine import Ending
from deeproot.hats.ask.queries import attempts, queries, strategy_for
from deeproot.model import Status, Tag
from deeproot.testing import ListSearcher, Scripted
from laboratory import Lab, failing, first, topic_of

FOUND = a.DocumentAnswer("Found.", (a.ProposedFinding(PORT, PORT, "S1"),))
ONE = always(Kind.SCOPE, scoped("How does Task.cancel reach a coroutine"))


SCOPING = 1  # the scoper's own search, which is not about any subquestion


def test_a_failed_search_is_tried_again_with_another_strategy(lab: Lab) -> None:
    """001-29, 001-31, 001-52."""
    searcher = FailingSearcher(2, good=SCOPING)
    done = inquire(lab, reading(first(ONE, always(Kind.DOCUMENT, FOUND))), means={"searcher": searcher})
    assert [(failed.attempt, failed.error) for failed in done.of_kind("turn.failed")] == [
        (1, "unavailable: 500 from the provider"),
        (2, "unavailable: 500 from the provider"),
    ]
    tried = searcher.queries[SCOPING:]
    assert len(tried) == len(set(tried)) == 3
    assert done.outcome.ending is Ending.COMPLETE
    assert [note.notes.split(".")[0] for note in done.of_kind("recovery.noted")] == [
        "Search strategy for this attempt: entities",
        "Search strategy for this attempt: broader",
    ]


def test_after_three_attempts_a_subquestion_is_given_up_and_a_fourth_is_never_made(lab: Lab) -> None:
    """001-30, 001-33, 001-35."""
    searcher = FailingSearcher(99, good=SCOPING)
    done = inquire(lab, reading(ONE), means={"searcher": searcher})
    assert len(searcher.queries) == SCOPING + 3
    assert [failed.attempt for failed in done.of_kind("turn.failed")] == [1, 2, 3]
    assert done.state.topic("1").status is Status.EXHAUSTED
    assert done.state.topic("1").tags == (Tag.RETRY_EXHAUSTED,)
    assert done.outcome.exit_code == 2
    methodology = done.report.partition("## Methodology")[2]
    assert "#RETRY_EXHAUSTED" in methodology
    assert "How does Task.cancel reach a coroutine" in methodology
    assert the_answer(done).startswith("Insufficient evidence")
    assert not done.backend.asked(Kind.ANSWER)


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_the_number_of_attempts_can_be_set(lab: Lab, limit: int) -> None:
    searcher = FailingSearcher(99, good=SCOPING)
    inquire(lab, reading(ONE), means={"searcher": searcher}, retries=limit - 1)
    assert len(searcher.queries) == SCOPING + limit
    assert len(set(searcher.queries)) == SCOPING + limit


def test_a_document_without_evidence_is_a_failed_attempt(lab: Lab) -> None:
    nothing = a.DocumentAnswer("Nothing.", gaps=("No source says it.",))
    given: list[Ask] = []

    def document(ask: Ask) -> Scripted | None:
        if ask.kind is not Kind.DOCUMENT:
            return None
        given.append(ask)
        return nothing if len(given) == 1 else None

    done = inquire(lab, first(ONE, document))
    [failed] = done.of_kind("turn.failed")
    assert failed.error == "no evidence was found: No source says it."
    assert "Search strategy for this attempt: entities. Queries: Task.cancel" in given[1].prompt
    assert done.outcome.ending is Ending.COMPLETE


def test_one_subquestion_that_fails_takes_no_other_down(lab: Lab) -> None:
    def fails_on_b(ask: Ask) -> Scripted | None:
        return failing("exit code 7") if ask.kind is Kind.DOCUMENT and topic_of(ask).title == "B" else None

    done = inquire(lab, first(fails_on_b, always(Kind.SCOPE, scoped("A", "B", "C"))))
    assert [growth.topic.status for growth in done.state.walk()] == [
        Status.COMPLETE,
        Status.EXHAUSTED,
        Status.COMPLETE,
    ]
    brief = done.of_kind("brief.written")[0].brief
    assert brief.ra_summary[0] == a.TagNote("#RETRY_EXHAUSTED", ("B",))
    assert done.outcome.exit_code == 2


def test_a_simple_question_is_searched_in_other_ways_before_it_is_given_up(lab: Lab) -> None:
    """Searches cost no call: an empty search is no reason to ask."""
    searcher = ListSearcher([])
    done = inquire(lab, reading(), SIMPLE, means={"searcher": searcher})
    assert len(set(searcher.queries)) == 3
    assert not done.backend.asks
    assert the_answer(done).startswith("Insufficient evidence")
    assert done.outcome.exit_code == 2


def test_a_refused_search_is_a_failure_as_any_other(lab: Lab) -> None:
    refusing = FailingSearcher(1, failure=Failure(Reason.RATE_LIMITED, "429"))
    answer = a.AnswerAnswer(f"{PORT} [F1-1]", findings=(a.ProposedFinding(PORT, PORT, "S1"),))
    done = inquire(lab, reading({Kind.ANSWER: [answer]}), SIMPLE, means={"searcher": refusing})
    assert [failed.error for failed in done.of_kind("turn.failed")] == ["rate limited: 429"]
    assert done.outcome.ending is Ending.COMPLETE


QUESTION = "How does the Python logging module rotate a file at midnight?"


@pytest.mark.parametrize(
    ("strategy", "query"),
    [
        (SearchStrategy.DIRECT, "How does RotatingFileHandler name each old file?"),
        (SearchStrategy.ENTITIES, "RotatingFileHandler"),
        (SearchStrategy.BROADER, "RotatingFileHandler name"),
        (
            SearchStrategy.NARROWER,
            "RotatingFileHandler name each old file Python logging module rotate midnight",
        ),
    ],
)
def test_every_strategy_asks_in_its_own_way(strategy: SearchStrategy, query: str) -> None:
    assert queries("How does RotatingFileHandler name each old file?", QUESTION, strategy) == (query,)


def test_a_subquestion_that_does_not_name_its_subject_is_searched_with_it() -> None:
    assert queries("The cost", QUESTION, SearchStrategy.DIRECT) == (
        "The cost Python logging module rotate file midnight",
    )


def test_the_planned_strategy_comes_first_and_none_comes_twice() -> None:
    order = [strategy_for(SearchStrategy.BROADER, attempt) for attempt in range(1, 5)]
    assert order[0] is SearchStrategy.BROADER
    assert set(order) == set(SearchStrategy)


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(SearchStrategy), st.integers(1, 5))
def test_no_query_is_made_twice_whatever_the_words(
    text: str, question: str, planned: SearchStrategy, count: int
) -> None:
    made = [query for attempt in attempts(f"x{text}", question, planned, count) for query in attempt]
    assert len(made) == count
    assert len({query.casefold() for query in made}) == count
