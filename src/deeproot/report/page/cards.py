"""The evidence: a card for each citation with its passage in context, and the list of sources."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import PurePath

from ...checks import Excerpt
from ...model import Source, Verdict
from .marks import Key
from .markup import Markup, joined, link, tag
from .parts import CheckedCitation, NumberedSource

LINED = frozenset([".csv", ".tsv", ".json", ".jsonl", ".py"])  # kinds of files where a line is a line

Places = Mapping[Key, Sequence[CheckedCitation]]

# Gravest first: where several citations share a place, the text shows the gravest verdict.
_GRAVITY = (Verdict.REFUTED, Verdict.UNSUPPORTED, Verdict.PARTIAL, Verdict.UNVERIFIABLE, Verdict.SUPPORTED)


def by_place(citations: Iterable[CheckedCitation]) -> dict[Key, list[CheckedCitation]]:
    """The citations of each `[n]` of the text, in the order of the page."""
    places: dict[Key, list[CheckedCitation]] = {}
    for citation in citations:
        places.setdefault((citation.n, citation.occurrence), []).append(citation)
    return places


def reference(key: Key, places: Places, listed: Collection[int]) -> Markup:
    """What stands in the text for `[n]`: the way to its passage, else to its source, else the bare number."""
    number, occurrence = key
    if key in places:
        verdict = _gravest(places[key])
        label = f"Citation {number}, {verdict}: show the passage"
        place, target = f"ref-{number}-{occurrence}", f"#cite-{number}-{occurrence}"
        return tag("a", f"[{number}]", id=place, class_=f"ref {verdict}", href=target, aria_label=label)
    if number in listed:
        return tag("a", f"[{number}]", class_="ref", href=f"#source-{number}")
    return joined([f"[{number}]"])


def evidence(places: Places, placed: Collection[Key]) -> Markup:
    """Every citation with its passage, in the order of the text."""
    if not places:
        return Markup()
    cards = [_card(key, citations, key in placed) for key, citations in places.items()]
    lead = "Every citation, as code checked it against the stored text of its source."
    return tag("section", tag("h2", "Evidence"), tag("p", lead, class_="lead"), *cards, id="citations")


def _gravest(citations: Sequence[CheckedCitation]) -> Verdict:
    return min((citation.verdict for citation in citations), key=_GRAVITY.index)


def _card(key: Key, citations: Sequence[CheckedCitation], placed: bool) -> Markup:
    number, occurrence = key
    back = f"#ref-{number}-{occurrence}" if placed else "#citations"
    verdict = _gravest(citations)
    head = tag(
        "header",
        tag("span", f"[{number}]", class_="number"),
        badge(verdict),
        tag("a", "Back to the text", href=back, class_="close") if placed else Markup(),
    )
    sentences = dict.fromkeys(citation.sentence for citation in citations)
    said = [tag("blockquote", sentence, dir="auto") for sentence in sentences]
    label = tag("p", "The report says", class_="label")
    alone = len(citations) == 1
    proofs = [_proof(citation, alone) for citation in citations]
    card = f"cite-{number}-{occurrence}"
    return tag("article", head, label, *said, *proofs, id=card, class_=f"card {verdict}", tabindex="-1")


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
    if not citation.quote or _folded(citation.quote) in _folded(excerpt.passage):
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
    shown = str if PurePath(source.location).suffix.lower() in LINED else _flowing
    marked = tag("mark", shown(excerpt.passage))
    return tag("blockquote", shown(excerpt.before), marked, shown(excerpt.after), dir="auto", class_="context")


def _flowing(text: str) -> str:
    """Line ends inside a paragraph are the source's page width, not its meaning; those between paragraphs stay."""
    return re.sub(r"\s*\n\s*", lambda end: "\n\n" if end[0].count("\n") > 1 else " ", text)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _named(source: Source) -> Markup:
    title = source.title if source.title and source.title != source.location else ""
    name = [tag("bdi", title, class_="title"), " "] if title else []
    return joined([*name, link(source.location, tag("bdi", source.location, class_="location"))])


def _at(locator: str) -> Markup:
    return tag("span", f" {locator}", class_="locator") if locator else Markup()


def source_list(sources: Sequence[NumberedSource]) -> Markup:
    """The sources by number; every citation of one leads here as well."""
    if not sources:
        return Markup()
    items = [
        tag("li", tag("span", f"[{s.n}]", class_="number"), " ", _named(s.source), _at(s.note), id=f"source-{s.n}")
        for s in sources
    ]
    return tag("section", tag("h2", "Sources"), tag("ol", *items, class_="sources"), id="sources")
