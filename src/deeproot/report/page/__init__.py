"""`report.html`: the report as a page for people, where each citation opens the passage it rests on."""

from .document import render_page
from .of_report import page_of
from .parts import CheckedCitation, Entry, Fact, Flaw, GateSummary, NumberedSource, Page

__all__ = [
    "CheckedCitation",
    "Entry",
    "Fact",
    "Flaw",
    "GateSummary",
    "NumberedSource",
    "Page",
    "page_of",
    "render_page",
]
