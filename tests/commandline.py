"""The command line run in this process, with nobody at the keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from deeproot.cli import main


class Ended(NamedTuple):
    code: int
    out: str
    err: str


Command = Callable[..., Ended]


def exit_code(arguments: tuple[str, ...]) -> int:
    """Also where argparse ends the process by itself, as for `--help`."""
    try:
        return main(arguments)
    except SystemExit as ended:
        return int(ended.code or 0)
