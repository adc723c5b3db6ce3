"""A tree search that is killed in the middle of a write leaves whole files, and the same call finishes the tree."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
import yaml
from grove import TWO_BY_TWO, Wood, a_tree

from deeproot.project.disk import TEMPORARY, Disk
from deeproot.researcher import Means
from deeproot.testing import FakeClock, FaultyDisk
from deeproot.trees import TreeSearchResult

WHOLE = TreeSearchResult(expanded=2, leaves=4, skipped=0, failed=0)


def search(root: Path, disk: Disk) -> TreeSearchResult:
    return Wood(root).search(a_tree(TWO_BY_TWO), Means(clock=FakeClock(), disk=disk), concurrency=2)


def killed_at(root: Path, point: int) -> bool:
    """A search in a forked child that is killed at its n-th write point; False when it ended before."""
    child = os.fork()
    if child == 0:
        try:
            search(root, FaultyDisk(point))
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def check_files(root: Path) -> None:
    for path in root.rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"))
    for path in root.glob("*/**/document.md"):
        assert yaml.safe_load(path.read_text(encoding="utf-8").split("---\n")[1])["title"]


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # of a fork, from Python 3.12 on
def test_a_kill_at_a_write_point_leaves_no_half_file_and_no_rubbish(memory_path: Path) -> None:
    """004-25, 004-40."""
    counting = FaultyDisk(-1)
    assert search(memory_path / "whole", counting) == WHOLE
    kills = 0
    for point in range(1, counting.points, max(1, counting.points // 25)):
        root = memory_path / f"killed-{point}"
        kills += killed_at(root, point)
        check_files(root)
        result = search(root, Disk())
        assert (result.expanded, result.leaves, result.failed) == (2, 4, 0)
        assert not list(root.rglob(f"*{TEMPORARY}"))
    assert kills > 20


def test_what_a_kill_left_beside_a_node_file_is_swept_away(memory_path: Path) -> None:
    root = memory_path / "tree"
    search(root, Disk())
    left = root / "a" / "a1" / f".node.json.1.1{TEMPORARY}"
    left.write_text("{", encoding="utf-8")
    search(root, Disk())
    assert not left.exists()
