"""`tree_search`: any tree of documents, from Python, with answers of every quality."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import anyio
import pytest
from grove import TWO_BY_TWO, Patient, Wood, a_tree, layered, picking, preferring, researched

from deeproot.asks import Ask, Kind
from deeproot.backends import BackendSettings
from deeproot.errors import DeeprootError, UsageError
from deeproot.researcher import Means
from deeproot.testing import Script, Scripted, ScriptedBackend
from deeproot.trees import TreeNode, TreeSearchResult, tree_search
from laboratory import failing, topic_of

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "tree_search.py"


@dataclass(frozen=True, slots=True)
class Lesson:
    title: str
    minutes: int
    since: date | None = None


def about(title: str, kind: Kind, *said: Scripted) -> Script:
    """Answers the asks of a kind about one topic, the last answer again and again."""
    given: list[Ask] = []

    def script(ask: Ask) -> Scripted | None:
        if ask.kind is not kind or topic_of(ask).title != title:
            return None
        given.append(ask)
        return said[min(len(given), len(said)) - 1]

    return script


def lesson(ask: Ask) -> Scripted | None:
    if ask.kind is not Kind.DOCUMENT:
        return None
    return f"---\ntitle: {topic_of(ask).title}\nminutes: 20\n---\n\nRead this.\n"


# Numbers


def test_a_fresh_search_counts_what_it_expanded_and_what_has_no_children(wood: Wood) -> None:
    """004-42."""
    assert wood.search(a_tree(TWO_BY_TWO)) == TreeSearchResult(expanded=2, leaves=4, skipped=0, failed=0)


def test_the_same_call_again_asks_nothing_and_skips_everything(wood: Wood) -> None:
    """004-30, 004-40."""
    wood.search(a_tree(TWO_BY_TWO))
    backend = ScriptedBackend(a_tree(TWO_BY_TWO))
    assert wood.search(backend) == TreeSearchResult(expanded=2, leaves=4, skipped=6, failed=0)
    assert backend.asks == []
    assert wood.said[:2] == ["Skipped (cached): A", "Skipped (cached): A1"]


def test_a_deeper_call_goes_on_below_what_was_the_depth_limit_only_where_it_is_asked_to(wood: Wood) -> None:
    """A node that was finished at the limit stays a leaf until its files are deleted."""
    shape = layered(2, 2, 2)
    wood.search(a_tree(shape), max_depth=2)
    (wood.root / "t1" / "t1-1" / "children.json").unlink()
    result = wood.search(a_tree(shape), max_depth=3)
    assert result == TreeSearchResult(expanded=3, leaves=5, skipped=5, failed=0)
    assert wood.nodes()["t1/t1-1/t1-1-2"] == "leaf"


def test_a_node_that_fails_is_counted_and_named_and_stops_no_other(wood: Wood) -> None:
    """004-41."""
    result = wood.search(a_tree(TWO_BY_TWO, about("A1", Kind.DOCUMENT, failing("no more paper"))))
    assert result == TreeSearchResult(expanded=2, leaves=3, skipped=0, failed=1)
    assert wood.nodes()["a/a1"] == "failed"
    assert any(line.startswith("Failed: A1 (") and "no more paper" in line for line in wood.said)


def test_a_node_that_failed_gets_new_tries_in_the_next_call(wood: Wood) -> None:
    """The document it had is not asked for again: only what failed is."""
    wood.search(a_tree(TWO_BY_TWO, about("A", Kind.CHILDREN, "I cannot say.")))
    assert wood.nodes() == {"a": "failed", "b": "expanded", "b/b1": "leaf", "b/b2": "leaf"}
    backend = ScriptedBackend(a_tree(TWO_BY_TWO))
    assert wood.search(backend) == TreeSearchResult(expanded=2, leaves=4, skipped=3, failed=0)
    assert researched(backend) == ["A1", "A2"]
    assert [topic_of(ask).title for ask in backend.asked(Kind.CHILDREN)] == ["A", "A1", "A2"]
    assert wood.nodes()["a"] == "expanded"


def test_a_node_that_keeps_failing_is_tried_as_often_in_each_call(wood: Wood) -> None:
    bad = about("A1", Kind.DOCUMENT, failing())
    tries = []
    for _ in range(2):
        backend = ScriptedBackend(a_tree(TWO_BY_TWO, bad))
        assert wood.search(backend).failed == 1
        tries.append(researched(backend).count("A1"))
    assert tries == [4, 4]


def test_the_journal_of_a_finished_tree_says_that_it_is_complete(wood: Wood) -> None:
    wood.search(a_tree(TWO_BY_TWO))
    wood.search(a_tree(TWO_BY_TWO))
    assert [ended.outcome for ended in wood.events("run.ended")] == ["complete", "complete"]
    state = wood.json(".research", "tree", "state.json")
    assert (state["is_complete"], state["current_phase"]) == (True, "COMPLETE")


def test_the_journal_of_a_tree_with_failed_nodes_does_not(wood: Wood) -> None:
    wood.search(a_tree(TWO_BY_TWO, about("A1", Kind.DOCUMENT, failing("no more paper"))))
    (ended,) = wood.events("run.ended")
    assert ended.outcome == "limited"
    assert "no more paper" in ended.reason


def test_a_document_is_kept_in_one_place(wood: Wood) -> None:
    """A researcher's progress files would only repeat what `document.md` says."""
    wood.search(a_tree(TWO_BY_TWO))
    assert "All there is to say." in wood.text("a", "a1", "document.md")
    texts = [path.read_text(encoding="utf-8") for path in (wood.root / ".research").rglob("*.md")]
    assert texts
    assert not any("All there is to say." in text for text in texts)


