"""Which pages may be read: those a search, a person or the allow-list gave. A page's own links give nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .guard import Guard, Refused, Target, parse
from .outgoing import carries_data

_ADDRESS = re.compile(r"https?://[^\s<>\"'`\])}]+", re.IGNORECASE)


class Granted:
    """Grows with every search. `hosts` are those whose pages may be read without having been named one by one.

    Who asks `after_agents` asks only for pages that an agent has been to: nobody learns anything new from that.
    """

    def __init__(
        self,
        guard: Guard,
        said: str = "",
        sites: Iterable[str] = (),
        hosts: Iterable[str] = (),
        after_agents: bool = False,
    ) -> None:
        self._guard = guard
        self._hosts = frozenset(hosts)
        self._after_agents = after_agents
        self._addresses: set[str] = set()
        for url in (*sites, *addresses_in(said)):
            self.grant(url)

    def grant(self, url: str) -> Target | Refused:
        """Let this address be read, if the guard permits it at all. Its normal form."""
        target = self._guard.target(url)
        if isinstance(target, Target):
            self._addresses.add(target.url)
        return target

    def permits(self, target: Target) -> bool:
        """On a host of the allow-list, only addresses that carry nothing of their own, unless they were given whole."""
        if self._after_agents or target.url in self._addresses:
            return True
        return bool(self._hosts & {target.host, f"{target.host}:{target.port}"}) and not carries_data(target)


def addresses_in(text: str) -> list[str]:
    """The addresses a person wrote into a text, without the punctuation after them."""
    return [match[0].rstrip(".,;:!?") for match in _ADDRESS.finditer(text)]


def allowed_host(text: str) -> str | Refused:
    """`Wiki.Example`, `localhost:8080` or `https://wiki.example/` as the allow-list has it."""
    bare = re.sub(r"^https?://|/.*$", "", text.strip(), flags=re.IGNORECASE)
    target = parse(f"http://{bare}/")
    if isinstance(target, Refused):
        return target
    return f"{target.host}:{target.port}" if re.search(r":\d+$", bare) else target.host
