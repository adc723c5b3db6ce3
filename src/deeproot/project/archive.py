"""Earlier versions of the files people read, kept as `archive/{epoch}.{token}.{name}`.

Nothing is ever overwritten. The epoch is the second of keeping; when that second does not come after the last
copy of the same name, it is the next one that does. So a name's copies sort in the order they were made, even
when several were made in one second or the clock was set back, and the name itself is never altered.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from .disk import Disk

FOLDER = "archive"
_COPY = re.compile(r"([0-9]{1,15})\.([0-9a-f]{32})\.(.+)")
_NAME = re.compile(r"[^/\n\0]+")
_TOKEN = re.compile(r"[0-9a-f]{32}")


def progress_name(slug: str) -> str:
    """The name under which a topic's `progress/{slug}.md` is kept."""
    return f"{slug}.progress.md"


@dataclass(frozen=True, slots=True)
class Copy:
    """An archived file, taken apart by its name."""

    path: Path
    epoch: int
    token: str
    name: str


@dataclass(slots=True)
class _Versions:
    """The copies of one name: the last epoch, and the contents as far as they have been looked at."""

    last_epoch: int = -1
    unread: list[Copy] = field(default_factory=list)
    digests: set[str] = field(default_factory=set)

    def has(self, digest: str) -> bool:
        while self.unread:
            if (data := _read(self.unread.pop())) is not None:
                self.digests.add(_digest(data))
        return digest in self.digests


class Archive:
    """The archive of the researcher in `folder`, written by the one process that holds its lock.

    It remembers what is there: the folder is listed once, and each copy is read at most once.
    """

    def __init__(self, folder: Path, token: str, disk: Disk, clock: Callable[[], float]) -> None:
        self._folder = folder
        self._token = token
        self._disk = disk
        self._clock = clock
        self._versions: dict[str, _Versions] | None = None

    def keep(self, name: str, text: str, durable: bool = False) -> Path | None:
        """Keep this version of `name`; None when a copy of `name` with the same text is already there.

        `durable` is for what a person wrote: our own views can be made again from the journal.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"not a plain file name: {name!r}")
        versions = self._known().setdefault(name, _Versions())
        digest = _digest(text.encode())
        if versions.has(digest):
            return None
        path, versions.last_epoch = self._write(name, text, versions.last_epoch + 1, durable)
        versions.digests.add(digest)
        return path

    def _write(self, name: str, text: str, earliest: int, durable: bool) -> tuple[Path, int]:
        folder = self._disk.make_folder(self._folder / FOLDER)
        epoch = max(int(self._clock()), earliest)
        while not self._disk.create(path := folder / f"{epoch}.{self._token}.{name}", text, durable):
            epoch += 1
        return path, epoch

    def _known(self) -> dict[str, _Versions]:
        if self._versions is None:
            self._versions = defaultdict(_Versions)
            for copy in _copies(self._folder):
                versions = self._versions[copy.name]
                versions.last_epoch = max(versions.last_epoch, copy.epoch)
                versions.unread.append(copy)
        return self._versions


@dataclass(frozen=True, slots=True)
class Reorganized:
    """What `reorganize` did: the copies it moved, at their new places, and those it left where they were."""

    moved: tuple[Path, ...]
    left: tuple[Path, ...]


def reorganize(folder: Path, live_token: str | None, disk: Disk) -> Reorganized:
    """Move the copies of each token with at least two into `archive/{token}/`; the live token's stay."""
    copies = sorted(_copies_in(folder / FOLDER), key=_age)
    count = Counter(copy.token for copy in copies)
    moved: list[Path] = []
    left: list[Path] = []
    for copy in copies:
        target = copy.path.parent / copy.token / copy.path.name
        if copy.token == live_token or count[copy.token] < 2 or target.exists():
            left.append(copy.path)
        else:
            disk.make_folder(target.parent)
            disk.move(copy.path, target)
            moved.append(target)
    return Reorganized(tuple(moved), tuple(left))


def _age(copy: Copy) -> tuple[int, str]:
    return copy.epoch, copy.path.name


def _copies(folder: Path) -> Iterator[Copy]:
    """Every archived copy, loose or in the folder of its token."""
    archive = folder / FOLDER
    yield from _copies_in(archive)
    for inner in _entries(archive):
        if _TOKEN.fullmatch(inner.name):
            yield from _copies_in(inner)


def _copies_in(folder: Path) -> Iterator[Copy]:
    for path in _entries(folder):
        match = _COPY.fullmatch(path.name)
        if match and path.is_file():
            yield Copy(path, int(match[1]), match[2], match[3])


def _entries(folder: Path) -> Iterator[Path]:
    return folder.iterdir() if folder.is_dir() else iter(())


def _read(copy: Copy) -> bytes | None:
    """A copy's content, also when it was moved to its token's folder since; None when it is gone."""
    for path in (copy.path, copy.path.parent / copy.token / copy.path.name):
        with suppress(OSError):
            return path.read_bytes()
    return None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
