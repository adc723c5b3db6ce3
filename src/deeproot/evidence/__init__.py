"""Evidence: whether a quote stands in its source, and whether a source says what a sentence says it says.

Pure code over two texts: nothing here reads a file, asks a model or knows the engine.
"""

from ..model import Verdict
from .disagreements import Disagreement, Stated, disagreements
from .facts import states_fact, telling_words
from .prepared import Prepared, Span, prepare
from .prose import sentences
from .quotations import quotations
from .quotes import Nearest, find_quote, nearest_passages
from .reading import Reading, read
from .support import WORD_FOR_WORD, Judgement, is_denied, judge
from .tables import look_up

__all__ = [
    "WORD_FOR_WORD",
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
    "is_denied",
    "judge",
    "look_up",
    "nearest_passages",
    "prepare",
    "quotations",
    "read",
    "sentences",
    "states_fact",
    "telling_words",
]
