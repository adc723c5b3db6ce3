"""The form of an answer, checked by code: every hit has its line, its column, the rule and the text.

The text is checked as a reader gets it, with citation numbers. What stands in quotation marks or in code is not the
writer's own wording and is left alone, except where a rule is about the place and not about the words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..asks import QueryType
from ..evidence import sentences

MOST_CITATIONS = 3
FEWEST_SECTIONS = 5
LONGEST_LEAD = 80
SHOWN = 60
MASK = "¤"

_HEDGES = """
    it seems; it appears; it is likely that; it is possible that; it could be argued; it might be;
    it may be that; it is important to; it is worth noting; it should be noted; it is generally believed;
    it is subjective; arguably; presumably; supposedly; perhaps; maybe; in my opinion; i think;
    i believe; i am not sure; i'm not sure; to the best of my knowledge; as an ai; as far as i know;
    some might say; one could argue; more or less
"""
HEDGES = tuple(phrase.strip() for phrase in _HEDGES.split(";"))

_WORDS = "|".join(re.escape(phrase).replace(r"\ ", r"\s+").replace("'", "['’]") for phrase in HEDGES)
_HEDGE = re.compile(rf"\b(?:{_WORDS})\b", re.IGNORECASE)
_NOT_OWN = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|“[^“”]*”|(?<!\w)\"[^\"\n]*\"|^ {0,3}>[^\n]*", re.S | re.M)
_CITATION = re.compile(r"\[\d+\]")
_ANY_CITATION = re.compile(r"\[\d")
_BAD_FORMS = (
    (re.compile(r"\[\d+(?:\s*[,;–-]\s*\d+)+\]"), "write [1][2], one number in each pair of brackets"),
    (re.compile(r"\[\d+\](?:\s+|\s*[,;]\s*)(?=\[\d+\])"), "no space or comma between citations"),
)
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_OWN_SOURCES = re.compile(
    r"^ {0,3}(?:#{1,6}[ \t]+|\*\*)?(?:sources|references|bibliography|works cited|citations)\b[ :*]*$", re.I | re.M
)
_TABLE = re.compile(r"^ {0,3}\|?[ \t]*:?-{2,}:?[ \t]*\|", re.MULTILINE)
_ITEM = re.compile(r"^ {0,3}(?:[-*+]|\d{1,3}[.)])[ \t]+\S", re.MULTILINE)
_NAME_LINE = re.compile(r"\*\*[^*\n]+\*\*:?\s*\n")
_LAST_MARK = re.compile(r"\[(?:\d+|evidence\?)\]\Z")
_CODE_FIRST = re.compile(r"\s*```")


@dataclass(frozen=True, slots=True)
class Hit:
    """Where a rule is broken: line and column from 1."""

    line: int
    column: int
    rule: str
    text: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.rule}: {self.text}"


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    rule: str
    text: str


Rule = Callable[[str], Iterator[_Found]]


def check_style(text: str, kind: QueryType, deep: bool = False) -> tuple[Hit, ...]:
    """What is wrong with the form of an answer of this kind, in the order of the text."""
    rules: Sequence[Rule] = (*_ALWAYS, *_DEEP) if deep else (*_ALWAYS, _no_header_start, *_BY_KIND[kind])
    found = [each for rule in rules for each in rule(text)]
    return tuple(_hit(text, each) for each in sorted(found, key=lambda each: (each.start, each.rule)))


def _hit(text: str, found: _Found) -> Hit:
    line = text.count("\n", 0, found.start) + 1
    column = found.start - (text.rfind("\n", 0, found.start) + 1) + 1
    shown = " ".join(found.text.split())
    return Hit(line, column, found.rule, shown if len(shown) <= SHOWN else shown[: SHOWN - 1] + "…")


def _own(text: str) -> str:
    """The writer's own words: everything else is masked, so that every place stays where it is."""
    return _NOT_OWN.sub(lambda match: re.sub(r"[^\n]", MASK, match[0]), text)


def _start(text: str) -> int:
    return len(text) - len(text.lstrip())


# Rules for every answer


def _hedging(text: str) -> Iterator[_Found]:
    for match in _HEDGE.finditer(_own(text)):
        yield _Found(match.start(), "hedging", match[0])


def _citation_form(text: str) -> Iterator[_Found]:
    own = _own(text)
    for form, advice in _BAD_FORMS:
        for match in form.finditer(own):
            yield _Found(match.start(), "citation form", f"{match[0].strip()} ({advice})")


def _too_many_citations(text: str) -> Iterator[_Found]:
    for span in sentences(text):
        cited = list(_CITATION.finditer(text, span.start, span.end))
        if len(cited) > MOST_CITATIONS:
            fourth = cited[MOST_CITATIONS]
            yield _Found(fourth.start(), f"more than {MOST_CITATIONS} citations in a sentence", span.of(text))


def _uncited(text: str) -> Iterator[_Found]:
    if not _ANY_CITATION.search(text):
        yield _Found(_start(text), "no citation", "the answer cites no source")


