"""The tree on disk: a folder per topic that people can read, delete from, and trust to stay inside."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from grove import (
    FORKING,
    TWO_BY_TWO,
    Sessions,
    Wood,
    a_tree,
    drawn,
    layered,
    picking,
    preferring,
    researched,
    statuses_below,
)
from hypothesis import given
from hypothesis import strategies as st

from deeproot.asks import Ask, Kind
from deeproot.model import SLUG_LENGTH
from deeproot.testing import Scripted, ScriptedBackend
from laboratory import MEMORY, Lab, failing, first, topic_of

GUIDED: dict[str, Any] = {"strategy": "guided", "breadth": 3, "depth": 1, "max_iterations": 200}


def test_a_tree_of_documents_looks_as_drawn_in_the_source_document(wood: Wood) -> None:
    """004-02, 004-20, 004-21, 004-45: every file of a small tree."""
    backend = ScriptedBackend(
        Sessions(a_tree({"": ["Topic A", "Topic B"], "Topic A": ["Subtopic 1"]})), abilities=FORKING
    )
    wood.search(backend, concurrency=1)
    assert sorted(
        path.relative_to(wood.root).as_posix() for path in wood.root.rglob("*") if ".research" not in path.parts
    ) == [
        "children.json",
        "topic-a",
        "topic-a/children.json",
        "topic-a/document.md",
        "topic-a/node.json",
        "topic-a/subtopic-1",
        "topic-a/subtopic-1/children.json",
        "topic-a/subtopic-1/document.md",
        "topic-a/subtopic-1/node.json",
        "topic-b",
        "topic-b/children.json",
        "topic-b/document.md",
        "topic-b/node.json",
    ]
    assert wood.json("children.json") == [
        {"title": "Topic A", "slug": "topic-a"},
        {"title": "Topic B", "slug": "topic-b"},
    ]
    assert wood.json("topic-a", "children.json") == [{"title": "Subtopic 1", "slug": "subtopic-1"}]
    assert wood.json("topic-b", "children.json") == []
    node = wood.json("topic-a", "node.json")
    assert list(node)[:4] == ["title", "slug", "sessionId", "status"]
    assert (node["title"], node["slug"], node["sessionId"], node["status"]) == (
        "Topic A",
        "topic-a",
        "session-2",
        "expanded",
    )
    assert wood.nodes() == {"topic-a": "expanded", "topic-a/subtopic-1": "leaf", "topic-b": "leaf"}
    assert wood.text("topic-b", "document.md") == '---\ntitle: "Topic B"\n---\n\n# Topic B\n\nAll there is to say.\n'


def test_a_guided_researcher_keeps_the_same_tree_in_its_own_folder(lab: Lab) -> None:
    lab.run(drawn(TWO_BY_TWO), **GUIDED)
    tree = lab.folder / "tree"
    assert sorted(path.name for path in tree.iterdir()) == ["a", "b", "children.json"]
    assert statuses_below(tree) == {
        "a": "expanded",
        "a/a1": "leaf",
        "a/a2": "leaf",
        "b": "expanded",
        "b/b1": "leaf",
        "b/b2": "leaf",
    }
    for path in tree.rglob("document.md"):
        fields = yaml.safe_load(path.read_text(encoding="utf-8").split("---\n")[1])
        assert {"title", "topic", "depth", "findings", "sources", "gaps"} <= fields.keys()
        assert (path.parent / "children.json").exists()


def test_a_breadth_first_researcher_keeps_no_tree_folder(lab: Lab) -> None:
    lab.run(drawn(TWO_BY_TWO), **GUIDED | {"strategy": "breadth"})
    assert not (lab.folder / "tree").exists()


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_topic_is_in_progress_on_disk_before_it_is_asked_about(lab: Lab, concurrency: int) -> None:
    """004-37."""
    seen: dict[str, str] = {}

    def look(ask: Ask) -> None:
        if ask.kind is Kind.DOCUMENT:
            (folder,) = (lab.folder / "tree").rglob(topic_of(ask).slug)
            seen[topic_of(ask).title] = json.loads((folder / "node.json").read_text(encoding="utf-8"))["status"]

    lab.run(first(look, drawn(TWO_BY_TWO)), **GUIDED, concurrency=concurrency)
    assert seen == dict.fromkeys(["A", "A1", "A2", "B", "B1", "B2"], "in-progress")


def test_topics_not_yet_researched_are_there_as_unexpanded_and_failed_ones_as_failed(lab: Lab) -> None:
    """004-22, 004-36: only the source's words, and `failed` for what was given up."""

    def fail(ask: Ask) -> Scripted | None:
        return failing() if ask.kind is Kind.DOCUMENT and topic_of(ask).title == "B1" else None

    lab.run(first(fail, picking(preferring("b1", "a1")), drawn(TWO_BY_TWO)), **GUIDED | {"max_iterations": 4})
    found = statuses_below(lab.folder / "tree")
    assert found == {
        "a": "expanded",
        "a/a1": "leaf",
        "a/a2": "unexpanded",
        "b": "expanded",
        "b/b1": "failed",
        "b/b2": "unexpanded",
    }
    assert not (lab.folder / "tree" / "a" / "a2" / "document.md").exists()


