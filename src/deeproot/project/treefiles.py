"""The tree as a folder per topic: `node.json`, `document.md` with front matter, `children.json`.

`node.json` is written last. So a node that says it is expanded while one of the other two is missing was not cut
off by a crash: somebody deleted the file, and wants the topic researched again.
"""

from __future__ import annotations

import json
from pathlib import Path

from ..model import Document, Topic
from ..outline import node_status, slug_path
from ..state import Growth, State
from .views import render_document

FOLDER = "tree"


def root_file(state: State, folder: Path) -> dict[Path, str]:
    """The root has children and nothing else."""
    return {folder / FOLDER / "children.json": _children([state.topic(id) for id in state.roots])}


def node_files(state: State, id: str, folder: Path) -> dict[Path, str]:
    """The files of one topic, in the order they must be written."""
    growth = state.growths[id]
    here = folder / FOLDER / slug_path(state, id)
    files: dict[Path, str] = {}
    children = [state.topic(child) for child in growth.children]
    if growth.document:
        files[here / "document.md"] = _front_matter(growth.topic, growth.document) + render_document(
            growth.topic, growth.document, tuple(children)
        )
        files[here / "children.json"] = _children(children)
    files[here / "node.json"] = _node(growth)
    return files


def deleted(state: State, folder: Path) -> list[str]:
    """The topics whose `document.md` or `children.json` somebody deleted."""
    return [growth.topic.id for growth in state.walk() if growth.document and _is_cut(state, growth, folder)]


def _is_cut(state: State, growth: Growth, folder: Path) -> bool:
    here = folder / FOLDER / slug_path(state, growth.topic.id)
    if (here / "document.md").exists() and (here / "children.json").exists():
        return False
    try:
        status = json.loads((here / "node.json").read_text(encoding="utf-8"))["status"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return status in ("expanded", "leaf")


def _node(growth: Growth) -> str:
    data = {"title": growth.topic.title, "slug": growth.topic.slug}
    if growth.session:
        data["sessionId"] = growth.session
    data |= {"status": node_status(growth), "id": growth.topic.id, "plan": growth.topic.status}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _children(topics: list[Topic]) -> str:
    entries = [{"title": topic.title, "slug": topic.slug} for topic in topics]
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def _front_matter(topic: Topic, document: Document) -> str:
    """JSON strings are YAML strings, so any title is safe here."""
    fields = {
        "title": topic.title,
        "topic": topic.id,
        "depth": topic.depth,
        "findings": len(document.findings),
        "sources": list(dict.fromkeys(finding.source.location for finding in document.findings)),
        "gaps": len(document.gaps),
    }
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
    return "---\n" + "\n".join(lines) + "\n---\n\n"
