"""Reading a response in a process apart, with limits on time and memory: a page can be made to use up both."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import anyio
import anyio.to_thread
from pydantic import TypeAdapter

from ..readers import Unreadable, pdf
from ..readers.child import environment
from .reading import LIMITS, WebReading, is_pdf, web_reading
from .response import Response

_CHILD = f"{__package__}.reading_child"
_OUTCOME: TypeAdapter[WebReading | Unreadable] = TypeAdapter(WebReading | Unreadable)


async def read_apart(response: Response, seconds: float = LIMITS.seconds) -> WebReading | Unreadable:
    """The text of a page; what cannot be read within the limits is unreadable. Cancelling ends the child."""
    try:
        with anyio.fail_after(seconds):
            return await (_read_pdf(response, seconds) if is_pdf(response) else _read(response, seconds))
    except TimeoutError:
        return Unreadable(f"took longer than {seconds:g} seconds to read")


async def _read(response: Response, seconds: float) -> WebReading | Unreadable:
    about = json.dumps([response.url, response.content_type, int(seconds) + 1]).encode() + b"\n"
    command = [sys.executable, "-P", "-m", _CHILD]
    done = await anyio.run_process(command, input=about + response.body, check=False, env=environment())
    if done.returncode != 0:
        return Unreadable("reading it took too much time or memory")
    return _OUTCOME.validate_json(done.stdout)


async def _read_pdf(response: Response, seconds: float) -> WebReading | Unreadable:
    """With the child that PDF files have anyway."""
    command = pdf.command(replace(LIMITS, seconds=seconds))
    done = await anyio.run_process(command, input=response.body, check=False, env=environment())
    found = await anyio.to_thread.run_sync(pdf.outcome, done)
    return found if isinstance(found, Unreadable) else web_reading(found)
