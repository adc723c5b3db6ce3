"""Which leaf to research next, and what to note after a failure."""

from __future__ import annotations

from collections import Counter

from ...asks import PickAnswer, PickInputs, RecoverAnswer, RecoverInputs
from ...model import one_line


def pick(inputs: PickInputs) -> PickAnswer:
    """Coverage before depth: shallow leaves first, and a leaf of every branch before a second one of any."""
    turns: Counter[str] = Counter()
    ranked = []
    for index, leaf in enumerate(inputs.leaves):
        branch, _, _ = leaf.strip("/").partition("/")
        ranked.append((leaf.strip("/").count("/"), turns[branch], index, leaf))
        turns[branch] += 1
    return PickAnswer(tuple(leaf for *_, leaf in sorted(ranked)[: inputs.count]))


def recover(inputs: RecoverInputs) -> RecoverAnswer:
    place = f"topic {inputs.topic.id} ({inputs.topic.title})" if inputs.topic else "the run"
    return RecoverAnswer(
        f"The {inputs.hat} failed on {place}: {one_line(inputs.error, 500)}. What was found before is kept. "
        "Nothing here depends on chance, so the same inputs will give the same answer: change the files, the question "
        "or the topic, or try again if the failure came from outside."
    )
