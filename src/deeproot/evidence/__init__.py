"""Evidence: whether a quote stands in its source, and whether a source says what a sentence says it says.

Pure code over two texts: nothing here reads a file, asks a model or knows the engine.
"""

from ..model import Verdict
from .disagreements import Disagreement, Stated, disagreements
from .facts import states_fact
from .prepared import Prepared, Span, prepare
from .prose import sentences
from .quotes import Nearest, find_quote, nearest_passages
from .reading import Reading, read
from .support import Judgement, judge

__all__ = [
    "Disagreement",
    "Judgement",
    "Nearest",
    "Prepared",
    "Reading",
    "Span",
    "Stated",
    "Verdict",
    "disagreements",
    "find_quote",
    "judge",
    "nearest_passages",
    "prepare",
    "read",
    "sentences",
    "states_fact",
]
