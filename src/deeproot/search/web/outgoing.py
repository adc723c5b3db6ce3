"""What may leave in a query or an address: words, not data.

A model that has read a hostile page may be told to carry off what else it has seen, in the words it searches for. So
what looks like a key, a number of an account, an address or a token is taken out, unless the person said it.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_plus

from ...model import one_line
from .guard import Target

LONGEST_QUERY = 300
_RUN = re.compile(r"[A-Za-z0-9]+")
_TURN = re.compile(r"(?<=[0-9])(?=[A-Za-z])|(?<=[A-Za-z])(?=[0-9])")
_DATA = re.compile(r"://|.@.|=.*=|[A-Za-z0-9+/]{40}")
LONGEST_WORD, LONGEST_NUMBER = 40, 8
TOKEN_LENGTH, TOKEN_TURNS = 8, 3


def clean_query(query: str, said: str) -> str:
    """The query without what looks like data; what the person `said` may always leave."""
    known = said.casefold()
    words = (word for word in one_line(query).split() if word.casefold() in known or not is_data(word))
    return one_line(" ".join(words), LONGEST_QUERY).rstrip("…")


def is_data(word: str) -> bool:
    """Whether a word is one that nobody would say: a token, a long number, an address, something encoded."""
    return bool(_DATA.search(word)) or any(map(_is_token, _RUN.findall(word)))


def _is_token(run: str) -> bool:
    if run.isdecimal():
        return len(run) > LONGEST_NUMBER
    turns = len(_TURN.findall(run))
    return len(run) > LONGEST_WORD or (len(run) >= TOKEN_LENGTH and turns >= TOKEN_TURNS)


def carries_data(target: Target) -> bool:
    """Whether an address could have been made to carry something off: it has a query, or data in its path."""
    path, _, query = target.path.partition("?")
    return bool(query) or any(is_data(part) for part in unquote_plus(path).split("/"))
