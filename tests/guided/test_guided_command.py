"""Guided search from the command line, and after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from grove import TWO_BY_TWO, Wood, a_tree, layered, researched, statuses_below

from deeproot.cli import main
from deeproot.testing import ScriptedBackend

CHILD = Path(__file__).with_name("hanging_child.py")
COMMAND = ("roots?", "--name", "g", "--strategy", "guided", "--breadth", "2", "--mock-mode", "--yes")


def printed(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    capsys.readouterr()
    assert main(command) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(("levels", "topics"), [(1, 2), (2, 6), (3, 14)])
def test_max_depth_counts_levels(project: Path, levels: int, topics: int) -> None:
    assert main([*COMMAND, "--max-depth", str(levels), "--max-iterations", "20"]) == 0
    assert len(statuses_below(project / ".research" / "g" / "tree")) == topics


def test_every_event_of_the_picker_is_a_line_of_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, *COMMAND, "--max-depth", "2", "--concurrency", "1", "--json").splitlines()
    events = [json.loads(line) for line in lines if line.startswith("{")]
    ranked = [event for event in events if event["kind"] == "leaves.ranked"]
    assert ranked[0]["by"] == "picker"
    assert set(ranked[0]["topics"]) == {"1.1", "1.2", "2.1", "2.2"}
    assert events[-1]["kind"] == "run.ended"
    assert project.exists()


@pytest.mark.usefixtures("project")
def test_the_tree_is_printed_in_four_formats(capsys: pytest.CaptureFixture[str]) -> None:
    main([*COMMAND, "--max-depth", "2"])
    text = printed(capsys, "tree", "g")
    assert [line.split(" [")[-1] for line in text.splitlines()] == ["expanded]", "leaf]", "leaf]"] * 2
    assert text == printed(capsys, "tree", "g", "--format", "text")
    (first, second) = json.loads(printed(capsys, "tree", "g", "--format", "json"))
    assert (first["id"], first["status"], first["plan_status"]) == ("1", "expanded", "Complete")
    assert [child["status"] for child in second["children"]] == ["leaf", "leaf"]
    assert printed(capsys, "tree", "g", "--format", "mermaid").count(" --> ") == 6
    assert printed(capsys, "tree", "g", "--format", "dot").count(" -> ") == 6


def test_a_researcher_changes_its_strategy_from_the_command_line(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    breadth = tuple("breadth" if word == "guided" else word for word in COMMAND)
    assert main([*breadth, "--max-depth", "2", "--max-iterations", "3", "--allow-low-limit"]) == 2
    assert main(["--name", "g", "--resume", "--strategy", "guided", "--max-iterations", "9"]) == 0
    rows = json.loads(printed(capsys, "log", "g", "--format", "json"))
    documents = Counter(row["topic"] for row in rows if row["step"] == "document")
    assert set(documents.values()) == {1}
    assert len(documents) == len(statuses_below(project / ".research" / "g" / "tree")) == 6


def test_what_a_kill_left_in_progress_is_finished_by_the_same_call(wood: Wood) -> None:
    """004-38, 004-40: killed with two second-level nodes under way; nothing finished is asked again."""
    shape = layered(2, 3)
    with subprocess.Popen([sys.executable, CHILD, wood.root, "T1.2", "T2.1"], env=os.environ) as child:
        deadline = time.monotonic() + 60
        while not hanging(wood, child, 2):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
    left = wood.nodes()
    finished = {path for path, status in left.items() if status in ("expanded", "leaf")}
    assert left["t1/t1-2"] == left["t2/t2-1"] == "in-progress"
    backend = ScriptedBackend(a_tree(shape))
    result = wood.search(backend, concurrency=2)
    assert (result.expanded, result.leaves, result.failed) == (2, 6, 0)
    assert result.skipped >= max(2, len(finished))
    assert {"T1.2", "T2.1"} <= set(researched(backend))
    assert len(researched(backend)) == 8 - result.skipped
    assert set(wood.nodes().values()) == {"expanded", "leaf"}
    assert not list(wood.root.rglob("*.deeproot-tmp"))


def hanging(wood: Wood, child: subprocess.Popen[bytes], number: int) -> bool:
    """Whether the child has said that so many of its asks will never be answered."""
    assert child.poll() is None, "it should hang, not end"
    marks = list(wood.root.parent.glob("hangs-*"))
    return len(marks) == number


def test_a_search_that_is_over_has_nothing_under_way(wood: Wood) -> None:
    """004-08, 004-46."""
    backend = ScriptedBackend(a_tree(TWO_BY_TWO), seconds=0.005)
    wood.search(backend)
    assert backend.running == 0
    assert set(wood.nodes().values()) == {"expanded", "leaf"}
