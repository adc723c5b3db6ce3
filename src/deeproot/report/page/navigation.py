"""The way through the page: its sections, and the tree of topics under the section that holds them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .body import Body
from .headings import Heading
from .markup import Markup, joined, tag
from .parts import Entry, Page

DEEPEST = 6  # levels that are indented; what is deeper stands at the last
UNFOLDED = 2  # levels of a large tree that are seen at once
LARGE = 40  # topics


def navigation(page: Page, body: Body) -> Markup:
    """Beside the text on a wide screen; on a small one it opens over it and closes with the choice of a place."""
    anchors = {h.topic: h.anchor for h in body.headings if h.topic is not None}
    tree = _tree(page.outline, anchors, unfolded=UNFOLDED if len(page.outline) > LARGE else DEEPEST)
    items = [
        *([_item("gate", "Checks")] if page.gate else []),
        *_sections(body.headings, tree),
        *([_item("sources", "Sources", len(page.sources))] if page.sources else []),
        *([_item("citations", "Evidence", len(page.citations))] if page.citations else []),
    ]
    return tag(
        "nav",
        tag("a", "Close", class_="close", href="#reading"),
        tag("p", "Deeproot", class_="mark"),
        tag("ul", *items),
        id="contents",
        aria_label="Contents",
    )


def _sections(headings: Sequence[Heading], tree: Markup) -> Iterator[Markup]:
    """The second-level headings. The tree hangs below the one before its first topic, or stands alone."""
    tops = [(index, heading) for index, heading in enumerate(headings) if heading.level == 2]
    first = next((index for index, heading in enumerate(headings) if heading.topic is not None), len(headings))
    holder = max((index for index, _ in tops if index < first), default=None) if first < len(headings) else None
    for index, heading in tops:
        yield _item(heading.anchor, heading.title, below=tree if index == holder else "")
    if tree and holder is None:
        yield tag("li", tag("span", "Topics"), tree)


def _item(anchor: str, title: str, count: int | None = None, below: str = "") -> Markup:
    counted = Markup() if count is None else tag("span", str(count), class_="count")
    return tag("li", tag("a", title, counted, href=f"#{anchor}"), below)


def _tree(
    entries: Sequence[Entry], anchors: Mapping[int, str], unfolded: int, start: int = 0, level: int = 0
) -> Markup:
    """Nested lists, closed below the unfolded levels. A topic whose heading is not in the body is no link."""
    if not entries:
        return Markup()
    heads = [i for i, entry in enumerate(entries) if level == DEEPEST or entry.depth <= entries[0].depth]
    items = []
    for head, end in zip(heads, [*heads[1:], len(entries)], strict=True):
        below = _tree(entries[head + 1 : end], anchors, unfolded, start + head + 1, level + 1)
        items.append(tag("li", _topic(entries[head], anchors.get(start + head)), below))
    listed = tag("ul", *items)
    return listed if level < unfolded else tag("details", tag("summary", f"{len(entries)} below"), listed)


def _topic(entry: Entry, anchor: str | None) -> Markup:
    state = "status " + entry.status.lower().replace(" ", "-")
    name = joined([tag("bdi", entry.title), tag("span", f" ({entry.status})", class_="spoken")])
    if anchor is None:
        return tag("span", name, class_=state, title=str(entry.status))
    return tag("a", name, class_=state, title=str(entry.status), href=f"#{anchor}")
