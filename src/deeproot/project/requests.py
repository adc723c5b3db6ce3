"""What people say to a running researcher from another terminal: one file per request, created atomically."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from pathlib import Path

from .disk import Disk

FOLDER = "inbox"
STOP = "stop"
GUIDE = "guide"


@dataclass(frozen=True, slots=True)
class Request:
    verb: str
    text: str
    path: Path


def send(folder: Path, verb: str, text: str, disk: Disk) -> None:
    """Leave a request for whoever runs the researcher in `folder`."""
    inbox = disk.make_folder(folder / FOLDER)
    disk.create(inbox / f"{time.time_ns():020d}-{secrets.token_hex(4)}.{verb}.md", text)


def drop_stops(folder: Path, disk: Disk) -> None:
    """Requests to stop that were made before a run began were meant for another run."""
    for request in pending(folder):
        if request.verb == STOP:
            disk.remove(request.path)


def pending(folder: Path) -> list[Request]:
    """Requests in the order they were sent. They stay until removed, so a crash loses none."""
    try:
        names = sorted((folder / FOLDER).iterdir())
    except FileNotFoundError:
        return []
    return [
        Request(path.name.split(".")[1], path.read_text(encoding="utf-8", errors="replace").strip(), path)
        for path in names
        if path.suffix == ".md" and not path.name.startswith(".")
    ]
