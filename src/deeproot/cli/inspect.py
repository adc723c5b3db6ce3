"""Looking at researchers: `status`, `show`, `log`, `plan-size`. Nothing here takes a lock or writes."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..model import Status
from ..outline import dot, mermaid, node_status, render_outline
from ..project import journal as journals
from ..project.journal import Step
from ..project.lock import read_holder
from ..project.views import render_document
from ..researcher import ROOT, Researcher
from ..settings import min_iterations, most_topics
from ..state import Growth, State
from .display import spent


def existing(name: str) -> Researcher:
    researcher = Researcher(Path(), name)
    if not researcher.exists:
        known = ", ".join(found.name for found in researchers()) or "none"
        raise UsageError(f"There is no researcher called {researcher.name!r} here. Known: {known}.")
    return researcher


def researchers() -> list[Researcher]:
    return [Researcher(Path(), path.parent.name) for path in sorted(Path(ROOT).glob(f"*/{journals.NAME}"))]


def status(arguments: argparse.Namespace) -> int:
    chosen = [existing(arguments.name)] if arguments.name else researchers()
    rows = [_status(researcher) for researcher in chosen]
    if arguments.format == "json":
        print(json.dumps(rows[0] if arguments.name else rows, indent=1, ensure_ascii=False))
        return 0
    for row in rows:
        counts = ", ".join(f"{count} {name}" for name, count in row["topics"].items() if count)
        print(
            f"{row['name']}: {row['status']}, {row['phase']}, iteration {row['iteration']} of {row['max_iterations']}"
        )
        print(f"  question: {row['question']}")
        print(f"  topics: {counts or 'none yet'}; {row['calls']} calls{row['spent']}")
        for line in (row["reason"], row["report"]):
            if line:
                print(f"  {line}")
    if not rows:
        print('No research here yet. Begin: research "your question"')
    return 0


def _status(researcher: Researcher) -> dict[str, Any]:
    state = researcher.past().state
    holder = read_holder(researcher.folder)
    running = holder is not None and holder.alive is not False
    ended = "interrupted" if state.outcome == "running" else state.outcome
    phase = next(reversed([turn.phase for turn in state.open.values()]), "idle") if running else "idle"
    return {
        "name": researcher.name,
        "question": state.settings.question,
        "status": "running" if running else ended,
        "phase": phase,
        "iteration": state.iteration,
        "max_iterations": state.settings.max_iterations,
        "topics": {status.value: state.counts[status] for status in Status},
        "calls": state.calls,
        "spent": spent(state),
        "reason": state.reason or None,
        "report": str(researcher.report) if researcher.report.exists() else None,
        "pid": holder.pid if holder and running else None,
    }


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
    path = [ancestor.topic.slug for ancestor in state.ancestors(topic.id)] + [topic.slug]
    return {
        "id": topic.id,
        "researcher": researcher.name,
        "plan": topic.title,
        "task": f"research:{topic.id}:{topic.slug}",
        "tree": "/".join(path),
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
        answer = row["failure"] or f"{row['tokens_in']}+{row['tokens_out']} tokens"
        print(f"{row['turn']:<24} {row['step']:<14} {row['seconds']:>8.2f}s  {row['model'] or 'search':<24} {answer}")
    state = researcher.past().state
    cacheable = f", {100 * state.repeated / state.sent:.0f} % of the prompts cacheable" if state.sent else ""
    print(f"{state.calls} answered calls{spent(state)}{cacheable}")
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
