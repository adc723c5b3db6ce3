"""A small curriculum, grown as a tree of documents. The answers are written down here, so it runs without a model."""

from dataclasses import dataclass
from pathlib import Path

import anyio

from deeproot.asks import Ask, Kind
from deeproot.researcher import Means
from deeproot.testing import ScriptedBackend
from deeproot.trees import TreeNode, TreeSearchConfig, tree_search

LESSONS = {"Gardening": ["Soil", "Water"], "Soil": ["Compost"], "Water": ["Rain", "Drip lines"]}


@dataclass
class FrontMatter:
    title: str
    minutes: int


def teacher(ask: Ask) -> str | None:
    """In place of a model: two roots, and the lessons above."""
    if ask.kind is Kind.PLAN:
        return '<output>[{"title": "Gardening"}, {"title": "Tools"}]</output>'
    title = getattr(getattr(ask.inputs, "topic", None), "title", "")
    if ask.kind is Kind.DOCUMENT:
        return f"---\ntitle: {title}\nminutes: 20\n---\n\nWhat there is to know about {title.lower()}.\n"
    if ask.kind is Kind.CHILDREN:
        entries = ", ".join(f'{{"title": "{lesson}"}}' for lesson in LESSONS.get(title, []))
        return f"<output>[{entries}]</output>"
    return None


def document_prompt(node: TreeNode) -> str:
    return f"Write lesson {' > '.join(node.path)} for a beginner, in at most 300 words."


def children_prompt(node: TreeNode) -> str:
    return f"Which lessons should follow {node.title}?"


config = TreeSearchConfig(
    root_dir=Path("curriculum"),
    root_prompt="List the courses of a school for gardeners.",
    document_prompt=document_prompt,
    children_prompt=children_prompt,
    frontmatter_schema=FrontMatter,
    concurrency=4,
    max_depth=3,
)
means = Means(open_backend=lambda _name, _settings: ScriptedBackend(teacher))  # without it, config.model is asked

print(anyio.run(tree_search, config, means, print))
