"""How many, who to whom, whose, by whose word, how sure and why: small words of a sentence that change what it says.

They are compared with one sentence of the source that is already known to be about the same matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations, product

from .attachments import detached
from .claims import Claim, direction, stem_list
from .lexicon import stem, stems

QUANTITIES = {"few": 1, "half": 2, "some": 2, "several": 2, "many": 3, "most": 4, "all": 5, "every": 5}
FAR = 2  # steps between two quantities that cannot both be meant


def changed(claim: Claim, sentence: str) -> Iterator[str]:
    """What the source's sentence has otherwise: quantity, owner, witness, duty, side, span; who did what to whom."""
    yield from _other_quantities(claim.text, sentence)
    for pattern in (_OWNER, _WITNESS, _SPAN):
        yield from _others(pattern, claim.text, sentence)
    for ours, theirs in _EXCLUDING:
        both = theirs.search(claim.text) or ours.search(sentence)
        if not both and (here := ours.search(claim.text)) and (there := theirs.search(sentence)):
            yield f"“{here[0]}” here, “{there[0]}” in the source"
    yield from _turned(claim.text, sentence)
    yield from detached(claim.text, sentence)


def _others(pattern: re.Pattern[str], claim: str, sentence: str) -> Iterator[str]:
    """Where both give somebody or something (`who`) for the same (`what`), and the sentence never the claim's."""
    for here in pattern.finditer(claim):
        alike = [there for there in pattern.finditer(sentence) if there["what"].lower() == here["what"].lower()]
        if alike and all(stem(there["who"].lower()) != stem(here["who"].lower()) for there in alike):
            yield f"“{here[0]}” here, “{alike[0][0]}” in the source"


def _other_quantities(claim: str, sentence: str) -> Iterator[str]:
    for (here, ours), (there, theirs) in product(_quantities(claim), _quantities(sentence)):
        if ours & theirs and abs(QUANTITIES[here] - QUANTITIES[there]) >= FAR:
            yield f"“{here}” here, “{there}” in the source"


def _turned(claim: str, sentence: str) -> Iterator[str]:
    """Two things in each other's places: who did it to whom, the numbers of a vote, what is "but not" so."""
    if not {(other, deed, doer) for doer, deed, other in _deeds(claim)}.isdisjoint(_deeds(sentence)):
        yield "who did it to whom stands the other way round"
    if not {(found[2], found[1]) for found in _RESULT.finditer(claim)}.isdisjoint(_RESULT.findall(sentence)):
        yield "the two numbers stand the other way round"
    here, there = _EXCEPT.search(claim), _EXCEPT.search(sentence)
    if here and there and here[1] != there[1] and here[1] in sentence and there[1] in claim:
        yield f"“{here[0]}” here, “{there[0]}” in the source"


def other_subject(claim: Claim, sentence: str) -> bool:
    """Whether another name stands before the same verb there, and the claim's nowhere in that sentence."""
    there = {found["deed"]: found["doer"] for found in _SUBJECT.finditer(sentence)}
    return any(
        found["deed"] in there and found["doer"] not in sentence and found["doer"] != there[found["deed"]]
        for found in _SUBJECT.finditer(claim.text)
    )


def stretched(claim: Claim, sentence: str) -> Iterator[str]:
    """Where the claim says more: it is so, it causes, it is so in people, of what may be, goes along, is so in mice."""
    if (hedge := _HEDGE.search(sentence)) and not _HEDGED.search(claim.text):
        yield f"the source says “{hedge[0]}”"
    if (link := _LINK.search(sentence)) and _CAUSE.search(claim.text) and not _LINK.search(claim.text):
        yield f"the source only says “{link[0]}”"
    if _HUMAN.search(claim.text):
        about = max(_CONTRAST.split(sentence), key=lambda part: len(set(stem_list(part)).intersection(claim.stems)))
        if (model := _MODEL.search(about)) and not _HUMAN.search(about):
            yield f"the source says so “{model[0]}”"


def widened(claim: Claim, sentence: str) -> Iterator[str]:
    """Where the claim may say more: it moves what goes along, it does not say that it was animals."""
    if (link := _LINK.search(sentence)) and any(map(direction, claim.stems)) and not _LINK.search(claim.text):
        yield f"the source only says “{link[0]}”"
    if (model := _MODEL.search(sentence)) and not _MODEL.search(claim.text):
        yield f"the source says so “{model[0]}”"


