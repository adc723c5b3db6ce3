"""The files of the report: when they are to be written, and how they are made only once."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from .. import events as e
from ..report.publish import Publication, publication
from ..state import State
from .viewfiles import Files


class Publisher:
    """A report on its way through the gates is published after them, unless the run ends before."""

    def __init__(self, reports: Path) -> None:
        self._reports = reports
        self._due = self._in_the_gates = False
        self._made: tuple[Publication, dict[str, str]] | None = None

    @property
    def ready(self) -> bool:
        """Whether there is something to publish that will stay for a while."""
        return self._due and not self._in_the_gates

    def note(self, event: e.Event) -> None:
        match event:
            case e.ReportWritten() | e.ReportRevised():
                self._due = self._in_the_gates = True
            case e.ReportChecked() | e.ReportRejected() | e.ReportConceded():
                self._due, self._in_the_gates = True, False
            case _:
                pass  # accepted: that changes nothing in what was checked

    def catch_up(self, state: State) -> None:
        self._due = state.draft.written

    def render(self, state: State) -> Callable[[], Files]:
        """The report as it stands, to be made without the state: that takes long, and may be done in a thread."""
        due, self._due = self._due and state.draft.written, False
        report = publication(state) if due else None
        return lambda: self._files(report) if report else {}

    @property
    def hashes(self) -> dict[str, str]:
        """SHA-256 of the files that were made last, by name."""
        made = self._made[1] if self._made else {}
        return {name: sha256(text.encode()).hexdigest() for name, text in made.items()}

    def _files(self, report: Publication) -> Files:
        """What is sent back is as a rule what was checked."""
        if self._made is None or self._made[0] != report:
            self._made = report, report.files()
        return {self._reports / name: text for name, text in self._made[1].items()}