def test_a_root_without_children_is_an_error_and_nothing_is_called_complete(wood: Wood) -> None:
    with pytest.raises(DeeprootError, match="root needs at least one child"):
        wood.search(lambda ask: "<output>[]</output>" if ask.kind is Kind.PLAN else None)
    assert not any("complete" in line for line in wood.said)


# The depth


def test_no_node_is_deeper_than_the_limit_and_the_deepest_have_a_document_and_no_children(wood: Wood) -> None:
    """004-13, 004-14: four levels unless told otherwise; the last level is not asked for children."""
    backend = ScriptedBackend(a_tree(layered(1, 1, 1, 1, 1, 1)))
    assert wood.search(backend) == TreeSearchResult(expanded=3, leaves=1, skipped=0, failed=0)
    deepest = ("t1", "t1-1", "t1-1-1", "t1-1-1-1")
    assert wood.json(*deepest, "children.json") == []
    assert wood.text(*deepest, "document.md")
    assert len(backend.asked(Kind.DOCUMENT)) == 4
    assert len(backend.asked(Kind.CHILDREN)) == 3


# Documents


def test_front_matter_that_fails_the_schema_is_sent_back_with_the_errors(wood: Wood) -> None:
    """004-33: none, then a wrong one, then a right one: three asks."""
    bad = ("Just text.", "---\ntitle: A\nminutes: many\n---\n\nText.")
    good = "---\ntitle: A\nminutes: 20\nsince: 2024-05-01\n---\n\nText.\n"
    backend = ScriptedBackend(a_tree({"": ["A"]}, about("A", Kind.DOCUMENT, *bad, good)))
    result = wood.search(backend, frontmatter_schema=Lesson)
    first, second, third = (ask.prompt for ask in backend.asked(Kind.DOCUMENT))
    assert "could not be used" not in first
    assert "does not begin with front matter" in second
    assert "front matter minutes: Input should be a valid integer" in third
    assert result.leaves == 1
    assert wood.text("a", "document.md") == good


@pytest.mark.parametrize(
    "bad",
    [
        "No front matter at all.",
        "---\n: [\n---\n\nNot YAML.",
        "---\ntitle: A\nminutes: 1\nsince: 2024-13-45\n---\n\nNo such day.",
        "---\n- a\n- list\n---\n\nNot a mapping.",
    ],
)
def test_front_matter_that_never_fits_fails_its_node_alone(wood: Wood, bad: str) -> None:
    backend = ScriptedBackend(a_tree(TWO_BY_TWO, about("A1", Kind.DOCUMENT, bad), lesson))
    assert wood.search(backend, frontmatter_schema=Lesson) == TreeSearchResult(2, 3, 0, 1)
    assert not (wood.root / "a" / "a1" / "document.md").exists()


def test_unreadable_front_matter_is_sent_back_even_without_a_schema(wood: Wood) -> None:
    """004-15: whatever reads the tree later can rely on it."""
    backend = ScriptedBackend(a_tree({"": ["A"]}, about("A", Kind.DOCUMENT, "---\n: [\n---\n\nText.", "Text.")))
    wood.search(backend)
    assert len(backend.asked(Kind.DOCUMENT)) == 2
    assert wood.text("a", "document.md") == '---\ntitle: "A"\n---\n\nText.\n'


