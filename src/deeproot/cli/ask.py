"""`research ask "question"`: the answer on stdout, progress on stderr."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import anyio

from .. import events as e
from ..ask import ASK, Answered, answered, asker, settings_for, within_loops
from ..engine.outcome import Ending, Outcome
from ..errors import UsageError
from ..model import counted
from ..project.config import ProjectConfig, RunDefaults, load_config
from ..project.journal import Entry
from ..project.phase_config import PhaseConfig, load_phase_config
from ..researcher import ROOT, Researcher
from ..settings import Asking, Settings
from ..state import State
from .display import Display, Quiet, describe, emit, spent
from .estimate import print_estimate
from .models import default_models
from .run import announce, answered_by, as_typed, fill_in, free_name, question_of, supervise

WHO = {"model", "review_model"}
USUAL = {"timeout", "idle_timeout", "concurrency", "files", "time", "tokens", "cost", "calls", "web"}


def ask(arguments: argparse.Namespace) -> int:
    project = Path()
    config = load_phase_config(Path(arguments.phase_config)) if arguments.phase_config else PhaseConfig()
    make = _resumed if arguments.resume or arguments.force_resume else _new
    researcher, settings = make(project, arguments, config)
    if arguments.dry_run:
        print_estimate(settings, researcher.past().state)
        return 0
    announce(settings, arguments)
    display = Silent() if arguments.quiet else Progress()
    with display:
        outcome, code = anyio.run(supervise, researcher, settings, arguments, display)
    if outcome:
        _show(answered(researcher, outcome), arguments)
    return code


def _new(project: Path, arguments: argparse.Namespace, config: PhaseConfig) -> tuple[Researcher, Settings]:
    question = question_of(arguments)
    researcher = asker(project, arguments.name or free_name(project, question))
    defaults = load_config(project / ROOT)
    fill_in(arguments, _only(defaults, WHO))
    model, review_model = default_models()
    made = settings_for(question, researcher.name, _asking(Asking(), arguments, config), model)
    made = answered_by(replace(made, review_model=review_model), arguments)
    return researcher, _limited(_as_usual(made, defaults), arguments, config)


def _as_usual(settings: Settings, defaults: ProjectConfig) -> Settings:
    """As the project's file has it: what is not about the shape of a tree or a report holds for questions, too."""
    usual = defaults.run.model_dump(include=USUAL, exclude_none=True)
    files = tuple(usual.pop("files", settings.files))
    models = tuple((hat, model) for hat, model in defaults.models.items() if hat in ASK.hats)
    return replace(settings, **usual, files=files, models=models)


def _only(defaults: ProjectConfig, options: set[str]) -> ProjectConfig:
    return ProjectConfig(run=RunDefaults(**defaults.run.model_dump(include=options)))


def _resumed(project: Path, arguments: argparse.Namespace, config: PhaseConfig) -> tuple[Researcher, Settings]:
    if not arguments.name:
        raise UsageError("--resume needs --name: which question shall go on?")
    researcher = asker(project, arguments.name)
    if not researcher.exists:
        raise UsageError(f"There is no question called {researcher.name!r} here to resume.")
    before = researcher.past().state.settings
    if arguments.question and arguments.question != before.question:
        raise UsageError(f"{researcher.name!r} is another question: {before.question!r}. Leave the question out.")
    changed = replace(before, asking=_asking(before.asking or Asking(), arguments, config))
    return researcher, _limited(answered_by(changed, arguments), arguments, config)


def _asking(before: Asking, arguments: argparse.Namespace, config: PhaseConfig) -> Asking:
    """What is typed goes before what the phase config says, and that before what held until now."""
    return Asking(
        deep=arguments.deep or before.deep,
        query_type=arguments.type or before.query_type,
        tier=arguments.tier or before.tier,
        max_loops=arguments.max_loops or config.max_iterations or before.max_loops,
        gates=before.gates if config.gates is None else config.gates,
    )


def _limited(settings: Settings, arguments: argparse.Namespace, config: PhaseConfig) -> Settings:
    time = None if config.unlimited else config.time_budget or settings.time
    retries = config.retry_limit - 1 if config.retry_limit else settings.retries
    breadth = arguments.breadth or settings.breadth
    return within_loops(as_typed(replace(settings, time=time, retries=retries, breadth=breadth), arguments))


class Progress(Display):
    """One line per thing that happened, on stderr."""

    def watch(self, entry: Entry, state: State) -> None:
        for event in entry.batch.events if entry.batch else ():
            if line := told(event, state):
                emit(line)


class Silent(Quiet):
    def end(self, researcher: Researcher, outcome: Outcome) -> None:
        """The answer says it."""


def told(event: e.Event, state: State) -> str | None:
    """An event of a question in words; None for what is not worth a line."""
    match event:
        case e.QuestionScoped():
            return f"A {event.tier} {event.query_type} question (scoped by {event.by})"
        case e.LoopDecided(decision=decision):
            ends = "go on: " + (decision.nextSearchTopic or "") if decision.shouldContinue else "enough"
            why = f" ({event.overruled})" if event.overruled else ""
            return f"Decision {event.iteration}: {ends}{why}; {counted(len(decision.gaps), 'gap')}. {decision.summary}"
        case e.ReportChecked(checked=checked):
            return f"  checked: {checked.grade}, {counted(len(checked.issues), 'issue')}"
        case e.ReportWritten(style=style) if style:
            return f"  style: {'; '.join(style)}"
        case e.TopicAccepted():
            return None
        case e.TurnStarted(phase="RESEARCH", topic=topic):
            return f"RESEARCH {state.title(topic)}"
        case _:
            return describe(event, state)


def _show(answer: Answered, arguments: argparse.Namespace) -> None:
    if arguments.json:
        emit(json.dumps(_as_json(answer), indent=1, ensure_ascii=False), sys.stdout)
        return
    if answer.text:
        emit(answer.text.rstrip("\n"), sys.stdout)
    if not arguments.quiet:
        state = answer.state
        emit(f"{answer.outcome.ending.upper()}: {counted(state.calls, 'call')}{spent(state.usage)}. {answer.path}")
    if answer.outcome.reason:
        emit(f"Why: {answer.outcome.reason}")
    if answer.outcome.ending is not Ending.COMPLETE:
        emit(f"Everything is kept; to go on: {answer.state.settings.resume_command}")


def _as_json(answer: Answered) -> dict[str, Any]:
    """`--json`: the answer and everything a program may want to know about it."""
    state, scope = answer.state, answer.state.scope
    return {
        "question": state.settings.question,
        "query_type": scope.query_type if scope else None,
        "tier": scope.tier if scope else None,
        "deep": bool(scope and scope.deep),
        "subquestions": [asdict(each) for each in scope.subquestions] if scope else [],
        "answer": answer.text,
        "citations": [asdict(citation) for citation in answer.citations],
        "decisions": [asdict(decided) for decided in state.decisions],
        "style": list(state.draft.style),
        "tags": list(dict.fromkeys(raised.tag for raised in state.raised)),
        "given_up": {state.topic(id).title: why for id, why in state.exhausted.items() if id in state.growths},
        "calls": state.calls,
        "ending": answer.outcome.ending,
        "reason": answer.outcome.reason,
        "path": str(answer.path) if answer.path.exists() else None,
    }
