"""The writers' answers: sections, summary and revisions. The substance is quoted; only the joints are ours."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from ...asks import (
    SectionAnswer,
    SectionInputs,
    SynthesizeAnswer,
    SynthesizeInputs,
)
from ...model import Document, Finding, Section, Topic
from .forms import is_program
from .manner import leans
from .question import headline
from .researcher import UNMENTIONED
from .words import figures, rarities, terms

SENTENCES_IN_LINE = 4  # more sentences of one source become a list
ALIKE = 0.5
TITLE_WORDS = 5
LEADS, MOST_LEADS = 3, 12  # findings a part of the report leaves to the summary, and how many that holds
ENOUGH = 3  # findings; with fewer the summary warns
MOST_MISSING = 3  # words of the question that an empty summary names as mentioned nowhere
TITLE_QUESTION = 20  # words; a question no longer than this is the title of its report

_FIRST, _NEXT = "According to {}: ", "{}: "
_COMPARED = "By comparison, {}: "
_ID = re.compile(r"\[(F\d[\d.]*-\d+)\]")


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
    return _by_merit(question, fit)[:LEADS]


def _by_merit(question: str, findings: Iterable[Finding]) -> list[Finding]:
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
    lead = _COMPARED if group.compared else _NEXT if index else _FIRST
    introduction = lead.format(_named(group.findings[0]))
    if len(group.findings) <= SENTENCES_IN_LINE:
        return introduction + " ".join(map(_cited, group.findings))
    return introduction.rstrip() + "\n\n" + "\n".join(f"- {_cited(finding)}" for finding in group.findings)


def _named(finding: Finding) -> str:
    """The title of a source, or the name of its file as it is; people know a program by its file."""
    name = PurePath(finding.source.location).name
    title = finding.source.title
    if not title or title in (name, finding.source.location) or is_program(finding.source.location):
        return f"`{name}`"
    words = title.split()
    return f"*{' '.join(words[:TITLE_WORDS])}{'…' if len(words) > TITLE_WORDS else ''}*"


def _cited(finding: Finding) -> str:
    return f"“{finding.claim}” [{finding.id}]"


def synthesize(inputs: SynthesizeInputs) -> SynthesizeAnswer:
    """The strongest findings as the summary; every gap that was noted as a limitation."""
    findings = [finding for _, document in inputs.topics for finding in document.findings]
    rare = rarities([terms(finding.quote) for finding in findings])
    gaps = dict.fromkeys(gap for _, document in inputs.topics for gap in document.gaps)
    return SynthesizeAnswer(
        title=_title(inputs.question, rare),
        summary=_summary(inputs, findings) if findings else _no_summary(inputs),
        limitations=(*gaps, *_limits(findings)),
    )


def _title(question: str, rare: Mapping[str, float]) -> str:
    """The question itself, or what it is about when it is long."""
    plain = " ".join(question.split())
    return plain if len(plain.split()) <= TITLE_QUESTION else headline(question, rare)


def _summary(inputs: SynthesizeInputs, findings: Sequence[Finding]) -> str:
    """What the sections left to the summary."""
    cited = {id for section in inputs.sections for id in _ID.findall(section.text)}
    leads = _by_merit(inputs.question, (finding for finding in findings if finding.id not in cited))[:MOST_LEADS]
    sources = len({finding.source.location for finding in findings})
    files = f"{sources} file{'s' * (sources != 1)}"
    if not leads:
        return f"{files} bear{'s' * (sources == 1)} on the question; see the topics below."
    opening = f"The strongest evidence, drawn from {files}:"
    if len(findings) < ENOUGH:
        opening = " ".join((*_missing(inputs), f"Little was found, in {files}, and it may not answer the question:"))
    return opening + "\n\n" + "\n".join(f"- {_cited(lead)}" for lead in leads)


def _no_summary(inputs: SynthesizeInputs) -> str:
    question = " ".join(inputs.question.split())
    said = (
        f"Insufficient evidence: nothing in the files that were searched answers “{question}”.",
        *_missing(inputs),
        "What was looked for and not found is listed under the limitations.",
    )
    return " ".join(said)


def _missing(inputs: SynthesizeInputs) -> list[str]:
    """What of the question the files never mention."""
    gaps = dict.fromkeys(gap for _, document in inputs.topics for gap in document.gaps if gap.startswith(UNMENTIONED))
    return list(gaps)[:MOST_MISSING]


def _limits(findings: Sequence[Finding]) -> tuple[str, ...]:
    if not findings:
        return ()
    return (
        "Written without a model: sentences were chosen by the words they share with the question and quoted as they "
        "stand. Nothing was inferred, and where sources disagree no side was taken.",
    )