@pytest.mark.parametrize(
    "document",
    [
        'The answer looks like this:\n\n    {"summary": "not me"}\n\nand no other way.\n',
        "In HTML, `<output>` shows a result:\n\n<output>42</output>\n\nThat is all.\n",
        "Use a list such as [1, 2] or [].\n",
    ],
)
def test_a_document_is_kept_as_it_was_written(wood: Wood, document: str) -> None:
    wood.search(a_tree({"": ["A"]}, about("A", Kind.DOCUMENT, document)))
    assert wood.text("a", "document.md").endswith("---\n\n" + document)


@pytest.mark.parametrize("wrapped", ["<output>\n{}</output>", "```markdown\n{}```", "\n\n{}\n"])
def test_a_document_is_taken_out_of_its_wrapping(wood: Wood, wrapped: str) -> None:
    document = "---\ntitle: A\nminutes: 5\n---\n\nText.\n"
    wood.search(a_tree({"": ["A"]}, about("A", Kind.DOCUMENT, wrapped.format(document))), frontmatter_schema=Lesson)
    assert wood.text("a", "document.md") == document


# Children


@pytest.mark.parametrize(
    "said",
    [
        '<output>[{"title": "One", "slug": "one"}, {"title": "Two", "slug": "two"}]</output>',
        'There are [at least] two:\n```json\n[{"title": "One"}, {"title": "Two"}]\n```\nAnything else? [ ] no',
        '{"children": [{"title": "One"}, {"title": "Two"}]}',
        'Done.\n<OUTPUT>\n[{"title": "One", "slug": "children"}, {"title": "Two", "slug": "topics"}]\n</OUTPUT>',
        '<output>[{"title": "One", "why": "extra keys"}, {"title": "Two"}, {"title": " "}]</output>',
    ],
)
def test_children_are_found_in_any_wrapping(wood: Wood, said: str) -> None:
    """004-34."""
    backend = ScriptedBackend(a_tree({"": ["A"]}, about("A", Kind.CHILDREN, said)))
    wood.search(backend, max_depth=2)
    assert [child["title"] for child in wood.json("a", "children.json")] == ["One", "Two"]
    assert len(backend.asked(Kind.CHILDREN)) == 1


@pytest.mark.parametrize(
    "bad", ['<output>[{"name": "One"}]</output>', "One and Two.", '[{"title": 3}]', "<output></output>"]
)
def test_children_of_the_wrong_form_are_asked_for_again(wood: Wood, bad: str) -> None:
    """004-34, 004-50: repaired by a second ask in which the errors are named."""
    good = '<output>[{"title": "One"}]</output>'
    backend = ScriptedBackend(a_tree({"": ["A"]}, about("A", Kind.CHILDREN, bad, good)))
    assert wood.search(backend, max_depth=2) == TreeSearchResult(1, 1, 0, 0)
    assert "could not be used" in backend.asked(Kind.CHILDREN)[1].prompt


def test_a_node_whose_children_are_never_readable_fails_alone(wood: Wood) -> None:
    result = wood.search(a_tree(TWO_BY_TWO, about("A", Kind.CHILDREN, "I cannot say.")))
    assert result == TreeSearchResult(expanded=1, leaves=2, skipped=0, failed=1)
    assert wood.nodes()["a"] == "failed"


def test_half_a_surrogate_pair_in_a_title_does_no_harm(wood: Wood) -> None:
    wood.search(a_tree({"": ["A"]}, about("A", Kind.CHILDREN, '[{"title": "One \\ud800 half"}]')), max_depth=2)
    assert wood.json("a", "children.json")[0]["title"] == "One ? half"


def test_no_children_make_a_leaf(wood: Wood) -> None:
    """004-35."""
    assert wood.search(a_tree({"": ["A"]}, about("A", Kind.CHILDREN, "<output>[]</output>"))).leaves == 1
    assert wood.nodes() == {"a": "leaf"}


def test_children_beyond_the_hundredth_are_on_record_as_dropped(wood: Wood) -> None:
    wood.search(a_tree({"": [f"Part {number}" for number in range(103)]}), max_depth=1, concurrency=16)
    assert len(wood.nodes()) == 100
    assert wood.events("plan.made")[0].dropped == ("Part 100", "Part 101", "Part 102")


# Words


def test_progress_is_told_in_the_words_of_the_source(wood: Wood) -> None:
    """004-43: all seven messages."""
    wood.search(a_tree({"": ["A", "B"], "A": ["A1"], "A1": ["A11"]}), concurrency=1, max_depth=3)
    assert wood.said == [
        "Generating root children...",
        "Walking root level: A (1/2)",
        "Walking root level: B (2/2)",
        "Picking next leaf to research...",
        "Researching: A1 (depth 2)",
        "Picking next leaf to research...",
        "Depth limit reached: A11",
        "Tree search complete: 2 expanded, 2 leaves, 0 skipped",
    ]
    wood.search(a_tree({}))
    assert wood.said == [
        *(f"Skipped (cached): {title}" for title in ("A", "A1", "A11", "B")),
        "Tree search complete: 2 expanded, 2 leaves, 4 skipped",
    ]


