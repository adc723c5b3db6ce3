"""Sources as they were when read: one file each in `.research/knowledge/sources/`, named by the hash of the text.

So a report can be verified later, offline, and an altered source is noticed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePath

from ..model import Source
from ..project.disk import Disk

FOLDER = "sources"
_END = "\n---\n"
_OFFICE = "application/vnd.openxmlformats-officedocument."
_TYPES = {
    ".csv": "text/csv",
    ".docx": f"{_OFFICE}wordprocessingml.document",
    ".eml": "message/rfc822",
    ".htm": "text/html",
    ".html": "text/html",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown",
    ".odt": "application/vnd.oasis.opendocument.text",
    ".pdf": "application/pdf",
    ".pptx": f"{_OFFICE}presentationml.presentation",
    ".py": "text/x-python",
    ".rst": "text/x-rst",
    ".rtf": "application/rtf",
    ".tsv": "text/tab-separated-values",
    ".txt": "text/plain",
    ".xlsx": f"{_OFFICE}spreadsheetml.sheet",
    ".xml": "application/xml",
}


@dataclass(frozen=True, slots=True)
class Altered:
    """The file of this source no longer holds the text it is named after."""

    path: Path


class SourceStore:
    """Any number of processes and threads may share the folder: every file is written whole, and only with its text."""

    def __init__(self, knowledge: Path, disk: Disk) -> None:
        self._folder = knowledge / FOLDER
        self._disk = disk
        self._known: set[str] = set()

    def holds(self, digest: str) -> bool:
        """Whether the text with that hash is kept. The file is looked into once; afterwards it is remembered."""
        if digest not in self._known and isinstance(self.text(digest), str):
            self._known.add(digest)
        return digest in self._known

    def keep(self, source: Source, text: str, read_at: float) -> None:
        """Store the text once; a file that no longer holds it is written anew. `source.sha256` must be its hash."""
        digest = source.sha256 or ""
        if self.holds(digest):
            return
        head = {
            "location": source.location,
            "title": source.title,
            "content_type": source.content_type or content_type(source.location),
            "read_at": round(read_at, 3),
        }
        lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
        self._disk.make_folder(self._folder, durable=True)
        self._disk.replace(self.path(digest), "---\n" + "\n".join(lines) + _END + text)
        self._known.add(digest)

    def text(self, digest: str) -> str | Altered | None:
        """The text with that hash; None when it was never kept."""
        path = self.path(digest)
        try:
            kept = path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError):
            return Altered(path)
        text = kept.partition(_END)[2]
        return text if text_hash(text) == digest else Altered(path)

    def path(self, digest: str) -> Path:
        """The file that text is in, or would be."""
        if not digest.isalnum():
            raise ValueError(f"not a hash: {digest!r}")
        return self._folder / f"{digest}.md"


def content_type(location: str) -> str:
    """What was read, as its name tells: a page is HTML and a file plain text where the name says nothing."""
    page = location.startswith(("http://", "https://"))
    path = re.split(r"[?#]", location, maxsplit=1)[0] if page else location
    return _TYPES.get(PurePath(path).suffix.lower(), "text/html" if page else "text/plain")


def text_hash(text: str) -> str:
    return sha256(text.encode("utf-8")).hexdigest()
