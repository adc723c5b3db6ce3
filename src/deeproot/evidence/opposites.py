"""Words that cannot both be true of one thing at one time."""

from __future__ import annotations

from .lexicon import stem

_WRITTEN = """
    above below, absent present, accept reject, accepted refused, acquired sold, after before, agonist antagonist,
    agreed disagreed, agreed dissented, allowed banned, allowed prohibited, ally enemy, appointed dismissed,
    approved rejected, arrived departed, awake asleep, benign malignant, best worst, bought sold, cheap expensive,
    cheaper costlier, cheaper dearer, clean dirty, cold hot, cold warm, colder hotter, colder warmer, coldest
    hottest, coldest warmest, created destroyed, denied confirmed, earlier later, earliest latest, early late,
    easier harder, east west, eastern western, elected defeated, empty full, enhancer suppressor, entered left,
    export import, female male, first last, guilty innocent, halted resumed, harsh mild, harsher milder, healthy
    sick, heavier lighter, hired fired, included excluded, inside outside, known unknown, largest smallest, least
    most, legal illegal, lifted imposed, likely unlikely, longer shorter, longest shortest, maximum minimum, men
    women, newer older, newest oldest, north south, northern southern, oldest youngest, opened closed, opposed
    favored, opposed favoured, opposed supported, overturned upheld, passed failed, permanent temporary, possible
    impossible, profit loss, promoter suppressor, public private, rejected accepted, remained left,
    remained resigned, rich poor, richer poorer,
    safe dangerous, safe unsafe, simple complex, stabilizes destabilizes, stable unstable, start end, started
    stopped, strongest weakest, susceptible resistant, suspended resumed, unchanged changed, upheld rejected,
    stayed left, victory defeat, visible invisible, voluntary compulsory, won lost, younger older
"""
_PAIRS = [tuple(map(stem, pair.split())) for pair in _WRITTEN.split(",")]
OPPOSITES = {
    word: frozenset(other for pair in _PAIRS if word in pair for other in pair if other != word)
    for word in {word for pair in _PAIRS for word in pair}
}
