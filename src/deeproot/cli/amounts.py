"""Amounts as people type them: `5`, `1.5`, `200k`, `1.5M`, `$2.50`, `unlimited`. For argparse."""

from __future__ import annotations

import argparse
import math
import re

UNLIMITED = math.inf
MOST = 10**12

_NUMBER = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)([kKmM]?)")
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}


def minutes(text: str) -> float:
    return _amount(text, "minutes, such as 5 or 1.5")


def dollars(text: str) -> float:
    return _amount(text.removeprefix("$"), "dollars, such as 2.50")


def count(text: str) -> float:
    """A whole number; `k` and `M` stand for thousands and millions."""
    amount = _amount(text, "a number, such as 40, 200k or 1.5M", suffixes=True)
    if amount != UNLIMITED and amount != int(amount):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return amount


def typed(amount: float | None, before: float | None) -> float | None:
    """What holds from now on: what was typed replaces what was before, and `unlimited` takes the limit away."""
    if amount is None:
        return before
    return None if amount == UNLIMITED else amount


def typed_count(amount: float | None, before: int | None) -> int | None:
    held = typed(amount, before)
    return None if held is None else int(held)


def _amount(text: str, meant: str, suffixes: bool = False) -> float:
    if text.strip().lower() == "unlimited":
        return UNLIMITED
    match = _NUMBER.fullmatch(text.strip())
    if not match or (match[2] and not suffixes) or not 0 < float(match[1]) * _FACTORS[match[2].lower()] <= MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is neither {meant}, nor the word unlimited")
    return round(float(match[1]) * _FACTORS[match[2].lower()], 6)
