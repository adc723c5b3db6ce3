"""The real `research` command in a project folder, and what its journal tells afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from live_checks import Wrong, require

from deeproot.events import Event
from deeproot.model import Usage
from deeproot.project.journal import Step, load
from deeproot.researcher import Past, Researcher


@dataclass(frozen=True, slots=True)
class Ended:
    code: int
    output: str


@dataclass(frozen=True, slots=True)
class Project:
    """A folder in which `research` is called, with an environment of its own."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)

    async def research(self, *words: str, seconds: float) -> Ended:
        """Run the command to its end; Wrong when that takes too long."""
        process = self.start(*words)
        try:
            output, _ = await anyio.to_thread.run_sync(lambda: process.communicate(timeout=max(1.0, seconds)))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            output, _ = await anyio.to_thread.run_sync(process.communicate)
            raise Wrong(f"research was not done after {seconds:.0f} s:\n{output[-2000:]}") from None
        return Ended(process.returncode, output)

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Begin the command; the caller ends it."""
        return subprocess.Popen(
            [sys.executable, "-m", "deeproot", *words],
            cwd=self.folder,
            env=dict(self.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def told(self, name: str) -> Told:
        """What is on record about a researcher."""
        researcher = Researcher(self.folder, name)
        require(researcher.exists, f"nothing is on record of {name}")
        entries = load(researcher.journal).entries
        steps = [entry.step for entry in entries if entry.step]
        events = [event for entry in entries if entry.batch for event in entry.batch.events]
        return Told(researcher, researcher.past(), steps, events)


@dataclass(frozen=True, slots=True)
class Told:
    researcher: Researcher
    past: Past
    steps: list[Step]
    events: list[Event]

    @property
    def usages(self) -> list[Usage]:
        """Of every answer on record. Costs are the agent's affair."""
        used = [step.reply.usage for step in self.steps if step.reply]
        return [Usage(usage.tokens_in, usage.tokens_out, usage.tokens_cached) for usage in used]

    def files(self) -> None:
        """The report and its citations are there."""
        for path in (self.researcher.report, self.researcher.reports / "citations.json"):
            require(path.is_file() and path.stat().st_size, f"{path} is missing or empty")
