"""What the gates concluded about a report: a verdict per citation, issues, a score. Plain values, recorded."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from .model import Verdict

CODE = "code"


class Grade(StrEnum):
    """PASS and CAUTION let a report go; FAIL sends it back, and after the last revision ends the run with exit 3."""

    PASS = "PASS"
    CAUTION = "CAUTION"
    FAIL = "FAIL"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of a source that comes closest to a sentence, with a little of what stands around it."""

    before: str
    passage: str
    after: str


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """One cited finding in one sentence, judged. `by` is "code", or the model that was asked about the passage.

    firm: code saw a reason that no opinion may outweigh. absent: telling words the source nowhere has.
    """

    finding: str
    sentence: str
    verdict: Verdict
    reasons: tuple[str, ...] = ()
    excerpt: Excerpt | None = None
    by: str = CODE
    firm: bool = False
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Issue:
    """Something to mend. `gate` is "citations" or "consistency"; a grave one fails the report."""

    gate: str
    rule: str
    detail: str
    grave: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the score: so many points out of so many."""

    name: str
    points: float
    most: int


@dataclass(frozen=True, slots=True)
class Sides:
    """Two findings of different sources that give the same thing differently."""

    one: str
    other: str
    gives: str
    other_gives: str


@dataclass(frozen=True, slots=True)
class Checked:
    """Both gates over one state of the report. `uncited` are sentences that state facts and cite nothing."""

    citations: tuple[CitationCheck, ...] = ()
    issues: tuple[Issue, ...] = ()
    parts: tuple[Part, ...] = ()
    disagreements: tuple[Sides, ...] = ()
    uncited: tuple[str, ...] = ()

    @property
    def score(self) -> int:
        """`quality_score`, 0 to 100."""
        most = sum(part.most for part in self.parts)
        return round(100 * sum(part.points for part in self.parts) / most) if most else 0

    @property
    def tally(self) -> str:
        """How many citations have which verdict: `9 supported, 1 partial`."""
        counts = Counter(check.verdict for check in self.citations)
        return ", ".join(f"{number} {verdict}" for verdict, number in counts.items()) or "none"

    @property
    def grade(self) -> Grade:
        if any(issue.grave for issue in self.issues):
            return Grade.FAIL
        return Grade.CAUTION if self.issues else Grade.PASS
