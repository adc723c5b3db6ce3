"""What code says at the edges of a report: the warning banner, limitations, disagreements, coverage."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..checks import Checked
from ..events import LimitReached, ReportConceded, SiteRead
from ..model import Finding, Status, Tag, one_line
from ..state import State
from .numbering import Numbering

BANNER = """---
⚠️ **WARNING: ITERATION LIMIT REACHED**

This report was generated before all research topics were completed due to reaching the maximum iteration limit. \
Some findings may be incomplete or missing.

- Topics completed: {completed} of {total}
- Iterations executed: {iterations} (limit: {limit})
- To complete this research, resume with higher --max-iterations or run again without the limit
---
"""

BUDGET_BANNER = """---
⚠️ **WARNING: {limit} BUDGET REACHED**

This report was generated {when}: {detail}. Some findings may be incomplete or missing.

- Topics completed: {completed} of {total}
- To complete this research, resume with a higher --{option}, or with --{option} unlimited
---
"""

_CITED = re.compile(r"^\[(\d+)\] ")  # how an issue of the citation gate begins; as it stands it would be a citation

MEANINGS: dict[Tag, str] = {
    Tag.RETRY_EXHAUSTED: "given up after repeated failures",
    Tag.LOW_EVIDENCE: "little or no evidence was found",
    Tag.SOURCE_DISAGREEMENT: "sources give a number or a date differently",
    Tag.SUSPECT_SOURCE: "a source addresses its reader like an instruction",
    Tag.OUT_OF_DATE: "the sources are older than what the question asks about",
    Tag.RATE_LIMITED: "a provider refused because of its limits; others were used",
    Tag.SCOPE_EXCEEDED: "more topics were proposed than the breadth allows",
    Tag.CONTEXT_DEGRADED: "not all that was found fits into what the model can read",
    Tag.CONTRADICTION: "a source contradicts a statement of the report",
    Tag.PATH_DECISION: "the course of the research was decided by a rule",
}


def banner(state: State) -> str:
    """A warning, when a limit ended the research early or kept writers from the report; otherwise nothing.

    The words for the iteration limit are the seed's.
    """
    if not state.limit:
        return ""
    if state.limit.limit != "iterations":
        return _budget_banner(state, state.limit)
    return BANNER.format(
        completed=state.counts[Status.COMPLETE],
        total=sum(state.counts.values()),
        iterations=state.iteration,
        limit=state.settings.max_iterations,
    )


def _budget_banner(state: State, limit: LimitReached) -> str:
    unfinished = not state.growths or state.open_topics
    return BUDGET_BANNER.format(
        limit=limit.limit.removesuffix("s").upper(),
        when="before all research topics were completed" if unfinished else "before writing and review were finished",
        detail=limit.detail,
        completed=state.counts[Status.COMPLETE],
        total=sum(state.counts.values()),
        option=limit.limit,
    )


def limitations(state: State) -> list[str]:
    """What the writer named, what the last review still asked for, every tag, every branch that was not finished."""
    lines = [*state.draft.limitations, *_by_code(state), *_unmended(state)]
    for growth in state.walk():
        topic = growth.topic
        if topic.status is Status.EXHAUSTED:
            lines.append(f"{topic.title}: given up ({', '.join(topic.tags)}); what was found is incomplete.")
        elif not topic.status.closed:
            lines.append(f"{topic.title}: not finished ({topic.status}).")
    return list(dict.fromkeys([*lines, *_tag_lines(state)]))


def _unmended(state: State) -> Iterator[str]:
    if isinstance(state.draft.verdict, ReportConceded):
        reviewed = state.draft.verdict.by == "reviewer"
        word = "CAUTION, not mended after the last review" if reviewed else "CAUTION, not mended"
        for issue in state.draft.verdict.issues:
            yield f"{word}: " + _CITED.sub(r"source \1, ", issue)


def _by_code(state: State) -> Iterator[str]:
    """Which parts of the report no writer has seen, by the reason."""
    for why in dict.fromkeys(state.draft.plain.values()):
        parts = [part for part, reason in state.draft.plain.items() if reason == why]
        titles = [state.topic(part).title if part else "the summary" for part in parts]
        yield f"Written by code, word for word from the findings, because {why}: {'; '.join(titles)}."


def _tag_lines(state: State) -> Iterator[str]:
    """One line per tag that was raised, with the topics it was raised on. Exhausted topics have theirs.

    In the order of the tree: which topic was first done is chance.
    """
    in_order = sorted(state.raised, key=lambda event: [int(part) for part in event.topic.split(".") if part])
    for tag, meaning in MEANINGS.items():
        events = [event for event in in_order if event.tag is tag]
        if events:
            topics = dict.fromkeys(state.topic(event.topic).title for event in events if event.topic in state.growths)
            notes = dict.fromkeys(event.note for event in events if event.note)
            where = f" ({'; '.join(topics)})" if topics else ""
            yield f"{tag}: {meaning}{where}." + "".join(f" {one_line(note, 200).rstrip('.')}." for note in notes)


def disagreements(checked: Checked | None, findings: dict[str, Finding], numbering: Numbering) -> list[str]:
    """Both sides of what two sources give differently, in their own words."""
    lines = []
    for sides in checked.disagreements if checked else ():
        if sides.one in findings and sides.other in findings:
            one, other = (f"“{one_line(findings[id].quote)}” {numbering.refer(id)}" for id in (sides.one, sides.other))
            lines.append(f"{sides.gives} against {sides.other_gives}: {one}, but {other}")
    return lines


def coverage(state: State) -> list[str]:
    """How much of each site was read."""
    return [site_line(site) for site in state.sites.values()]


def site_line(site: SiteRead) -> str:
    left_out = ", ".join(f"{each.reason} ({each.pages})" for each in site.left_out)
    return f"{site.site}: {site.read} of {site.found} pages read" + (f"; not read: {left_out}" if left_out else "")