@pytest.mark.parametrize("name", ["document.md", "children.json"])
def test_deleting_a_file_of_a_topic_has_it_researched_again_and_no_other(lab: Lab, name: str) -> None:
    """004-31, in a researcher that was complete."""
    lab.run(drawn(TWO_BY_TWO), **GUIDED)
    file = lab.folder / "tree" / "a" / "a2" / name
    file.unlink()
    done = lab.resume(drawn(TWO_BY_TWO))
    assert researched(done.backend) == ["A2"]
    assert file.exists()
    assert done.outcome.exit_code == 0
    assert [event.topic for event in done.of_kind("topic.reopened")] == ["1.2"]
    assert not lab.resume(drawn(TWO_BY_TWO)).backend.asked(Kind.DOCUMENT)


@pytest.mark.parametrize("name", ["document.md", "children.json"])
def test_deleting_a_file_of_a_node_has_it_researched_again_and_no_other(wood: Wood, name: str) -> None:
    """004-31, in a tree of documents: an inner node; its children stay and are not named twice."""
    wood.search(a_tree(TWO_BY_TWO))
    (wood.root / "a" / name).unlink()
    backend = ScriptedBackend(a_tree(TWO_BY_TWO))
    result = wood.search(backend)
    assert researched(backend) == ["A"]
    assert (result.expanded, result.leaves, result.skipped, result.failed) == (2, 4, 5, 0)
    assert wood.json("a", "children.json") == [{"title": "A1", "slug": "a1"}, {"title": "A2", "slug": "a2"}]
    assert wood.nodes()["a"] == "expanded"


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"title": "A1"}', '{"status": "no such word"}'])
def test_a_node_file_that_is_missing_or_damaged_is_written_again_and_nothing_is_asked(
    wood: Wood, text: str | None
) -> None:
    """004-26, 004-27: the tree is read from the journal; files of any kind are views of it."""
    wood.search(a_tree(TWO_BY_TWO))
    before = wood.nodes()
    file = wood.root / "a" / "a1" / "node.json"
    file.unlink()
    if text is not None:
        file.write_text(text, encoding="utf-8")
    backend = ScriptedBackend(a_tree(TWO_BY_TWO))
    wood.search(backend)
    assert backend.asks == []
    assert wood.nodes() == before


def test_a_deleted_document_is_not_put_back_before_it_is_written_anew(wood: Wood) -> None:
    wood.search(a_tree(TWO_BY_TWO))
    file = wood.root / "a" / "a1" / "document.md"
    file.unlink()
    seen: list[tuple[bool, str]] = []

    def look(ask: Ask) -> Scripted | None:
        if ask.kind is not Kind.DOCUMENT:
            return None
        seen.append((file.exists(), wood.nodes()["a/a1"]))
        return "# New\n"

    wood.search(a_tree(TWO_BY_TWO, look))
    assert seen == [(False, "in-progress")]
    assert "# New" in file.read_text(encoding="utf-8")


