"""A power cut: what must outlast it is on the disk with its name, and what it leaves cut short is made again."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest
from campaign import entries, fork, fresh, problems_at_rest
from child import Job, live
from shapes import NAME, Shape

from deeproot.errors import StorageError
from deeproot.knowledge.sources import SourceStore, text_hash
from deeproot.model import Source
from deeproot.project.disk import TEMPORARY, Disk
from deeproot.project.templates import builtin
from deeproot.researcher import ROOT, Researcher

Cut = Callable[[bytes], bytes]
CUTS: dict[str, Cut] = {
    "empty": lambda _: b"",
    "half": lambda data: data[: len(data) // 2],
    "zeros": lambda data: bytes(len(data)),
}


class Torn(NamedTuple):
    """A run that was killed on its way: its job, what it left, and the reports of one that was not killed."""

    job: Job
    image: Path
    reports: dict[str, bytes]


class NotingDisk(Disk):
    """Notes what was done in which order: the write points, and the folders whose names were made durable."""

    def __init__(self) -> None:
        self.notes: list[tuple[str, Path]] = []

    def point(self, name: str, path: Path) -> None:
        self.notes.append((name, path))

    def sync_names(self, folder: Path) -> None:
        super().sync_names(folder)
        self.notes.append(("names", folder))


def test_the_journal_and_all_folders_above_it_have_durable_names_before_anything_is_asked(tmp_path: Path) -> None:
    disk = NotingDisk()
    anyio.run(live, Job(tmp_path), disk)
    journal = Researcher(tmp_path, NAME).journal
    appended = [at for at, note in enumerate(disk.notes) if note == ("append.done", journal)]
    durable = {folder for note, folder in disk.notes[: appended[1]] if note == "names"}
    assert {tmp_path, tmp_path / ROOT, journal.parent} <= durable


def test_the_report_is_durable_before_the_journal_says_that_it_was_handed_over(tmp_path: Path) -> None:
    disk = NotingDisk()
    anyio.run(live, Job(tmp_path), disk)
    researcher = Researcher(tmp_path, NAME)
    last = max(at for at, note in enumerate(disk.notes) if note == ("append.done", researcher.journal))
    assert ("names", researcher.reports) in disk.notes[:last]


def test_a_source_is_durable_with_its_name_and_its_folder_when_it_is_kept(tmp_path: Path) -> None:
    disk = NotingDisk()
    SourceStore(tmp_path / "knowledge", disk).keep(Source("a.md", "A", text_hash("text")), "text", 0.0)
    sources = tmp_path / "knowledge" / "sources"
    assert {folder for note, folder in disk.notes if note == "names"} == {tmp_path, sources.parent, sources}
    written = [note for note, _ in disk.notes]
    assert written[-3:] == ["replace.written", "names", "replace.done"]


def test_a_new_file_is_durable_with_its_name_when_it_is_made(tmp_path: Path) -> None:
    disk = NotingDisk()
    assert disk.create(tmp_path / "hint.md", "Look at the north.")
    assert disk.notes[-2:] == [("names", tmp_path), ("create.done", tmp_path / "hint.md")]


def test_what_can_be_made_again_does_not_wait_for_the_disk(tmp_path: Path) -> None:
    disk = NotingDisk()
    disk.replace(tmp_path / "view", "text", durable=False)
    assert disk.create(tmp_path / "other", "text", durable=False)
    assert "names" not in [note for note, _ in disk.notes]


def test_of_a_shared_folder_only_what_the_dead_have_left_is_swept(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    living, dead, own = (tmp_path / f".a.md.1.{pid}{TEMPORARY}" for pid in (os.getppid(), gone.pid, os.getpid()))
    for left in (living, dead, own):
        left.touch()
    Disk().sweep(tmp_path, shared=True)
    assert list(tmp_path.iterdir()) == [living]
    Disk().sweep(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a file system that cannot make names durable")
def test_where_names_cannot_be_made_durable_that_is_no_error() -> None:
    Disk().sync_names(Path("/proc/self"))


def test_a_folder_that_is_gone_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="gone"):
        Disk().sync_names(tmp_path / "gone")


@pytest.fixture(scope="module", params=["4x1", "guided-4x1", "files-4x0", "ask-4x0"])
def torn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Torn:
    folder = tmp_path_factory.mktemp("power")
    job = Job(fresh(folder / "project"), shape=Shape.parse(request.param))
    points = fork(job).points
    whole = reports(job.project)
    for share in (0.75, 0.6, 0.45):  # views are written together, so a run may have fewer points than the one before
        fresh(job.project)
        if fork(replace(job, at=int(points * share))).killed:
            return Torn(job, Path(shutil.copytree(job.project, folder / "image")), whole)
    raise AssertionError("no run was killed")


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
def test_a_resume_makes_anew_whatever_a_power_cut_left_cut_short(torn: Torn, cut: Cut) -> None:
    """Everything except the journal, and the sources it speaks of, is written without waiting for the disk."""
    project = torn.job.project
    shutil.rmtree(project)
    shutil.copytree(torn.image, project)
    for path in unsynced(project):
        if (
            path.name != "research_plan.md" or cut is not CUTS["half"]
        ):  # half a plan may be a person's: it is left alone
            path.write_bytes(cut(path.read_bytes()))
    ended = fork(torn.job)
    assert not ended.killed
    assert reports(project) == torn.reports, ended.error
    shutil.rmtree(project / ROOT / NAME / "archive")  # what was found is kept there as it was
    assert not problems_at_rest(project)


def unsynced(project: Path) -> Iterator[Path]:
    home = project / ROOT / NAME
    kept = (home / "journal.jsonl", home / "research.lock.json")
    for path in project.rglob("*"):
        beside = path.parent in (project, project / "notes") or "archive" in path.parts or "sources" in path.parts
        if path.is_file() and path not in kept and not beside and path.suffix != ".lock":
            yield path


def reports(project: Path) -> dict[str, bytes]:
    folder = Researcher(project, NAME).reports
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
def test_a_source_that_was_cut_short_is_noticed_and_kept_anew_when_it_is_read_again(tmp_path: Path, cut: Cut) -> None:
    source = Source("a.md", "A", text_hash("The text."))
    SourceStore(tmp_path, Disk()).keep(source, "The text.", 0.0)
    (path,) = (tmp_path / "sources").iterdir()
    path.write_bytes(cut(path.read_bytes()))
    store = SourceStore(tmp_path, Disk())
    assert not isinstance(store.text(source.sha256 or ""), str)
    store.keep(source, "The text.", 1.0)
    assert store.text(source.sha256 or "") == "The text."


@pytest.mark.parametrize("left", [b"", bytes(50)], ids=["empty", "zeros"])
def test_a_template_that_a_power_cut_emptied_is_written_again(tmp_path: Path, left: bytes) -> None:
    anyio.run(live, Job(tmp_path), Disk())
    plan = tmp_path / ROOT / "templates" / "initial_plan.md"
    plan.write_bytes(left)
    shutil.rmtree(tmp_path / ROOT / NAME)
    anyio.run(live, Job(tmp_path), Disk())
    assert plan.read_text(encoding="utf-8") == builtin()["initial_plan"]


class FullDisk(Disk):
    """Has no room for the `at`-th source."""

    def __init__(self, at: int) -> None:
        self._left = at

    def point(self, name: str, path: Path) -> None:
        if name == "replace" and path.parent.name == "sources":
            self._left -= 1
            if not self._left:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("at", [2, 5], ids=["while a site is read", "in a turn"])
def test_a_page_that_cannot_be_stored_ends_the_run_with_its_path(tmp_path: Path, at: int) -> None:
    """Pages are read side by side: the error comes in a bundle, and must not pass for a failed turn."""
    job = Job(tmp_path, shape=Shape.parse("web-1x0"))
    with pytest.raises(StorageError, match=r"Cannot write .*sources.*No space left"):
        anyio.run(live, job, FullDisk(at))
    started = [event["kind"] for entry in entries(tmp_path) for event in entry.get("batch", {}).get("events", ())]
    assert ("turn.started" in started) is (at > 3)
    assert "turn.failed" not in started
