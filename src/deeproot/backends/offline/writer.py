"""The section writer's answers. The substance is quoted; only the joints are ours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePath

from ...asks import SectionAnswer, SectionInputs
from ...model import Document, Finding, Section, Topic
from .forms import has_symbols, is_program
from .manner import leans
from .words import figures, rarities, terms

SENTENCES_IN_LINE = 4  # more sentences of one source become a list
ALIKE = 0.5
TITLE_WORDS = 5
LEADS = 3  # findings a part of the report leaves to the summary

_FIRST, _NEXT, _COMPARED = "According to {}", "{}", "By comparison, {}"


@dataclass(frozen=True, slots=True)
class _Group:
    """What one source says, in the order of its lines. `compared`: it gives other figures than the one before."""

    findings: tuple[Finding, ...]
    compared: bool = False

    @property
    def weight(self) -> float:
        return max(finding.weight for finding in self.findings)


def section(inputs: SectionInputs) -> SectionAnswer:
    """What each topic has to say, without what leads the summary: no sentence stands twice in a report."""
    leads = {finding.id for finding in _leads(inputs.question, inputs.topics)}
    room = _within(inputs.topics, inputs.words) - leads
    parents = _parents_of_findings(inputs.topics)
    return SectionAnswer(
        tuple(
            Section(
                topic.id,
                _text([f for f in document.findings if f.id in room]) or _nothing(topic, document, parents),
            )
            for topic, document in inputs.topics
        )
    )


def _leads(question: str, topics: Iterable[tuple[Topic, Document]]) -> list[Finding]:
    """What a part of the report leaves to the summary: its best findings that speak of the question for themselves."""
    wanted = set(terms(question))
    fit = [
        finding
        for _, document in topics
        for finding in document.findings
        if wanted & set(terms(finding.quote)) and not leans(finding.claim) and not _is_disputed(finding, document)
    ]
    return by_merit(question, fit)[:LEADS]


def by_merit(question: str, findings: Iterable[Finding]) -> list[Finding]:
    """First what is heavy and holds many words of the question, the rarer ones counting more."""
    held = {finding: frozenset(terms(finding.quote)) for finding in findings}
    rare = rarities(held.values())
    wanted = sorted(set(terms(question)) & rare.keys())
    worth = {finding: sum(1 + rare[term] for term in wanted if term in held[finding]) for finding in held}
    return sorted(held, key=lambda finding: (-finding.weight * worth[finding], finding.id))


def _is_disputed(finding: Finding, document: Document) -> bool:
    """Figures that disagree belong side by side, so neither of them leads the summary."""
    return any(_disagree(finding.quote, other.quote) for other in document.findings if other is not finding)


def _within(topics: Sequence[tuple[Topic, Document]], words: int) -> set[str]:
    """The ids of the heaviest findings that fit."""
    kept: set[str] = set()
    findings = sorted((f for _, document in topics for f in document.findings), key=lambda f: -f.weight)
    for finding in findings:
        cost = len(finding.claim.split()) + 1
        if cost <= words:
            kept.add(finding.id)
            words -= cost
    return kept


def _parents_of_findings(topics: Iterable[tuple[Topic, Document]]) -> set[str]:
    """The ids of the topics below which something was found."""
    found: set[str] = set()
    for topic, document in topics:
        parts = topic.id.split(".")
        if document.findings:
            found.update(".".join(parts[:length]) for length in range(1, len(parts)))
    return found


def _nothing(topic: Topic, document: Document, parents: set[str]) -> str:
    if document.findings:
        return "See the summary."
    if topic.id in parents:
        return "See the parts below."
    if document.summary.startswith("Insufficient evidence"):
        return " ".join(document.summary.split())
    return "Reported under the other topics."


def _text(findings: Sequence[Finding]) -> str:
    return "\n\n".join(_paragraph(group, index) for index, group in enumerate(_groups(findings)))


def _groups(findings: Sequence[Finding]) -> Iterator[_Group]:
    """Source by source, the heaviest first; a source that disagrees in figures follows the one it disagrees with."""
    by_source: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_source[finding.source.location].append(finding)
    waiting = [_Group(tuple(sorted(own, key=_position))) for own in by_source.values()]
    waiting.sort(key=lambda group: (-group.weight, group.findings[0].id))
    while waiting:
        group = waiting.pop(0)
        yield group
        for other in [other for other in waiting if _differ(group, other)]:
            waiting.remove(other)
            yield _Group(other.findings, compared=True)


def _position(finding: Finding) -> tuple[int, int]:
    """Its line, and within a line the order in which the researcher gave it."""
    number = finding.id.rpartition("-")[2]
    return (finding.lines[0] if finding.lines else 0, int(number) if number.isdecimal() else 0)


def _differ(group: _Group, other: _Group) -> bool:
    """Whether both speak about the same thing with other figures."""
    return any(_disagree(a.quote, b.quote) for a in group.findings for b in other.findings)


def _disagree(one: str, other: str) -> bool:
    here, there = figures(one), figures(other)
    if not here or not there or here & there:
        return False
    words, others = (frozenset(t for t in terms(text) if not t.isdigit()) for text in (one, other))
    return len(words & others) >= ALIKE * len(words | others)


def _paragraph(group: _Group, index: int) -> str:
    """A few sentences in a line; more as a list, and what stands under one symbol of a program in one item of it."""
    introduce = (_COMPARED if group.compared else _NEXT if index else _FIRST).format
    name = _named(group.findings[0])
    items = [quoted(list(same)) for _, same in groupby(group.findings, key=lambda found: _symbol(found) or found.id)]
    has_symbols = any(map(_symbol, group.findings))
    if has_symbols and len(items) == 1:
        return introduce(f"{name}, {items[0]}")
    if not has_symbols and len(items) <= SENTENCES_IN_LINE:
        return introduce(f"{name}: {' '.join(items)}")
    return introduce(f"{name}:\n\n") + "\n".join(f"- {item}" for item in items)


def _named(finding: Finding) -> str:
    """The title of a source, or the name of its file as it is; people know a program by its file."""
    name = PurePath(finding.source.location).name
    title = finding.source.title
    if not title or title in (name, finding.source.location) or is_program(finding.source.location):
        return f"`{name}`"
    words = title.split()
    return f"*{' '.join(words[:TITLE_WORDS])}{'…' if len(words) > TITLE_WORDS else ''}*"


def quoted(findings: Sequence[Finding]) -> str:
    """Sentences that stand under one symbol, which they often speak of without naming it."""
    symbol = _symbol(findings[0])
    quotes = " ".join(f"“{finding.claim}” [{finding.id}]" for finding in findings)
    return f"`{symbol}`: {quotes}" if symbol else quotes


def _symbol(finding: Finding) -> str:
    """The symbol of a program that a sentence was written about."""
    return finding.section or "" if has_symbols(finding.source.location) else ""
