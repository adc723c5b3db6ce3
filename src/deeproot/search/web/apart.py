"""Reading a response in a process apart, with limits on time and memory: a page can be made to use up both."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import anyio
import anyio.to_thread
from pydantic import TypeAdapter

from ..readers import Unreadable
from .reading import LIMITS, WebReading, is_pdf, read_response
from .response import Response

_CHILD = f"{__package__}.reading_child"
_NEEDED = ("PATH", "PYTHONHOME", "LD_LIBRARY_PATH", "SYSTEMROOT", "TEMP", "TMP", "LANG", "LC_ALL")
_PACKAGES = Path(__file__).parents[3]
_OUTCOME: TypeAdapter[WebReading | Unreadable] = TypeAdapter(WebReading | Unreadable)


def _environment() -> dict[str, str]:
    """What a Python needs to start: a process that reads what strangers wrote gets no keys."""
    kept = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    paths = (str(_PACKAGES), os.environ.get("PYTHONPATH", ""))
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


async def read_apart(response: Response, seconds: float = LIMITS.seconds) -> WebReading | Unreadable:
    """The text of a page; what cannot be read within the limits is unreadable. Cancelling ends the child."""
    if is_pdf(response):  # has a child of its own
        limits = replace(LIMITS, seconds=seconds)
        return await anyio.to_thread.run_sync(read_response, response, limits, abandon_on_cancel=True)
    about = json.dumps([response.url, response.content_type, int(seconds) + 1]).encode() + b"\n"
    try:
        with anyio.fail_after(seconds):
            done = await anyio.run_process(
                [sys.executable, "-P", "-m", _CHILD], input=about + response.body, check=False, env=_environment()
            )
    except TimeoutError:
        return Unreadable(f"took longer than {seconds:g} seconds to read")
    if done.returncode != 0:
        return Unreadable("reading it took too much time or memory")
    return _OUTCOME.validate_json(done.stdout)
