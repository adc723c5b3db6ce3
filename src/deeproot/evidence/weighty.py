"""Words that weigh too much to be lent to a source: it must say so itself, in one word or another."""

from __future__ import annotations

from .lexicon import stem

# On the left what may not be claimed unless the source has that, or something on the right.
_WRITTEN = """
    fraud fraudulent defrauded embezzled: swindle scam embezzlement deceive deception forgery forged falsified
    fired sacked dismissed ousted: dismissal removed terminated layoff redundant axed
    killed murdered: kill dead death die died fatal deadly murder lethal mortality casualty
    arrested jailed imprisoned: arrest detained custody jail prison
    convicted: conviction guilty sentenced sentence criminal
    sued: sue lawsuit suit litigation court claimant plaintiff
    bankrupt bankruptcy insolvent: insolvency liquidation administration receivership collapse collapsed
    bribed bribery: bribe corrupt corruption kickback
    stole stolen: steal theft robbed robbery thief
    raped molested harassed: rape assault assaulted abuse abused harassment
    hacked: hack breach breached attack attacked compromised leak leaked
    banned outlawed: ban prohibited forbidden illegal prohibition
    doubled halved: double doubling twice twofold fold halve halving half 100 50
    tripled: triple tripling thrice threefold treble third fold 200
    quadrupled: quadruple fourfold quarter fold 300
"""


def _groups() -> dict[str, tuple[str, ...]]:
    lines = (line.partition(":") for line in _WRITTEN.strip().splitlines())
    return {
        stem(word): tuple(dict.fromkeys(map(stem, f"{claimed} {said}".split())))
        for claimed, _, said in lines
        for word in claimed.split()
    }


WEIGHTY = _groups()
