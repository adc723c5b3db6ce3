"""Looking at researchers: `status`, `tree`, `show`, `log`, `plan-size`. Nothing here takes a lock or writes."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..errors import JournalError, UsageError
from ..model import Status, Usage, counted
from ..outline import dot, mermaid, node_status, render_outline, slug_path
from ..project import journal as journals
from ..project.journal import Step
from ..project.lock import Holder, read_holder
from ..project.views import render_document
from ..researcher import ROOT, Researcher
from ..settings import min_iterations, most_topics
from ..state import Growth, State
from .display import spent

DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a researcher is. Of a damaged one only the reason is known."""

    name: str
    status: str
    reason: str | None = None
    question: str = ""
    phase: str = "idle"
    iteration: int = 0
    max_iterations: int = 0
    topics: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    report: str | None = None
    pid: int | None = None


def existing(name: str) -> Researcher:
    researcher = Researcher(Path(), name)
    if not researcher.exists:
        known = ", ".join(found.name for found in researchers()) or "none"
        raise UsageError(f"There is no researcher called {researcher.name!r} here. Known: {known}.")
    return researcher


def researchers() -> list[Researcher]:
    return [Researcher(Path(), path.parent.name) for path in sorted(Path(ROOT).glob(f"*/{journals.NAME}"))]


def runner_of(researcher: Researcher) -> Holder | None:
    """Who runs it now. A process on another host counts: from here it cannot be known to be dead."""
    holder = read_holder(researcher.folder)
    return holder if holder and holder.alive is not False else None


def status(arguments: argparse.Namespace) -> int:
    named: str | None = arguments.name
    standings = [_standing(existing(named))] if named else list(map(_standing_of_any, researchers()))
    if arguments.format == "json":
        rows = [asdict(standing) for standing in standings]
        print(json.dumps(rows[0] if named else rows, indent=1, ensure_ascii=False))
    elif not standings:
        print('No research here yet. Begin: research "your question"')
    else:
        print("\n".join(line for standing in standings for line in _lines(standing)))
    return 1 if any(standing.status == DAMAGED for standing in standings) else 0


def _lines(standing: Standing) -> Iterator[str]:
    if standing.status == DAMAGED:
        yield f"{standing.name}: {DAMAGED}"
    else:
        limit = f"iteration {standing.iteration} of {standing.max_iterations}"
        counts = ", ".join(f"{count} {name}" for name, count in standing.topics.items() if count)
        yield f"{standing.name}: {standing.status}, {standing.phase}, {limit}"
        yield f"  question: {standing.question}"
        yield f"  topics: {counts or 'none yet'}; {counted(standing.calls, 'call')}{spent(standing.usage)}"
    yield from (f"  {line}" for line in (standing.reason, standing.report) if line)


def _standing_of_any(researcher: Researcher) -> Standing:
    """A damaged researcher must not hide the others."""
    try:
        return _standing(researcher)
    except JournalError as error:
        return Standing(researcher.name, DAMAGED, str(error))


def _standing(researcher: Researcher) -> Standing:
    state = researcher.past().state
    runner = runner_of(researcher)
    ended = "interrupted" if state.outcome == "running" else state.outcome
    latest = next(reversed(state.open.values()), None) if runner else None
    return Standing(
        researcher.name,
        "running" if runner else ended,
        None if runner else state.reason or None,
        question=state.settings.question,
        phase=latest.phase if latest else "idle",
        iteration=state.iteration,
        max_iterations=state.settings.max_iterations,
        topics={status.value: state.counts[status] for status in Status},
        calls=state.calls,
        usage=state.usage,
        report=str(researcher.report) if researcher.report.exists() else None,
        pid=runner.pid if runner else None,
    )


def show(arguments: argparse.Namespace) -> int:
    researcher = existing(arguments.name)
    state = researcher.past().state
    growth = _find(state, arguments.topic)
    if arguments.format == "json":
        print(json.dumps(_topic_data(researcher, state, growth), indent=1, ensure_ascii=False))
        return 0
    topic = growth.topic
    print(f"{topic.id} {topic.title} [{topic.status}] {' '.join(topic.tags)}".rstrip())
    children = tuple(state.topic(child) for child in growth.children)
    print(render_document(topic, growth.document, children) if growth.document else "Not researched yet.")
    return 0


