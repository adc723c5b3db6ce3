"""How a run is shown: a live tree on a terminal, lines when piped, JSON events, or nothing but the path."""

from __future__ import annotations

import argparse
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TextIO

from .. import events as e
from ..checks import Checked
from ..engine.engine import Ending, Outcome
from ..model import Status, Usage, counted
from ..project.journal import Entry
from ..report.closing import site_line
from ..researcher import Researcher
from ..state import State


def emit(text: str, stream: TextIO | None = None) -> None:
    """Print, unless the reader has gone away: a closed pipe must not end paid work."""
    try:
        print(text, file=stream or sys.stderr, flush=True)
    except BrokenPipeError:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, (stream or sys.stderr).fileno())


class Display(ABC):
    """Watches committed entries. Everything but the result goes to stderr."""

    def __enter__(self) -> Display:
        return self

    def __exit__(  # noqa: B027 - not every display holds the screen
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the screen back."""

    @abstractmethod
    def watch(self, entry: Entry, state: State) -> None: ...

    def indexing(self, done: int, total: int) -> None:  # noqa: B027
        """Called while files are read."""

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the screen to a question."""
        yield

    def say(self, text: str) -> None:
        emit(text)

    def end(self, researcher: Researcher, outcome: Outcome) -> None:
        """The summary; the last line of stdout is the path of the report."""
        state = researcher.past().state
        for line in summary(state, outcome):
            emit(line, sys.stdout)
        if researcher.report.exists():
            emit(str(researcher.report), sys.stdout)


def summary(state: State, outcome: Outcome) -> list[str]:
    total = sum(state.counts.values())
    head = {
        Ending.COMPLETE: "RESEARCH COMPLETE",
        Ending.LIMITED: "RESEARCH ENDED AT A LIMIT",
        Ending.CAUTION: "RESEARCH ENDED WITH CAUTION",
        Ending.FAILED: "RESEARCH FAILED",
        Ending.STOPPED: "RESEARCH STOPPED",
    }[outcome.ending]
    topics = f"{state.counts[Status.COMPLETE]} of {counted(total, 'topic')}"
    work = f"{counted(state.iteration, 'iteration')}, {counted(state.calls, 'call')}{spent(state.usage)}"
    lines = [f"{head}: {topics}, {work}"]
    if outcome.reason:
        lines.append(f"Why: {outcome.reason}")
    exhausted = [growth.topic for growth in state.walk() if growth.topic.status is Status.EXHAUSTED]
    lines += [f"Given up: {topic.title} ({', '.join(topic.tags)})" for topic in exhausted]
    if state.draft.checked and state.draft.checked.parts:
        lines.append(gates_line(state.draft.checked))
    if outcome.ending is not Ending.COMPLETE:
        settings = state.settings
        lines.append(f"Everything is kept in .research/{settings.name}; to go on: {settings.resume_command}")
    if state.draft.written and not any(growth.document.findings for growth in state.walk() if growth.document):
        lines.append("Nothing was found. To look elsewhere: --files for files and folders, --web, or --site.")
    return lines


def gates_line(checked: Checked) -> str:
    return f"Gates: {checked.grade}, quality {checked.score} of 100; citations: {checked.tally}"


def spent(usage: Usage) -> str:
    """To go after the number of calls; empty when the backend told nothing."""
    tokens = f", {usage.tokens_in + usage.tokens_out:,} tokens" if usage.tokens_in + usage.tokens_out else ""
    return tokens + (f", ${usage.cost:.4f}" if usage.cost is not None else "")


class Quiet(Display):
    def watch(self, entry: Entry, state: State) -> None:
        """Nothing to show."""

    def end(self, researcher: Researcher, outcome: Outcome) -> None:
        if outcome.ending not in (Ending.COMPLETE, Ending.STOPPED):
            self.say(f"{outcome.ending}: {outcome.reason}")
        if researcher.report.exists():
            emit(str(researcher.report), sys.stdout)


class JsonLines(Display):
    """Every event, one JSON object a line, on stdout; the end is the `run.ended` event."""

    def watch(self, entry: Entry, state: State) -> None:  # noqa: ARG002
        from pydantic import TypeAdapter

        for event in entry.batch.events if entry.batch else ():
            emit(TypeAdapter(type(event)).dump_json(event).decode(), sys.stdout)

    def end(self, researcher: Researcher, outcome: Outcome) -> None:
        """The last event said it."""


class Lines(Display):
    """One line per thing that happened."""

    def watch(self, entry: Entry, state: State) -> None:
        for event in entry.batch.events if entry.batch else ():
            if line := describe(event, state):
                emit(line)


def describe(event: e.Event, state: State) -> str | None:
    """An event in words; None for what is not worth a line."""
    match event:
        case e.TurnStarted(phase=phase, topic=topic, iteration=iteration):
            limit = f" {iteration}/{state.settings.max_iterations}" if phase == "RESEARCH" else ""
            return f"{phase}{limit} {state.title(topic)}".rstrip()
        case e.PlanMade():
            return "Planned:" + (f" left out {', '.join(event.dropped)}" if event.dropped else "")
        case e.TopicAdded(topic=topic):
            return f"  {'  ' * topic.depth}+ {topic.title}"
        case e.TopicResearched(topic=topic, document=document):
            found, gaps = counted(len(document.findings), "finding"), counted(len(document.gaps), "gap")
            return f"  found {found}, {gaps}: {state.title(topic)}"
        case e.TopicAccepted(topic=topic):
            return f"  accepted: {state.title(topic)}"
        case e.TopicRejected(topic=topic, gaps=gaps):
            return f"  sent back: {state.title(topic)} ({'; '.join(gaps[:2]) or 'criteria not met'})"
        case e.TopicExhausted(topic=topic, reason=reason):
            return f"  given up: {state.title(topic)} ({reason})"
        case e.TurnFailed(error=error, attempt=attempt):
            return f"  failed (attempt {attempt}): {error}"
        case e.Warned(message=message):
            return f"Note: {message}"
        case e.SiteRead():
            return f"Site {site_line(event)}"
        case e.LimitReached(detail=detail):
            return f"Limit: {detail}"
        case e.CompletionRefused(by=by, missing=missing):
            return f"{by} refused: {'; '.join(missing[:3])}"
        case e.ReportChecked(checked=checked):
            return gates_line(checked)
        case e.TagRaised(tag=tag, topic=topic, note=note):
            return f"  {tag} {state.title(topic)} {note}".rstrip()
        case e.ReportRejected(issues=issues):
            return f"  report sent back: {'; '.join(issues[:3])}"
        case e.LeavesRanked(note=note) if note:
            return f"The picker was of no use; breadth-first instead: {note}"
        case e.GuidanceGiven(text=text):
            return f"Guidance: {text}"
        case _:
            return None


def choose_display(arguments: argparse.Namespace) -> Display:
    if arguments.quiet:
        return Quiet()
    if arguments.json:
        return JsonLines()
    if sys.stderr.isatty() and sys.stdout.isatty():
        from .live import Live

        return Live()
    return Lines()