def test_a_tree_begun_breadth_first_is_all_there_after_a_switch(lab: Lab) -> None:
    """Nothing counts as deleted that was only never written."""
    settings = GUIDED | {"strategy": "breadth", "max_iterations": 3}
    lab.run(drawn(TWO_BY_TWO), **settings)
    done = lab.resume(drawn(TWO_BY_TWO), strategy="guided", max_iterations=200)
    assert not done.of_kind("topic.reopened")
    assert len(statuses_below(lab.folder / "tree")) == len(list((lab.folder / "tree").rglob("document.md"))) == 6


HOSTILE = [
    "../../etc",
    "/etc/passwd",
    "node.json",
    "children.json",
    "document.md",
    "..",
    "Same title",
    "Same  Title!",
    "same/title",
    "日本語",
    "中文",
    "😀",
    "CON",
    "a\\b",
    "x" * 300,
    "x" * 190 + "y" * 110,
    "\x00\x1b[31m",
    "-",
]


def inside(wood: Wood) -> list[Path]:
    folders = [path.parent for path in wood.root.rglob("node.json")]
    assert all(folder.resolve().is_relative_to(wood.root.resolve()) for folder in folders)
    assert all(0 < len(folder.name) <= SLUG_LENGTH for folder in folders)
    return folders


def test_hostile_titles_stay_inside_and_apart(wood: Wood) -> None:
    """004-24, at both levels; titles that are empty or the same to a reader are dropped."""
    listing = json.dumps([{"title": title, "slug": title} for title in [*HOSTILE, "", "  \n "]])

    def name(ask: Ask) -> Scripted | None:
        return f"<output>{listing}</output>" if ask.kind in (Kind.PLAN, Kind.CHILDREN) else None

    result = wood.search(a_tree({}, name), max_depth=2, concurrency=16)
    folders = inside(wood)
    assert len(set(folders)) == len(folders) == result.expanded + result.leaves == len(HOSTILE) * (len(HOSTILE) + 1)
    assert {path.name for path in wood.root.parent.iterdir()} == {wood.root.name}


@given(st.lists(st.text(max_size=80), min_size=1, max_size=6))
def test_whatever_the_titles_every_node_has_a_folder_of_its_own_inside(titles: list[str]) -> None:
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        wood = Wood(Path(folder) / "wood")
        kept = {" ".join(title.split()).encode("utf-8", "replace").decode().casefold() for title in titles} - {""}
        backend = ScriptedBackend(
            lambda ask: json.dumps([{"title": t} for t in titles]) if ask.kind is Kind.PLAN else "# D"
        )
        if not kept:
            return
        result = wood.search(backend, max_depth=1)
        assert len(inside(wood)) == result.leaves == len(kept)
        for path in wood.root.glob("*/document.md"):
            fields = yaml.safe_load(path.read_text(encoding="utf-8").split("---\n")[1])
            assert fields["title"] == json.loads((path.parent / "node.json").read_text(encoding="utf-8"))["title"]


def test_five_hundred_topics_at_sixteen_at_a_time_are_each_there_once(wood: Wood) -> None:
    """004-48: none lost, none twice, and every folder has its three files."""
    backend = ScriptedBackend(a_tree(layered(20, 4, 5)))
    result = wood.search(backend, concurrency=16)
    titles = researched(backend)
    assert len(titles) == len(set(titles)) == result.expanded + result.leaves == 500
    assert len(list(wood.root.rglob("document.md"))) == len(list(wood.root.rglob("*/children.json"))) == 500
    assert set(wood.nodes().values()) == {"expanded", "leaf"}
    assert backend.running == 0
