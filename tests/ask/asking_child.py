"""Ask one question with the mock backend, and die at a write point.

asking_child.py PROJECT AT      (AT 0: live; prints the number of write points passed)
"""

from __future__ import annotations

import sys
from pathlib import Path

import anyio

from deeproot.ask import ask, asker, resume, settings_for
from deeproot.researcher import Means
from deeproot.settings import Asking
from deeproot.testing import FaultyDisk

NAME = "killed"


async def live(project: Path, disk: FaultyDisk) -> int:
    means = Means(disk=disk)
    if asker(project, NAME).exists:
        return (await resume(project, NAME, means=means)).outcome.exit_code
    return (await ask(project, settings_for("How does it work?", NAME, Asking(), "mock"), means)).outcome.exit_code


def main(project: str, at: str) -> int:
    disk = FaultyDisk(int(at) or -1)
    code = anyio.run(live, Path(project), disk)
    print(disk.points)
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
