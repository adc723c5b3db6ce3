"""robots.txt as RFC 9309 has it: the group for us, the longest rule that matches, `*` and `$`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

NAME = "deeproot"
LARGEST = 512 * 1024
MOST_RULES = 2_000
_LONGEST_DELAY = 30.0
_LINE = re.compile(r"^[ \t]*([A-Za-z-]+)[ \t]*:[ \t]*([^#\r\n]*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Rule:
    path: str
    allow: bool


@dataclass(frozen=True, slots=True)
class Robots:
    """What a host asks of us. `delay` is the seconds it wants between requests."""

    rules: tuple[Rule, ...] = ()
    delay: float = 0.0
    sitemaps: tuple[str, ...] = ()

    def allows(self, path: str) -> bool:
        """The longest rule that matches decides; of equal ones the friendlier."""
        wanted = unquote(path)
        matching = [rule for rule in self.rules if _matches(rule.path, wanted)]
        return max(matching, key=lambda rule: (len(rule.path), rule.allow)).allow if matching else True


def parse_robots(text: str) -> Robots:
    """Lines that make no sense are passed over, as the standard wants."""
    named: list[tuple[str, str]] = []
    anybody: list[tuple[str, str]] = []
    sitemaps = []
    for agents, key, value in _statements(text):
        if key == "sitemap":
            sitemaps.append(value)
        elif NAME in agents:
            named.append((key, value))
        elif "*" in agents:
            anybody.append((key, value))
    ours = named or anybody
    rules = tuple(Rule(unquote(value), key == "allow") for key, value in ours if key in ("allow", "disallow") and value)
    delays = [_seconds(value) for key, value in ours if key == "crawl-delay"]
    return Robots(rules[:MOST_RULES], max(delays, default=0.0), tuple(sitemaps))


def _statements(text: str) -> Iterator[tuple[frozenset[str], str, str]]:
    """Every line below the user agents it is for; several agents in a row share what follows."""
    agents: frozenset[str] = frozenset()
    gathering = False
    for match in _LINE.finditer(text):
        key, value = match[1].lower(), match[2].strip()
        if key == "user-agent":
            name = value.partition("/")[0].strip().lower()
            agents = agents | {name} if gathering else frozenset({name})
            gathering = True
        else:
            gathering = gathering and key == "sitemap"
            yield agents, key, value


def _seconds(text: str) -> float:
    return min(float(text), _LONGEST_DELAY) if re.fullmatch(r"\d{1,6}(?:\.\d{1,6})?", text) else 0.0


def _matches(pattern: str, path: str) -> bool:
    """Whether a path begins as the pattern says. In time linear in both: the parts between stars, leftmost first."""
    anchored = pattern.endswith("$")
    first, *others = (pattern[:-1] if anchored else pattern).split("*")
    if not path.startswith(first):
        return False
    place = len(first)
    for part in others[:-1] if anchored else others:
        found = path.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    if not anchored:
        return True
    return path == first if not others else path.endswith(others[-1]) and len(path) - len(others[-1]) >= place
