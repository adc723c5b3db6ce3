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
_SHIELD = str.maketrans("[#-=*", "\ue000\ue001\ue002\ue003\ue004")
_UNSHIELD = str.maketrans("\ue000\ue001\ue002\ue003\ue004", "[#-=*")
# A line that is bold from end to end is a heading to whoever reads it.
_HEADING = re.compile(
    r"^(?P<lead>[ \t]*(?:(?:>|[-*+]|\d{1,3}[.)])[ \t]+)*)"
    r"(?:#{1,6}[ \t]+(?P<title>\S.*?)[ \t#]*|(?P<bold>\*\*[^*\n]+\*\*:?)[ \t]*)$",
    re.MULTILINE,
)
_UNDERLINE = re.compile(r"(?<=\S)[ \t]*\n(?=[ \t]{0,3}(?:=+|-+)[ \t]*$)", re.MULTILINE)


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
    """The text with what its code has of the marks of Markdown put out of sight."""
    return _CODE.sub(lambda code: code[0].translate(_SHIELD), text.translate(_UNSHIELD))


def unshielded(text: str) -> str:
    return text.translate(_UNSHIELD)


def unheaded(text: str) -> str:
    """The text without headings: each is a bold paragraph of its own, so that it is read as what it says."""
    return _HEADING.sub(_as_paragraph, _UNDERLINE.sub("\n\n", text))


def _as_paragraph(found: re.Match[str]) -> str:
    said = found["lead"] + (found["bold"] or f"**{found['title']}**")
    before = "" if not found.start() or found.string.endswith("\n\n", 0, found.start()) else "\n"
    after = "" if found.end() == len(found.string) or found.string.startswith("\n\n", found.end()) else "\n"
    return said if found["lead"].strip() else f"{before}{said}{after}"
