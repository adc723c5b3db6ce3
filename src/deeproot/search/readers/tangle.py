"""Whether markup could keep an HTML parser busy for long: told from its tags, in one pass."""

from __future__ import annotations

import re

# Elements inside each other; styles left open, which a parser opens again in every later block; characters.
DEEPEST, MOST_STYLES, LARGEST = 200, 8, 500_000

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_STYLES = frozenset("a b big code em font i nobr s small strike strong tt u".split())  # noqa: SIM905
# Elements without an end, and those whose end is often left out because the next one says it.
_ENDLESS = frozenset(
    """
    area base body br col colgroup dd dt embed head hr html img input li link meta optgroup option p param rp rt source
    tbody td tfoot th thead tr track wbr
    """.split()  # noqa: SIM905
)


def is_tangled(markup: str) -> bool:
    """Whether it is large, nested deeply, or has many styles open at once."""
    if len(markup) > LARGEST:
        return True
    depth = styles = 0
    for ends, name in _TAG.findall(markup):
        tag = name.lower()
        if tag in _ENDLESS:
            continue
        step = -1 if ends else 1
        depth = max(0, depth + step)
        styles = max(0, styles + step) if tag in _STYLES else styles
        if depth > DEEPEST or styles > MOST_STYLES:
            return True
    return False
