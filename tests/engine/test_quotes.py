"""A quote is looked up when it arrives, and its source is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from deeproot.asks import Ask, DocumentAnswer, Kind, ProposedFinding
from deeproot.backends import Abilities
from deeproot.knowledge.sources import Altered, SourceStore, text_hash
from deeproot.model import Passage, Source
from deeproot.project.disk import Disk
from deeproot.testing import ListSearcher, Scripted, ScriptedBackend
from laboratory import Lab

TEXT = "Tasks run.\nA task is cancelled by calling cancel(),\nwhich raises CancelledError inside it.\nThe end."
PASSAGE = Passage(Source("tasks.md", "Tasks", text_hash(TEXT)), TEXT, 10, 13)
TRUE = "A task is cancelled by calling cancel(), which raises CancelledError inside it."
FALSE = "A task is cancelled by calling kill(), which raises CancelledError inside it."


def quoting(*quotes: str) -> ScriptedBackend:
    """An author who gives these quotes one after the other, the last for ever."""
    left = list(quotes)

    def script(ask: Ask) -> Scripted | None:
        if ask.kind is not Kind.DOCUMENT:
            return None
        quote = left.pop(0) if len(left) > 1 else left[0]
        return DocumentAnswer("About tasks.", (ProposedFinding("Tasks can be cancelled.", quote, "S1"),))

    return ScriptedBackend(script, abilities=Abilities())


def run(lab: Lab, backend: ScriptedBackend) -> tuple[list[Ask], Lab]:
    lab.run(backend, breadth=1, means={"searcher": ListSearcher([PASSAGE])})
    return backend.asked(Kind.DOCUMENT), lab


def test_a_quote_that_stands_in_its_passage_is_found_with_its_lines(lab: Lab) -> None:
    asks, _ = run(lab, quoting(TRUE))
    document = lab.researcher.past().state.growths["1"].document
    assert document is not None
    assert len(asks) == 1
    assert document.findings[0].found is True
    assert document.findings[0].lines == (11, 12)
    assert "[evidence?]" not in lab.researcher.report.read_text()


def test_a_quote_that_does_not_goes_back_once_with_the_nearest_place(lab: Lab) -> None:
    asks, _ = run(lab, quoting(FALSE, TRUE))
    document = lab.researcher.past().state.growths["1"].document
    assert document is not None
    assert len(asks) == 2
    assert "the quote does not stand in S1" in asks[1].prompt
    assert "calling cancel()" in asks[1].prompt
    assert document.findings[0].found is True


def test_a_quote_that_is_never_found_is_kept_and_marked(lab: Lab) -> None:
    asks, _ = run(lab, quoting(FALSE))
    document = lab.researcher.past().state.growths["1"].document
    assert document is not None
    assert len(asks) == 2
    assert document.findings[0].found is False
    assert "[1] [evidence?]" in lab.researcher.report.read_text()


def test_the_text_of_a_cited_source_is_kept_by_its_hash(lab: Lab) -> None:
    run(lab, quoting(TRUE))
    store = SourceStore(lab.researcher.knowledge, Disk())
    assert store.text(text_hash(TEXT)) == TEXT
    path = lab.researcher.knowledge / "sources" / f"{text_hash(TEXT)}.md"
    path.write_text(path.read_text().replace("cancel()", "kill()"))
    assert store.text(text_hash(TEXT)) == Altered(path)
    assert store.text("0" * 64) is None


def test_a_source_is_kept_once(tmp_path: Path) -> None:
    store = SourceStore(tmp_path, Disk())
    store.keep(PASSAGE.source, TEXT, read_at=1.0)
    store.keep(PASSAGE.source, TEXT, read_at=2.0)
    (kept,) = (tmp_path / "sources").iterdir()
    assert "read_at: 1.0" in kept.read_text()


@pytest.mark.parametrize(("said", "counts"), [(7.0, 1.0), (-1.0, 0.0), (0.3, 0.3)])
def test_a_weight_beyond_its_scale_is_taken_for_the_end_of_it(lab: Lab, said: float, counts: float) -> None:
    answer = DocumentAnswer("About tasks.", (ProposedFinding("Tasks can be cancelled.", TRUE, "S1", said),))
    run(lab, ScriptedBackend({Kind.DOCUMENT: [answer]}, abilities=Abilities()))
    document = lab.researcher.past().state.growths["1"].document
    assert document is not None
    assert document.findings[0].weight == counts
