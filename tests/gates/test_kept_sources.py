"""What is kept with a source: where it was read, its title, its content type and when."""

from __future__ import annotations

from pathlib import Path

import pytest

from deeproot.knowledge.sources import SourceStore, text_hash
from deeproot.model import Source
from deeproot.project.disk import Disk


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
    text = "Revenue grew 15 %."
    SourceStore(tmp_path, Disk()).keep(Source(location, "Acme: figures", text_hash(text)), text, read_at=12.5)
    (path,) = (tmp_path / "sources").iterdir()
    head, _, body = path.read_text().partition("\n---\n")
    assert head.splitlines()[1:] == [
        f'location: "{location}"',
        'title: "Acme: figures"',
        f'content_type: "{content_type}"',
        "read_at: 12.5",
    ]
    assert body == text
