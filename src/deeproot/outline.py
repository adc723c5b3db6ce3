"""The tree as text: for the picker, for people, for other programs. Pure.

The statuses here are those of a tree of documents: `unexpanded`, `in-progress`, `expanded`, `leaf`, and `failed`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from .model import Status, Topic, one_line
from .state import Growth, State

MOST_LINES = 200
MOST_CHARACTERS = 24_000
_MERMAID = str.maketrans({"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "`": "#96;", "\\": "#92;"})
_DOT = str.maketrans({'"': '\\"', "\\": "\\\\"})


def node_status(growth: Growth) -> str:
    """A topic's status as a node of a tree of documents."""
    match growth.topic.status:
        case Status.PENDING:
            return "unexpanded"
        case Status.IN_PROGRESS:
            return "in-progress"
        case Status.EXHAUSTED:
            return "failed"
        case Status.IN_REVIEW | Status.COMPLETE:
            return "expanded" if growth.children else "leaf"


def slug_path(state: State, id: str) -> str:
    """`authentication-system/oauth2-flow`."""
    return "/".join([*(growth.topic.slug for growth in state.ancestors(id)), state.topic(id).slug])


def render_outline(state: State, paths: bool = False) -> str:
    """The whole tree: two spaces a level, the status in brackets, the slug path after it when asked for."""
    return "\n".join(
        _line(growth, f" ({slug_path(state, growth.topic.id)})" if paths else "") for growth in state.walk()
    )


def render_frontier(state: State, leaves: Collection[str]) -> str:
    """The leaves and what they hang from, with slug paths; everything else on the way is folded into counts.

    The cost is bounded by the number of leaves and their siblings, not by the size of the tree.
    """
    shown = set(leaves)
    for leaf in leaves:
        parent = state.topic(leaf).parent
        while parent is not None and parent not in shown:
            shown.add(parent)
            parent = state.topic(parent).parent
    return "\n".join(_folded(state, state.roots, "", shown))


def fits(outline: str) -> bool:
    """Whether an outline is small enough to be sent with every pick."""
    return len(outline) <= MOST_CHARACTERS and outline.count("\n") < MOST_LINES


def _folded(state: State, siblings: list[str], above: str, shown: Collection[str]) -> Iterator[str]:
    visible = [id for id in siblings if id in shown]
    for id in visible:
        growth = state.growths[id]
        path = above + growth.topic.slug
        yield _line(growth, f" ({path})")
        if growth.children:
            yield from _folded(state, growth.children, path + "/", shown)
    if len(visible) < len(siblings):
        yield f"{'  ' * state.topic(siblings[0]).depth}- ({len(siblings) - len(visible)} more, not listed)"


def _line(growth: Growth, path: str) -> str:
    topic = growth.topic
    return f"{'  ' * topic.depth}- {topic.title} [{node_status(growth)}]{path}"


def mermaid(state: State) -> str:
    lines = ["graph TD", f'  root["{_question(state).translate(_MERMAID)}"]']
    for growth in state.walk():
        topic = growth.topic
        lines.append(f'  {_key(topic)}["{topic.title.translate(_MERMAID)} [{node_status(growth)}]"]')
        lines.append(f"  {_parent_key(topic)} --> {_key(topic)}")
    return "\n".join(lines)


def dot(state: State) -> str:
    lines = ["digraph research {", "  rankdir=LR; node [shape=box];"]
    lines.append(f'  root [label="{_question(state).translate(_DOT)}"];')
    for growth in state.walk():
        topic = growth.topic
        lines.append(f'  {_key(topic)} [label="{topic.title.translate(_DOT)}\\n{node_status(growth)}"];')
        lines.append(f"  {_parent_key(topic)} -> {_key(topic)};")
    return "\n".join([*lines, "}"])


def _question(state: State) -> str:
    return one_line(state.settings.question)


def _key(topic: Topic) -> str:
    return "t" + topic.id.replace(".", "_")


def _parent_key(topic: Topic) -> str:
    return "t" + topic.parent.replace(".", "_") if topic.parent else "root"
