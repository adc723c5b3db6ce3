"""Models over HTTP: `openai:MODEL`, `anthropic:MODEL`, `google:MODEL`, `openrouter:MODEL`, `ollama:MODEL`.

After `@` a name may carry the address of any server that speaks the same way: `openai:qwen3@http://127.0.0.1:8080/v1`.
Nothing heavy is imported here: the library that speaks to the providers is loaded when a backend is opened.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from importlib.util import find_spec
from socket import create_connection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

from ...errors import BackendError, UsageError
from .. import BackendSettings
from ..keys import find_key

if TYPE_CHECKING:
    from .backend import HttpBackend

INSTALL = "pip install 'deeproot[models]'"
ANY_ADDRESS_KEY = "DEEPROOT_API_KEY"
"""The key for an address that is neither the provider's own nor on this machine."""

SCHEMES = ("http", "https")
LONGEST_LIST = 1_000_000
REACH_SECONDS = 2.0
MOST_NAMES = 20
CONTEXT_VARIABLE = "OLLAMA_CONTEXT_LENGTH"
OLLAMA_CONTEXT = 4096
"""Tokens Ollama reads unless its server was told otherwise. What is longer it cuts without a word."""


@dataclass(frozen=True, slots=True)
class Provider:
    """Who serves models. `keys` are the variables a key is looked for in; without any, none is needed."""

    word: str
    keys: tuple[str, ...]
    example: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a model is: its provider, its name there, the address when it is not the provider's own, and the key."""

    provider: Provider
    model: str
    address: str | None
    key: str | None

    @property
    def name(self) -> str:
        return f"{self.provider.word}:{self.model}" + (f"@{self.address}" if self.address else "")

    @property
    def own(self) -> bool:
        """A server the user runs: it may think long before it speaks, and it costs nothing."""
        return self.address is not None or not self.provider.keys


OPENAI = Provider("openai", ("OPENAI_API_KEY",), "openai:gpt-5-mini")
ANTHROPIC = Provider("anthropic", ("ANTHROPIC_API_KEY",), "anthropic:claude-haiku-4-5")
GOOGLE = Provider("google", ("GOOGLE_API_KEY", "GEMINI_API_KEY"), "google:gemini-2.5-flash")
OPENROUTER = Provider("openrouter", ("OPENROUTER_API_KEY",), "openrouter:mistralai/mistral-small")
OLLAMA = Provider("ollama", (), "ollama:qwen3")
PROVIDERS = (OPENAI, ANTHROPIC, GOOGLE, OPENROUTER, OLLAMA)


def ollama_address() -> str:
    """Where Ollama listens, unless a name says otherwise."""
    return os.environ.get("OLLAMA_BASE_URL") or "http://127.0.0.1:11434/v1"


def context_tokens(place: Place) -> int | None:
    """How many tokens Ollama reads, by its own variable; None for all others, which say when a prompt is too long."""
    if place.provider is not OLLAMA:
        return None
    said = os.environ.get(CONTEXT_VARIABLE, "").strip()
    return int(said) if said.isdecimal() and int(said) else OLLAMA_CONTEXT


def served_models(address: str, seconds: float) -> tuple[str, ...] | None:
    """The models a server on loopback lists; None when none answers there, or when it is not on this machine."""
    if not is_loopback(address):
        return None
    direct = build_opener(ProxyHandler({}))
    try:
        with direct.open(f"{address.rstrip('/')}/models", timeout=seconds) as response:
            listed = json.loads(response.read(LONGEST_LIST)).get("data") or []
    except (OSError, ValueError, AttributeError, HTTPException):
        return None
    return tuple(str(entry["id"]) for entry in listed if isinstance(entry, dict) and "id" in entry)


def installed() -> bool:
    """Whether the library that speaks to the providers is there."""
    return find_spec("pydantic_ai") is not None


def locate(provider: Provider, written: str) -> Place:
    """What was written after the provider's word, understood. UsageError when it cannot be meant.

    The provider's key goes to the provider and to this machine alone: a name may come with a project, and must not
    be able to send the key elsewhere.
    """
    match = re.fullmatch(r"(?P<model>.+?)(?:@(?P<address>[A-Za-z][\w+.-]*://.*))?", written.strip())
    if not match:
        raise UsageError(f"{provider.word}: needs the name of a model, for example {provider.example}.")
    address = match["address"]
    if address:
        _check_address(address)
    keys = provider.keys if not address or is_loopback(address) else (ANY_ADDRESS_KEY,)
    return Place(provider, match["model"], address, find_key(keys) if keys else None)


def _check_address(address: str) -> None:
    try:
        parts = urlsplit(address)
        well_formed = parts.scheme in SCHEMES and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        well_formed = False
    if not well_formed:
        raise UsageError(f"{address!r} is not an address; write for example http://127.0.0.1:8080/v1.")
    if parts.username or parts.password or parts.query:
        raise UsageError(f"Leave credentials out of the address: set {ANY_ADDRESS_KEY} in the environment instead.")


def is_loopback(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def missing(place: Place) -> str:
    """What is missing before this place can be asked, as a sentence; empty when nothing is."""
    if not installed():
        return f"{place.name} needs the extra `models`: {INSTALL}."
    if place.provider.keys and not place.address and not place.key:
        return f"{place.name} needs a key: set {place.provider.keys[0]} in the environment."
    return ""


def absent(place: Place) -> str:
    """Why a server on this machine will not answer, as a sentence; empty when it may, or when it is elsewhere."""
    address = place.address or (ollama_address() if place.provider is OLLAMA else "")
    if not address or not is_loopback(address):
        return ""
    if not _listens(address):
        return f"{place.name}: no server answers at {address}; start it, or choose another --model."
    served = served_models(address, REACH_SECONDS) if place.provider is OLLAMA else None
    if not served or {place.model, f"{place.model}:latest"} & set(served):
        return ""
    return f"{place.name}: there is no such model at {address}. It has: {', '.join(served[:MOST_NAMES])}."


def _listens(address: str) -> bool:
    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with create_connection((parts.hostname, port), timeout=REACH_SECONDS):
            return True
    except OSError:
        return False


def _open(provider: Provider, settings: BackendSettings) -> HttpBackend:
    """BackendError when the extra, the key or the server is missing: that should be known before anything is spent."""
    place = locate(provider, settings.model)
    if lack := missing(place) or absent(place):
        raise BackendError(lack)
    try:
        from .backend import HttpBackend

        return HttpBackend(place, settings)
    except ImportError as error:
        raise BackendError(f"{place.name} needs the extra `models` ({error.name} is missing): {INSTALL}.") from error


Opener = Callable[[BackendSettings], "HttpBackend"]
open_openai: Opener = partial(_open, OPENAI)
open_anthropic: Opener = partial(_open, ANTHROPIC)
open_google: Opener = partial(_open, GOOGLE)
open_openrouter: Opener = partial(_open, OPENROUTER)
open_ollama: Opener = partial(_open, OLLAMA)
