"""A question that is killed goes on, and nothing that was answered is asked again."""

from __future__ import annotations

import pytest
from inquiry import PORT, FailingSearcher, always, decision, inquire, reading, resume, scoped

from deeproot import asks as a
from deeproot.asks import Ask, Kind
from deeproot.engine.engine import Ending
from deeproot.testing import Script, Scripted, ScriptedBackend
from laboratory import Lab, first, once, strictly

KINDS = (
    Kind.SCOPE,
    Kind.DOCUMENT,
    Kind.DOCUMENT,
    Kind.DECIDE,
    Kind.DOCUMENT,
    Kind.DECIDE,
    Kind.ANSWER,
)


def script() -> Script:
    return first(once(Kind.SCOPE, scoped("A", "B")), once(Kind.DECIDE, decision("the cost", topic="The cost")))


def test_a_crash_at_any_ask_loses_nothing_that_was_answered(lab: Lab) -> None:
    """Before every ask the folder is copied, as a kill would leave it; each copy goes on to the same answer."""
    images: list[tuple[int, Lab]] = []
    inner = script()

    def photograph(ask: Ask) -> Scripted | None:
        strictly(lambda: images.append((len(images), lab.crash_image(f"crash-{len(images)}"))))
        return inner(ask)

    whole = inquire(lab, photograph, concurrency=1)
    assert tuple(ask.kind for ask in whole.backend.asks) == KINDS
    for answered, image in images:
        rest = ScriptedBackend(remaining(answered))
        done = resume(image, rest)
        assert done.outcome.ending is Ending.COMPLETE
        assert tuple(ask.kind for ask in rest.asks) == KINDS[answered:]
        assert done.report == whole.report


def remaining(answered: int) -> Script | None:
    """What a model that had given so many answers would still say."""
    after_scope = [] if answered else [once(Kind.SCOPE, scoped("A", "B"))]
    after_decision = [once(Kind.DECIDE, decision("the cost", topic="The cost"))] if answered <= 3 else []
    return first(*after_scope, *after_decision) if after_scope or after_decision else None


def test_a_retry_that_was_cut_off_makes_the_same_queries_again(lab: Lab) -> None:
    """The strategy of an attempt is told by the journal, not by the run."""
    found = a.DocumentAnswer("Found.", (a.ProposedFinding(PORT, PORT, "S1"),))
    image: list[Lab] = []

    def photograph(ask: Ask) -> Scripted | None:
        if ask.kind is Kind.DOCUMENT and not image:
            strictly(lambda: image.append(lab.crash_image()))
        return None

    answers = first(photograph, always(Kind.SCOPE, scoped("How Task.cancel works")), always(Kind.DOCUMENT, found))
    searcher = FailingSearcher(1, good=1)
    inquire(lab, reading(answers), means={"searcher": searcher})
    again = FailingSearcher(0)
    done = resume(image[0], reading(answers), means={"searcher": again})
    assert again.queries == []
    assert done.outcome.ending is Ending.COMPLETE


@pytest.mark.parametrize("question", ["What is the port?", "How does it work?"])
def test_live_state_and_replayed_state_are_the_same(lab: Lab, question: str) -> None:
    done = inquire(lab, script(), question)
    replayed = done.state
    for name in ("scope", "decisions", "undecided", "draft", "counts", "settled", "raised"):
        assert getattr(done.live, name) == getattr(replayed, name), name
