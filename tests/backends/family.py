"""A fake agent with a family: a child in its process group and one that left it for a session of its own.

    family.py PIDS [stubborn]

Each writes its process id to PIDS and then sleeps for ever; the stubborn ones in the group ignore TERM.
"""

from __future__ import annotations

import os
import signal
import sys
import time


def live(pids: str) -> None:
    with open(pids, "a") as file:  # noqa: PTH123
        file.write(f"{os.getpid()}\n")
    while True:  # silently: a closed pipe must not be what ends us
        time.sleep(1)


def main(pids: str, stubborn: bool) -> None:
    if stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for leaves in (False, True):
        if os.fork() == 0:
            if leaves:
                os.setsid()
            live(pids)
    live(pids)


if __name__ == "__main__":
    main(sys.argv[1], "stubborn" in sys.argv[2:])
