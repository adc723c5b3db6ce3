"""A long answer made of quotes: an opening, parts, a conclusion. No quote stands twice."""

from __future__ import annotations

from collections.abc import Sequence

from ...asks import AnswerAnswer, AnswerInputs, AnswerPart
from ...model import Document, Topic
from .said import Said, by_source, lead_first, paragraphs

FEWEST_PARTS = 4  # beside the conclusion
FAINTEST = 1 / 16  # of the strongest


def long_answer(inputs: AnswerInputs, said: Sequence[Said]) -> AnswerAnswer:
    """The two best quotes open it, the next two conclude it, the rest stands in between."""
    kept = [each for each in said if each.worth >= FAINTEST * said[0].worth]
    opening, closing, rest = kept[:2], kept[2:4], _fit(kept[4:], inputs.words)
    parts = _parts_by_topic(inputs.topics, rest)
    if len(parts) < FEWEST_PARTS:
        parts = _parts_by_source(rest)
    gaps = dict.fromkeys(gap for _, document in inputs.topics for gap in document.gaps)
    conclusion = " ".join(["The sources support this much:", *map(str, closing)]) if closing else "Little was found."
    parts.append(AnswerPart("Conclusion", "\n\n".join([conclusion, *gaps])))
    return AnswerAnswer(lead_first(opening), inputs.question, tuple(parts))


def _fit(said: Sequence[Said], words: int) -> list[Said]:
    kept = []
    for each in said:
        if each.words <= words:
            kept.append(each)
            words -= each.words
    return kept


def _parts_by_topic(topics: Sequence[tuple[Topic, Document]], said: Sequence[Said]) -> list[AnswerPart]:
    known = {each.id: each for each in said}
    parts = []
    for topic, document in topics:
        own = [known[finding.id] for finding in document.findings if finding.id in known]
        if own:
            parts.append(AnswerPart(topic.title.rstrip("?"), paragraphs(own)))
    return parts


def _parts_by_source(said: Sequence[Said]) -> list[AnswerPart]:
    """One part per source; where there are few sources, two."""
    groups = by_source(said)
    if len(groups) < FEWEST_PARTS:
        groups = [half for group in groups for half in (group[::2], group[1::2]) if half]
    numbered = [
        (group, sum(other[0].place == group[0].place for other in groups[:n])) for n, group in enumerate(groups)
    ]
    return [
        AnswerPart(f"What {group[0].source} says{' further' * bool(before)}", " ".join(map(str, group)))
        for group, before in numbered
    ]
