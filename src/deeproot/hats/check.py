"""The gates: both are code; a model is asked only about citations that code leaves in doubt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import anyio.to_thread

from ..asks import Ask, Claimed, JudgeAnswer, JudgeInputs, Kind
from ..checks import Checked, CitationCheck
from ..events import CitationsChecked, Event, ReportChecked, TagRaised
from ..gates import Lost, Opinion, Text, TextOf, conclude, doubts, settle, verdicts_on
from ..knowledge.sources import Altered
from ..model import Tag, Verdict, one_line
from ..project.templates import fenced
from ..report.publish import assembled
from .turn import StepFailed, Turn

AT_ONCE = 8  # citations in one ask


async def check_citations(turn: Turn) -> list[Event]:
    """A verdict for every citation. They are recorded and shown; no sentence is dropped for them."""
    report = assembled(turn.state)
    kept = await turn.kept({citation.sha256 for citation in report.citations if citation.sha256})
    checks = await anyio.to_thread.run_sync(verdicts_on, report.citations, texts_in(kept))
    if turn.abilities.judges:
        checks = settle(checks, await _opinions(turn, checks))
    return [CitationsChecked(checks)]


async def check_consistency(turn: Turn) -> list[Event]:
    """The report as a whole: issues, score and grade over both gates."""
    known = turn.state.draft.checked
    checked = conclude(turn.state, assembled(turn.state), known.citations if known else ())
    return [ReportChecked(checked), *_tags(turn, checked)]


def texts_in(kept: Mapping[str, str | Altered]) -> TextOf:
    """The kept texts as the gate wants them, each prepared once."""
    prepared: dict[str, Text] = {}

    def text_of(digest: str) -> Text | Lost:
        text = kept.get(digest)
        if text is None:
            return Lost.MISSING
        if isinstance(text, Altered):
            return Lost.ALTERED
        if digest not in prepared:
            prepared[digest] = Text(text)
        return prepared[digest]

    return text_of


async def _opinions(turn: Turn, checks: Sequence[CitationCheck]) -> dict[int, Opinion]:
    """What the model says of the doubtful citations. One that cannot be asked leaves them unverifiable."""
    places = list(doubts(checks))
    opinions: dict[int, Opinion] = {}
    for number, start in enumerate(range(0, len(places), AT_ONCE), 1):
        some = places[start : start + AT_ONCE]
        try:
            answer = await _ask(turn, f"judge-{number}", [checks[at] for at in some])
        except StepFailed as failure:
            lost = Opinion(Verdict.UNVERIFIABLE, f"could not be asked: {one_line(failure.error, 120)}", "code")
            opinions |= dict.fromkeys(some, lost)
        else:
            by = turn.settings.review_model
            opinions |= {some[said.n - 1]: Opinion(said.verdict, one_line(said.reason), by) for said in answer.verdicts}
    return opinions


async def _ask(turn: Turn, step: str, checks: Sequence[CitationCheck]) -> JudgeAnswer:
    claims = tuple(Claimed(check.sentence, check.excerpt.passage if check.excerpt else "") for check in checks)
    prompt = turn.render("judge", claims="\n\n".join(_claims_text(claims)))
    ask = Ask(Kind.JUDGE, prompt, JudgeInputs(claims))
    return (await turn.ask(step, JudgeAnswer, ask, check=lambda answer: _problems(answer, len(claims)))).answer


def _claims_text(claims: Sequence[Claimed]) -> Iterator[str]:
    for number, claim in enumerate(claims, 1):
        yield f"{number}. {fenced('sentence', claim.sentence)}\n{fenced('passage', claim.passage)}"


def _problems(answer: JudgeAnswer, expected: int) -> Sequence[str]:
    if sorted(said.n for said in answer.verdicts) != list(range(1, expected + 1)):
        return [f"verdicts: give exactly one for each n from 1 to {expected}"]
    if any(said.verdict is Verdict.UNVERIFIABLE for said in answer.verdicts):
        return ["verdict: choose supported, partial, unsupported or refuted"]
    return []


def _tags(turn: Turn, checked: Checked) -> Iterator[TagRaised]:
    """Raised once in a run, whatever the number of revisions."""
    raised = {event.tag for event in turn.state.raised}
    if checked.disagreements and Tag.SOURCE_DISAGREEMENT not in raised:
        yield TagRaised(Tag.SOURCE_DISAGREEMENT)
    if any(check.verdict is Verdict.REFUTED for check in checked.citations) and Tag.CONTRADICTION not in raised:
        yield TagRaised(Tag.CONTRADICTION)
