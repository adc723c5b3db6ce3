"""PDF: the text of each page, under `page N`. Lines are those of the extracted text.

The parser runs in a child process with limits on time and memory, because a PDF can be made to use up both.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from .. import Limits
from . import Format, Reading, Unreadable
from .layout import Layout

_CHILD = Path(__file__).with_name("pdf_child.py")


def read_pdf(data: bytes, limits: Limits) -> Reading | Unreadable:
    if not data.lstrip()[:5].startswith(b"%PDF"):
        return Unreadable("not a PDF file")
    try:
        done = subprocess.run(command(limits), input=data, capture_output=True, timeout=limits.seconds, check=False)
    except subprocess.TimeoutExpired:
        return Unreadable(f"took longer than {limits.seconds:g} seconds to parse")
    return outcome(done)


def command(limits: Limits) -> list[str]:
    """The child: a PDF on its standard input."""
    # -P keeps the folder of the script, whose modules are named like standard ones, off the child's path.
    return [sys.executable, "-P", str(_CHILD), str(int(limits.seconds) + 1), str(limits.unpacked_bytes)]


def outcome(done: subprocess.CompletedProcess[bytes]) -> Reading | Unreadable:
    """What the child made of it."""
    if done.returncode != 0:
        return Unreadable("the PDF parser failed or used too much memory")
    answer = json.loads(done.stdout)
    if "reason" in answer:
        return Unreadable(answer["reason"])
    return _lay_out(answer["title"], answer["pages"])


def _lay_out(title: str, pages: list[str]) -> Reading | Unreadable:
    if not any(page.strip() for page in pages):
        return Unreadable("no text in the PDF (scanned pages?)")
    layout = Layout()
    for number, page in enumerate(pages, 1):
        layout.head(1, f"page {number}")
        layout.say_lines(page)
    first_line = next(line for page in pages for line in page.split("\n") if line.strip())
    return layout.reading(title or first_line.strip())


FORMAT = Format((".pdf",), read_pdf, packed=True)
