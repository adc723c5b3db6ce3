"""The part of a page that people come for: without menus, banners, footers and what is hidden from their eyes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

LARGEST = 4 * 1024 * 1024
MOST_LINKS = 1_000
# Text that nobody sees is not evidence, and the usual place for words meant for machines.
_HIDDEN = (
    "[hidden], [aria-hidden=true], [style*='display:none'], [style*='display: none'], [style*='visibility:hidden'], "
    "[style*='visibility: hidden'], [style*='font-size:0'], [style*='font-size: 0'], [style*='opacity:0;']"
)
_AROUND = (
    "nav, footer, aside, dialog, button, body > header, body > div > header, [role=navigation], [role=banner], "
    "[role=contentinfo], [role=complementary], [role=search], [role=dialog], [role=alertdialog]"
)
_MAIN = "main, [role=main]"
_GROUPS = frozenset(("ul", "ol", "div", "section", "table", "td", "p", "span", "dl"))
_SILENT = frozenset(("script", "style", "noscript", "template", "svg", "head", "-comment"))
# A group with at least this many links, and nearly all of its letters in them, is a menu.
MENU_LINKS, MENU_SHARE = 5, 0.75
# The main part must hold this share of the page's letters; what is left of a page must not fall below so many.
MAIN_SHARE, LEAST = 0.3, 200


@dataclass(frozen=True, slots=True)
class Pruned:
    """Markup with little but content, and every address the whole page links to, as it is written there."""

    markup: str
    links: tuple[str, ...]


def prune(markup: str) -> Pruned:
    """What is left would have to be readable; a page that is all menu stays as it is."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(markup[:LARGEST])
    links = tuple(dict.fromkeys(filter(None, (node.attributes.get("href") for node in tree.css("a[href]")))))
    _drop(tree, _HIDDEN)
    whole = tree.html or ""
    _drop(tree, _AROUND)
    if tree.body is not None:
        _drop_menus(tree.body)
    main = _main(tree)
    title = tree.css_first("title")
    head = title.html or "" if title is not None else ""
    kept = main.html if main is not None else tree.html
    enough = _letters(main if main is not None else tree.body) >= LEAST
    return Pruned(f"{head}{kept}" if enough else whole, links[:MOST_LINKS])


def _drop(tree: LexborHTMLParser, selector: str) -> None:
    for node in tree.css(selector):
        if node.tag not in ("html", "body"):
            node.decompose()


def _main(tree: LexborHTMLParser) -> LexborNode | None:
    """The one main part, if there is one and it is most of the page."""
    chosen = tree.css_first(_MAIN)
    articles = tree.css("article")
    if chosen is None and len(articles) == 1:
        chosen = articles[0]
    if chosen is None or _letters(chosen) < max(LEAST, MAIN_SHARE * _letters(tree.body)):
        return None
    return chosen


def _letters(node: LexborNode | None) -> int:
    return len((node.text() or "").strip()) if node is not None else 0


@dataclass(slots=True)
class _Measure:
    """How many letters a group holds, how many of them in links, and how many links."""

    node: LexborNode
    letters: int = 0
    linked: int = 0
    links: int = 0
    inside: list[_Measure] = field(default_factory=list)

    @property
    def is_menu(self) -> bool:
        return self.links >= MENU_LINKS and self.linked >= MENU_SHARE * self.letters

    def add(self, other: _Measure) -> None:
        self.letters += other.letters
        self.linked += other.linked
        self.links += other.links


def _drop_menus(body: LexborNode) -> None:
    """Take out the outermost groups that are menus. One pass, however deep the page is nested."""
    waiting = _measure(body).inside
    while waiting:
        group = waiting.pop()
        if group.is_menu:
            group.node.decompose()
        else:
            waiting.extend(group.inside)


def _measure(body: LexborNode) -> _Measure:
    """The groups of a page inside each other, each with its figures. A None on the stack ends the group on top."""
    open_groups = [_Measure(body)]
    stack: list[tuple[LexborNode, bool] | None] = [(body, False)]
    while stack:
        step = stack.pop()
        if step is None:
            done = open_groups.pop()
            open_groups[-1].add(done)
            continue
        node, in_link = step
        tag = node.tag or ""
        if tag == "-text":
            size = len((node.text_content or "").strip())
            open_groups[-1].letters += size
            open_groups[-1].linked += size if in_link else 0
        elif tag not in _SILENT:
            if tag == "a":
                open_groups[-1].links += 1
            if tag in _GROUPS:
                group = _Measure(node)
                open_groups[-1].inside.append(group)
                open_groups.append(group)
                stack.append(None)
            stack.extend((child, in_link or tag == "a") for child in node.iter(include_text=True))
    return open_groups[0]
