"""`research "question"`: start or resume a researcher and show what it is doing."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio
from anyio.abc import TaskStatus

from ..engine.engine import Outcome
from ..errors import DeeprootError, UsageError
from ..model import slugify
from ..project.archive import reorganize
from ..project.config import ProjectConfig, load_config
from ..project.disk import Disk
from ..project.lock import read_holder
from ..researcher import RESERVED, ROOT, Approval, Means, Researcher
from ..settings import (
    CONFIRM_ABOVE,
    Settings,
    min_iterations,
    most_topics,
)
from . import amounts
from .display import Display, choose_display
from .models import default_models
from .money import costs_money

PROMPT_FILE = "PROMPT.md"
NAME_WORDS = 6


def run(arguments: argparse.Namespace) -> int:
    project = Path()
    if arguments.reorganize_archive:
        return _reorganize(project, arguments)
    resuming = arguments.resume or arguments.force_resume
    researcher, settings = _resumed(project, arguments) if resuming else _new(project, arguments)
    if arguments.dry_run:
        from .estimate import print_estimate  # what it knows of questions takes time to load

        print_estimate(settings, researcher.past().state)
        return 0
    if arguments.approve and not sys.stdin.isatty():
        raise UsageError("--approve asks on the terminal, and there is none here.")
    announce(settings, arguments)
    if not resuming:
        _confirm(settings, arguments.yes)
    display = choose_display(arguments)
    with display:
        outcome, code = anyio.run(supervise, researcher, settings, arguments, display)
    if outcome:
        display.end(researcher, outcome)
    return code


def announce(settings: Settings, arguments: argparse.Namespace) -> None:
    """Say who answers where nobody was chosen, and what it may take where that may be money. Nothing is spent yet."""
    if arguments.quiet:
        return
    if not (arguments.model or arguments.mock_mode or arguments.resume or arguments.force_resume):
        print(f"Answered by {settings.model}. Choose another with --model.", file=sys.stderr)
    if costs_money(settings) and not arguments.json:
        from .estimate import one_line_estimate

        print(one_line_estimate(settings), file=sys.stderr)


async def supervise(
    researcher: Researcher, settings: Settings, arguments: argparse.Namespace, display: Display
) -> tuple[Outcome | None, int]:
    """Run until done or until a signal: the first ends the run in order, the second at once."""
    received: list[int] = []
    outcome: Outcome | None = None
    failure: DeeprootError | None = None
    async with anyio.create_task_group() as group:
        await group.start(_watch_signals, group.cancel_scope, received)
        approve = partial(_approve, display) if arguments.approve else None
        means = Means(watch=display.watch, indexing=display.indexing, approve=approve)
        try:
            if arguments.resume or arguments.force_resume:
                outcome = await researcher.resume(lambda _: settings, means, force=arguments.force_resume)
            else:
                outcome = await researcher.start(settings, means)
        except DeeprootError as error:
            failure = error
        group.cancel_scope.cancel()
    if failure:
        raise failure
    if received:
        display.say(f"Interrupted. Nothing is lost: {settings.resume_command}")
        return None, 128 + received[0]
    assert outcome is not None, "a run that was not interrupted has an outcome"
    return outcome, outcome.exit_code


async def _approve(display: Display, report: Path) -> Approval:
    """Ask on the terminal, until the answer can be meant."""
    with display.paused():
        print(f"The report is ready: {report}", file=sys.stderr)
        approval = None
        while approval is None:
            print("[a]pprove, [f]eedback and what to mend, [q]uit? ", end="", file=sys.stderr, flush=True)
            await anyio.wait_readable(sys.stdin)  # a thread that reads would keep the process from ending
            approval = _understood(sys.stdin.readline())
    return approval


def _understood(typed: str) -> Approval | None:
    """None when it has to be asked again. Whoever is gone from the keyboard has not approved."""
    word, _, text = typed.strip().partition(" ")
    match word.lower():
        case "a" | "approve":
            return Approval(True)
        case "f" | "feedback" if text.strip():
            return Approval(False, text.strip())
        case "q" | "quit":
            return Approval(False)
        case _:
            return None if typed else Approval(False)


async def _watch_signals(
    scope: anyio.CancelScope, received: list[int], *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED
) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        async for number in signals:
            if received:
                os._exit(128 + number)
            received.append(number)
            scope.cancel()


def _new(project: Path, arguments: argparse.Namespace) -> tuple[Researcher, Settings]:
    config = load_config(project / ROOT)
    fill_in(arguments, config)
    question = question_of(arguments)
    name = arguments.name or free_name(project, question)
    researcher = Researcher(project, name)
    model, review_model = default_models()
    breadth, depth = arguments.breadth or 3, _depth(arguments, 3)
    settings = Settings(
        question=question,
        name=researcher.name,
        breadth=breadth,
        depth=depth,
        max_iterations=_limit(arguments, breadth, depth),
        model=model,
        review_model=review_model,
        models=hat_models(config, researcher.cycle.hats),
    )
    return researcher, answered_by(as_typed(settings, arguments), arguments)


def _resumed(project: Path, arguments: argparse.Namespace) -> tuple[Researcher, Settings]:
    if not arguments.name:
        raise UsageError("--resume needs --name: which researcher shall go on?")
    researcher = Researcher(project, arguments.name)
    if not researcher.exists:
        raise UsageError(f"There is no researcher called {researcher.name!r} here to resume.")
    before = researcher.past().state.settings
    if before.asking:
        raise UsageError(f"{researcher.name!r} was started by `research ask`. Go on with it: {before.resume_command}")
    if arguments.question and arguments.question != before.question:
        raise UsageError(
            f"{researcher.name!r} researches another question: {before.question!r}. Leave the question out."
        )
    breadth = arguments.breadth or before.breadth
    depth = _depth(arguments, before.depth)
    changed = as_typed(replace(before, breadth=breadth, depth=depth), arguments)
    if arguments.max_iterations:
        changed = replace(changed, max_iterations=_limit(arguments, breadth, depth))
    elif (breadth, depth) != (before.breadth, before.depth) and not arguments.allow_low_limit:
        floor = min_iterations(breadth, depth)
        changed = replace(changed, max_iterations=max(before.max_iterations, floor))
    return researcher, answered_by(changed, arguments)


def _depth(arguments: argparse.Namespace, default: int) -> int:
    if arguments.depth is not None and arguments.max_depth is not None and arguments.depth != arguments.max_depth - 1:
        raise UsageError("--depth and --max-depth say different things; --max-depth L means --depth L-1. Give one.")
    if arguments.max_depth is not None:
        return int(arguments.max_depth) - 1
    return default if arguments.depth is None else int(arguments.depth)


def fill_in(arguments: argparse.Namespace, config: ProjectConfig) -> None:
    """What was not typed, as the project's file has it. A name typed for the model also answers the reviews."""
    typed_model = bool(arguments.model or arguments.mock_mode)
    for option, value in config.run.model_dump(exclude_none=True).items():
        if getattr(arguments, option, None) is None and not (typed_model and option == "review_model"):
            setattr(arguments, option, value)


