"""What is kept with a source: where it was read, its title, its content type and when."""

from __future__ import annotations

from pathlib import Path

import pytest

from deeproot.asks import Ask, DocumentAnswer, DocumentInputs, Kind, ProposedFinding
from deeproot.backends import Abilities
from deeproot.knowledge.sources import SourceStore, text_hash
from deeproot.model import Passage, Source
from deeproot.project.disk import Disk
from deeproot.testing import ListSearcher, Scripted, ScriptedBackend
from laboratory import Lab

TEXT = "Revenue grew 15 %."


@pytest.mark.parametrize(
    ("location", "content_type"),
    [
        ("notes/sales.csv", "text/csv"),
        ("notes/README", "text/plain"),
        ("notes/Paper.PDF", "application/pdf"),
        ("https://acme.example/report.pdf?download=1", "application/pdf"),
        ("https://acme.example/wiki/Acme", "text/html"),
        ("https://[broken", "text/html"),
    ],
)
def test_the_head_of_a_source_says_what_it_is(tmp_path: Path, location: str, content_type: str) -> None:
    SourceStore(tmp_path, Disk()).keep(Source(location, "Acme: figures", text_hash(TEXT)), TEXT, read_at=12.5)
    (path,) = (tmp_path / "sources").iterdir()
    head, _, body = path.read_text().partition("\n---\n")
    assert head.splitlines()[1:] == [
        f'location: "{location}"',
        'title: "Acme: figures"',
        f'content_type: "{content_type}"',
        "read_at: 12.5",
    ]
    assert body == TEXT


def test_what_a_server_called_a_source_stands_above_what_its_name_tells(tmp_path: Path) -> None:
    source = Source("https://acme.example/figures", "Acme", text_hash(TEXT), "text/csv")
    SourceStore(tmp_path, Disk()).keep(source, TEXT, read_at=12.5)
    (path,) = (tmp_path / "sources").iterdir()
    assert 'content_type: "text/csv"' in path.read_text()


def test_a_source_is_stored_once_as_it_was_first_read(tmp_path: Path) -> None:
    for location in ("notes/sales.csv", "notes/copy.csv"):
        SourceStore(tmp_path, Disk()).keep(Source(location, "", text_hash(TEXT)), TEXT, read_at=12.5)
    (path,) = (tmp_path / "sources").iterdir()
    assert "notes/sales.csv" in path.read_text()


@pytest.mark.parametrize("left", ["", "---\n", '---\nlocation: "x"\n---\nRevenue fell 15 %.', "\udcff"])
def test_a_file_that_no_longer_holds_its_text_is_written_anew_when_the_source_is_read_again(
    tmp_path: Path, left: str
) -> None:
    source = Source("notes/sales.csv", "", text_hash(TEXT))
    SourceStore(tmp_path, Disk()).keep(source, TEXT, read_at=12.5)
    (path,) = (tmp_path / "sources").iterdir()
    path.write_bytes(left.encode("utf-8", "surrogateescape"))
    store = SourceStore(tmp_path, Disk())
    assert not store.holds(text_hash(TEXT))
    store.keep(source, TEXT, read_at=13.5)
    assert store.text(text_hash(TEXT)) == TEXT


def test_every_source_that_a_search_found_is_stored_cited_or_not(lab: Lab) -> None:
    """One search finds three files; the answer cites one of them."""
    for name in ("one", "two", "three"):
        (lab.project / f"{name}.md").write_text(f"Roots grow deep, says {name}.\n")
    backend = ScriptedBackend(_citing_the_first, abilities=Abilities())
    finished = lab.run(backend, question="How deep do roots grow?", breadth=1, files=(".",))
    document = finished.state.growths["1"].document
    assert document is not None
    assert len({finding.source for finding in document.findings}) == 1
    store = SourceStore(lab.researcher.knowledge, Disk())
    kept = {str(store.text(path.stem)) for path in (lab.researcher.knowledge / "sources").glob("*.md")}
    assert kept == {f"Roots grow deep, says {name}.\n" for name in ("one", "two", "three")}


def test_a_text_that_is_not_what_the_passage_was_cut_from_is_not_kept_for_it(lab: Lab) -> None:
    """A file that changes between two looks: its new text must not be stored under the hash of the old one."""
    passage = Passage(Source("notes.md", "", text_hash("As it was.")), "Roots grow deep.", 1, 1)
    backend = ScriptedBackend(abilities=Abilities())
    lab.run(backend, question="Roots?", breadth=1, means={"searcher": ListSearcher([passage])})
    assert "Roots grow deep." in backend.asked(Kind.DOCUMENT)[0].prompt
    assert not list(lab.researcher.knowledge.glob("sources/*"))


def _citing_the_first(ask: Ask) -> Scripted | None:
    if not isinstance(ask.inputs, DocumentInputs):
        return None
    assert len(ask.inputs.passages) == 3
    quote = ask.inputs.passages[0].text.strip()
    return DocumentAnswer("Deep.", (ProposedFinding(quote, quote, "S1"),))
