"""Which files a search reads: everything under the given paths that is meant to be read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from . import Skipped

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", "CVS", "_darcs"})
CACHES = frozenset(
    {"__pycache__", "node_modules", ".venv", ".tox", ".nox", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
)
PROJECT, REPORTS = ".research", "reports"
# Keys and passwords are nobody's evidence, and a passage may be sent to a model.
SECRETS = (".env", ".netrc", ".npmrc", ".pypirc", ".pem", ".key", ".p12", ".pfx", ".kdbx")


@dataclass(frozen=True, slots=True)
class Found:
    """A regular file to read. `location` is how the user would name it."""

    location: str
    path: Path
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class _Ignores:
    """The ignore rules of one folder, after those of the folders around it."""

    folder: Path
    rules: GitIgnoreSpec
    around: _Ignores | None

    def hides(self, path: Path, folder: bool) -> bool:
        """The nearest rule file that has an opinion decides."""
        name = path.relative_to(self.folder).as_posix() + ("/" if folder else "")
        opinion = self.rules.check_file(name).include
        if opinion is None and self.around is not None:
            return self.around.hides(path, folder)
        return bool(opinion)


def walk(roots: Sequence[Path], skip: Callable[[Skipped], None]) -> Iterator[Found]:
    """The files under `roots`, each once, in a stable order. What cannot be looked at goes to `skip`."""
    seen: set[str] = set()
    for root in roots:
        for found in _walk_root(root, skip):
            if found.location not in seen:
                seen.add(found.location)
                yield found


def _walk_root(root: Path, skip: Callable[[Skipped], None]) -> Iterator[Found]:
    location = "" if root == Path() else _shown(root.as_posix())
    try:
        status = root.stat()
    except OSError as error:
        skip(Skipped(_shown(root.as_posix()), error.strerror or str(error)))
        return
    if stat.S_ISDIR(status.st_mode):
        real = root.resolve()
        yield from _Walk(real, skip).folder(real, location, _rules_around(real))
    else:
        yield Found(location, root, status.st_size, status.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class _Walk:
    root: Path
    skip: Callable[[Skipped], None]

    def folder(self, folder: Path, location: str, around: _Ignores | None) -> Iterator[Found]:
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            self.skip(Skipped(location or ".", error.strerror or str(error)))
            return
        names = {entry.name for entry in entries}
        ignores = _rules_in(folder, around) if ".gitignore" in names else around
        for entry in entries:
            here = f"{location}/{_shown(entry.name)}" if location.strip("/") else f"{location}{_shown(entry.name)}"
            yield from self._entry(entry, here, ignores, project=PROJECT in names)

    def _entry(
        self, entry: os.DirEntry[str], location: str, ignores: _Ignores | None, project: bool
    ) -> Iterator[Found]:
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            ours = entry.name == PROJECT or (project and entry.name == REPORTS)
            if not (ours or entry.name in VERSION_CONTROL | CACHES or _hidden(ignores, path, folder=True)):
                yield from self.folder(path, location, ignores)
        elif not (_is_secret(entry.name) or _hidden(ignores, path, folder=False)):
            found = self._file(entry, path, location)
            if found is not None:
                yield found

    def _file(self, entry: os.DirEntry[str], path: Path, location: str) -> Found | None:
        """A regular file, or a link to one that stays inside the root. Links to folders are never followed."""
        try:
            if entry.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(self.root):
                return None
            status = entry.stat()
        except OSError as error:
            self.skip(Skipped(location, error.strerror or str(error)))
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        return Found(location, path, status.st_size, status.st_mtime_ns)


def _shown(name: str) -> str:
    """A file name as text; what is not UTF-8 in it is replaced."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _is_secret(name: str) -> bool:
    return name.startswith(".env.") or name.endswith(SECRETS) or name.startswith("id_rsa")


def _hidden(ignores: _Ignores | None, path: Path, folder: bool) -> bool:
    return ignores is not None and ignores.hides(path, folder)


def _rules_in(folder: Path, around: _Ignores | None) -> _Ignores | None:
    from pathspec import GitIgnoreSpec

    try:
        lines = (folder / ".gitignore").read_text("utf-8", "replace").splitlines()
        return _Ignores(folder, GitIgnoreSpec.from_lines(lines), around)
    except (OSError, ValueError):
        return around


def _rules_around(root: Path) -> _Ignores | None:
    """The rules of the repository `root` lies in. A root the rules would hide was asked for by name: it is read."""
    above = []
    for folder in (root, *root.parents):
        if (folder / ".git").exists():
            above = list(reversed(root.parents[: len(root.parts) - len(folder.parts)]))
            break
    rules: _Ignores | None = None
    for folder in above:
        rules = _rules_in(folder, rules)
    return None if _hidden(rules, root, folder=True) else rules
