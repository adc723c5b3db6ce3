"""Everything deeproot raises on purpose.

    DeeprootError            exit 1
    ├── UsageError           exit 64: what was typed or written cannot be meant
    │   ├── TemplateError        a prompt template names an unknown variable or does not parse
    │   └── PlanError            a hand-edited plan does not parse (file and line)
    ├── LockedError          exit 75: another process owns the researcher
    ├── LockLostError        exit 1: the lock was taken over; nothing more was written
    ├── JournalError         exit 1: the journal is damaged in the middle (file and line)
    ├── StorageError         exit 1: the disk refused a write (path and cause)
    └── BackendError         exit 1: no answer can be had (what to install, set or choose instead)

Rejections, exhausted retries, failed gates and limits are values, not errors.
"""

from __future__ import annotations

from pathlib import Path


class DeeprootError(Exception):
    """The message is complete: what, where, what to do. It is printed as it is."""

    exit_code = 1


class UsageError(DeeprootError):
    exit_code = 64


class TemplateError(UsageError):
    pass


class PlanError(UsageError):
    def __init__(self, path: str | Path, line: int, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}")
        self.line = line


class LockedError(DeeprootError):
    exit_code = 75


class LockLostError(DeeprootError):
    pass


class JournalError(DeeprootError):
    def __init__(self, path: str | Path, line: int, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}")
        self.line = line


class StorageError(DeeprootError):
    pass


class BackendError(DeeprootError):
    pass


def first_of_ours(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """Task groups raise bundles; a person wants the one error that matters."""
    ours = errors.subgroup(DeeprootError)
    found: BaseException = ours or errors
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found
