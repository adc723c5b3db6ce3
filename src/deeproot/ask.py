"""Answers to questions: `research ask`. The same engine, journal, topics and evidence as research, another cycle.

    settings = settings_for("Who wrote the logging module?", "logging", Asking(), model="offline")
    print((await ask(Path(), settings)).text)

A simple question costs one call. Any other is scoped into subquestions, which are researched side by side; then a
loop decision says whether the evidence is enough, and a writer turns the evidence notes into the answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from . import events as e
from .asks import Tier
from .checks import Checked
from .engine.cycle import Cycle
from .engine.outcome import Outcome
from .engine.phases import missing
from .errors import UsageError
from .hats import Hat, Turn
from .hats.ask.answer import answer_at_once, stand_in, write_answer
from .hats.ask.brief import brief_for
from .hats.ask.decide import decide
from .hats.ask.gather import change_strategy, gather
from .hats.ask.scope import scope
from .hats.check import check_citations, check_consistency
from .model import one_line
from .report.numbering import Citation
from .report.publish import assembled
from .researcher import Change, Means, Researcher
from .settings import ATTEMPTS, DEFAULT_MODEL, Asking, Settings
from .state import State, Task

BREADTH = 4
WORDS, DEEP_WORDS = 300, 1500
SPARE = 20  # research turns beside those the loop can ask for: topics that people add
GATES: dict[str, e.CitationsDue | e.ConsistencyDue] = {"citation": e.CitationsDue(), "consistency": e.ConsistencyDue()}


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of a question. `text` is the whole answer as it stands in `path`; empty when there is none."""

    outcome: Outcome
    text: str
    citations: tuple[Citation, ...]
    path: Path
    state: State


async def ask(project: Path, settings: Settings, means: Means | None = None) -> Answered:
    """Answer a question in a project folder. UsageError when its name is taken."""
    researcher = asker(project, settings.name)
    return answered(researcher, await researcher.start(settings, means))


async def resume(
    project: Path, name: str, change: Change = lambda s: s, means: Means | None = None, force: bool = False
) -> Answered:
    """Go on with a question where it stopped."""
    researcher = asker(project, name)
    return answered(researcher, await researcher.resume(change, means, force))


def asker(project: Path, name: str) -> Researcher:
    """The researcher that answers questions. UsageError when the name belongs to one that does something else."""
    researcher = Researcher(project, name, cycle=ASK)
    if researcher.exists and not (settings := researcher.past().state.settings).asking:
        raise UsageError(
            f"{researcher.name!r} was started by `research`, not by `research ask`. "
            f"Go on with it: {settings.resume_command}. Or choose another --name."
        )
    return researcher


def answered(researcher: Researcher, outcome: Outcome) -> Answered:
    state = researcher.past().state
    report = assembled(state) if state.draft.written else None
    citations = report.citations if report else ()
    return Answered(outcome, report.text if report else "", citations, researcher.report, state)


def settings_for(question: str, name: str, asking: Asking, model: str = DEFAULT_MODEL) -> Settings:
    """Settings with what a question needs: few subquestions, three attempts each, a short answer or a long one."""
    made = Settings(
        question,
        name,
        breadth=BREADTH,
        depth=0,
        model=model,
        review_model=model,
        words=DEEP_WORDS if asking.deep else WORDS,
        retries=ATTEMPTS - 1,
        asking=asking,
    )
    return within_loops(made)


def within_loops(settings: Settings) -> Settings:
    """The limit of research turns that the rounds of the loop can reach."""
    loops = settings.asking.max_loops if settings.asking else 0
    return replace(settings, max_iterations=2 * settings.breadth + loops + SPARE)


# The cycle


async def _research(turn: Turn) -> list[e.Event]:
    return await (answer_at_once(turn) if _simple(turn.state) else gather(turn))


def _simple(state: State) -> bool:
    return state.scope is not None and state.scope.tier is Tier.SIMPLE and not state.scope.deep


def _table() -> dict[str, Hat]:
    grown = ("topic.added", "topic.reopened")
    researched = ("topic.researched", "topic.accepted", "tree.settled", "report.written")
    decided = ("loop.decided", "topic.added", "completion.refused")
    made = [
        Hat("scoper", "SCOPE", ("research.requested",), ("question.scoped", "topic.added"), scope),
        Hat("researcher", "RESEARCH", grown, researched, _research, scope="topic", heeds=True),
        Hat("decider", "DECIDE", ("evidence.settled",), decided, partial(decide, gate=missing)),
        Hat("answerer", "DRAFT", ("brief.written",), ("report.written",), write_answer, stand_in=stand_in, heeds=True),
        Hat("recovery", "RECOVERY", ("turn.failed",), ("recovery.noted",), change_strategy),
        _gate("citation", check_citations, ("citations.checked",)),
        _gate("consistency", check_consistency, ("report.checked", "tag.raised")),
    ]
    return {hat.name: hat for hat in made}


def _gate(name: str, act: Callable[[Turn], Awaitable[list[e.Event]]], publishes: tuple[str, ...]) -> Hat:
    hat = f"{name}_gate"
    due = (GATES[name].kind,)
    return Hat(hat, hat.upper(), due, publishes, act, role="review", scope="report", stand_in=_ungated)


def _ungated(_state: State, task: Task, why: str) -> list[e.Event]:
    return [e.Warned(f"The {task.hat.replace('_', ' ')} was not run: {why}")]


def _advance(state: State) -> list[e.Event]:
    """Evidence, decision, brief, draft, gates: one after the other, whenever nothing is due."""
    if not state.settled:
        return _toward_settling(state)
    draft = state.draft
    if not draft.written:
        return [] if draft.brief else [e.BriefWritten(brief_for(state))]
    if state.finished:
        late = state.heeded < len(state.guidance)
        return [e.BriefWritten(brief_for(state))] if late else []
    return _toward_the_end(state)


def _toward_settling(state: State) -> list[e.Event]:
    if state.limit:
        return [e.TreeSettled()]
    if not state.growths:
        return []
    if missing(state):
        return [e.LimitReached("iterations", f"the limit of {state.settings.max_iterations} iterations was reached")]
    if _simple(state) or not state.undecided:
        return [e.TreeSettled()]
    return [e.EvidenceSettled(len(state.decisions) + 1)]


def _toward_the_end(state: State) -> list[e.Event]:
    """The gates that were asked for, a rewrite when they fail it, and the end."""
    draft = state.draft
    if due := _next_gate(state):
        return [due]
    issues = _held_against(draft.checked) if draft.checked else ()
    if not issues:
        return [e.ReportAccepted()]
    if isinstance(draft.verdict, e.ReportRejected) or state.limit:
        return [e.ReportConceded(issues)]
    return [e.ReportRejected(issues), e.BriefWritten(brief_for(state, issues))]


def _held_against(checked: Checked) -> tuple[str, ...]:
    """What a gate does not let pass; where the consistency gate was left out, the citations speak for themselves."""
    grave = [issue.detail for issue in checked.issues if issue.grave]
    failed = [check for check in checked.citations if check.verdict.failed and not checked.parts]
    return (*grave, *(f"{one_line(check.sentence, 140)}: {'; '.join(check.reasons)}" for check in failed))


def _next_gate(state: State) -> e.Event | None:
    """A simple question passes no gates; the others those that the phase config names, in their order."""
    if _simple(state) or state.settings.asking is None:
        return None
    wanted = (GATES[gate] for gate in GATES if gate in state.settings.asking.gates)
    return next((due for due in wanted if due.kind not in state.draft.gated), None)


ASK = Cycle(_table(), _advance)
