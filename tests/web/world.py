"""A small world wide web on loopback: pages by address, and a search engine that names some of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from loopback import Answer, Asked, FakeNetwork, Site, StepClock, as_json

from deeproot.project.disk import Disk
from deeproot.search.web.dial import Network
from deeproot.search.web.opening import OpenedWeb, WebMeans, WebWish, open_web
from deeproot.search.web.wire import FetchLimits

ENGINE = "search.example"
QUESTION = "How long do apples keep?"


def article(title: str, words: str) -> str:
    """A page with enough to read."""
    return f"<title>{title}</title><body><nav><a href=/>Home</a></nav><h1>{title}</h1><p>{words}</p></body>"


APPLES = article("Apples", "Apples keep for six months in a cool cellar. The peel tells when they are ripe. " * 4)
PEARS = article("Pears", "Pears keep for a few weeks only, and want to be eaten soon. " * 5)


@dataclass(slots=True)
class World:
    """pages: answers by address. results: what the engine names, for every query or by a function of it."""

    pages: Mapping[str, Answer]
    results: Sequence[str] | Callable[[str], Sequence[str]] = ()
    names: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    engine: Answer | None = None
    asked: list[Asked] = field(default_factory=list)

    def __call__(self, asked: Asked) -> Answer | None:
        self.asked.append(asked)
        if asked.headers["host"] != ENGINE:
            return self.pages.get(asked.url)
        if self.engine is not None:
            return self.engine
        given = self.results(self.queries[-1]) if callable(self.results) else self.results
        return as_json({"results": [{"url": url, "title": url, "content": "A snippet."} for url in given]})

    @property
    def queries(self) -> list[str]:
        """What the engine was asked."""
        return [parse_qs(urlsplit(each.path).query)["q"][0] for each in self.asked if each.headers["host"] == ENGINE]

    @property
    def fetched(self) -> list[str]:
        """The addresses of pages that were asked for, in order."""
        away = (each for each in self.asked if each.headers["host"] != ENGINE)
        return [each.url for each in away if each.path != "/robots.txt"]

    @contextmanager
    def served(self) -> Iterator[FakeNetwork]:
        with Site(self) as site:
            yield FakeNetwork(site, self.names)


def means_of(network: Network, limits: FetchLimits | None = None, **environment: str) -> WebMeans:
    """The engine of the world is the only provider that can be reached by it."""
    found = {"SEARXNG_URL": f"http://{ENGINE}/", "DEEPROOT_SEARCH": "searxng", **environment}
    return WebMeans(environment=found, network=network, limits=limits or FetchLimits(idle=5, total=10))


async def opened(network: Network, project: Path, **wish: object) -> OpenedWeb:
    chosen = {"question": QUESTION, "search": True, **wish}
    return await open_web(WebWish(**chosen), project / "knowledge", Disk(), StepClock(), means_of(network))  # type: ignore[arg-type]
