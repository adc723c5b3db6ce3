"""The consistency gate: does the report hold what the tree holds, and say what a reader has to know? Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ..checks import Issue, Sides
from ..evidence import Span, Stated, disagreements, sentences, states_fact
from ..model import Finding, Status, Tag, one_line
from ..report.assemble import Report, heading, not_researched
from ..report.markdown import shielded, unshielded
from ..report.numbering import cited_ids
from ..state import State

GATE = "consistency"
SHOWN = 120  # characters of a sentence in an issue
FEWEST_WORDS = 6  # of a sentence that may not stand twice
FEWEST_LETTERS = 8  # under the heading of a researched topic: "TBD" and "&nbsp;" tell nothing

_TAG = re.compile(r"#[A-Z]{3,}(?:_[A-Z]+)+\b")
_LETTER = re.compile(r"[^\W\d_]")
_HEADING = re.compile(r"^(#{3,6}) (.+)$", re.MULTILINE)


def inconsistencies(state: State, report: Report) -> list[Issue]:
    """What does not fit, gravest first."""
    found = [
        *_unmentioned_tags(state, part_of(report.text, "Limitations") or _answer(state, report)),
        *_repetitions(written_findings(state, report.text) or _answer(state, report)),
        *_unknown_tags(report.text),
        *([] if state.settings.asking else _against_the_tree(state, report.text)),
    ]
    return sorted(found, key=lambda issue: not issue.grave)


def _answer(state: State, report: Report) -> str:
    """An answer has no fixed parts: all of it counts."""
    return report.text if state.settings.asking else ""


def _against_the_tree(state: State, text: str) -> Iterator[Issue]:
    yield from _missing_topics(state, text)
    yield from _invented_ids(state)
    yield from _strange_headings(state, text)


def _issue(rule: str, detail: str, grave: bool = False) -> Issue:
    return Issue(GATE, rule, detail, grave)


def part_of(text: str, title: str) -> str:
    """What stands under a second-level heading of a report. Nothing in code is a heading."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", shielded(text), re.MULTILINE | re.DOTALL)
    return unshielded(found[1]) if found else ""


def written_findings(state: State, text: str) -> str:
    """The findings without what code says of topics that nobody researched."""
    part = part_of(text, "Findings")
    for line in {not_researched(state, growth.topic) for growth in state.walk() if not growth.document}:
        part = part.replace(line, "")
    return part


@lru_cache(maxsize=4)  # both gates read the same parts
def split(part: str) -> tuple[Span, ...]:
    """The sentences of a part."""
    return tuple(sentences(part))


def raised_tags(state: State) -> dict[Tag, None]:
    """Every tag of the run and of its topics, in the order of the vocabulary."""
    tags = {event.tag for event in state.raised} | {tag for growth in state.walk() for tag in growth.topic.tags}
    return dict.fromkeys(tag for tag in Tag if tag in tags)


def _unmentioned_tags(state: State, limitations: str) -> Iterator[Issue]:
    for tag in raised_tags(state):
        if not re.search(rf"{tag}(?!\w)", limitations):
            yield _issue("tags", f"{tag} was raised and is not mentioned under Limitations.", grave=True)


def _missing_topics(state: State, text: str) -> Iterator[Issue]:
    """Every topic has its heading; a researched one has text of its own."""
    findings = part_of(text, "Findings")
    headings = {match[2].strip() for match in _HEADING.finditer(findings)}
    for growth in state.walk():
        topic = growth.topic
        section = state.draft.sections.get(topic.id)
        if heading(topic.title) not in headings:
            yield _issue("topics", f"Topic {topic.id} ({topic.title}) is missing from the report.", grave=True)
        elif growth.document and len(_LETTER.findall(section.text if section else "")) < FEWEST_LETTERS:
            yield _issue("topics", f"Topic {topic.id} ({topic.title}) has no text in the report.", grave=True)


def _invented_ids(state: State) -> Iterator[Issue]:
    known = {f.id for growth in state.walk() if growth.document for f in growth.document.findings}
    texts = [state.draft.summary, *(section.text for section in state.draft.sections.values())]
    for id in dict.fromkeys(id for text in texts for id in cited_ids(text)):
        if id not in known:
            yield _issue("citations", f"[{id}] cites no finding.", grave=True)


def _strange_headings(state: State, text: str) -> Iterator[Issue]:
    """Headings below Findings that are no topic of the tree, or not where the tree has them."""
    titles = [heading(growth.topic.title) for growth in state.walk()]
    shown = [match[2].strip() for match in _HEADING.finditer(part_of(text, "Findings"))]
    known = set(titles)
    strange = [title for title in shown if title not in known]
    for title in strange:
        yield _issue("headings", f"“{one_line(title, SHOWN)}” is a heading but no topic of the tree.")
    if not strange and shown != titles and Counter(shown) == Counter(titles):
        yield _issue("headings", "The headings do not follow the order of the tree.")


def _repetitions(body: str) -> Iterator[Issue]:
    """Facts that stand twice in the findings. The summary may say again what a section says."""
    seen: Counter[str] = Counter()
    for span in split(body):
        words = re.findall(r"\w+", re.sub(r"\[[^\]]*\]", "", span.of(body)).casefold())
        if len(words) >= FEWEST_WORDS:
            seen[" ".join(words)] += 1
            if seen[" ".join(words)] == 2 and states_fact(span.of(body)):
                yield _issue("repetition", f"This stands twice: {one_line(span.of(body), SHOWN)}")


def _unknown_tags(text: str) -> Iterator[Issue]:
    known = {tag.value for tag in Tag}
    for tag in dict.fromkeys(_TAG.findall(text)):
        if tag not in known:
            yield _issue("tags", f"{tag} is no tag of the vocabulary (research tags).")


def sides(findings: Iterable[Finding]) -> tuple[Sides, ...]:
    """The findings of different sources that give a number or a date differently."""
    stated = [Stated(finding.quote, finding.source.location, finding.id) for finding in findings]
    return tuple(Sides(found.one.id, found.other.id, found.gives, found.other_gives) for found in disagreements(stated))


def unfinished(state: State) -> int:
    """Topics of the tree that were not completed."""
    return sum(1 for growth in state.walk() if growth.topic.status is not Status.COMPLETE)
