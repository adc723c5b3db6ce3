"""The researcher's answers: queries for a topic, and its document from the passages that were found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ...asks import DocumentAnswer, DocumentInputs, ProposedFinding, QueriesAnswer, QueriesInputs
from ...model import Passage, Topic, counted
from .bounds import Bounds
from .evidence import Evidence, weigh
from .forms import Form, form_of
from .matter import Matter, answers_something, context, is_telling
from .naming import joined, names
from .sentences import readable
from .tables import labelled, spelled_out
from .words import stems

MOST_FINDINGS = 100
FEW = 3  # findings; with fewer it is said what may be the reason
FIT_SHARE = 0.05  # how much of a finding's weight depends on its topic: enough to decide between topics
SEARCHED_AGAIN = "Searched again for"
_WORD = re.compile(r"[^\W_]+")
_ROW = re.compile(r"\s*\|.*\|\s*")
# What begins with one of these is answered by yes or no, and its verb stands anywhere: "does a run pay twice?"
_YES_OR_NO = re.compile(
    r"\W*(?:do|does|did|is|are|was|were|can|could|will|would|should|has|have|may|must)\b", re.IGNORECASE
)
UNMENTIONED = "No passage that was found mentions"


def queries(inputs: QueriesInputs) -> QueriesAnswer:
    """The question itself always, because files are judged by all they say about it; then the topic."""
    title = inputs.topic.title
    if inputs.breadth == 1 and not inputs.actions:
        return QueriesAnswer((f"{title} {inputs.question}",))
    wanted = dict.fromkeys((inputs.question, *inputs.actions, title, f"{title} {inputs.question}"))
    return QueriesAnswer(tuple(wanted)[: inputs.breadth])


def document(inputs: DocumentInputs) -> DocumentAnswer:
    """The sentences that bear on question and topic, file by file; none when the files do not speak about it."""
    bounds = Bounds.of(inputs.topic.title, inputs.question)
    fitting = [found for found in _evidence(inputs) if bounds.hold(found.terms)][:MOST_FINDINGS]
    gaps = _gaps(inputs, few=len(fitting) < FEW)
    if not fitting:
        nothing = f"No sentence was found that speaks about “{inputs.topic.title}”."
        return DocumentAnswer(_insufficient(inputs), gaps=(nothing, *gaps))
    findings = tuple(_finding(found, bounds, inputs.passages[found.passage - 1]) for found in _as_they_stand(fitting))
    return DocumentAnswer(_summary(inputs.topic, fitting), findings, gaps=gaps)


def _evidence(inputs: DocumentInputs) -> tuple[Evidence, ...]:
    if not answers_something(inputs.question, inputs.passages):
        return ()
    return weigh(inputs.question, inputs.passages)


def _as_they_stand(fitting: Sequence[Evidence]) -> list[Evidence]:
    """The file with the heaviest sentence first, and the sentences of each in the order of the file."""
    rank = {file: index for index, file in enumerate(dict.fromkeys(found.file for found in fitting))}
    return sorted(fitting, key=lambda found: (rank[found.file], found.order))


def _finding(found: Evidence, bounds: Bounds, passage: Passage) -> ProposedFinding:
    weight = found.weight * (1 - FIT_SHARE + FIT_SHARE * bounds.fit(found.own_terms))
    return ProposedFinding(in_words(found, passage), found.quote, f"S{found.passage}", round(weight, 4))


def in_words(found: Evidence, passage: Passage) -> str:
    """A quote as it is shown: rows with the names of their columns, everything else on one line."""
    if form_of(passage) is Form.TABLE:
        return labelled(found.quote, passage.section)
    is_row = found.header or _ROW.fullmatch(found.quote)
    return spelled_out(found.quote, found.header) if is_row else readable(found.quote)


def _summary(topic: Topic, fitting: Sequence[Evidence]) -> str:
    files = len({found.file for found in fitting})
    count = f"{counted(len(fitting), 'sentence')} in {counted(files, 'file')}"
    return f"{count} bear on “{topic.title}”. The strongest: {readable(fitting[0].quote)}"


def _insufficient(inputs: DocumentInputs) -> str:
    files = len({passage.source.location for passage in inputs.passages})
    looked = f"{len(inputs.passages)} passages of {files} files" if inputs.passages else "the files"
    return (
        f"Insufficient evidence: {looked} were searched for “{inputs.topic.title}”, and no sentence was found "
        "that answers it."
    )


def _gaps(inputs: DocumentInputs, few: bool) -> tuple[str, ...]:
    missing = unmentioned(inputs.question, inputs.passages)
    if few:
        missing += _apart(inputs.question, inputs.passages)
    again = [f"{SEARCHED_AGAIN} {joined([f'“{action}”' for action in inputs.actions])}."] if inputs.actions else []
    return (*(f"{UNMENTIONED} {name}." for name in missing), *again)


def unmentioned(question: str, passages: Sequence[Passage]) -> list[str]:
    """What the question names and no passage speaks of: a whole name, or the telling words of it that are missing."""
    held = {term for passage in passages for term in context(passage)}
    missing: dict[str, None] = {}
    for name in names(question):
        words = [word for word in name.split() if is_telling(word)]
        absent = [word for word in words if not held.intersection(stems(word))]
        missing.update(dict.fromkeys([name] if absent and absent == name.split() else absent))
    return list(missing)


def _apart(question: str, passages: Sequence[Passage]) -> list[str]:
    """What a short question calls by two words that no passage has side by side, although it has both."""
    matter = Matter.of(question, passages)
    if not matter.is_named or _YES_OR_NO.match(question):
        return []
    told = [
        (a, b)
        for a, b in pairwise(_WORD.findall(question))
        if is_telling(a) and is_telling(b) and not b.endswith("ed")  # "links followed" is no name for anything
    ]
    pairs = {stems(f"{a} {b}"): f"{a} {b}" for a, b in told}
    held = {pair: words for pair, words in pairs.items() if len(pair) == 2 and matter.worth.keys() >= {*pair}}
    found = {frozenset(pair) for passage in passages for pair in pairwise(stems(passage.text))}
    return [f"“{words}” as such" for pair, words in held.items() if frozenset(pair) not in found]
