"""One researcher, one writer: whoever tries, whatever dies, whatever the clock says."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import deeproot
from deeproot.errors import LockedError, LockLostError, StorageError
from deeproot.project.disk import Disk
from deeproot.project.lock import NOTICE, ResearcherLock, read_holder

HOST = socket.gethostname()
HOUR, DAY = 3600.0, 86400.0
NOW = 1_750_000_000.0

OWNER = """
import sys
from pathlib import Path
from deeproot.errors import DeeprootError
from deeproot.project.disk import Disk
from deeproot.project.lock import ResearcherLock

lock = ResearcherLock.acquire(Path(sys.argv[1]), Disk())
print(lock.token, flush=True)
for order in sys.stdin:
    try:
        getattr(lock, order.strip())()
        print("done", flush=True)
    except DeeprootError as error:
        print(type(error).__name__, flush=True)
"""


class Owner:
    """A process of its own that holds the lock and does what it is told: check, beat, release."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", OWNER, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(deeproot.__file__).parents[1])},
        )
        self.pid = self.process.pid
        self.token = self._line()

    def told(self, order: str) -> str:
        assert self.process.stdin
        self.process.stdin.write(order + "\n")
        self.process.stdin.flush()
        return self._line()

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()

    def _line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Owner]:
    owner = Owner(tmp_path)
    yield owner
    owner.end()


def at(moment: float) -> Callable[[], float]:
    return lambda: moment


def acquire(folder: Path, now: float = NOW, force: bool = False) -> ResearcherLock:
    return ResearcherLock.acquire(folder, Disk(), at(now), force)


def leave_notice(folder: Path, pid: int, host: str = HOST, seen: float = NOW) -> str:
    """What an owner that is gone, or of another host, leaves; returns its token."""
    token = "ab" * 16
    notice = {"lock_token": token, "created": seen - 5, "pid": pid, "host": host, "heartbeat": seen}
    (folder / NOTICE).write_text(json.dumps(notice))
    return token


def dead_pid() -> int:
    ended = subprocess.Popen(["true"])
    ended.wait()
    return ended.pid


def test_the_notice_names_token_times_pid_and_host_while_the_lock_is_held(tmp_path: Path) -> None:
    lock = acquire(tmp_path / "new" / "folder")
    notice = json.loads((tmp_path / "new" / "folder" / NOTICE).read_text())
    assert re.fullmatch(r"[0-9a-f]{32}", lock.token)
    assert notice == {
        "lock_token": lock.token,
        "created": NOW,
        "pid": os.getpid(),
        "host": HOST,
        "heartbeat": NOW,
    }
    assert lock.note is None
    lock.check()
    lock.release()


def test_after_release_the_notice_is_gone_and_the_lock_is_free(tmp_path: Path) -> None:
    first = acquire(tmp_path)
    first.release()
    first.release()
    assert not (tmp_path / NOTICE).exists()
    second = acquire(tmp_path)
    assert second.note is None
    assert second.token != first.token
    second.release()


def test_a_released_lock_no_longer_checks(tmp_path: Path) -> None:
    lock = acquire(tmp_path)
    lock.release()
    with pytest.raises(LockLostError):
        lock.check()
    with pytest.raises(LockLostError):
        lock.beat()
    assert not (tmp_path / NOTICE).exists()


def test_a_late_release_leaves_the_next_owner_alone(tmp_path: Path) -> None:
    first = acquire(tmp_path)
    first.release()
    second = acquire(tmp_path)
    first.release()
    second.check()
    with pytest.raises(LockedError):
        acquire(tmp_path)
    second.release()


def test_a_second_process_is_refused_with_pid_host_age_and_the_way_out(tmp_path: Path, owner: Owner) -> None:
    with pytest.raises(LockedError, match=rf"pid {owner.pid} on {re.escape(HOST)}.*\d s ago.*--force-resume"):
        ResearcherLock.acquire(tmp_path, Disk())
    assert owner.told("check") == "done"


def test_a_second_lock_in_the_same_process_is_refused(tmp_path: Path) -> None:
    lock = acquire(tmp_path)
    with pytest.raises(LockedError, match=f"pid {os.getpid()} "):
        acquire(tmp_path)
    lock.release()


@pytest.mark.parametrize("jump", [-DAY, -HOUR, HOUR, DAY])
def test_no_jump_of_the_clock_takes_the_lock_from_a_running_owner(tmp_path: Path, owner: Owner, jump: float) -> None:
    with pytest.raises(LockedError):
        acquire(tmp_path, now=time.time() + jump)
    assert owner.told("check") == "done"


