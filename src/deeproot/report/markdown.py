"""Code inside Markdown: it is no prose, so nothing in it is a citation or a heading, and it must end."""

from __future__ import annotations

import re

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
# A span of code ends with as many ticks as it began with.
_CODE = re.compile(
    r"^ {0,3}(?P<fence>```+|~~~+).*?(?:^ {0,3}(?P=fence)|\Z)"
    r"|(?<!`)(?P<ticks>`+)(?!`)[^\n]+?(?<!`)(?P=ticks)(?!`)",
    re.MULTILINE | re.DOTALL,
)
_SHIELD = str.maketrans("[#", "\ue000\ue001")
_UNSHIELD = str.maketrans("\ue000\ue001", "[#")


def closed(text: str) -> str:
    """The text with its last code fence closed: one left open would swallow all that follows."""
    fence = ""
    for line in text.splitlines():
        found = _FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence) and not found[2].strip():
            fence = ""
    return f"{text}\n{fence}" if fence else text


def shielded(text: str) -> str:
    """The text with the brackets and hashes of its code put out of sight."""
    return _CODE.sub(lambda code: code[0].translate(_SHIELD), text.translate(_UNSHIELD))


def unshielded(text: str) -> str:
    return text.translate(_UNSHIELD)
