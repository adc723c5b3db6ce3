"""`research models` and `research doctor`: who could answer on this machine, and whether one of them does."""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import anyio

from ..answers import Invalid, parse_answer
from ..asks import Ask, Failure, Kind, PlanAnswer, PlanInputs, Reply
from ..backends import ENTRY_POINTS, Backend, BackendSettings, open_backend
from ..backends import http as providers
from ..errors import DeeprootError, TemplateError
from ..hats.passages import passages_text
from ..model import Passage, Source, one_line
from ..project.lock import read_holder
from ..project.templates import Templates, builtin
from ..researcher import ROOT
from ..settings import DEFAULT_MODEL, DEFAULT_REVIEW_MODEL, Settings

AGENTS = ("opencode", "claude", "codex", "gemini", "pi")
ALWAYS = {
    "offline": "no model, no key, no network: answers with sentences of the files",
    "mock": "placeholder answers, to try things out",
    "command:PROGRAM": "any program that reads a prompt and prints the answer",
}
ANSWER_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Option:
    """What can be given as --model; `why` it can be used, or what is missing."""

    model: str
    usable: bool
    why: str
    names: tuple[str, ...] = ()


def models(arguments: argparse.Namespace) -> int:
    options = list(available())
    if arguments.format == "json":
        print(json.dumps([asdict(option) for option in options], indent=1, ensure_ascii=False))
        return 0
    width = max(len(option.model) for option in options)
    for title, usable in (("Usable now:", True), ("Not usable:", False)):
        rows = [option for option in options if option.usable is usable]
        if rows:
            print(title)
        for option in rows:
            print(f"  {option.model:<{width}}  {option.why}")
    print(f"Without --model, {default_models()[0]} answers.")
    return 0


def default_models() -> tuple[str, str]:
    """Who answers when nobody was chosen: one who researches, one who reviews."""
    return (DEFAULT_MODEL, DEFAULT_REVIEW_MODEL) if shutil.which("opencode") else ("offline", "offline")


def available() -> Iterator[Option]:
    """Every backend there is, with what speaks for or against it on this machine."""
    yield from (Option(model, True, why) for model, why in ALWAYS.items())
    yield from map(_agent, AGENTS)
    yield from map(_provider, providers.PROVIDERS)
    yield _local()
    known = {*ALWAYS, "command", "local", *AGENTS, *(provider.word for provider in providers.PROVIDERS)}
    plugged = sorted({point.name for point in entry_points(group=ENTRY_POINTS)} - known)
    yield from (Option(word, True, "installed") for word in plugged)


def _local() -> Option:
    if find_spec("xllamacpp"):
        return Option("local:FILE.gguf", True, "llama.cpp is installed; name a model file")
    return Option("local:FILE.gguf", False, "needs the extra `local`: pip install 'deeproot[local]'.")


def _agent(word: str) -> Option:
    path = shutil.which(word)
    return Option(f"{word}/MODEL", path is not None, f"found at {path}" if path else f"no `{word}` on PATH")


def _provider(provider: providers.Provider) -> Option:
    name = f"{provider.word}:MODEL"
    if lack := providers.missing(providers.locate(provider, "MODEL")):
        return Option(name, False, lack.removeprefix(f"{name} "))
    if provider.keys:
        return Option(name, True, "a key is set")
    address = providers.ollama_address()
    served = providers.served_models(address, providers.REACH_SECONDS)
    if served is None:
        return Option(name, False, f"no server answers at {address}")
    more = f" and {len(served) - providers.MOST_NAMES} more" if len(served) > providers.MOST_NAMES else ""
    return Option(name, True, f"serves {', '.join(served[: providers.MOST_NAMES]) or 'no model yet'}{more}", served)