def test_a_killed_owner_is_followed_at_once_with_a_note(tmp_path: Path, owner: Owner) -> None:
    owner.end()
    assert (tmp_path / NOTICE).exists()
    lock = ResearcherLock.acquire(tmp_path, Disk())
    assert lock.note == f"Took over the lock of pid {owner.pid} on {HOST} (dead)."
    lock.release()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux tells a zombie from a process")
def test_an_owner_that_died_uncollected_is_dead(tmp_path: Path, owner: Owner) -> None:
    owner.process.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, owner.pid, os.WEXITED | os.WNOWAIT)
    lock = ResearcherLock.acquire(tmp_path, Disk())
    assert lock.note is not None
    lock.release()


def test_a_notice_with_our_own_pid_and_a_free_lock_is_an_earlier_process_of_that_pid(tmp_path: Path) -> None:
    leave_notice(tmp_path, pid=os.getpid())
    lock = acquire(tmp_path)
    assert lock.note == f"Took over the lock of pid {os.getpid()} on {HOST} (dead)."
    lock.release()


@pytest.mark.parametrize("host", ["elsewhere.invalid", "", HOST])
def test_a_notice_that_may_be_live_is_respected_for_an_hour_and_no_longer(tmp_path: Path, host: str) -> None:
    leave_notice(tmp_path, pid=os.getppid(), host=host, seen=NOW - 3599)
    with pytest.raises(LockedError, match="60 min ago"):
        acquire(tmp_path)
    leave_notice(tmp_path, pid=os.getppid(), host=host, seen=NOW - 3601)
    lock = acquire(tmp_path)
    assert lock.note is not None
    assert f"pid {os.getppid()}" in lock.note
    assert "silent for 60 min" in lock.note
    lock.release()


def test_a_dead_pid_of_another_host_proves_nothing(tmp_path: Path) -> None:
    leave_notice(tmp_path, pid=dead_pid(), host="elsewhere.invalid", seen=NOW - 60)
    with pytest.raises(LockedError):
        acquire(tmp_path)


def test_a_notice_from_the_future_counts_as_fresh(tmp_path: Path) -> None:
    leave_notice(tmp_path, pid=1, host="elsewhere.invalid", seen=NOW + DAY)
    with pytest.raises(LockedError, match="0 s ago"):
        acquire(tmp_path)


def test_a_notice_without_heartbeat_and_host_goes_by_when_it_was_created(tmp_path: Path) -> None:
    (tmp_path / NOTICE).write_text(json.dumps({"lock_token": "0" * 32, "created": NOW - 3601, "pid": 1}))
    lock = acquire(tmp_path)
    assert lock.note == "Took over the lock of pid 1 on an unnamed host (silent for 60 min)."
    lock.release()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"lock_token": "x"}',
        '{"lock_token": "x", "created": "soon", "pid": 1}',
        '{"lock_token": "x", "created": NaN, "pid": 1}',
        '{"lock_token": "x", "created": Infinity, "pid": 1}',
        '{"lock_token": "x", "created": 1, "pid": 0}',
        "[" * 100_000,
        "\udcff",
    ],
)
def test_a_damaged_notice_is_respected_for_an_hour_from_its_last_change(tmp_path: Path, text: str) -> None:
    notice = tmp_path / NOTICE
    notice.write_bytes(text.encode("utf-8", "surrogateescape"))
    os.utime(notice, (NOW - 3599, NOW - 3599))
    with pytest.raises(LockedError, match="damaged"):
        acquire(tmp_path)
    os.utime(notice, (NOW - 3601, NOW - 3601))
    lock = acquire(tmp_path)
    assert lock.note is not None
    assert "damaged" in lock.note
    lock.check()
    lock.release()


def test_force_takes_a_fresh_foreign_lock_and_names_the_old_pid(tmp_path: Path) -> None:
    leave_notice(tmp_path, pid=4242, host="elsewhere.invalid", seen=NOW - 30)
    lock = acquire(tmp_path, force=True)
    assert lock.note == "Took the lock by force from pid 4242 on elsewhere.invalid (last seen 30 s ago)."
    lock.release()


def test_force_on_a_free_folder_has_nothing_to_note(tmp_path: Path) -> None:
    lock = acquire(tmp_path, force=True)
    assert lock.note is None
    lock.release()