def tree(arguments: argparse.Namespace) -> int:
    state = existing(arguments.name).past().state
    renderers = {"text": render_outline, "mermaid": mermaid, "dot": dot, "json": _tree_json}
    print(renderers[arguments.format](state))
    return 0


def _tree_json(state: State) -> str:
    def node(id: str) -> dict[str, Any]:
        growth = state.growths[id]
        topic = growth.topic
        return {
            "id": id,
            "title": topic.title,
            "slug": topic.slug,
            "status": node_status(growth),
            "plan_status": topic.status,
            "tags": topic.tags,
            "children": [node(child) for child in growth.children],
        }

    return json.dumps([node(root) for root in state.roots], indent=1, ensure_ascii=False)


def _find(state: State, wanted: str) -> Growth:
    for growth in state.walk():
        if wanted in (growth.topic.id, growth.topic.slug, growth.topic.title):
            return growth
    raise UsageError(f"No topic has the id, slug or title {wanted!r}. See: research tree {state.settings.name}")


def _topic_data(researcher: Researcher, state: State, growth: Growth) -> dict[str, Any]:
    topic = growth.topic
    return {
        "id": topic.id,
        "researcher": researcher.name,
        "plan": topic.title,
        "task": f"research:{topic.id}:{topic.slug}",
        "tree": slug_path(state, topic.id),
        "topic": asdict(topic),
        "children": growth.children,
        "iteration": growth.iteration,
        "document": asdict(growth.document) if growth.document else None,
        "verdict": asdict(growth.verdict) if growth.verdict else None,
    }


def log(arguments: argparse.Namespace) -> int:
    researcher = existing(arguments.name)
    entries = journals.load(researcher.journal).entries
    rows = [_receipt(entry.at, entry.step) for entry in entries if entry.step]
    if arguments.format == "json":
        print(json.dumps(rows, indent=1, ensure_ascii=False))
        return 0
    for row in rows:
        tokens = f"{row['tokens_in']}+{row['tokens_out']} tokens"
        answer = row["failure"] or (counted(row["passages"], "passage") if row["kind"] == "search" else tokens)
        print(f"{row['turn']:<24} {row['step']:<14} {row['seconds']:>8.2f}s  {row['model'] or 'search':<24} {answer}")
    state = researcher.past().state
    cacheable = f", {100 * state.repeated / state.sent:.0f} % of the prompts cacheable" if state.sent else ""
    print(f"{state.calls} answered calls{spent(state.usage)}{cacheable}")
    return 0


def _receipt(at: float, step: Step) -> dict[str, Any]:
    """What one call cost and gave."""
    hat, topic, _ = step.turn.split(":")
    usage = step.reply.usage if step.reply else None
    return {
        "at": at,
        "turn": step.turn,
        "hat": hat,
        "topic": topic,
        "step": step.name,
        "kind": "search" if step.passages is not None else "ask",
        "model": (step.reply.model if step.reply else "") or step.model,
        "prompt_hash": step.hash,
        "seconds": step.seconds,
        "characters": step.characters,
        "cacheable": step.repeated,
        "tokens_in": usage.tokens_in if usage else 0,
        "tokens_out": usage.tokens_out if usage else 0,
        "tokens_cached": usage.tokens_cached if usage else 0,
        "cost": usage.cost if usage else None,
        "fork": step.reply.fork if step.reply else "",
        "passages": len(step.passages) if step.passages is not None else None,
        "failure": f"{step.failure.reason}: {step.failure.message}" if step.failure else None,
    }


def plan_size(arguments: argparse.Namespace) -> int:
    topics = most_topics(arguments.breadth, arguments.depth)
    floor = min_iterations(arguments.breadth, arguments.depth)
    print(f"A full tree of breadth {arguments.breadth} and depth {arguments.depth} has {topics} topics.")
    relation = "below" if floor < topics else "enough for"
    print(f"The minimum limit is {floor} iterations, {relation} the worst case of one iteration per topic.")
    return 0
