"""Backends are let go however a run begins or ends."""

from __future__ import annotations

import anyio
import pytest

from deeproot.backends import Backend, BackendSettings
from deeproot.errors import BackendError
from deeproot.researcher import Means, Researcher
from deeproot.settings import Settings
from deeproot.testing import ScriptedBackend
from laboratory import Lab


class Held(ScriptedBackend):
    """Holds something until it is closed."""

    closed = False

    async def aclose(self) -> None:
        self.closed = True


def test_a_backend_that_was_opened_is_closed_when_the_next_one_cannot_be(lab: Lab) -> None:
    held = Held()

    def open_backend(name: str, _: BackendSettings) -> Backend:
        if name == "missing":
            raise BackendError("It is not installed.")
        return held

    settings = Settings("Why?", "a", model="held", review_model="missing")
    with pytest.raises(BackendError):
        anyio.run(Researcher(lab.project, "a").start, settings, Means(open_backend=open_backend))
    assert held.closed
