"""`research verify NAME`: check a finished report again, with no model and no network."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import asdict
from functools import cache

from ..errors import UsageError
from ..knowledge.sources import Altered, SourceStore
from ..model import one_line
from ..project.disk import Disk
from ..report.assemble import Report, assemble
from ..report.verify import Check, Checked, Text, TextOf, check_citations
from ..researcher import Researcher
from .inspect import existing

FAILED = 3


def verify(arguments: argparse.Namespace) -> int:
    researcher = existing(arguments.name)
    state = researcher.past().state
    if not state.draft.written:
        raise UsageError(f"{researcher.name} has no report yet. See: research status {researcher.name}")
    report = assemble(state)
    altered = _altered(researcher, report)
    checked = check_citations(report.citations, _texts(researcher))
    failed = bool(altered) or any(row.check.failed for row in checked)
    if arguments.format == "json":
        rows = [{**asdict(row), "check": row.check.value} for row in checked]
        print(json.dumps({"ok": not failed, "altered": altered, "citations": rows}, indent=1, ensure_ascii=False))
    else:
        _print(researcher, checked, altered)
    return FAILED if failed else 0


def _altered(researcher: Researcher, report: Report) -> list[str]:
    """Files that no longer hold what the journal says was written."""
    expected = {researcher.report: report.text, researcher.reports / "citations.json": report.citations_json()}
    return [
        str(path)
        for path, text in expected.items()
        if not path.exists() or path.read_text(encoding="utf-8", errors="replace") != text
    ]


def _texts(researcher: Researcher) -> TextOf:
    store = SourceStore(researcher.knowledge, Disk())

    @cache
    def text_of(digest: str) -> Text | Check:
        kept = store.text(digest)
        if kept is None:
            return Check.SOURCE_MISSING
        return Check.SOURCE_ALTERED if isinstance(kept, Altered) else Text(kept)

    return text_of


def _print(researcher: Researcher, checked: list[Checked], altered: list[str]) -> None:
    for path in altered:
        print(f"ALTERED  {path} is not what was written")
    for row in checked:
        if row.check.failed:
            citation = row.citation
            print(f"FAILED   [{citation.n}] {row.check}: {citation.source}: {one_line(citation.quote, 80)}")
    checks = Counter(row.check for row in checked)
    support = Counter(row.support for row in checked if row.check is Check.FOUND)
    print(f"{len(checked)} citations: " + (", ".join(f"{n} {name}" for name, n in checks.items()) or "none"))
    if support:
        print("The sentences, against their sources: " + ", ".join(f"{n} {name}" for name, n in support.items()))
    print(researcher.report)