def hat_models(config: ProjectConfig, hats: Collection[str]) -> tuple[tuple[str, str], ...]:
    unknown = [hat for hat in config.models if hat not in hats]
    if unknown:
        known = ", ".join(sorted(hats))
        raise UsageError(f"{ROOT}/project.toml: models.{unknown[0]}: no such hat. Known: {known}.")
    return tuple(config.models.items())


def as_typed(settings: Settings, arguments: argparse.Namespace) -> Settings:
    """The plain options that were typed; what was not typed keeps its default, or on a resume its value."""
    return replace(
        settings,
        timeout=arguments.timeout or settings.timeout,
        idle_timeout=arguments.idle_timeout or settings.idle_timeout,
        concurrency=arguments.concurrency or settings.concurrency,
        words=arguments.words or settings.words,
        strategy=arguments.strategy or settings.strategy,
        files=_existing(arguments.files) or settings.files,
        web=settings.web if arguments.web is None else arguments.web,
        sites=tuple(arguments.site or settings.sites),
        allowed=tuple(arguments.allow or settings.allowed),
        time=amounts.typed(arguments.time, settings.time),
        tokens=amounts.typed_count(arguments.tokens, settings.tokens),
        cost=amounts.typed(arguments.cost, settings.cost),
        calls=amounts.typed_count(arguments.calls, settings.calls),
    )


