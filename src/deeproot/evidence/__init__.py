"""Evidence: whether a quote stands in its source, and whether a source says what a sentence says it says.

Pure code over two texts: nothing here reads a file, asks a model or knows the engine.
"""

from .prepared import Prepared, Span, prepare
from .quotes import Nearest, find_quote, nearest_passages
from .reading import Reading, read
from .support import Judgement, Verdict, judge

__all__ = [
    "Judgement",
    "Nearest",
    "Prepared",
    "Reading",
    "Span",
    "Verdict",
    "find_quote",
    "judge",
    "nearest_passages",
    "prepare",
    "read",
]
