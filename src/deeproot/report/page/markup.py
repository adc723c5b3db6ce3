"""HTML that is safe by construction: text is escaped unless it is already `Markup`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Final

# What would not be seen, or would turn the text around it: controls, half characters, bidirectional overrides and
# isolates, and the noncharacters (two of which mark citations while the body is rendered).
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_VOID: Final = {"meta"}


class Markup(str):
    """HTML that may stand in the page as it is."""

    __slots__ = ()


def seen(text: str) -> str:
    """`text` with a replacement character for everything that hides or reorders text."""
    return _UNSEEN.sub("\ufffd", text)


def tag(name: str, /, *children: str, **attributes: str | int | float | None) -> Markup:
    """An element. `class_` stands for `class`, `aria_label` for `aria-label`; an attribute that is None is left out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    end = "" if name in _VOID else f"{joined(children)}</{name}>"
    return Markup(f"<{name}{written}>{end}")


def joined(children: Iterable[str]) -> Markup:
    """Several pieces in a row."""
    return Markup("".join(child if isinstance(child, Markup) else escape(child) for child in children))


def link(location: str, *children: str) -> Markup:
    """A way out to a web address; what is not one (a file's path) stays text."""
    if re.match(r"https?://[^\s/]", location):
        return tag("a", *children, href=location, rel="noopener noreferrer nofollow")
    return joined(children)