def _quantities(text: str) -> list[tuple[str, frozenset[str]]]:
    """Every word for a quantity, with the stems of the two words after it."""
    return [(found[1].lower(), stems(found[2].lower())) for found in _QUANTITY.finditer(text)]


def _deeds(text: str) -> Iterator[tuple[str, str, str]]:
    """Who, what and to whom, where they follow each other: "Ann sued Bob", "the dog bit the cat"; not "was sued by"."""
    for found in _DEED.finditer(text):
        if (deed := stem(found["deed"].lower())) not in _MUTUAL:
            yield found["doer"].lower(), deed, found["other"].lower()


_NAME = r"[A-Z]\w+"
_SOMEBODY = rf"{_NAME}|[Tt]he\s[a-z]\w+"
_QUANTITY = re.compile(
    rf"(?<!\bthe )(?<!\bat )\b({'|'.join(QUANTITIES)})\s(?:of\s(?:the|these|those|its|their)\s)?(?!\d)(\w+(?:\s\w+)?)",
    re.IGNORECASE,
)
_OWNER = re.compile(rf"\b(?P<who>{_NAME})['’]s\s(?P<what>[a-z]\w+(?:\s[a-z]\w+)?)")
_WITNESS = re.compile(rf"(?P<what>\b[Aa]ccording to)\s(?:the\s)?(?P<who>{_NAME})")
_SPAN = re.compile(r"(?P<what>\bper)\s(?P<who>second|minute|hour|day|week|month|quarter|year)\b")
_SUBJECT = re.compile(rf"\b(?P<doer>{_NAME})\s(?:(?:had|has|have|will|would|did)\s)?(?P<deed>[a-z]\w+)\b")
_DEED = re.compile(
    rf"\b(?P<doer>{_SOMEBODY})\s(?:(?:had|has|have|will|would|did)\s)?(?P<deed>[a-z]\w+)\s(?=(?P<other>{_SOMEBODY}))"
)
# What one does to the other, the other does too; and words between two things that are no deed at all.
_MUTUAL = stems(
    """and are as at borders but by equals faced for from in is joined married met near of on or played resembles than
    that to versus was were when where while who with"""
)
_RESULT = re.compile(r"\b(\d[\d,]*)(?:\sto\s|\s?[–-]\s?)(\d[\d,]*)\b")
_EXCEPT = re.compile(r"\b(?:but|and) not (?:(?:in|by|for|to|of|the)\s)*(\w+)")
# Each of a pair excludes the other: what may and what must be done, the sides of a vote.
_MAY = re.compile(r"\b(?:may|can|could)\b")
_MUST = re.compile(r"\b(?:must|ha(?:s|ve) to|required to|shall)\b")
_SIDES = [re.compile(rf"\b(?:vot|rul|campaign|argu)\w+\s(?:[\w,]+\s){{0,4}}?{side}\b") for side in ("for", "against")]
_EXCLUDING = [(_MAY, _MUST), *permutations(_SIDES, 2)]
_HEDGE = re.compile(r"\b(?:may|might|could|possibly|perhaps|expects?|expected to|forecasts?|predicts?)\b")
_HEDGED = re.compile(
    r"\b(?:may|might|could|can|would|should|possibl[ey]|perhaps|potential\w*|probabl[ey]|likely|risk|suggest\w*"
    r"|appear\w*|seem\w*|expect\w*|estimat\w*|think\w*|believe\w*|will|plan\w*|aim\w*|hope\w*|forecast\w*|predict\w*"
    r"|project\w*)\b",
    re.IGNORECASE,
)
_LINK = re.compile(r"\b(?:associated with|association|correlat\w+|linked (?:to|with))", re.IGNORECASE)
_CAUSE = re.compile(
    r"\b(?:caus(?:e|es|ed|ing)|because|due to|owing to|thanks to|led to|leads? to|result(?:s|ed)? in)\b"
)
_CONTRAST = re.compile(r"[,;]\s+(?:but|although|though|while|whereas)\s")
_HUMAN = re.compile(r"\bin (?:humans?|people|patients|men|women|children|adults)\b", re.IGNORECASE)
_MODEL = re.compile(
    r"\b(?:in|of|from)\s(?:\w+\s){0,2}?"
    r"(?:mice|mouse|rats?|animals?|monkeys|dogs|pigs|zebrafish|vitro|cell lines|the laboratory)\b",
    re.IGNORECASE,
)
