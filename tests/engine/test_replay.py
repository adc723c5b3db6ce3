"""Living through a run and reading its journal end in the same state, whatever happens in it."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
from hypothesis import given
from hypothesis import strategies as st

from deeproot.asks import Ask, Kind
from deeproot.errors import BackendError
from deeproot.researcher import Means
from deeproot.state import State
from deeproot.testing import FakeClock, Script, Scripted
from laboratory import MEMORY, Lab, as_backend, children_of, failing, final_verdict, rejection, settings_for, topic_of

FATES = ("fine", "fine", "fine", "fine", "garbage", "fail", "reject", "few", "none")


def script_of(seed: int, fates: Sequence[str]) -> Script:
    """What becomes of an ask depends on its words alone, so that a run can be lived again."""

    def script(ask: Ask) -> Scripted | None:
        digest = hashlib.sha256(f"{seed} {ask.kind} {ask.prompt}".encode()).digest()
        fate = fates[digest[0] % len(fates)]
        match fate, ask.kind:
            case "garbage", _:
                return "no JSON at all"
            case "fail", _:
                return failing()
            case "reject", Kind.REVIEW:
                return rejection(topic_of(ask))
            case "reject", Kind.FINAL_REVIEW:
                return final_verdict("Once more")
            case "few", Kind.CHILDREN:
                return children_of("Only this")
            case "none", Kind.CHILDREN:
                return children_of()
            case _:
                return None

    return script


def dump(state: State) -> dict[str, Any]:
    """Everything a state holds. What is due is compared without the empty shelves."""
    values = {name: value for name, value in vars(state).items() if name != "_routes"}
    values["due"] = {key: list(topics) for key, topics in state.due.items() if topics}
    values["order"] = [growth.topic.id for growth in state.walk()]
    return values


@given(
    seed=st.integers(0, 10**6),
    fates=st.lists(st.sampled_from(FATES), min_size=1, max_size=8),
    concurrency=st.integers(1, 5),
    breadth=st.integers(1, 3),
    depth=st.integers(0, 2),
    limit=st.integers(1, 12),
)
def test_the_state_of_a_run_is_the_state_its_journal_tells(
    seed: int, fates: list[str], concurrency: int, breadth: int, depth: int, limit: int
) -> None:
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        lab = Lab(Path(folder))
        live: list[State] = []
        backend = as_backend(script_of(seed, fates))
        means = Means(
            open_backend=lambda _name, _settings: backend,
            clock=FakeClock(speed=20_000),
            watch=lambda _entry, state: live.__setitem__(slice(None), [state]),
        )
        chosen = settings_for(breadth=breadth, depth=depth, concurrency=concurrency, max_iterations=limit)
        try:
            outcome = anyio.run(lab.researcher.start, chosen, means)
        except BackendError:
            outcome = None
        told = lab.researcher.past().state
        assert dump(live[0]) == dump(told)
        assert sum(told.counts.values()) == len(told.growths)
        assert told.iteration <= limit
        if outcome and outcome.exit_code in (0, 2, 3):
            assert told.finished
            assert lab.researcher.report.exists()
