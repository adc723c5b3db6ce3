"""Talking to a running researcher from another terminal: `guide` and `stop`."""

from __future__ import annotations

import argparse

from ..errors import UsageError
from ..project.disk import Disk
from ..project.requests import GUIDE, STOP, send
from .inspect import existing, runner_of


def guide(arguments: argparse.Namespace) -> int:
    if not arguments.text.strip():
        raise UsageError("The guidance is empty. Say what to look for, in quotes.")
    researcher = existing(arguments.name)
    send(researcher.folder, GUIDE, arguments.text.encode("utf-8", "replace").decode().strip(), Disk())
    if runner_of(researcher):
        print(f"{researcher.name} will see it in its next turns.")
    else:
        resume = researcher.past().state.settings.resume_command
        print(f"{researcher.name} is not running; it will see it when it goes on: {resume}")
    return 0


def stop(arguments: argparse.Namespace) -> int:
    researcher = existing(arguments.name)
    if not runner_of(researcher):
        print(f"{researcher.name} is not running.")
        return 0
    send(researcher.folder, STOP, "", Disk())
    print(f"{researcher.name} stops when its running turns have ended; --resume goes on.")
    return 0
