"""Quotes that may enter an answer: what each is worth for the question, and how it is named and cited."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from ...model import Finding, Passage, Source
from .forms import Form, form_of
from .words import stems

LEAD_WORDS = 60  # the answer itself comes first, and briefly
TITLE_WORDS = 7
ROW_SHARE = 0.6  # what a row of a table counts beside a sentence
PIECE_SHARE = 0.4  # what a piece of a sentence counts, such as what leads to a list
OTHER_FIGURE = 0.1  # what a quote counts that lacks a figure of the question: it speaks of another case
BRIEF = 60  # words at which a quote counts half: an answer is short
FEWEST_WORDS = 5  # of a row that says something
UNRELATED = 0.2  # what a quote counts for that holds no word of the question, against 1 for each word

_FIGURE = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])")
_ROW = re.compile(r"\|(.+)\|")
_WORD = re.compile(r"[^\W\d_]{2,}")
_MARKER = re.compile(r"\[(F\d[\d.]*-\d+)\]")
_DEFINES = re.compile(r"(?:what|who) (?:is|are|was|were)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Said:
    """A quote that may enter the answer: the id it is cited by, where it stands, and what it is worth here."""

    id: str
    text: str
    place: str
    source: str
    worth: float

    @property
    def words(self) -> int:
        return len(self.text.split()) + 1

    def __str__(self) -> str:
        return f"“{self.text}” [{self.id}]"


def best_first(question: str, findings: Iterable[Finding]) -> list[Said]:
    """First what is heavy and holds many words of the question. Nothing twice, and no questions."""
    told = {finding.claim.casefold(): finding for finding in findings if _states(finding.claim)}
    said = [_said(question, finding) for finding in told.values()]
    return sorted(said, key=lambda each: (-each.worth, each.id))


def _states(claim: str) -> bool:
    """No question, and no row of a table that is all figures or marks."""
    row = _ROW.fullmatch(claim.strip())
    whole = not row or len(_WORD.findall(row[1])) >= FEWEST_WORDS
    return whole and not claim.rstrip("\"'”)]* ").endswith("?")


def _said(question: str, finding: Finding) -> Said:
    """A quote that holds all the question is about goes far before one that lacks a word of it.

    What the name of its file or folder says need not stand in the quote; a figure of the question has to.
    """
    text = _told(finding.claim)
    source = finding.source
    wanted = set(stems(question))
    held = wanted & set(stems(text))
    figures, given = set(_FIGURE.findall(question)), set(_FIGURE.findall(text))
    subject = "|".join(map(re.escape, sorted(held)))
    defines = held and _DEFINES.match(question) and re.search(rf"\b(?:{subject})\w* (?:is|are|was)\b", text, re.I)
    row = any(_ROW.fullmatch(each.strip()) for each in (finding.claim, finding.quote))
    whole = not text.rstrip().endswith((",", ":", ";"))
    form = BRIEF / (BRIEF + len(text.split())) * (ROW_SHARE if row else 1) * (1 if whole else PIECE_SHARE)
    of_place = wanted & set(stems(" ".join(PurePath(source.location).parts[-2:]))) if held else held
    found = UNRELATED + len(held | of_place | (figures & given))
    worth = finding.weight * found**2 * OTHER_FIGURE ** len(figures - given) * (2 if defines else 1) * form
    return Said(finding.id, text, source.location, _named(source.location, source.title), worth)


def _told(claim: str) -> str:
    """A row of a table as it would be told; what only looks like one of our citations is none."""
    row = _ROW.fullmatch(claim.strip())
    text = "; ".join(filter(None, (cell.strip() for cell in row[1].split("|")))) if row else claim
    return _MARKER.sub(r"(\1)", text)


def file_name(location: str) -> str:
    """The name of a file, with its folder where the name alone says nothing."""
    path = PurePath(location)
    common = path.stem.casefold() in ("__init__", "__main__", "index", "readme", "main")
    return "/".join(path.parts[-2:]) if common else path.name or location


def _named(location: str, title: str) -> str:
    """A document by its title, a program by its file."""
    name = file_name(location)
    words = title.split()
    if not words or title in (name, location) or form_of(Passage(Source(location), "", 1, 1)) is Form.CODE:
        return f"`{name}`"
    return f"*{' '.join(words[:TITLE_WORDS])}{'…' if len(words) > TITLE_WORDS else ''}*"


def by_source(said: Iterable[Said]) -> list[list[Said]]:
    """In groups, the source with the best quote first."""
    groups: dict[str, list[Said]] = {}
    for each in said:
        groups.setdefault(each.place, []).append(each)
    return list(groups.values())


def lead_first(said: Sequence[Said]) -> str:
    """The best as a sentence, the rest as a list."""
    lead = [said[0]]
    if len(said) > 1 and said[0].words + said[1].words <= LEAD_WORDS and said[0].place == said[1].place:
        lead.append(said[1])
    opening = f"According to {lead[0].source}: " + " ".join(map(str, lead))
    return "\n\n".join(filter(None, (opening, items(said[len(lead) :]))))


def items(said: Iterable[Said]) -> str:
    """Source by source, as a list with one quote an item."""
    return "\n".join(f"- {each.source}: {each}" for group in by_source(said) for each in group)


def paragraphs(said: Sequence[Said]) -> str:
    """One per source, two where there is only one."""
    groups = by_source(said)
    if len(groups) == 1 and len(said) > 1:
        groups = [groups[0][:1], groups[0][1:]]
    return "\n\n".join(f"According to {group[0].source}: {' '.join(map(str, group))}" for group in groups)
