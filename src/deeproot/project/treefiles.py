"""The tree as a folder per topic: `node.json`, `document.md` with front matter, `children.json`.

`node.json` is written last. So a node that says it is expanded while one of the other two is missing was not cut
off by a crash: somebody deleted the file, and wants the topic researched again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ..model import Document, Status, Topic
from ..outline import node_status, slug_path
from ..state import Growth, State
from .views import render_document

FINISHED = ("expanded", "leaf", "failed")
# What YAML does not take as it is, although JSON does: controls, and line ends that are not line feeds.
_NOT_YAML = re.compile("[\\x7f-\\x9f\\u2028\\u2029\\ufeff\\ufffe\\uffff]")


@dataclass(frozen=True, slots=True)
class TreeFiles:
    """Where the tree is kept and how a document is written there. `alone` says that it is kept nowhere else."""

    folder: Path
    document: Callable[[Topic, Document, tuple[Topic, ...]], str]
    alone: bool = False

    def of_root(self, state: State) -> dict[Path, str]:
        """The root has children and nothing else."""
        return {self.folder / "children.json": _children([state.topic(id) for id in state.roots])}

    def of_node(self, state: State, id: str, begun: bool = False) -> dict[Path, str]:
        """The files of one topic, in the order they must be written; `begun` is one whose turn is being announced."""
        growth = state.growths[id]
        if begun and growth.topic.status is Status.PENDING:
            growth = replace(growth, topic=replace(growth.topic, status=Status.IN_PROGRESS))
        here = self.folder / slug_path(state, id)
        files: dict[Path, str] = {}
        children = [state.topic(child) for child in growth.children]
        if growth.document and node_status(growth) in FINISHED:
            files[here / "document.md"] = self.document(growth.topic, growth.document, tuple(children))
            files[here / "children.json"] = _children(children)
        files[here / "node.json"] = _node(growth)
        return files

    def deleted(self, state: State) -> list[str]:
        """The topics whose `document.md` or `children.json` somebody deleted, and that are not being redone yet."""
        written = (growth for growth in state.walk() if growth.document and node_status(growth) in FINISHED)
        return [growth.topic.id for growth in written if self._is_cut(state, growth)]

    def _is_cut(self, state: State, growth: Growth) -> bool:
        here = self.folder / slug_path(state, growth.topic.id)
        if (here / "document.md").exists() and (here / "children.json").exists():
            return False
        try:
            status = json.loads((here / "node.json").read_text(encoding="utf-8"))["status"]
        except (OSError, ValueError, KeyError, TypeError):
            return False
        return status in FINISHED


def research_document(topic: Topic, document: Document, children: tuple[Topic, ...]) -> str:
    """A researcher's document, with front matter for programs."""
    fields = {
        "title": topic.title,
        "topic": topic.id,
        "depth": topic.depth,
        "findings": len(document.findings),
        "sources": list(dict.fromkeys(finding.source.location for finding in document.findings)),
        "gaps": len(document.gaps),
    }
    return front_matter(fields) + render_document(topic, document, children)


def front_matter(fields: dict[str, object]) -> str:
    """JSON values are YAML values, so any title is safe here."""
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
    text = "---\n" + "\n".join(lines) + "\n---\n\n"
    return _NOT_YAML.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _node(growth: Growth) -> str:
    data = {"title": growth.topic.title, "slug": growth.topic.slug}
    if growth.session:
        data["sessionId"] = growth.session
    data |= {"status": node_status(growth), "id": growth.topic.id, "plan": growth.topic.status}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _children(topics: list[Topic]) -> str:
    entries = [{"title": topic.title, "slug": topic.slug} for topic in topics]
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"
