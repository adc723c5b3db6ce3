"""What the scripted researcher of the campaigns is told: a pure function of the ask.

Some documents are rejected, some answers are garbage, one topic never gets a usable answer, and the first report is
sent back, so that every path of the engine is walked.
"""

from __future__ import annotations

from collections.abc import Sequence

from deeproot import asks as a
from deeproot.model import Passage, Verdict
from deeproot.testing import Scripted

REJECTED_ONCE = ("1", "2.1", "1.1.2")
GARBAGE_ONCE = ("2", "1.1")
FAILS_ONCE = ("1.2", "2.1.1")
MISQUOTES_ONCE = ("1.1", "2")
NEVER_USABLE = "2.2"
NOTES = {
    "oaks": (
        "Oaks send a taproot four metres down in loose sand. In clay they stay above one metre.",
        "Loose sand drives the taproot of oaks four metres down.",
    ),
    "elms": (
        "Elm roots spread flat and wide on river banks. They reach thirty metres to the side.",
        "River banks favour elm roots that spread flat and wide.",
    ),
    "figs": (
        "Wild figs break rock with their roots. One was followed through a cave for a hundred metres.",
        "Rock yields to the roots of wild figs.",
    ),
    "shrubs": (
        "Desert shrubs drink from ground water with their roots. They were met fifty metres deep in a well.",
        "Ground water nourishes the roots of desert shrubs.",
    ),
}
"""Texts to be read, and a claim about each in which a word is not the text's: the gate is left in doubt."""

GARBAGE = "I am sorry, but here is a poem instead of JSON."


def answer(ask: a.Ask) -> Scripted | None:
    """None leaves the answer to the mock backend."""
    match ask.inputs:
        case a.DocumentInputs(topic=topic, passages=passages, actions=actions):
            return _document(ask, topic.id, passages, "Reworked" if actions else "First")
        case a.ChildrenInputs(topic=topic, breadth=breadth):
            # The same title under every parent: slugs have to tell them apart.
            titles = [f"Detail {topic.id}.{number}" for number in range(1, breadth)] + ["Outlook"]
            return a.ChildrenAnswer(tuple(a.ProposedTopic(title, "A branch.") for title in titles[-breadth:]))
        case a.ReviewInputs(topic=topic, document=document) if topic.id in REJECTED_ONCE:
            met = document.summary.startswith("Reworked")
            verdicts = tuple(a.CriterionVerdict(criterion, met) for criterion in topic.criteria)
            return a.ReviewAnswer(verdicts, actions=() if met else ("Look again.",))
        case a.FinalReviewInputs(report=report):
            coherence = a.Opinion(True) if "Revised." in report else a.Opinion(False, ("The summary is thin.",))
            return a.FinalReviewAnswer(a.Opinion(True), coherence, a.Opinion(True), a.Opinion(True))
        case a.ReviseInputs(summary=summary):
            return a.ReviseAnswer(f"{summary} Revised.")
        case a.JudgeInputs(claims=claims):
            return a.JudgeAnswer(tuple(a.Judged(n, Verdict.PARTIAL, "in part") for n in range(1, len(claims) + 1)))
        case a.DecideInputs(topics=topics):
            more = len(topics) < 4
            return a.DecideAnswer("Roots were seen.", ("the frost",) if more else (), more, "Roots in frost")
        case _:
            return None


def _document(ask: a.Ask, id: str, passages: Sequence[Passage], word: str) -> Scripted:
    again = "could not be used" in ask.prompt
    if id == NEVER_USABLE or (id in GARBAGE_ONCE and not again):
        return GARBAGE
    if id in FAILS_ONCE and "It failed with:" not in ask.prompt:
        return a.Failure(a.Reason.FAILED, f"scripted failure on topic {id}")
    if passages:
        return _read(ask, id, passages, word)
    claims = [f"{word} claim {number} on {id}." for number in (1, 2)]
    findings = tuple(a.ProposedFinding(claim, claim, f"P{id}") for claim in claims)
    return a.DocumentAnswer(f"{word} summary of {id}.", findings, (a.ProposedSource(f"P{id}", f"notes/{id}.md"),))


def _read(ask: a.Ask, id: str, passages: Sequence[Passage], word: str) -> a.DocumentAnswer:
    """One finding, from another note for every topic. Some are misquoted until the author is told."""
    places = {name: f"S{n}" for n, passage in enumerate(passages, 1) for name in NOTES if _stands(name, passage)}
    name = sorted(places)[sum(map(int, id.split("."))) % len(places)]
    text, claim = NOTES[name]
    quote = "Nobody wrote this." if id in MISQUOTES_ONCE and "Nobody wrote" not in ask.context else text.split(". ")[0]
    return a.DocumentAnswer(f"{word} summary of {id}.", (a.ProposedFinding(claim, quote, places[name]),))


def _stands(name: str, passage: Passage) -> bool:
    return NOTES[name][0].split(". ")[0] in passage.text
