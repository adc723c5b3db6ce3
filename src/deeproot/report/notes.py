"""Evidence Notes: a subquestion's document as the writers of an answer read it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..model import Document, Finding, Tag, Topic, counted, one_line

STRONG = 0.7
MOST_ADVISED = 3


def render_note(topic: Topic, document: Document, tags: Sequence[Tag] = ()) -> str:
    """Every claim names its finding, which writers cite, and its source, which the note lists."""
    labels = _labels(document.findings)
    heaviest_first = sorted(document.findings, key=lambda finding: -finding.weight)
    blocks = [
        f"# Evidence Note {topic.id}: {one_line(topic.title)}",
        "## Summary\n" + (document.summary.strip() or "Nothing was found."),
        "## Sources\n" + _list(_source(label, finding) for finding, label in _first_uses(document.findings, labels)),
        "## Key Claims\n" + _list(f"[{f.id}] {f.claim} ({labels[f.source.location]})" for f in heaviest_first),
        "## Quotes & Data\n" + _list(_quote(f, labels[f.source.location]) for f in heaviest_first),
        "## Assessment\n" + _list(_assessment(document, tags)),
        "## Notes for Writers\n" + _list(_advice(document, heaviest_first)),
    ]
    return "\n\n".join(blocks) + "\n"


def _labels(findings: Iterable[Finding]) -> dict[str, str]:
    places = dict.fromkeys(finding.source.location for finding in findings)
    return {place: f"S{number}" for number, place in enumerate(places, 1)}


def _first_uses(findings: Iterable[Finding], labels: dict[str, str]) -> list[tuple[Finding, str]]:
    first = {finding.source.location: finding for finding in reversed(tuple(findings))}
    return [(first[place], label) for place, label in labels.items()]


def _source(label: str, finding: Finding) -> str:
    source = finding.source
    title = f"{source.title.rstrip('. ')}. " if source.title not in ("", source.location) else ""
    return f"{label}: {title}{source.location}"


def _quote(finding: Finding, label: str) -> str:
    doubt = "; NOT FOUND in the source" if finding.found is False else ""
    return f"[{finding.id}] “{one_line(finding.quote)}” ({label}{_lines(finding)}{doubt})"


def _lines(finding: Finding) -> str:
    if not finding.lines:
        return ""
    first, last = finding.lines
    return f", line {first}" if first == last else f", lines {first}–{last}"


def _assessment(document: Document, tags: Sequence[Tag]) -> list[str]:
    findings = document.findings
    sources = len({finding.source.location for finding in findings})
    claims = counted(len(findings), "claim")
    lines = [f"{claims} from {counted(sources, 'source')}: {_strength(findings, sources)}."]
    missing = sum(finding.found is False for finding in findings)
    unseen = sum(finding.found is None for finding in findings)
    if findings and not missing and not unseen:
        lines.append("Every quote was found in its source.")
    if missing:
        lines.append(f"{missing} of the quotes are not in the source they cite.")
    if unseen:
        lines.append(f"{unseen} of the quotes could not be looked up: only an agent saw their sources.")
    return [*lines, *(f"{tag}" for tag in tags)]


def _strength(findings: Sequence[Finding], sources: int) -> str:
    if not findings:
        return "no evidence"
    strong = sum(finding.weight >= STRONG for finding in findings)
    return "well supported" if sources > 1 and strong else "supported by one source" if strong else "weak"


def _advice(document: Document, heaviest_first: Sequence[Finding]) -> list[str]:
    sound = [f.id for f in heaviest_first if f.found is not False][:MOST_ADVISED]
    advice = [f"Lead with {', '.join(f'[{id}]' for id in sound)}."] if sound else ["Say that nothing was found."]
    doubtful = [f.id for f in heaviest_first if f.found is False]
    advice += [f"Do not build on {', '.join(f'[{id}]' for id in doubtful)}."] if doubtful else []
    return [*advice, *(f"Gap: {one_line(gap)}" for gap in document.gaps)]


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines) or "- None."
