"""Several public search engines without a key, through the library `ddgs` (the extra `web`).

The library makes its own connections, to the engines it knows and to nowhere else; the pages it names are fetched here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol

import anyio

from ....asks import Failure, Reason
from ....model import one_line
from ..aside import run_aside
from . import ProviderMeans, Result
from .interface import plain

ENGINES = "duckduckgo, brave, mojeek, startpage, yahoo"
SECONDS = 5


class Engines(Protocol):
    """The part of the library's object that is used. Blocking; raises the library's exceptions."""

    def text(self, query: str, *, max_results: int, backend: str) -> Sequence[Mapping[str, str]]: ...


@dataclass(frozen=True, slots=True)
class Ddgs:
    open: Callable[[], Engines]
    engines: str = ENGINES
    name: str = "ddgs"
    base: str = "https://duckduckgo.com"

    async def results(self, query: str, limit: int) -> tuple[Result, ...] | Failure:
        library = import_module("ddgs.exceptions")

        def look() -> Sequence[Mapping[str, str]]:
            return self.open().text(query, max_results=limit, backend=self.engines)

        try:
            with anyio.fail_after(3 * SECONDS):
                found = await run_aside(look)
        except library.RatelimitException:
            return Failure(Reason.RATE_LIMITED, f"{self.name}: asks to slow down")
        except (library.TimeoutException, TimeoutError):
            return Failure(Reason.TIMED_OUT, f"{self.name}: did not answer in time")
        except library.DDGSException as error:  # also how it says that nothing was found
            return Failure(Reason.EMPTY, f"{self.name}: {one_line(str(error), 200)}")
        return tuple(
            Result(plain(hit.get("title", "")), hit["href"], plain(hit.get("body", "")))
            for hit in found[:limit]
            if hit.get("href")
        )


def _open_library() -> Engines:
    engines: Engines = import_module("ddgs").DDGS(timeout=SECONDS)
    return engines


def open_provider(means: ProviderMeans) -> Ddgs | None:  # noqa: ARG001 - the signature of a provider
    return Ddgs(_open_library) if find_spec("ddgs") else None