def _existing(paths: Sequence[str] | None) -> tuple[str, ...]:
    """A path that was mistyped finds nothing, which is noticed only when the answer is bad."""
    for path in paths or ():
        if not Path(path).exists():
            raise UsageError(f"--files: there is no file or folder {path}. Several are separated by spaces.")
    return tuple(paths or ())


def question_of(arguments: argparse.Namespace) -> str:
    if arguments.question and arguments.question.strip():
        return _text(arguments.question)
    path = Path(arguments.prompt_file or PROMPT_FILE)
    if path.is_file():
        text = path.read_text(encoding="utf-8", errors="replace").strip()
        if text:
            return text
        raise UsageError(f"{path} is empty: write the question into it, or give it on the command line.")
    if arguments.prompt_file:
        raise UsageError(f"There is no file {path}.")
    raise UsageError('Ask something: research "How does asyncio cancel a task?" (or write it into PROMPT.md)')


def _text(argument: str) -> str:
    """What was typed, with bytes that are no text made visible."""
    return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace").strip()


def free_name(project: Path, question: str) -> str:
    """A short name made from the question that no researcher has yet."""
    base = slugify(" ".join(question.split()[:NAME_WORDS]), fallback="research")
    number, name = 2, base
    while (project / ROOT / name).exists() or name in RESERVED:
        name = f"{base}-{number}"
        number += 1
    return name


def answered_by(settings: Settings, arguments: argparse.Namespace) -> Settings:
    """Who answers as typed. A model that is typed also reviews, unless another is typed for that."""
    if "" in (arguments.model, arguments.review_model):
        raise UsageError("The name of a model is empty. `research models` lists those that can be used here.")
    if arguments.mock_mode:
        return replace(settings, model="mock", review_model="mock", mock_mode=True)
    model = arguments.model or settings.model
    review_model = arguments.review_model or arguments.model or settings.review_model
    return replace(settings, model=model, review_model=review_model, mock_mode=model == review_model == "mock")


def _limit(arguments: argparse.Namespace, breadth: int, depth: int) -> int:
    floor = min_iterations(breadth, depth)
    wanted: int = arguments.max_iterations or floor
    if wanted < floor and not arguments.allow_low_limit:
        print(
            f"--max-iterations {wanted} is below the minimum of {floor} for breadth {breadth} and depth {depth}; "
            f"using {floor} (--allow-low-limit to keep {wanted}).",
            file=sys.stderr,
        )
        return floor
    return wanted


def _confirm(settings: Settings, yes: bool) -> None:
    """More than 20 iterations can cost real money: ask, or need `--yes`. The offline backend costs nothing."""
    if settings.max_iterations <= CONFIRM_ABOVE or yes or settings.model == "offline":
        return
    topics = most_topics(settings.breadth, settings.depth)
    size = f"up to {settings.max_iterations} iterations ({topics} topics at most)"
    if not sys.stdin.isatty():
        raise UsageError(f"This is a run of {size}. Add --yes to confirm, or lower --breadth or --depth.")
    print(f"This is a run of {size}. Go on? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        print("Nothing was done.", file=sys.stderr)
        raise SystemExit(1)


def _reorganize(project: Path, arguments: argparse.Namespace) -> int:
    if not arguments.name:
        raise UsageError("--reorganize-archive needs --name.")
    researcher = Researcher(project, arguments.name)
    if not researcher.folder.is_dir():
        raise UsageError(f"There is no researcher called {researcher.name!r} here. `research status` lists them.")
    holder = read_holder(researcher.folder)
    moved = reorganize(researcher.folder, holder.token if holder else None, Disk())
    print(f"Moved {len(moved.moved)} files of {researcher.folder / 'archive'} into a folder per session.")
    return 0
