"""Search providers: a query in, addresses with titles and snippets out. Found by entry point, as backends are.

A provider is opened with `ProviderMeans` by a function named in the entry point group `deeproot.search`; the function
returns None where the provider is not set up here. An entry with the name of a built-in takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import entry_points
from typing import Protocol

from ....asks import Failure
from ....errors import UsageError
from ..fetch import Fetcher

ENTRY_POINTS = "deeproot.search"

# In the order they are asked: those a person has set up, then those that need nothing.
BUILT_IN = ("tavily", "brave", "searxng", "ddgs", "wikipedia", "arxiv")


@dataclass(frozen=True, slots=True)
class Result:
    """An address a provider gave for a query, and what it says about it."""

    title: str
    url: str
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class ProviderMeans:
    """What a provider may use: the guarded fetcher, keys by the names of their variables, the environment."""

    fetcher: Fetcher
    find_key: Callable[[Sequence[str]], str | None] = lambda _: None
    environment: Mapping[str, str] = field(default_factory=dict)


class Provider(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def base(self) -> str:
        """The address it is reached at."""

    async def results(self, query: str, limit: int) -> tuple[Result, ...] | Failure:
        """At most `limit` results, best first. Raises nothing for what can go wrong outside."""


OpenProvider = Callable[[ProviderMeans], Provider | None]


def open_providers(means: ProviderMeans, names: Sequence[str] = ()) -> tuple[Provider, ...]:
    """Those that are set up here, in the order they are to be asked; only the named ones, in that order, when given."""
    openers: dict[str, Callable[[], OpenProvider]] = {name: _built_in(name) for name in BUILT_IN}
    added = {point.name: point.load for point in sorted(entry_points(group=ENTRY_POINTS))}
    order = [*(name for name in added if name not in openers), *BUILT_IN]
    openers |= added
    unknown = [name for name in names if name not in openers]
    if unknown:
        raise UsageError(f"No search provider is called {unknown[0]!r}. Known: {', '.join(sorted(openers))}.")
    opened = (openers[name]()(means) for name in names or order)
    return tuple(provider for provider in opened if provider is not None)


def _built_in(name: str) -> Callable[[], OpenProvider]:
    def load() -> OpenProvider:
        opener: OpenProvider = import_module(f"{__name__}.{name}").open_provider
        return opener

    return load
