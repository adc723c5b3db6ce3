"""Citation numbers, made by code: writers cite finding ids (`[F1.2-3]`); here they become source numbers (`[4]`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..checks import CODE, CitationCheck, Excerpt
from ..model import Finding, Source, Verdict
from .markdown import shielded, unheaded, unshielded
from .marking import ID, MARKER, Marked, marked

_NUMBER = re.compile(r"\[(\d+)\]")

DOUBT = " [evidence?]"


@dataclass(frozen=True, slots=True)
class Citation:
    """One cited finding in one sentence. `locator` is the line range in the source, where lines are known.

    `occurrence` says at which `[n]` of the text it stands, counted per number. `verdict`, `reasons`, `excerpt` and
    `by` are what the citation gate made of it; there is no verdict before it has run.
    """

    n: int
    sentence: str
    quote: str
    source: str
    title: str
    locator: str | None
    sha256: str | None
    finding: str
    claim: str
    found: bool | None
    section: str | None = None
    occurrence: int = 1
    verdict: Verdict | None = None
    reasons: tuple[str, ...] = ()
    excerpt: Excerpt | None = None
    by: str = ""


def cited_ids(text: str) -> list[str]:
    """The finding ids a text cites, in order."""
    return [id for marker in MARKER.finditer(text) for id in re.findall(ID, marker[1])]


@lru_cache(maxsize=1024)  # a report is put together again after each gate and for its files, from the same texts
def _cut(text: str) -> tuple[str, tuple[Marked, ...]]:
    """A text as it is numbered, and the markers in it."""
    text = unheaded(_NUMBER.sub(r"(\1)", shielded(text)))
    return text, tuple(marked(text))


class Numbering:
    """Turns finding markers into source numbers, in the order the sources are first cited.

    `checks` are the gate's verdicts; a citation that did not hold keeps its place and is marked.
    """

    def __init__(self, findings: Mapping[str, Finding], checks: Sequence[CitationCheck] = ()) -> None:
        self._findings = findings
        self._checks = {(check.finding, check.sentence): check for check in checks}
        self._numbers: dict[tuple[str, str | None], int] = {}
        self._shown: Counter[int] = Counter()
        self.sources: list[tuple[Source, list[Finding]]] = []
        self.citations: list[Citation] = []

    def number(self, text: str) -> str:
        """A writer's text with numbers for markers; what each stands for is added to `citations`.

        Numbers in brackets and headings that the text already has, from a writer or inside a quote, lose their form:
        both are made by code alone. Code in the text stays as it is.
        """
        text, groups = _cut(text)
        pieces, end = [], 0
        for group in groups:
            pieces += [text[end : group.start], self._replacement(group.markers, unshielded(group.sentence))]
            end = group.end
        return unshielded("".join([*pieces, text[end:]]))

    def refer(self, id: str) -> str:
        """The number of a finding's source, for text that code writes from the finding itself."""
        number = self._place(self._findings[id])
        self._shown[number] += 1
        return f"[{number}]"

    def _replacement(self, markers: str, sentence: str) -> str:
        shown: dict[int, None] = {}
        doubts = ""
        for id in cited_ids(markers):
            finding = self._findings.get(id)
            citation = self._cite(finding, sentence) if finding else None
            if citation is None or citation.found is False or (citation.verdict and citation.verdict.failed):
                doubts = DOUBT
            if citation:
                shown[citation.n] = None
        self._shown.update(shown.keys())
        space = " " if markers[:1].isspace() else ""
        numbers = "".join(f"[{number}]" for number in shown)
        return space + numbers + doubts + (" " if markers[-1:].isspace() else "")

    def _place(self, finding: Finding) -> int:
        key = (finding.source.location, finding.source.sha256)
        if key not in self._numbers:
            self.sources.append((finding.source, []))
        number = self._numbers.setdefault(key, len(self.sources))
        self.sources[number - 1][1].append(finding)
        return number

    def _cite(self, finding: Finding, sentence: str) -> Citation:
        check = self._checks.get((finding.id, sentence))
        number = self._place(finding)
        citation = Citation(
            n=number,
            sentence=sentence,
            quote=finding.quote,
            source=finding.source.location,
            title=finding.source.title,
            locator=f"{finding.lines[0]}-{finding.lines[1]}" if finding.lines else None,
            sha256=finding.source.sha256,
            finding=finding.id,
            claim=finding.claim,
            found=finding.found,
            section=finding.section,
            occurrence=self._shown[number] + 1,
            verdict=check.verdict if check else None,
            reasons=check.reasons if check else (),
            excerpt=check.excerpt if check else None,
            by=(check.by or CODE) if check else "",
        )
        self.citations.append(citation)
        return citation
