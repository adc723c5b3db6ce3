"""Every version is kept, once, under a name that says when and by whom."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from deeproot.project.archive import Archive, progress_name, reorganize
from deeproot.project.disk import Disk

A, B, LIVE = "a" * 32, "b" * 32, "c" * 32
NOW = 1_750_000_000
PATTERN = re.compile(r"^(\d+)\.([0-9a-f]{32})\.(.+)$")


class Clock:
    def __init__(self) -> None:
        self.now = float(NOW)

    def __call__(self) -> float:
        return self.now


def opened(folder: Path, token: str = A, clock: Callable[[], float] | None = None) -> Archive:
    return Archive(folder, token, Disk(), clock or Clock())


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "archive").rglob("*") if path.is_file())


def seed(folder: Path, *files: str) -> None:
    (folder / "archive").mkdir(exist_ok=True)
    for name in files:
        (folder / "archive" / name).write_text(name)


def test_a_copy_is_named_by_second_token_and_original_name(tmp_path: Path) -> None:
    path = opened(tmp_path).keep("research_plan.md", "v1")
    assert path == tmp_path / "archive" / f"{NOW}.{A}.research_plan.md"
    assert path.read_text() == "v1"


def test_a_topic_file_carries_its_slug(tmp_path: Path) -> None:
    path = opened(tmp_path).keep(progress_name("ocean-heat"), "notes")
    assert path is not None
    assert path.name == f"{NOW}.{A}.ocean-heat.progress.md"


def test_an_unchanged_file_is_kept_once(tmp_path: Path) -> None:
    archive = opened(tmp_path)
    archive.keep("progress.md", "same")
    assert archive.keep("progress.md", "same") is None
    assert len(names(tmp_path)) == 1


def test_different_files_with_equal_text_are_both_kept(tmp_path: Path) -> None:
    archive = opened(tmp_path)
    archive.keep("one.progress.md", "same")
    archive.keep("two.progress.md", "same")
    assert names(tmp_path) == [f"{NOW}.{A}.one.progress.md", f"{NOW}.{A}.two.progress.md"]


def test_versions_of_one_second_are_all_kept_in_order_and_in_the_pattern(tmp_path: Path) -> None:
    archive = opened(tmp_path)
    paths = [archive.keep("research_plan.md", f"v{number}") for number in range(12)]
    matches = [PATTERN.match(name) for name in names(tmp_path)]
    assert all(match and match[3] == "research_plan.md" for match in matches)
    assert [path.read_text() for path in sorted(filter(None, paths))] == [f"v{n}" for n in range(12)]
    assert paths[-1] == tmp_path / "archive" / names(tmp_path)[-1]


def test_a_clock_that_was_set_back_does_not_make_the_new_version_old(tmp_path: Path) -> None:
    clock = Clock()
    archive = opened(tmp_path, clock=clock)
    archive.keep("research_plan.md", "v1")
    clock.now -= 86400
    newest = archive.keep("research_plan.md", "v2")
    assert newest == tmp_path / "archive" / names(tmp_path)[-1]


def test_a_resumed_researcher_knows_what_earlier_ones_kept(tmp_path: Path) -> None:
    opened(tmp_path, A).keep("progress.md", "v1")
    resumed = opened(tmp_path, B)
    assert resumed.keep("progress.md", "v1") is None
    assert resumed.keep("progress.md", "v2") == tmp_path / "archive" / f"{NOW + 1}.{B}.progress.md"


def test_versions_in_token_folders_still_count(tmp_path: Path) -> None:
    first = opened(tmp_path, A)
    first.keep("progress.md", "v1")
    first.keep("progress.md", "v2")
    resumed = opened(tmp_path, B)
    resumed.keep("other.md", "x")
    reorganize(tmp_path, B, Disk())
    assert resumed.keep("progress.md", "v1") is None
    assert opened(tmp_path, B).keep("progress.md", "v2") is None


def test_a_name_that_is_taken_is_never_overwritten(tmp_path: Path) -> None:
    archive = opened(tmp_path)
    archive.keep("other.md", "lists the folder")
    seed(tmp_path, f"{NOW}.{A}.progress.md")
    path = archive.keep("progress.md", "v1")
    assert path == tmp_path / "archive" / f"{NOW + 1}.{A}.progress.md"
    assert (tmp_path / "archive" / f"{NOW}.{A}.progress.md").read_text() == f"{NOW}.{A}.progress.md"


def test_each_copy_is_read_once_however_often_versions_are_kept(tmp_path: Path) -> None:
    opened(tmp_path, A).keep("progress.md", "v1")
    resumed = opened(tmp_path, B)
    assert resumed.keep("progress.md", "v1") is None
    for path in (tmp_path / "archive").iterdir():
        path.unlink()
    assert resumed.keep("progress.md", "v1") is None


def test_a_copy_that_was_deleted_before_it_was_read_can_be_kept_again(tmp_path: Path) -> None:
    opened(tmp_path, A).keep("progress.md", "v1")
    resumed = opened(tmp_path, B)
    resumed.keep("other.md", "lists the folder")
    (tmp_path / "archive" / f"{NOW}.{A}.progress.md").unlink()
    assert resumed.keep("progress.md", "v1") is not None


@pytest.mark.parametrize("name", ["", "../state.json", "progress/topic.md", "/etc/passwd", "a\nb"])
def test_only_plain_file_names_are_kept(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="plain file name"):
        opened(tmp_path).keep(name, "x")
    assert not (tmp_path / "archive").exists()


def test_reorganizing_leaves_single_copies_and_the_live_token(
    tmp_path: Path,
) -> None:
    finished = [f"1.{A}.progress.md", f"2.{A}.progress.md", f"10.{A}.research_plan.md"]
    seed(tmp_path, *finished, f"3.{B}.progress.md", f"4.{LIVE}.progress.md", f"5.{LIVE}.progress.md")
    (tmp_path / "archive" / "readme.txt").write_text("mine")
    done = reorganize(tmp_path, LIVE, Disk())
    archive = tmp_path / "archive"
    assert done.moved == tuple(archive / A / name for name in finished)
    assert [path.read_text() for path in done.moved] == finished
    assert [path.name for path in done.left] == [
        f"3.{B}.progress.md",
        f"4.{LIVE}.progress.md",
        f"5.{LIVE}.progress.md",
    ]
    assert sorted(path.name for path in archive.iterdir() if path.is_file()) == sorted(
        ["readme.txt", *(path.name for path in done.left)]
    )


def test_reorganizing_twice_changes_nothing_more(tmp_path: Path) -> None:
    seed(tmp_path, f"1.{A}.x.md", f"2.{A}.x.md")
    assert len(reorganize(tmp_path, None, Disk()).moved) == 2
    assert reorganize(tmp_path, None, Disk()).moved == ()


def test_reorganizing_never_overwrites(tmp_path: Path) -> None:
    seed(tmp_path, f"1.{A}.x.md", f"2.{A}.x.md")
    (tmp_path / "archive" / A).mkdir()
    (tmp_path / "archive" / A / f"1.{A}.x.md").write_text("older")
    done = reorganize(tmp_path, None, Disk())
    assert [path.name for path in done.left] == [f"1.{A}.x.md"]
    assert (tmp_path / "archive" / A / f"1.{A}.x.md").read_text() == "older"


def test_reorganizing_without_an_archive_does_nothing(tmp_path: Path) -> None:
    assert reorganize(tmp_path, None, Disk()).moved == ()
    assert not (tmp_path / "archive").exists()
