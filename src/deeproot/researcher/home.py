"""Where a researcher lives, and what its journal tells. Needs no lock and writes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..engine.cycle import RESEARCH, Cycle
from ..engine.engine import apply_entry
from ..engine.turns import Steps
from ..errors import JournalError, UsageError
from ..hats import routes
from ..model import slugify
from ..project import journal as journals
from ..project.treefiles import TreeFiles, research_document
from ..report.publish import ANSWER, REPORT
from ..settings import Settings
from ..state import State

ROOT = ".research"
RESERVED = frozenset({"templates", "knowledge"})


def clean_name(name: str) -> str:
    """The folder name for a researcher called `name`; UsageError when it cannot be one."""
    if "/" in name or "\\" in name or name.strip() in ("", ".", ".."):
        raise UsageError(f"--name {name!r}: a name is a word or a few, not a path.")
    letters = "-".join(f"{ord(letter):x}" for letter in name.strip()[:8])
    slug = slugify(name, fallback=f"research-{letters}")
    if slug in RESERVED:
        raise UsageError(f"--name {name!r}: {slug!r} is used by deeproot itself; choose another name.")
    return slug


@dataclass(frozen=True, slots=True)
class Past:
    """What the journal tells: the state, the steps of open turns, and where the next line belongs."""

    state: State
    steps: dict[str, Steps]
    size: int
    note: str | None


class Home:
    """`cycle` is what the researcher does; `tree` keeps its topics as a folder each, where the caller wants them."""

    def __init__(self, project: Path, name: str, cycle: Cycle = RESEARCH, tree: TreeFiles | None = None) -> None:
        self.project = project
        self.name = clean_name(name)
        self.cycle = cycle
        self.folder = project / ROOT / self.name
        self.reports = self.folder if tree else project / "reports" / self.name
        self.knowledge = project / ROOT / "knowledge"
        self.journal = self.folder / journals.NAME
        self.own_tree = tree

    def tree(self, settings: Settings) -> TreeFiles | None:
        """Where topics are kept as folders: always in a tree search, with the guided strategy in research."""
        if self.own_tree is None and settings.strategy == "guided":
            return TreeFiles(self.folder / "tree", research_document)
        return self.own_tree

    @property
    def report(self) -> Path:
        """The report, or the answer where a question was only to be answered."""
        answer = self.reports / ANSWER
        return answer if answer.exists() else self.reports / REPORT

    @property
    def exists(self) -> bool:
        """True once something of it is on record."""
        return journals.begun(self.journal)

    def past(self, until: int | None = None) -> Past:
        """The journal folded, up to event number `until` when given. Needs no lock."""
        loaded = journals.load(self.journal) if self.journal.exists() else journals.Loaded([], 0)
        state = State(routes(self.cycle.hats.values()))
        steps: dict[str, Steps] = {}
        for line, entry in enumerate(loaded.entries, 2):
            if until is not None and state.seq >= until:
                break
            try:
                apply_entry(state, steps, entry)
            except KeyError:
                problem = "the line does not fit what stands before it; a line is missing."
                raise JournalError(self.journal, line, problem) from None
        return Past(state, steps, loaded.size, loaded.note)