def test_a_stopped_owner_that_was_ousted_notices_and_changes_nothing(tmp_path: Path, owner: Owner) -> None:
    os.kill(owner.pid, signal.SIGSTOP)
    with pytest.raises(LockedError):
        acquire(tmp_path, now=time.time() + DAY)
    lock = ResearcherLock.acquire(tmp_path, Disk(), force=True)
    assert lock.note is not None
    assert f"pid {owner.pid} " in lock.note
    os.kill(owner.pid, signal.SIGCONT)
    assert owner.told("check") == "LockLostError"
    assert owner.told("beat") == "LockLostError"
    assert owner.told("release") == "done"
    lock.check()
    lock.release()


def test_an_ousted_owner_cannot_free_the_lock_of_its_successor(tmp_path: Path, owner: Owner) -> None:
    lock = ResearcherLock.acquire(tmp_path, Disk(), force=True)
    owner.end()
    with pytest.raises(LockedError):
        acquire(tmp_path, now=time.time() + DAY)
    lock.check()
    lock.release()


def test_a_replaced_token_is_noticed_and_the_others_notice_is_left(tmp_path: Path) -> None:
    lock = acquire(tmp_path)
    leave_notice(tmp_path, pid=4242, host="elsewhere.invalid")
    left = (tmp_path / NOTICE).read_text()
    with pytest.raises(LockLostError, match="pid 4242 on elsewhere"):
        lock.check()
    with pytest.raises(LockLostError):
        lock.beat()
    lock.release()
    assert (tmp_path / NOTICE).read_text() == left


def test_a_removed_notice_is_noticed_and_not_put_back(tmp_path: Path) -> None:
    lock = acquire(tmp_path)
    (tmp_path / NOTICE).unlink()
    with pytest.raises(LockLostError, match="gone"):
        lock.beat()
    assert not (tmp_path / NOTICE).exists()
    lock.release()


def test_a_folder_that_was_deleted_is_a_lost_lock_and_can_be_released(tmp_path: Path) -> None:
    lock = acquire(tmp_path / "gone")
    shutil.rmtree(tmp_path / "gone")
    with pytest.raises(LockLostError):
        lock.check()
    lock.release()
    assert not (tmp_path / "gone").exists()


def test_threads_may_share_the_lock(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        lock = threads.submit(acquire, tmp_path).result()
        for beat in [threads.submit(lock.beat) for _ in range(40)]:
            beat.result()
        lock.check()
        threads.submit(lock.release).result()
    acquire(tmp_path).release()


def test_a_heartbeat_renews_both_times_and_keeps_the_token(tmp_path: Path) -> None:
    now = [NOW]
    lock = ResearcherLock.acquire(tmp_path, Disk(), lambda: now[0])
    now[0] += 90
    lock.beat()
    holder = read_holder(tmp_path)
    assert holder is not None
    assert (holder.token, holder.created, holder.heartbeat) == (lock.token, NOW + 90, NOW + 90)
    lock.release()


def test_status_can_tell_running_dead_and_unknowable_holders(tmp_path: Path, owner: Owner) -> None:
    holder = read_holder(tmp_path)
    assert holder is not None
    assert (holder.pid, holder.host, holder.token, holder.alive) == (owner.pid, HOST, owner.token, True)
    owner.end()
    assert holder.alive is False
    leave_notice(tmp_path, pid=1, host="elsewhere.invalid")
    foreign = read_holder(tmp_path)
    assert foreign is not None
    assert foreign.alive is None


def test_status_finds_no_holder_without_a_notice_or_with_a_damaged_one(tmp_path: Path) -> None:
    assert read_holder(tmp_path) is None
    assert read_holder(tmp_path / "missing") is None
    (tmp_path / NOTICE).write_text("{")
    assert read_holder(tmp_path) is None


class FullDisk(Disk):
    """Refuses the notice."""

    def point(self, name: str, path: Path) -> None:
        if name == "replace.written" and path.name == NOTICE:
            raise OSError(28, "No space left on device")


def test_a_full_disk_leaves_the_lock_free(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=NOTICE):
        ResearcherLock.acquire(tmp_path, FullDisk())
    lock = acquire(tmp_path)
    assert lock.note is None
    lock.release()


@pytest.mark.parametrize("scenario", ["fresh", "stale", "dead-pid", "all-force", "some-force"])
def test_of_eight_racing_processes_exactly_one_holds_the_lock(scenario: str) -> None:
    script = Path(__file__).with_name("race_lock.py")
    env = {**os.environ, "PYTHONPATH": str(Path(deeproot.__file__).parents[1])}
    command = [sys.executable, str(script), "--rounds", "20", "--scenario", scenario]
    result = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(rf"{scenario} +20 +20 +0 +0 ", result.stdout)
