"""The planner's answers: topics for a question, subtopics for a topic, both in the words of the files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from ...asks import ChildrenAnswer, ChildrenInputs, PlanAnswer, PlanInputs, ProposedTopic
from ...model import Passage, Source
from .bounds import Bounds, surroundings
from .evidence import weigh
from .forms import has_symbols, is_program, is_table
from .matter import answers_something
from .phrases import Statement, key_phrases
from .question import aspects, headline
from .words import rarities, terms

STATEMENTS = 80
FEWEST_FINDINGS = 4  # a topic with less to say is not divided


def plan(inputs: PlanInputs) -> PlanAnswer:
    """The question's own aspects first; the rest are what the best evidence speaks about most."""
    held = _terms_by_file(inputs.passages)
    rare = rarities(held.values())
    titles = aspects(inputs.question, rare) or [headline(inputs.question, rare)]
    if answers_something(inputs.question, inputs.passages):
        evidence = weigh(inputs.question, inputs.passages)[:STATEMENTS]
        statements = [
            Statement(found.quote, found.weight, found.file, _heading(passage.source, passage.section))
            for found in evidence
            for passage in (inputs.passages[found.passage - 1],)
        ]
        known = {*terms(inputs.question), *_everywhere(held.values())}
        titles += key_phrases(statements, inputs.breadth, known, _headings(inputs.passages))
    return PlanAnswer(tuple(_topic(title, inputs.question) for title in titles[: inputs.breadth]))


def children(inputs: ChildrenInputs) -> ChildrenAnswer:
    """What the topic's findings speak about, beyond what the question and the neighbouring topics name.

    What a neighbour reports too may become a subtopic there, so nothing of that is one here.
    """
    findings = inputs.document.findings
    if len(findings) < FEWEST_FINDINGS or _takes_in_what_another_does(inputs):
        return ChildrenAnswer(())
    others = [bounds for title in inputs.others if (bounds := Bounds.of(title, inputs.question)).own]
    told = [frozenset(terms(found.quote)) | surroundings(found.source, found.section or "") for found in findings]
    shared = [said for said in told if any(bounds.hold(said) for bounds in others)]
    statements = [
        Statement(found.quote, found.weight, found.source.location, _heading(found.source, found.section or ""))
        for found in findings
    ]
    known = {
        *terms(" ".join((inputs.question, inputs.topic.title, *inputs.others))),
        *_everywhere(_terms_by_file(inputs.passages).values()),
    }
    titles = key_phrases(statements, 2 * inputs.breadth, known, _headings(inputs.passages))
    own = [title for title in titles if not any(said.issuperset(terms(title)) for said in shared)]
    return ChildrenAnswer(tuple(_topic(title, inputs.question) for title in own[: inputs.breadth]))


def _takes_in_what_another_does(inputs: ChildrenInputs) -> bool:
    """Topics that only repeat the question's words have the same findings: the one that is asked first is divided."""
    asked = terms(inputs.question)
    alike = [title for title in (inputs.topic.title, *inputs.others) if not Bounds.of(title, inputs.question).own]
    first = min(alike, key=lambda title: (min(map(asked.index, terms(title)), default=0), title), default="")
    return inputs.topic.title in alike and inputs.topic.title != first


def _topic(title: str, question: str) -> ProposedTopic:
    return ProposedTopic(
        title,
        f"What the files say about “{title}” that bears on the question: {' '.join(question.split())}",
        (
            f"Quotes what the files say about “{title}”",
            "Every finding is a verbatim quote with its file and lines",
        ),
    )


def _terms_by_file(passages: Sequence[Passage]) -> dict[str, frozenset[str]]:
    held: dict[str, set[str]] = defaultdict(set)
    for passage in passages:
        held[passage.source.location].update(terms(passage.text))
    return {location: frozenset(found) for location, found in held.items()}


def _everywhere(texts: Collection[frozenset[str]]) -> set[str]:
    """Terms that more than half of several texts hold: the name of the company, not a topic."""
    if len(texts) < FEWEST_FINDINGS:
        return set()
    holders = Counter(term for text in texts for term in sorted(text))
    return {term for term, count in holders.items() if 2 * count > len(texts)}


def _heading(source: Source, section: str) -> str:
    """The heading or symbol a sentence stands under; rows have columns instead, and a title stands over everything."""
    heading = section.rpartition(" > ")[2]
    vague = is_table(source.location) or (is_program(source.location) and not has_symbols(source.location))
    return "" if vague or heading == source.title else heading


def _headings(passages: Sequence[Passage]) -> set[str]:
    return {text for passage in passages for text in (passage.source.title, *passage.section.split(" > ")) if text}
