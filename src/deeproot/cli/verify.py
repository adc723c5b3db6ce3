"""`research verify NAME`: both gates over a finished report again, with no model and no network."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from textwrap import wrap

from rich.console import Console

from ..checks import CODE, Checked, CitationCheck, Grade
from ..errors import UsageError
from ..gates import GATE as CITATIONS
from ..gates import conclude, verdicts_on, written_parts
from ..hats.check import texts_in
from ..knowledge.sources import Altered, SourceStore, text_hash
from ..model import Verdict, counted, one_line
from ..project.disk import Disk
from ..report.assemble import Report
from ..report.numbering import Citation
from ..report.publish import assembled, published
from ..researcher import Researcher
from ..state import State
from .inspect import existing

FAILED = 3
SHOWN = 160
WIDE = 240  # columns where no terminal sets a limit
MARGIN = " " * 4


@dataclass(frozen=True, slots=True)
class Alteration:
    """A file that is not what it was, and how that shows."""

    path: str
    how: str


@dataclass(frozen=True, slots=True)
class Verification:
    """`altered` are files that are not what was written; `worse` are citations that held when the report was made."""

    report: Report
    checked: Checked
    altered: tuple[Alteration, ...]
    worse: tuple[CitationCheck, ...]

    @property
    def failed(self) -> bool:
        return bool(self.altered or self.worse) or self.checked.grade is Grade.FAIL


def verify(arguments: argparse.Namespace) -> int:
    researcher = existing(arguments.name)
    state = researcher.past().state
    if not state.draft.written:
        raise UsageError(f"{researcher.name} has no report yet. See: research status {researcher.name}")
    found = _verify(researcher, state)
    if arguments.format == "json":
        print(json.dumps(_as_json(found), indent=1, ensure_ascii=False))
    else:
        _print(researcher, found)
    return FAILED if found.failed else 0


def _verify(researcher: Researcher, state: State) -> Verification:
    report = assembled(state)
    store = SourceStore(researcher.knowledge, Disk())
    digests = sorted({citation.sha256 for citation in report.citations if citation.sha256})
    kept = {digest: text for digest in digests if (text := store.text(digest)) is not None}
    gone = [Alteration(str(store.path(digest)), "is gone") for digest in digests if digest not in kept]
    checks = verdicts_on(report.citations, texts_in(kept))
    recorded = state.draft.checked.citations if state.draft.checked else ()
    merged = tuple(_with_opinion(check, recorded) for check in checks)
    checked = conclude(state, report, merged)
    held = {(check.finding, check.sentence) for check in recorded if check.verdict is Verdict.SUPPORTED}
    worse = tuple(c for c in merged if (c.finding, c.sentence) in held and c.verdict is not Verdict.SUPPORTED)
    return Verification(report, checked, (*_altered(researcher, state), *_altered_sources(kept), *gone), worse)


def _with_opinion(check: CitationCheck, recorded: Sequence[CitationCheck]) -> CitationCheck:
    """What a model was asked about is not asked again: its recorded verdict stands where code is still in doubt."""
    if check.firm:
        return check
    same = (r for r in recorded if (r.finding, r.sentence) == (check.finding, check.sentence) and r.by != CODE)
    return next(same, check)


def _altered(researcher: Researcher, state: State) -> Iterator[Alteration]:
    """Files that are no longer what was handed over; of an unfinished run, what the journal makes of them."""
    written = published(state)
    for name, digest in (state.handed_over or {name: text_hash(text) for name, text in written.items()}).items():
        path = researcher.reports / name
        how = _alteration(path.read_bytes(), digest, written.get(name, "")) if path.is_file() else "is gone"
        if how or (path == researcher.report and not _says(state, path.read_text(encoding="utf-8"), written[name])):
            yield Alteration(str(path), how or "does not say what the journal says")


def _alteration(found: bytes, digest: str, written: str) -> str:
    """How a file differs from what was handed over. Another version may have put it in other words than this one."""
    if sha256(found).hexdigest() == digest:
        return ""
    known = text_hash(written) == digest
    return "is not what was written" + (f", from line {_first_other_line(found, written)} on" if known else "")


def _says(state: State, text: str, other: str) -> bool:
    """Whether two texts have the same words where writers wrote: there the gates look."""
    words, others = (re.findall(r"\w+", " ".join(written_parts(state, each))) for each in (text, other))
    return words == others


def _first_other_line(found: bytes, written: str) -> int:
    lines = zip(found.split(b"\n"), written.encode().split(b"\n"), strict=False)
    return next((number for number, (one, other) in enumerate(lines, 1) if one != other), written.count("\n") + 1)


def _altered_sources(kept: Mapping[str, str | Altered]) -> Iterator[Alteration]:
    """Files of sources that no longer hold the text they are named after."""
    for text in kept.values():
        if isinstance(text, Altered):
            yield Alteration(str(text.path), "is not what was read")


def _as_json(found: Verification) -> dict[str, object]:
    return {
        "ok": not found.failed,
        "grade": found.checked.grade,
        "quality_score": found.checked.score,
        "parts": [asdict(part) for part in found.checked.parts],
        "altered": [alteration.path for alteration in found.altered],
        "issues": [asdict(issue) for issue in found.checked.issues],
        "citations": [
            {**asdict(citation), **asdict(check)}
            for citation, check in zip(found.report.citations, found.checked.citations, strict=True)
        ],
    }


def _print(researcher: Researcher, found: Verification) -> None:
    for alteration in found.altered:
        print(f"ALTERED  {alteration.path} {alteration.how}")
    width = Console().width if sys.stdout.isatty() or "COLUMNS" in os.environ else WIDE
    for citation, check in zip(found.report.citations, found.checked.citations, strict=True):
        if check.verdict is not Verdict.SUPPORTED:
            print("\n".join(_entry(citation, check, width)))
    for issue in found.checked.issues:
        if issue.gate != CITATIONS or not issue.grave:
            print(f"{'FAILED  ' if issue.grave else 'CAUTION '} {issue.detail}")
    print(f"{counted(len(found.checked.citations), 'citation')}: {found.checked.tally}")
    print(f"{'FAIL' if found.failed else found.checked.grade}, quality {found.checked.score} of 100")
    print(researcher.report)


def _entry(citation: Citation, check: CitationCheck, width: int) -> Iterator[str]:
    """A citation a person should look at: verdict and reasons, the sentence, the place, one below the other."""
    why = "; ".join(check.reasons)
    where = citation.source + (f":{citation.locator}" if citation.locator else "")
    yield from wrap(f"[{citation.n}] {check.verdict}: {why}" if why else f"[{citation.n}] {check.verdict}", width)
    for text in (one_line(check.sentence, SHOWN), where):
        yield from wrap(text, width, initial_indent=MARGIN, subsequent_indent=MARGIN, break_on_hyphens=False)
    yield ""
