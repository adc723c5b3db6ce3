"""The answer to a question, made of quotes: the best first, in the form its kind of question wants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from ...asks import AnswerAnswer, AnswerInputs, ProposedFinding, QueryType
from ...model import Finding, Passage
from .codeblock import block, can_be_used, lines_of_code
from .evidence import weigh
from .forms import Form, form_of
from .longform import long_answer
from .matter import answers_something
from .researcher import unmentioned
from .said import Said, best_first, items, lead_first, paragraphs
from .scoper import compared
from .sentences import readable
from .tables import labelled
from .words import scores, stems

MOST_SAID = 6
MOST_ROWS = 3
MOST_WEIGHED = 40
NEAREST = "Nothing was found that answers this directly. These come nearest:"
INSIDE_SHARE = 0.5  # what the inside of a program counts, beside code that can be used
TOO_FAINT = 0.25  # of the strongest: weaker quotes do not belong in a short answer

_ORDER = re.compile(
    r"^\s*(?:please\s+)?(?:write|show|give|implement)\b(?:\s+me)?(?:\s+(?:an?|the|some))?"
    r"(?:\s+(?:python|example|sample|small|short))*(?:\s+(?:function|class|method|script|program|snippet|code))?\b",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(
    r"\b(?:in|with|using) (?:python|java|javascript|typescript|rust|go|c\+\+|c#|ruby|php|sql|bash)(?!\w)", re.IGNORECASE
)
_CITED = re.compile(r"\[F1-(\d+)\]")


def answer(inputs: AnswerInputs) -> AnswerAnswer:
    if not inputs.topics:
        return _from_passages(inputs)
    said = best_first(inputs.question, (f for _, document in inputs.topics for f in document.findings))
    if inputs.deep and said:
        return long_answer(inputs, said)
    gaps = tuple(dict.fromkeys(gap for _, document in inputs.topics for gap in document.gaps))
    return AnswerAnswer("\n\n".join([_text(inputs, said), *gaps]), inputs.question)


# A simple question: the findings are chosen here


def _from_passages(inputs: AnswerInputs) -> AnswerAnswer:
    code = _code(inputs) if inputs.brief.query_type is QueryType.CODING else None
    proposed = [*([code] if code else []), *_proposed(inputs)]
    findings = [_as_finding(number, each, inputs.passages) for number, each in enumerate(proposed, 1)]
    said = best_first(inputs.question, findings[1:] if code else findings)
    text = _text(inputs, said) if said or not code else ""
    if code:
        text = f"{block(code.quote, findings[0])}\n\n{text}".strip()
    silent = [f"No passage that was found mentions {name}." for name in unmentioned(_matter(inputs), inputs.passages)]
    nothing = [] if proposed else [f"Nothing that was found answers “{' '.join(inputs.question.split())}”."]
    gaps = (*nothing, *silent)
    text = "\n\n".join([text, *silent]) if said else text
    return _only_cited(AnswerAnswer(text, inputs.question, findings=tuple(proposed), gaps=gaps))


def _only_cited(answer: AnswerAnswer) -> AnswerAnswer:
    """What the text does not use is no finding; the rest is numbered in the order of the text."""
    used = list(dict.fromkeys(map(int, _CITED.findall(answer.text))))
    numbers = {old: new for new, old in enumerate(used, 1)}
    text = _CITED.sub(lambda cited: f"[F1-{numbers[int(cited[1])]}]", answer.text)
    return replace(answer, text=text, findings=tuple(answer.findings[number - 1] for number in used))


def _proposed(inputs: AnswerInputs) -> list[ProposedFinding]:
    if not answers_something(inputs.question, inputs.passages):
        return []
    return [
        ProposedFinding(_claim(f.quote, inputs.passages[f.passage - 1]), f.quote, f"S{f.passage}", round(f.weight, 4))
        for f in weigh(inputs.question, inputs.passages)[:MOST_WEIGHED]
    ]


def _claim(quote: str, passage: Passage) -> str:
    return labelled(quote, passage.section) if form_of(passage) is Form.TABLE else readable(quote)


def _as_finding(number: int, proposed: ProposedFinding, passages: Sequence[Passage]) -> Finding:
    source = passages[int(proposed.source[1:]) - 1].source
    return Finding(f"F1-{number}", proposed.claim, proposed.quote, source, weight=proposed.weight)


def _code(inputs: AnswerInputs) -> ProposedFinding | None:
    """The lines of code that share most with the question, as they stand."""
    blocks = {
        (number, lines): stems(lines)
        for number, passage in enumerate(inputs.passages, 1)
        if (lines := lines_of_code(passage.text, form_of(passage)))
    }
    ranked = scores(dict.fromkeys(stems(inputs.question), 1.0), blocks, length_norm=0.5)
    worth = {
        (number, lines): score * (1 if can_be_used(lines, form_of(inputs.passages[number - 1])) else INSIDE_SHARE)
        for (number, lines), score in ranked.items()
    }
    best = max(worth, key=lambda key: (worth[key], -key[0]), default=None)
    if best is None or not worth[best]:
        return None
    name = PurePath(inputs.passages[best[0] - 1].source.location).name
    return ProposedFinding(f"Code in {name}.", best[1], f"S{best[0]}", 1.0)


# The forms of an answer


def _text(inputs: AnswerInputs, said: Sequence[Said]) -> str:
    if not said:
        question = " ".join(inputs.question.split())
        return f"Insufficient evidence: nothing that was searched answers “{question}”."
    match inputs.brief.query_type:
        case QueryType.COMPARISON:
            return _table(inputs, said)
        case QueryType.NEWS:
            return items(_within(said, inputs.words))
        case QueryType.ACADEMIC:
            text = paragraphs(_within(said, inputs.words))
            return text if "\n\n" in text else f"{text}\n\nNothing else was found that bears on the question."
        case _:
            kept = _within(said, inputs.words)
            return lead_first(kept) if _covers(kept, _matter(inputs)) else f"{NEAREST}\n\n{items(kept)}"


def _matter(inputs: AnswerInputs) -> str:
    """The question without the order that code be written, and in which language: no file has to mention that."""
    coding = inputs.brief.query_type is QueryType.CODING
    return _LANGUAGE.sub("", _ORDER.sub("", inputs.question)) if coding else inputs.question


def _covers(said: Sequence[Said], question: str) -> bool:
    """Whether the quotes together hold more than half of what the question is about."""
    wanted = set(stems(question))
    held = {term for each in said for term in stems(each.text)}
    return 2 * len(wanted & held) > len(wanted)


def _within(said: Sequence[Said], words: int) -> list[Said]:
    """The best that fit, at least one, and none that is faint beside the best."""
    kept, room = [said[0]], words - said[0].words
    for each in said[1:]:
        if len(kept) < MOST_SAID and each.words <= room and each.worth >= TOO_FAINT * said[0].worth:
            kept.append(each)
            room -= each.words
    return kept


def _table(inputs: AnswerInputs, said: Sequence[Said]) -> str:
    """What is said of each side, next to each other; what speaks of both, below."""
    sides = compared(inputs.question)
    columns = [[each for each in said if _speaks_of(each, side, sides)][:MOST_ROWS] for side in sides]
    if not any(columns):
        rows = [f"| {each.source} | {_cell(each)} |" for each in _within(said, inputs.words)]
        return "\n".join(["| Source | What it says |", "|---|---|", *rows])
    rows = [
        "| " + " | ".join(_cell(column[row]) if row < len(column) else "" for column in columns) + " |"
        for row in range(max(map(len, columns)))
    ]
    alone = [
        f"Nothing that was found speaks of {side} alone."
        for side, column in zip(sides, columns, strict=True)
        if not column
    ]
    both = [each for each in said if all(_names(each, side, sides) for side in sides)][:MOST_ROWS]
    table = "\n".join([f"| {' | '.join(sides)} |", "|" + "---|" * len(sides), *rows])
    return "\n\n".join(filter(None, (table, items(both), " ".join(alone))))


def _speaks_of(said: Said, side: str, sides: Sequence[str]) -> bool:
    """Of this side and of no other."""
    return [other for other in sides if _names(said, other, sides)] == [side]


def _names(said: Said, side: str, sides: Sequence[str]) -> bool:
    """A name is there or not; of a few words, their matter has to be. The file of a thing speaks of it, too."""
    if len(side.split()) == 1:
        stem = PurePath(said.place).stem.casefold()
        return _named_in(said.text, side, sides) or (len(stem) > 3 and stem in side.casefold())
    return set(stems(side)) <= set(stems(said.text))


def _named_in(text: str, name: str, names: Sequence[str]) -> bool:
    """Where a longer name stands that this one is a part of, it has to stand there as well: RLock is not Lock."""
    low, part = text.casefold(), name.casefold()
    longer = [other.casefold() for other in names if other != name and part in other.casefold()]
    if any(other in low for other in longer):
        return re.search(rf"\b{re.escape(name)}\b", text) is not None
    return part in low


def _cell(said: Said) -> str:
    return str(said).replace("|", "\\|")
