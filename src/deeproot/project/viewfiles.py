"""The files of the views: written when they change, every version archived, and never over what a person wrote."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from ..clock import Clock
from . import phase_state
from .archive import Archive, progress_name
from .disk import Disk
from .plan import fingerprint

PLAN = "research_plan.md"
ACCEPTED, REJECTED = "review.accepted.md", "review.rejected.md"
COMPLETED = "completed.md"
PROGRESS = "progress"
INTERMEDIATE = (PLAN, "progress.md", ACCEPTED, REJECTED, "recovery.notes.md", COMPLETED)

# A version larger than this is archived only if the last one is old enough: one second per so many bytes.
ARCHIVE_RATE = 20_000

Files = dict[Path, str | None]
"""Texts by path; None is a file that must not be there."""


class ViewFiles:
    """`guard` is called before every write and raises when the lock is lost. Versions in `unarchived` are not kept."""

    def __init__(
        self,
        folder: Path,
        reports: Path,
        disk: Disk,
        archive: Archive,
        clock: Clock,
        guard: Callable[[], None],
        unarchived: Path | None = None,
    ) -> None:
        self._folder = folder
        self._progress = folder / PROGRESS
        self._reports = reports
        self._disk = disk
        self._archive = archive
        self._clock = clock
        self._guard = guard
        self._unarchived = unarchived
        self._written: dict[Path, str] = {}
        self._archived_at: dict[str, float] = {}
        self._plan_seen: tuple[int, int, int] | None = None
        self._held: str | None = None

    def wrote(self, path: Path) -> bool:
        """Whether what stands there is ours."""
        return path in self._written

    def put(self, files: Mapping[Path, str | None], newer: Collection[Path] = ()) -> None:
        """Write what changed, except what was written in a `newer` form meanwhile."""
        for path, text in files.items():
            if path in newer or (path.name == PLAN and self.edited_plan() is not None):
                continue
            if text is None:
                self._take_away(path)
            elif self._written.get(path) != text or not path.exists():
                self._replace(path, text)

    def _take_away(self, path: Path) -> None:
        if path.exists():
            self._guard()
            self._disk.remove(path)
        self._written.pop(path, None)

    def _replace(self, path: Path, text: str) -> None:
        self._guard()
        self._keep(path, text)
        self._disk.make_folder(path.parent)
        self._disk.replace(path, text, durable=path.parent == self._reports)
        self._written[path] = text
        if path.name == PLAN:
            self._plan_seen = _signature(path)

    def _keep(self, path: Path, text: str) -> None:
        """Archive a version, unless it is large and the last one is recent."""
        if path.name == phase_state.NAME or (self._unarchived and path.is_relative_to(self._unarchived)):
            return
        name = progress_name(path.stem) if path.parent == self._progress else path.name
        now = self._clock.monotonic()
        if len(text) > ARCHIVE_RATE and now - self._archived_at.get(name, -1e9) < len(text) / ARCHIVE_RATE:
            return
        self._archived_at[name] = now
        self._archive.keep(name, text)

    # Edits by people

    def edited_plan(self) -> str | None:
        """The text of the plan if a person changed it since we wrote it; None when it is ours or not there."""
        path = self._folder / PLAN
        signature = _signature(path)
        if signature is None or (signature == self._plan_seen and self._held is None):
            return None
        text = path.read_text(encoding="utf-8", errors="replace")
        if not text.strip("\0\n "):  # what a power cut leaves; a person who wanted to say something would have
            self._plan_seen, self._held = signature, None
            self._written.pop(path, None)
            return None
        mark = fingerprint(text)
        if text == self._written.get(path) or (mark and mark.intact):
            self._plan_seen, self._held = signature, None
            return None
        self._held = text
        return text

    def adopt_plan(self) -> None:
        """The edit was taken over: the plan is ours to write again."""
        path = self._folder / PLAN
        if self._held is not None:
            self._archive.keep(PLAN, self._held, durable=True)
        self._held = None
        self._plan_seen = _signature(path)
        self._written.pop(path, None)

    def take_completion(self) -> str | None:
        """The content of a completion marker somebody else put down; it is archived and removed."""
        for name in (COMPLETED, "complete.md"):
            path = self._folder / name
            if path.exists() and path not in self._written:
                text = path.read_text(encoding="utf-8", errors="replace")
                self._guard()
                self._archive.keep(name, text)
                self._disk.remove(path)
                return text
        return None

    def clean_up(self) -> None:
        """After full acceptance: archive and remove what was only needed on the way."""
        self._guard()
        for path in (self._folder / name for name in INTERMEDIATE):
            if path.exists():
                self._retire(path, path.name)
        for path in list(self._progress.glob("*.md")):
            self._retire(path, progress_name(path.stem))
        if self._progress.exists() and not any(self._progress.iterdir()):
            self._progress.rmdir()

    def _retire(self, path: Path, name: str) -> None:
        self._archive.keep(name, path.read_text(encoding="utf-8", errors="replace"))
        self._disk.remove(path)
        self._written.pop(path, None)


def _signature(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
