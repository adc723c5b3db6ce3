"""Sentences that quote: every quotation stands in a cited source, and what is said beside it is looked at too. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath

from ..evidence import Prepared, Reading, Span, find_quote, is_denied, look_up, prepare, quotations, read, telling_words
from ..model import one_line
from ..report.numbering import Citation

SHORTEST = 12  # characters of a quotation; a shorter one is a word of the sentence
FEWEST_WORDS = 4  # of a quotation that must stand in a source; fewer are a name, a title, a word held at a distance
SHOWN = 60

_WORD = re.compile(r"[^\W_]+")
# What lines of comments and of quoted mail begin with; a sign before a figure is none.
_MARGIN = re.compile(r"^[ \t]*(?:#+|//+|(?:/?\*+|(?:>[ \t]?)+|--+|;+|%+)(?=[^\w\n]*[^\W\d_]))", re.MULTILINE)


class Text:
    """A kept source, prepared once for many citations."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.prepared: Prepared = prepare(text)
        self.reading: Reading = read(text)

    @cached_property
    def without_margins(self) -> Prepared:
        """The same text, place for place, with blanks where lines of comments and quoted mail have their marks."""
        return prepare(_MARGIN.sub(lambda mark: " " * len(mark[0]), self.text))


@dataclass(frozen=True, slots=True)
class Quoting:
    """`places` are where the quotations stand in the source. `beside` is what the sentence says besides, or "".

    `strange` is a quotation that no source of the sentence holds; `denied` says that one was cut off a "not".
    """

    places: tuple[Span, ...]
    beside: str
    complete: bool
    strange: str = ""
    denied: bool = False


def quoting(citation: Citation, text: Text, cited: Sequence[Text]) -> Quoting | None:
    """How a sentence quotes one of the sources it cites; None when it does not quote at all."""
    marked = [span for span in quotations(citation.sentence) if span.end - span.start >= SHORTEST]
    if not marked:
        return None
    quotes = [span.of(citation.sentence) for span in marked]
    found = {span: place for span, quote in zip(marked, quotes, strict=True) if (place := stands(quote, text))}
    unfound = [quote for quote in quotes if not any(stands(quote, other) for other in cited)]
    return Quoting(
        tuple(found.values()),
        _beside(citation, marked),
        complete=bool(found) and not unfound,
        strange=next((one_line(quote, SHOWN) for quote in unfound if _is_strange(quote, cited)), ""),
        denied=any(_cut_off(citation.sentence, span, text, place) for span, place in found.items()),
    )


def _cut_off(sentence: str, span: Span, text: Text, place: Span) -> bool:
    """Whether a "not" stands before a quotation in the source, and none before it in the sentence."""
    return is_denied(text.reading, place) and not is_denied(read(sentence), span)


def stands(quote: str, text: Text) -> Span | None:
    """Where a quotation stands in a source: word for word, also over the lines of a comment, or as a row of a table
    with the names of its columns.
    """
    found = find_quote(quote, text.prepared) or find_quote(quote, text.without_margins)
    if found is None and (given := look_up(quote, text.reading.tables)) and given.row:
        return given.row.span
    return found


def _is_strange(quote: str, cited: Sequence[Text]) -> bool:
    """Whether its words differ from the source's or are cut, and not only the marks between them differ."""
    words = prepare(quote)
    return len(words.words) >= FEWEST_WORDS and not any(_has_words(text.prepared, words.letters) for text in cited)


def _has_words(text: Prepared, letters: str) -> bool:
    """Whether a text has these words, the first and the last of them whole."""
    places = ((place, place + len(letters)) for place in text.occurrences(letters))
    return any(all(text.places[text.word_at(end)] == end for end in ends) for ends in places)


def _beside(citation: Citation, quotes: Sequence[Span]) -> str:
    """The sentence without its quotations, or "" when that only introduces them and names the source or its section."""
    rest = " ".join(_around(citation.sentence, quotes))
    for name in (citation.source, PurePath(citation.source).name, citation.title, citation.section):
        rest = rest.replace(name, " ") if name else rest
    named = {word.lower() for word in _WORD.findall(f"{citation.title} {citation.source}")}
    return rest if any(word not in named for word in telling_words(rest)) else ""


def _around(sentence: str, quotes: Sequence[Span]) -> Iterator[str]:
    start = 0
    for span in quotes:
        yield sentence[start : span.start - 1].strip()
        start = span.end + 1
    yield sentence[start:].strip()
