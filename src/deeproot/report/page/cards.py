"""The evidence: a card for each citation with its passage in context, and the list of sources."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import PurePath

from ...checks import Excerpt
from ...model import Source, Verdict
from .markdown import plain
from .marks import Key
from .markup import Markup, joined, link, tag
from .parts import CheckedCitation, NumberedSource
from .references import Places, anchor, gravest, to_text

# Kinds of files where a line is a line: data and programs. Elsewhere its end is only the width of a page.
_LINED = """
    .csv .tsv .json .jsonl .toml .yaml .yml .ini .sql .py .sh .js .ts .go .rs .java .kt .rb .php .c .h .cc .cpp .cs
"""
LINED = frozenset(_LINED.split())


def evidence(places: Places, placed: Collection[Key]) -> Markup:
    """Every citation with its passage, in the order of the text."""
    if not places:
        return Markup()
    cards = [_card(key, citations, key in placed) for key, citations in places.items()]
    lead = "Every citation, as code checked it against the stored text of its source."
    return tag("section", tag("h2", "Evidence"), tag("p", lead, class_="lead"), *cards, id="citations")


def _card(key: Key, citations: Sequence[CheckedCitation], placed: bool) -> Markup:
    number, _ = key
    verdict = gravest(citations)
    head = tag(
        "header",
        tag("span", f"[{number}]", class_="number"),
        badge(verdict),
        tag("a", "Back to the text", href="#" + anchor("ref", key), class_="close") if placed else Markup(),
    )
    sentences = dict.fromkeys(citation.sentence for citation in citations)
    said = [tag("blockquote", plain(sentence), dir="auto") for sentence in sentences]
    label = tag("p", "The report says", class_="label")
    alone = len(citations) == 1
    proofs = [_proof(citation, alone) for citation in citations]
    id = anchor("cite", key)
    return tag("article", head, label, *said, *proofs, id=id, class_=f"card {verdict}", tabindex="-1")


def badge(verdict: Verdict) -> Markup:
    """The verdict in words; the style sheet adds its sign."""
    return tag("span", verdict.capitalize(), class_=f"verdict {verdict}")


def _proof(citation: CheckedCitation, alone: bool) -> Markup:
    reasons = [tag("li", reason, dir="auto") for reason in citation.reasons]
    return tag(
        "div",
        Markup() if alone else tag("p", badge(citation.verdict)),
        _passage(citation),
        tag("ul", *reasons, class_="reasons") if reasons else Markup(),
        tag("p", _named(citation.source), _at(citation.locator), class_="origin"),
        class_="proof",
    )


def _passage(citation: CheckedCitation) -> Markup:
    excerpt = citation.excerpt
    if excerpt is None:
        return _without_passage(citation)
    found = joined([tag("p", "The source says", class_="label"), _in_context(excerpt, citation.source)])
    if _folded(citation.quote) in _folded(excerpt.passage):
        return found
    quoted = tag("blockquote", citation.quote, dir="auto")
    return joined([found, tag("p", "Quoted as", class_="label"), quoted])


def _without_passage(citation: CheckedCitation) -> Markup:
    unchecked = citation.verdict is Verdict.UNVERIFIABLE
    if not citation.quote:
        return tag("p", "Not checked" if unchecked else "No passage was found in the source", class_="label")
    label = "Quoted, but not checked" if unchecked else "Quoted, but not found in the stored text of the source"
    return joined([tag("p", label, class_="label"), tag("blockquote", citation.quote, dir="auto", class_="missing")])


def _in_context(excerpt: Excerpt, source: Source) -> Markup:
    lined = PurePath(source.location).suffix.lower() in LINED
    before, passage, after = map(str if lined else _flowing, (excerpt.before, excerpt.passage, excerpt.after))
    style = "context lined" if lined else "context"
    return tag("blockquote", before, tag("mark", passage), after, dir="auto", class_=style)


def _flowing(text: str) -> str:
    """Line ends inside a paragraph are the source's page width, not its meaning; those between paragraphs stay."""
    return re.sub(r"\s*\n\s*", lambda end: "\n\n" if end[0].count("\n") > 1 else " ", text)


def _folded(text: str) -> str:
    """What two quotations are compared by: not by their case, line ends or the stop at their end."""
    return " ".join(text.casefold().split()).rstrip(".!?:;,…")


def _named(source: Source) -> Markup:
    title = source.title if source.title and source.title != source.location else ""
    name = [tag("bdi", title, class_="title"), " "] if title else []
    return joined([*name, link(source.location, tag("bdi", source.location, class_="location"))])


def _at(locator: str) -> Markup:
    return tag("span", f" {locator}", class_="locator") if locator else Markup()


def source_list(sources: Sequence[NumberedSource], places: Places, placed: Collection[Key]) -> Markup:
    """The sources by number, each with the ways to where it is cited."""
    if not sources:
        return Markup()
    uses: dict[int, list[Markup]] = {}
    for key in places:
        if key in placed:
            uses.setdefault(key[0], []).append(to_text(key, places))
    items = [_listed(source, uses.get(source.n, ())) for source in sources]
    return tag("section", tag("h2", "Sources"), tag("ol", *items, class_="sources"), id="sources")


def _listed(source: NumberedSource, uses: Sequence[Markup]) -> Markup:
    number = tag("span", f"[{source.n}]", class_="number")
    cited = tag("p", "Cited at ", *uses, class_="uses") if uses else Markup()
    return tag("li", number, " ", _named(source.source), _at(source.note), cited, id=f"source-{source.n}")
