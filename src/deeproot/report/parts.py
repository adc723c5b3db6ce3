"""How the report is divided among writers, so that no report is limited by one prompt."""

from __future__ import annotations

from collections.abc import Iterator

from ..events import SectionRequested
from ..model import Document
from ..state import State
from .select import select

MOST_TOPICS = 20


def parts(state: State) -> list[SectionRequested]:
    """One part per top topic with everything below it; a branch of more than 20 topics is divided further."""
    researched = [(g.topic, g.document) for g in state.walk() if g.document]
    chosen = {topic.id: document for topic, document in select(researched, state.settings.words)}
    total = sum(_length(document) for document in chosen.values()) or 1
    requests = []
    for ids in (group for root in state.roots for group in _groups(state, root)):
        ids = [id for id in ids if id in chosen]
        if not ids:
            continue
        findings = tuple(finding.id for id in ids for finding in chosen[id].findings)
        share = sum(_length(chosen[id]) for id in ids) / total
        words = max(40 * len(ids), int(state.settings.words * share))
        requests.append(SectionRequested(ids[0], tuple(ids), findings, words))
    return requests


def _length(document: Document) -> int:
    return sum(len(finding.quote) for finding in document.findings)


def _groups(state: State, root: str) -> Iterator[list[str]]:
    """The branch of `root` in tree order, in groups of whole branches with at most 20 topics where that can be."""
    ids = [growth.topic.id for growth in state.walk(root)]
    if len(ids) <= MOST_TOPICS:
        yield ids
        return
    group = [root]
    for branch in (branch for child in state.growths[root].children for branch in _groups(state, child)):
        if len(group) + len(branch) > MOST_TOPICS:
            yield group
            group = []
        group = group + branch
    yield group
