"""Run as a script by `pdf.py`: a PDF on standard input, JSON with its title and pages on standard output."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pypdf import PdfReader

MEMORY = 2 * 1024**3


def limit(seconds: int) -> None:
    try:
        import resource
    except ImportError:  # Windows: the parent's time limit is all there is.
        return
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def extract(data: bytes, most: int) -> dict[str, object]:
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError

    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            return {"reason": "encrypted"}
        return pages_of(reader, most)
    except (DependencyError, FileNotDecryptedError):
        return {"reason": "encrypted"}
    except (PyPdfError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        return {"reason": f"broken PDF: {type(error).__name__}"}


def pages_of(reader: PdfReader, most: int) -> dict[str, object]:
    pages: list[str] = []
    for page in reader.pages:
        pages.append(page.extract_text())
        most -= len(pages[-1])
        if most < 0:
            return {"reason": "unpacks to too much text"}
    title = reader.metadata.title if reader.metadata else None
    return {"title": title or "", "pages": pages}


if __name__ == "__main__":
    limit(int(sys.argv[1]))
    json.dump(extract(sys.stdin.buffer.read(), int(sys.argv[2])), sys.stdout)
