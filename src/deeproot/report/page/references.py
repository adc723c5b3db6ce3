"""The ways between the text, the passages and the sources: what is clicked on, and where it leads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from ...model import Verdict
from .marks import Key
from .markup import Markup, joined, tag
from .parts import CheckedCitation

Places = Mapping[Key, Sequence[CheckedCitation]]

# Gravest first.
_GRAVITY = (Verdict.REFUTED, Verdict.UNSUPPORTED, Verdict.PARTIAL, Verdict.UNVERIFIABLE, Verdict.SUPPORTED)


def by_place(citations: Iterable[CheckedCitation]) -> dict[Key, list[CheckedCitation]]:
    """The citations of each `[n]` of the text, in the order of the page."""
    places: dict[Key, list[CheckedCitation]] = {}
    for citation in citations:
        places.setdefault((citation.n, citation.occurrence), []).append(citation)
    return places


def reference(key: Key, places: Places, listed: Collection[int]) -> Markup:
    """What stands in the text for `[n]`: the way to its passage, else to its source, else the bare number."""
    number, _ = key
    if key in places:
        return to_passage(key, places, id=anchor("ref", key))
    if number in listed:
        return tag("a", f"[{number}]", class_="ref", href=f"#source-{number}")
    return joined([f"[{number}]"])


def to_passage(key: Key, places: Places, id: str | None = None) -> Markup:
    """The number of a citation with the colour and sign of its verdict, leading to its card."""
    number, _ = key
    verdict = gravest(places[key])
    label = f"Citation {number}, {verdict}: show the passage"
    target = "#" + anchor("cite", key)
    return tag("a", f"[{number}]", id=id, class_=f"ref {verdict}", href=target, aria_label=label)


def to_text(key: Key, places: Places) -> Markup:
    """The way from a source to one of the places that cite it."""
    _, occurrence = key
    verdict = gravest(places[key])
    label = f"Place {occurrence} in the text, {verdict}"
    return tag("a", str(occurrence), class_=f"ref {verdict}", href="#" + anchor("ref", key), aria_label=label)


def anchor(kind: Literal["ref", "cite"], key: Key) -> str:
    """Where a citation stands in the text (`ref-1-2`), or its card (`cite-1-2`)."""
    number, occurrence = key
    return f"{kind}-{number}-{occurrence}"


def gravest(citations: Sequence[CheckedCitation]) -> Verdict:
    """What the text shows where several citations stand at one number."""
    return min((citation.verdict for citation in citations), key=_GRAVITY.index)
