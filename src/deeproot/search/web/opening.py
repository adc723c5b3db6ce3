"""Putting the web's parts together for a run, and what a person should know before it starts."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import anyio.to_thread

from ...asks import Failure
from ...clock import Clock, RealClock
from ...errors import UsageError
from ...project.disk import Disk
from .chain import Chain
from .crawl import Crawled, crawl
from .dial import Network
from .fetch import Fetcher
from .granted import Granted, allowed_host
from .guard import Guard, Refused, Target, parse
from .pages import Pages
from .providers import Provider, ProviderMeans, open_providers
from .searcher import NO_NETWORK, WebSearch
from .store import Coverage, Page, PageStore
from .wire import FetchLimits

CHOSEN = "DEEPROOT_SEARCH"
"""The variable that names the providers to ask, in order: `searxng, wikipedia`."""
PROBE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class WebMeans:
    """What the web is reached with. The defaults are the real things; tests hand in others."""

    find_key: Callable[[Sequence[str]], str | None] = lambda _: None
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    network: Network | None = None
    tls: ssl.SSLContext | None = None
    limits: FetchLimits = field(default_factory=FetchLimits)
    open_providers: Callable[[ProviderMeans, Sequence[str]], Sequence[Provider]] = open_providers


@dataclass(frozen=True, slots=True)
class WebWish:
    """What a person wants of the web: searching it, whole sites, hosts to trust; and what they said.

    `after_agents`: those who search do it with tools of their own, and the pages they open are to be read as well.
    """

    question: str
    search: bool = False
    sites: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    after_agents: bool = False


@dataclass(frozen=True, slots=True)
class OpenedWeb:
    """A searcher, how far each site was read, and lines to be told once."""

    searcher: WebSearch
    coverage: tuple[Coverage, ...] = ()
    notes: tuple[str, ...] = ()


def check_wish(wish: WebWish) -> None:
    """UsageError when a site or a host cannot be meant."""
    for site in wish.sites:
        target = parse(site)
        if isinstance(target, Refused):
            raise UsageError(
                f"--site {site!r} is not an address to read ({target.reason}). Example: https://example.org/"
            )
    for host in wish.allowed:
        allowed = allowed_host(host)
        if isinstance(allowed, Refused):
            raise UsageError(f"--allow {host!r} is not a host ({allowed.reason}). Example: wiki.example.org")


async def open_web(
    wish: WebWish, knowledge: Path, disk: Disk, clock: Clock | None = None, means: WebMeans | None = None
) -> OpenedWeb:
    """Everything a run needs of the web. Sites are read here, unless they were read before."""
    means, clock = means or WebMeans(), clock or RealClock()
    check_wish(wish)
    hosts = frozenset(host for host in map(allowed_host, wish.allowed) if isinstance(host, str))
    fetcher = Fetcher(clock, Guard(hosts), means.limits, means.network, means.tls)
    named = [name.strip() for name in means.environment.get(CHOSEN, "").split(",") if name.strip()]
    provider_means = ProviderMeans(fetcher, means.find_key, means.environment)
    providers = means.open_providers(provider_means, named) if wish.search else ()
    pages = Pages(fetcher, PageStore(knowledge, disk), clock)
    notes: list[str] = []
    if providers and not await fetcher.reaches([provider.base for provider in providers], PROBE_SECONDS):
        notes.append(NO_NETWORK)
    read = [await _read_site(pages, site, wish.question) for site in wish.sites]
    crawled = [each for each in read if isinstance(each, Crawled)]
    notes += [each.message for each in read if isinstance(each, Failure)]
    granted = Granted(fetcher.guard, wish.question, wish.sites, hosts, wish.after_agents)
    searcher = WebSearch(Chain(providers, clock), pages, granted, wish.question, _distinct(crawled))
    return OpenedWeb(searcher, tuple(each.coverage for each in crawled), tuple(notes))


async def _read_site(pages: Pages, site: str, question: str) -> Crawled | Failure:
    """A site as it was read before, if every page of it is still kept; otherwise read now."""
    target = parse(site)
    assert isinstance(target, Target), "checked when the wish was"
    before = await anyio.to_thread.run_sync(pages.store.find_site, target.url)
    kept = [await pages.kept(address) for address in before.read] if before else []
    whole = [page for page in kept if page is not None]
    if before and len(whole) == len(kept):
        return Crawled(tuple(whole), before)
    found = await crawl(pages, target.url, question)
    if isinstance(found, Crawled):
        await anyio.to_thread.run_sync(pages.store.keep_site, found.coverage)
    return found


def _distinct(crawled: Sequence[Crawled]) -> tuple[Page, ...]:
    return tuple({page.location: page for each in crawled for page in each.pages}.values())