def _own_sources(text: str) -> Iterator[_Found]:
    for match in _OWN_SOURCES.finditer(text):
        yield _Found(match.start(), "sources of its own", f"{match[0].strip()} (the list of sources is added for you)")


def _ends_with_question(text: str) -> Iterator[_Found]:
    last = len(_without_marks(text)) - 1
    if last >= 0 and text[last] in "?？":
        begin = max(text.rfind(mark, 0, last) for mark in ".!?\n") + 1
        yield _Found(begin + _start(text[begin:]), "ends with a question", text[begin : last + 1])


def _without_marks(text: str) -> str:
    """Up to the last word or stop: citations, quotation marks and emphasis at the end do not count."""
    while True:
        bare = text.rstrip("\"'”’)*_ \t\n")
        mark = _LAST_MARK.search(bare, max(0, len(bare) - SHOWN))
        if not mark:
            return bare
        text = bare[: mark.start()]


# Rules for one kind of answer


def _no_header_start(text: str) -> Iterator[_Found]:
    if text.lstrip().startswith("#"):
        yield _Found(_start(text), "starts with a header", text.lstrip().split("\n", 1)[0])


def _table_missing(text: str) -> Iterator[_Found]:
    if not _TABLE.search(text):
        yield _Found(_start(text), "no table", "a comparison needs a table")


def _code_first(text: str) -> Iterator[_Found]:
    if not _CODE_FIRST.match(text):
        yield _Found(_start(text), "code comes first", "an answer about code begins with a code block")


def _list_missing(text: str) -> Iterator[_Found]:
    if not _ITEM.search(text):
        yield _Found(_start(text), "no list", "news are given as a list, one item each")


def _name_as_header(text: str) -> Iterator[_Found]:
    if _NAME_LINE.match(text.lstrip()):
        yield _Found(_start(text), "name as a header", text.lstrip().split("\n", 1)[0])


def _one_paragraph(text: str) -> Iterator[_Found]:
    if len([block for block in text.split("\n\n") if block.strip()]) < 2:
        yield _Found(_start(text), "one paragraph", "an academic answer has at least two paragraphs")


def _long_lead(text: str) -> Iterator[_Found]:
    lead = text.strip().split("\n\n", 1)[0]
    if len(lead.split()) > LONGEST_LEAD:
        yield _Found(_start(text), "long lead", f"the first paragraph has more than {LONGEST_LEAD} words")


# Rules for a long answer


def _title_then_prose(text: str) -> Iterator[_Found]:
    headings = list(_HEADING.finditer(_without_code(text)))
    if not headings or headings[0].start() != _start(text) or len(headings[0][1]) != 1:
        yield _Found(_start(text), "no title", "a long answer begins with a title")
    elif len(headings) > 1 and not text[headings[0].end() : headings[1].start()].strip():
        yield _Found(headings[1].start(), "header after the title", headings[1][0])


def _few_sections(text: str) -> Iterator[_Found]:
    found = _sections(text)
    if len(found) < FEWEST_SECTIONS:
        yield _Found(_start(text), "few sections", f"{len(found)} of at least {FEWEST_SECTIONS} sections")


def _no_conclusion(text: str) -> Iterator[_Found]:
    found = _sections(text)
    if not found or found[-1].casefold() != "conclusion":
        yield _Found(len(text.rstrip()), "no conclusion", "the last section is called Conclusion")


def _sections(text: str) -> list[str]:
    return [match[2] for match in _HEADING.finditer(_without_code(text)) if len(match[1]) == 2]


def _without_code(text: str) -> str:
    return re.sub(r"```.*?(?:```|\Z)", lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.DOTALL)


_ALWAYS: tuple[Rule, ...] = (
    _hedging,
    _citation_form,
    _too_many_citations,
    _uncited,
    _own_sources,
    _ends_with_question,
)
_DEEP: tuple[Rule, ...] = (_title_then_prose, _few_sections, _no_conclusion)
_BY_KIND: dict[QueryType, tuple[Rule, ...]] = {
    QueryType.ACADEMIC: (_one_paragraph,),
    QueryType.NEWS: (_list_missing,),
    QueryType.PEOPLE: (_name_as_header,),
    QueryType.CODING: (_code_first,),
    QueryType.COMPARISON: (_table_missing,),
    QueryType.FACTUAL: (_long_lead,),
}

CONSTRAINTS: dict[QueryType, str] = {
    QueryType.ACADEMIC: "Write at least two paragraphs; name what the sources measured and how they differ.",
    QueryType.NEWS: "Give a list, one item per piece of news, with its date where a finding has one.",
    QueryType.PEOPLE: "Write a short account of the person; do not begin with the name as a header.",
    QueryType.CODING: "Begin with a code block in a fence; explain it afterwards.",
    QueryType.COMPARISON: "Use a Markdown table with one column for each thing compared.",
    QueryType.FACTUAL: f"Give the answer in the first paragraph, in at most {LONGEST_LEAD} words.",
}
"""What a writer is told about the form of each kind of answer: the same rules in words."""
