"""The one module that writes. Everything kept on disk is written through a `Disk`.

`point` marks every place where a crash could fall between two effects; it does nothing here, and
`deeproot.testing.FaultyDisk` overrides it to kill the process or to fail like a full disk.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from threading import get_ident

from ..errors import StorageError

TEMPORARY = ".deeproot-tmp"
NAME_LENGTH = 180


class Disk:
    def point(self, name: str, path: Path) -> None:
        """A place where a crash could fall."""

    def make_folder(self, path: Path, durable: bool = False) -> Path:
        """`durable` is for what will hold files that must survive a power cut: the name of a folder must as well."""
        with _naming(path):
            self.point("folder", path)
            new = list(takewhile(lambda each: not each.exists(), (path, *path.parents))) if durable else []
            path.mkdir(parents=True, exist_ok=True)
        for each in new:
            self.sync_names(each.parent)
        return path

    def sync_names(self, folder: Path) -> None:
        """Make durable which names are in a folder: a file that was synced is lost all the same when its name is."""
        with _naming(folder):
            fd = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(fd)
            except OSError as error:
                if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems have no such thing
                    raise
            finally:
                os.close(fd)

    def replace(self, path: Path, text: str | bytes, durable: bool = True) -> None:
        """Write a whole file so that a reader, or a crash, sees the old text or the new one and nothing else.

        `durable` waits until it would survive a power cut; what can be rebuilt from the journal need not.
        """
        temporary = _temporary(path)
        with _naming(path):
            try:
                self.point("replace", path)
                data = text if isinstance(text, bytes) else text.encode()
                _write_through(temporary, data, durable)
                self.point("replace.written", path)
                temporary.replace(path)
            except OSError:
                temporary.unlink(missing_ok=True)
                raise
            if durable:
                self.sync_names(path.parent)
            self.point("replace.done", path)

    def create(self, path: Path, text: str, durable: bool = True) -> bool:
        """Write a new file, whole or not at all; False when the name is taken."""
        temporary = _temporary(path)
        with _naming(path):
            try:
                self.point("create", path)
                _write_through(temporary, text.encode(), durable)
                self.point("create.written", path)
                os.link(temporary, path)
            except FileExistsError:
                return False
            finally:
                temporary.unlink(missing_ok=True)
            if durable:
                self.sync_names(path.parent)
            self.point("create.done", path)
        return True

    def append(self, path: Path, fd: int, data: bytes) -> None:
        """Append and make durable. `path` is only for the error message."""
        with _naming(path):
            self.point("append", path)
            view = memoryview(data)
            while view:
                view = view[os.write(fd, view) :]
            self.point("append.written", path)
            os.fsync(fd)
            self.point("append.done", path)

    def log(self, path: Path, text: str) -> None:
        """Append to a log for people; not made durable."""
        with _naming(path):
            self.point("log", path)
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write(text)

    def truncate(self, path: Path, fd: int, size: int) -> None:
        with _naming(path):
            self.point("truncate", path)
            os.ftruncate(fd, size)
            os.fsync(fd)

    def move(self, path: Path, target: Path) -> None:
        with _naming(path):
            self.point("move", path)
            path.rename(target)

    def remove(self, path: Path) -> None:
        with _naming(path):
            self.point("remove", path)
            path.unlink(missing_ok=True)

    def sweep(self, folder: Path, shared: bool = False) -> None:
        """Remove temporary files that a killed process left in `folder` and below.

        Where nobody else may write, that is all of them; in a `shared` folder those of the living stay.
        """
        for left in list(folder.rglob(f".*{TEMPORARY}")):
            if not (shared and _maker_lives(left)):
                self.remove(left)


def _temporary(path: Path) -> Path:
    """A name beside `path` that no other thread or process uses. The name itself may be as long as names can be."""
    return path.with_name(f".{path.name[:NAME_LENGTH]}.{get_ident()}.{os.getpid()}{TEMPORARY}")


def _maker_lives(temporary: Path) -> bool:
    """Whether the process that made a temporary file may still be writing it; its pid is in the name."""
    pid = temporary.name.removesuffix(TEMPORARY).rpartition(".")[2]
    try:
        os.kill(int(pid), 0)
    except PermissionError:
        return True
    except (ValueError, OSError, OverflowError):
        return False
    return int(pid) != os.getpid()


def _write_through(path: Path, data: bytes, durable: bool) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        if durable:
            os.fsync(fd)
    finally:
        os.close(fd)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Turn a refusal by the operating system into an error that names the file and says what was kept."""
    try:
        yield
    except OSError as error:
        cause = error.strerror or str(error)
        raise StorageError(
            f"Cannot write {path}: {cause}. What was saved before is intact; free space or fix the permissions, "
            "then continue with --resume."
        ) from error
