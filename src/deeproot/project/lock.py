"""One researcher, one writer.

The lock is a `flock` on `.research.lock`: the kernel frees it the moment its owner dies, whatever any
clock says. `research.lock.json` beside it is the notice: it tells people and other hosts who holds the lock,
and its token is what an owner checks before every write.

Lock and notice change only while `.research.gate` is held, a second `flock` that lasts for milliseconds. So
any number of processes may try, or force, at once: they pass one by one, the last one through is the holder,
and an ousted owner can never put its own notice back.
"""

from __future__ import annotations

import json
import math
import os
import secrets
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from ..errors import LockedError, LockLostError, StorageError
from .disk import Disk

NOTICE = "research.lock.json"
LOCK = ".research.lock"
GATE = ".research.gate"

STALE_SECONDS = 3600.0
GATE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Holder:
    """Who a notice says holds the lock."""

    token: str
    pid: int
    host: str
    created: float
    heartbeat: float

    @property
    def alive(self) -> bool | None:
        """Whether its process runs; None when it is another host's and cannot be known from here."""
        return _runs(self.pid) if self.host == socket.gethostname() else None

    @property
    def last_seen(self) -> float:
        return max(self.created, self.heartbeat)

    def __str__(self) -> str:
        return f"pid {self.pid} on {self.host or 'an unnamed host'}"


@dataclass(frozen=True, slots=True)
class _Damaged:
    """A notice that cannot be read; the time of the file is all there is to go by."""

    last_seen: float

    def __str__(self) -> str:
        return f"an unknown process (its {NOTICE} is damaged)"


class ResearcherLock:
    """The right to write in a researcher's folder, held by this process until `release`."""

    def __init__(
        self, folder: Path, disk: Disk, clock: Callable[[], float], flock: BaseFileLock, note: str | None
    ) -> None:
        self.token = secrets.token_hex(16)
        self.note = note
        self._folder = folder
        self._disk = disk
        self._clock = clock
        self._flock = flock

    @classmethod
    def acquire(
        cls, folder: Path, disk: Disk, clock: Callable[[], float] = time.time, force: bool = False
    ) -> ResearcherLock:
        """Become the one writer of `folder`, or raise LockedError; `note` tells what was taken over.

        A dead owner's lock on this host is free at once, any other silent owner's after an hour. `force`
        takes the lock even from a running owner, which finds out at its next `check`.
        """
        disk.make_folder(folder)
        with _gate(folder):
            flock = _take_flock(folder)
            if flock is None and force:
                # A new file under the old name: the old owner is left with a lock on a file nobody can open.
                disk.replace(folder / LOCK, "")
                flock = _take_flock(folder)
            found = _read_notice(folder)
            if flock is None:
                raise LockedError(_refusal(folder, found, clock()))
            with ExitStack() as unless_noticed:
                unless_noticed.callback(flock.release)
                lock = cls(folder, disk, clock, flock, _take_over(folder, found, clock(), force))
                lock._post_notice()
                unless_noticed.pop_all()
            return lock

    def check(self) -> None:
        """Raise LockLostError unless the notice still carries our token. To be called before every write."""
        found = _read_notice(self._folder)
        if isinstance(found, Holder) and found.token == self.token:
            return
        fate = f"it now belongs to {found}" if found else f"{NOTICE} is gone"
        raise LockLostError(f"Lost the lock of {self._folder}: {fate}. Stopped; nothing more was written.")

    def beat(self) -> None:
        """Renew the times in the notice, or raise LockLostError when it is no longer ours."""
        # A gate that stays shut (its keeper was stopped) costs a heartbeat, which is no reason to end a run.
        with suppress(LockedError), _gate(self._folder):
            self.check()
            self._post_notice()

    def release(self) -> None:
        """Let go of the lock and take down the notice if it is ours. May be called again."""
        try:
            if self._is_ours():
                with _gate(self._folder):
                    if self._is_ours():
                        self._disk.remove(self._folder / NOTICE)
        finally:
            self._flock.release()

    def _is_ours(self) -> bool:
        try:
            self.check()
        except LockLostError:
            return False
        return True

    def _post_notice(self) -> None:
        now = self._clock()
        notice = {
            "lock_token": self.token,
            "created": now,
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "heartbeat": now,
        }
        self._disk.replace(self._folder / NOTICE, json.dumps(notice, indent=2) + "\n")