def test_a_picker_of_no_use_is_told_too(wood: Wood) -> None:
    wood.search(a_tree(TWO_BY_TWO, picking("No.")))
    assert any(line.startswith("Picked breadth-first: ") for line in wood.said)


# Options


def test_every_prompt_builder_is_used_and_told_about_its_node(wood: Wood) -> None:
    """004-44: the form of the answer is added to what the builders say."""
    seen: list[TreeNode] = []

    def document(node: TreeNode) -> str:
        seen.append(node)
        return f"Write about {'/'.join(node.path)} at level {node.depth}."

    def picker(outline: str, leaves: object) -> str:
        assert isinstance(leaves, list)
        return f"{len(leaves)} wait:\n{outline}"

    backend = ScriptedBackend(a_tree(TWO_BY_TWO, picking(preferring("b2"))))
    wood.search(backend, concurrency=1, document_prompt=document, picker_prompt=picker)
    assert next(node for node in seen if node.title == "B1") == TreeNode("2.1", "b1", "B1", 2, ("b", "b1"))
    asked = {topic_of(ask).title: ask.prompt for ask in backend.asked(Kind.DOCUMENT)}
    assert asked["B1"].startswith("Write about b/b1 at level 2.\n\nReturn ONLY the Markdown document")
    pick = backend.asked(Kind.PICK)[0].prompt
    assert pick.startswith("4 wait:\n- A [expanded] (a)\n  - A1 [unexpanded] (a/a1)\n")
    assert "at most 4 leaves, best first, one per line, inside <output> tags" in pick
    assert researched(backend)[2] == "B2"


def test_four_nodes_at_a_time_unless_told_otherwise(wood: Wood) -> None:
    """004-04."""
    backend = Patient(a_tree(layered(6)), seconds=0.01)
    wood.search(backend)
    assert backend.most_topics == 4


def test_the_model_and_the_time_for_an_ask_are_passed_on(wood: Wood) -> None:
    """004-44."""
    opened: list[tuple[str, float]] = []

    def open_backend(name: str, settings: BackendSettings) -> ScriptedBackend:
        opened.append((name, settings.timeout))
        return ScriptedBackend(a_tree({"": ["A"]}))

    config = wood.config(model="scripted:large", timeout=77)
    anyio.run(tree_search, config, Means(open_backend=open_backend))
    assert opened == [("scripted:large", 77)]


@pytest.mark.parametrize("wrong", [{"concurrency": 0}, {"max_depth": 0}, {"timeout": -1}])
def test_numbers_that_cannot_be_meant_are_refused(wood: Wood, wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(wrong))} is .*at least 1"):
        wood.config(**wrong)


def test_the_example_in_the_documents_runs(memory_path: Path) -> None:
    ended = subprocess.run([sys.executable, EXAMPLE], cwd=memory_path, capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == "TreeSearchResult(expanded=3, leaves=4, skipped=0, failed=0)"
    again = subprocess.run([sys.executable, EXAMPLE], cwd=memory_path, capture_output=True, text=True, check=True)
    assert again.stdout.splitlines()[-1] == "TreeSearchResult(expanded=3, leaves=4, skipped=7, failed=0)"
    first_node = json.loads(next(memory_path.rglob("node.json")).read_text(encoding="utf-8"))
    assert first_node["status"] in ("expanded", "leaf")


def test_the_documents_draw_the_two_phases_the_forks_and_the_dispatcher() -> None:
    """004-47."""
    page = (EXAMPLE.parents[1] / "tree-search.md").read_text(encoding="utf-8")
    drawn = re.findall(r"## ([^\n]+)\n(?:(?!\n## ).)*?```mermaid\n(flowchart .*?)```", page, re.DOTALL)
    assert [title for title, _ in drawn] == ["Two phases", "Forked sessions", "The dispatcher"]
    assert all(picture.count("-->") + picture.count("-->|") > 2 for _, picture in drawn)


def test_the_example_is_printed_in_the_documents() -> None:
    page = (EXAMPLE.parents[1] / "tree-search.md").read_text(encoding="utf-8")
    assert EXAMPLE.read_text(encoding="utf-8") in page
