"""`command:my-script --flag`: any program that reads a prompt from standard input and prints the answer."""

from __future__ import annotations

import shlex

from ..asks import Ask, Failure, Reason, Reply
from ..errors import BackendError, UsageError
from . import PAID_PASSAGES, Abilities, BackendSettings
from .agent import last_words, too_long
from .keys import without_secrets
from .process import Finished, Killed, MissingCommand, find_command, run_process


def open_backend(settings: BackendSettings) -> CommandBackend:
    return CommandBackend(settings)


class CommandBackend:
    """One process per ask. It has no sessions and, as far as we know, no tools."""

    abilities = Abilities(passages=PAID_PASSAGES)

    def __init__(self, settings: BackendSettings) -> None:
        """UsageError for a command line that cannot be meant, BackendError when there is no such program."""
        self._command = _words(settings.model)
        try:
            find_command(self._command[0])
        except MissingCommand as missing:
            raise BackendError(f"{missing} Check the name after `command:`, or choose another --model.") from missing
        self.name = f"command:{settings.model.strip()}"
        self._settings = settings

    async def answer(self, ask: Ask) -> Reply | Failure:
        try:
            ended = await run_process(
                self._command,
                stdin=ask.context + ask.prompt,
                timeout=self._settings.timeout,
                idle_timeout=self._settings.idle_timeout,
            )
        except (MissingCommand, OSError) as error:
            return Failure(Reason.UNAVAILABLE, f"{self._command[0]} cannot be started: {error}")
        return without_secrets(self._conclude(ended))

    async def aclose(self) -> None:
        """Nothing is held between asks."""

    def _conclude(self, ended: Finished | Killed) -> Reply | Failure:
        program = self._command[0]
        if isinstance(ended, Killed):
            return Failure(Reason.TIMED_OUT, f"{program} {too_long(ended, self._settings)}.")
        if ended.code:
            said = last_words(ended.stderr) or last_words(ended.stdout) or "it did not say why"
            return Failure(Reason.FAILED, f"{program} exited with {ended.code}: {said}")
        if not ended.stdout.strip():
            said = last_words(ended.stderr)
            return Failure(Reason.EMPTY, f"{program} printed no answer. {said}".rstrip())
        return Reply(ended.stdout.strip(), model=self.name)


def _words(written: str) -> list[str]:
    """The words of a command line, as a shell would part them; no shell is run."""
    try:
        words = shlex.split(written)
    except ValueError as error:
        raise UsageError(f"command:{written} cannot be parted into words: {error}.") from error
    if not words:
        raise UsageError("command: needs a program, for example --model 'command:my-script --flag'.")
    return words