def read_holder(folder: Path) -> Holder | None:
    """Who holds the researcher in `folder`, as far as its notice tells. Waits for nobody."""
    found = _read_notice(folder)
    return found if isinstance(found, Holder) else None


def _take_over(folder: Path, found: Holder | _Damaged | None, now: float, force: bool) -> str | None:
    """The note about the notice an earlier owner left, or LockedError when it must be respected."""
    if found is None:
        return None
    silence = now - found.last_seen
    if isinstance(found, Holder) and _is_gone(found):
        return f"Took over the lock of {found} (dead)."
    if silence >= STALE_SECONDS:
        return f"Took over the lock of {found} (silent for {_span(silence)})."
    if force:
        return f"Took the lock by force from {found} (last seen {_span(silence)} ago)."
    raise LockedError(_refusal(folder, found, now))


def _is_gone(holder: Holder) -> bool:
    """Provably dead. The caller has the flock, so a notice with our own pid is an earlier process's."""
    return holder.alive is False or (holder.alive is True and holder.pid == os.getpid())


def _refusal(folder: Path, found: Holder | _Damaged | None, now: float) -> str:
    who = f"{found} (last seen {_span(now - found.last_seen)} ago)" if found else "another process"
    return (
        f"The researcher in {folder} is in use by {who}. "
        "Wait until it has finished, or take it over with --force-resume."
    )


def _read_notice(folder: Path) -> Holder | _Damaged | None:
    try:
        with (folder / NOTICE).open("rb") as file:
            return _parse(file.read()) or _Damaged(os.fstat(file.fileno()).st_mtime)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"Cannot read {folder / NOTICE}: {error.strerror or error}.") from error


def _parse(data: bytes) -> Holder | None:
    try:
        notice = json.loads(data)
        created = float(notice["created"])
        holder = Holder(
            token=str(notice["lock_token"]),
            pid=int(notice["pid"]),
            host=str(notice.get("host", "")),
            created=created,
            heartbeat=float(notice.get("heartbeat", created)),
        )
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None
    return holder if holder.pid > 0 and math.isfinite(holder.last_seen) else None


def _take_flock(folder: Path) -> BaseFileLock | None:
    lock = _file_lock(folder / LOCK)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return None
    except OSError as error:
        raise _no_locks(folder / LOCK, error) from error
    return lock


@contextmanager
def _gate(folder: Path) -> Iterator[None]:
    gate = _file_lock(folder / GATE)
    try:
        gate.acquire(timeout=GATE_SECONDS, poll_interval=0.005)
    except Timeout:
        raise LockedError(
            f"A process that was taking or renewing the lock of {folder} has been standing still for "
            f"{GATE_SECONDS:.0f} s (it may be {_read_notice(folder) or 'one just starting'}). "
            "Let it go on or end it, then try again."
        ) from None
    except OSError as error:
        raise _no_locks(folder / GATE, error) from error
    try:
        yield
    finally:
        gate.release()


def _file_lock(path: Path) -> BaseFileLock:
    # Not bound to a thread: the engine acquires, beats and releases from whichever worker thread is free.
    return FileLock(path, thread_local=False)


def _no_locks(path: Path, error: OSError) -> StorageError:
    cause = error.strerror or str(error)
    return StorageError(f"Cannot lock {path}: {cause}. The folder must allow writing and file locks.")


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """Ended, but not yet collected by its parent; only Linux tells."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return stat.rpartition(b")")[2].split()[:1] == [b"Z"]


def _span(seconds: float) -> str:
    """A length of time to read: `45 s`, `12 min`, `3 h`. The future (a clock was set back) counts as now."""
    if seconds < 100:
        return f"{max(0, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 6000 else f"{round(seconds / 3600)} h"