# The doctor


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, and what was seen."""

    what: str
    ok: bool
    seen: str


Open = Callable[[str, BackendSettings], Backend]


def doctor(arguments: argparse.Namespace) -> int:
    checks = list(examine(arguments.model or default_models()[0], Path()))
    if arguments.format == "json":
        print(json.dumps([asdict(check) for check in checks], indent=1, ensure_ascii=False))
    else:
        for check in checks:
            print(f"{'ok  ' if check.ok else 'FAIL'}  {check.what}: {check.seen}")
    return 0 if all(check.ok for check in checks) else 1


def examine(model: str, project: Path, open_backend: Open = open_backend) -> Iterator[Check]:
    """Look at the folder first: it costs nothing. Then ask the model one small question. Changes no file."""
    root = project / ROOT
    yield _writable(root if root.is_dir() else project)
    templates, check = _templates(root / "templates")
    yield check
    yield _locks(path.parent for path in sorted(root.glob("*/research.lock.json")))
    yield anyio.run(_answers, model, templates, open_backend)


def _writable(folder: Path) -> Check:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"written")
            file.flush()
        return Check("folder", True, f"{folder.resolve()} can be written.")
    except OSError as error:
        return Check("folder", False, f"{folder} cannot be written: {error.strerror}.")


def _templates(folder: Path) -> tuple[Templates, Check]:
    """The project's templates; the built-in ones where it has none, or none that can be used."""
    texts = builtin()
    changed = 0
    try:
        for path in sorted(folder.glob("*.md")):
            text = path.read_text(encoding="utf-8")
            changed += texts.get(path.stem, text) != text
            texts[path.stem] = text
        return Templates(texts, folder), Check("templates", True, f"valid, {changed} of them changed by hand.")
    except TemplateError as error:
        return Templates(builtin()), Check("templates", False, str(error))
    except (OSError, UnicodeDecodeError) as error:
        return Templates(builtin()), Check("templates", False, f"{path} cannot be read: {error}.")


def _locks(folders: Iterable[Path]) -> Check:
    """A lock of a dead process is in nobody's way: the next run takes it over. It is told, not counted as wrong."""
    held: list[str] = []
    stale: list[str] = []
    for folder in folders:
        if holder := read_holder(folder):
            (stale if holder.alive is False else held).append(f"{folder.name} ({holder})")
    told = [f"held by {', '.join(held)}"] if held else ["none held"]
    if stale:
        told.append(f"left behind, and taken over by the next run: {', '.join(stale)}")
    return Check("locks", True, "; ".join(told) + ".")


async def _answers(model: str, templates: Templates, open_backend: Open) -> Check:
    what = f"model {model}"
    began = time.monotonic()
    try:
        backend = open_backend(model, BackendSettings("", ANSWER_SECONDS, ANSWER_SECONDS))
    except DeeprootError as error:
        return Check(what, False, str(error))
    try:
        result = await backend.answer(_question(model, templates))
    finally:
        with suppress(OSError):
            await backend.aclose()
    return Check(what, *_verdict(result, time.monotonic() - began))


def _question(model: str, templates: Templates) -> Ask:
    """A plan for a question anybody can split, from one passage."""
    settings = Settings("What causes the tides?", "doctor", breadth=2, depth=0, model=model, review_model=model)
    text = "The tides are caused by the gravity of the Moon. The Sun's gravity makes them higher at new and full moon."
    passages = (Passage(Source("tides.md"), text, 1, 1),)
    prompt = templates.render("initial_plan", settings, 0, passages=passages_text(passages))
    return Ask(Kind.PLAN, prompt, PlanInputs(settings.question, settings.breadth, passages))


def _verdict(result: Reply | Failure, seconds: float) -> tuple[bool, str]:
    if isinstance(result, Failure):
        return False, f"{result.reason}: {result.message}"
    answer = parse_answer(PlanAnswer, result.text)
    if isinstance(answer, Invalid):
        return False, f"answered, but not in the form asked for: {'; '.join(answer.errors)}"
    titles = ", ".join(one_line(topic.title, 60) for topic in answer.topics)
    usage = result.usage
    spent = f", {usage.tokens_in} + {usage.tokens_out} tokens" if usage.tokens_in or usage.tokens_out else ""
    return True, f"answered in {seconds:.1f} s{spent}: {titles or 'no topics'}."
