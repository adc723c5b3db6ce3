"""Prompts: golden renderings of every template, and the same bytes in every folder, order and hash seed.

`GOLDEN=write pytest tests/engine/test_prompts.py` writes the golden files anew; read the difference aloud.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from deeproot import asks as a
from deeproot.asks import Ask, Kind
from deeproot.backends import Abilities
from deeproot.model import Passage, Source
from deeproot.project.disk import Disk
from deeproot.project.requests import GUIDE, send
from deeproot.project.templates import VARIABLES
from deeproot.testing import FakeClock, ListSearcher, Scripted, ScriptedBackend
from laboratory import Finished, Lab, at, failing, final_verdict, first, golden, once, plan_of, rejection, topic_of

TEXT = "Task.cancel requests cancellation.\nIt raises CancelledError inside the task at the next await."
PASSAGE = Passage(Source("docs/tasks.md", "Tasks", "ab" * 32), TEXT, 10, 11, section="Cancelling")
QUOTE = "It raises CancelledError inside the task at the next await."
FILES = {
    Kind.PLAN: "initial_plan",
    Kind.QUERIES: "queries",
    Kind.DOCUMENT: "research",
    Kind.CHILDREN: "subtopics",
    Kind.REVIEW: "review",
    Kind.SECTION: "section",
    Kind.SYNTHESIZE: "synthesize",
    Kind.FINAL_REVIEW: "final_review",
    Kind.REVISE: "revise",
    Kind.RECOVER: "recovery",
    Kind.PICK: "picker",
}
# Held by tests/ask and tests/gates.
ELSEWHERE = {"scope", "decide", "answer", "deep_answer", "answer_at_once", "judge"}


def a_small_run_of_everything(lab: Lab, start: float = 1_700_000_000.0) -> Finished:
    """Every kind of ask: a failure with its recovery, a rejection, guidance, a revision, a rank of leaves."""
    found = a.DocumentAnswer("Cancelling throws.", (a.ProposedFinding("It raises.", QUOTE, "S1", 0.9),), (), ("Cost.",))
    reviews: list[Ask] = []

    def review(ask: Ask) -> Scripted | None:
        if ask.kind is Kind.REVIEW:
            reviews.append(ask)
            return rejection(topic_of(ask), "Search the changelog") if len(reviews) == 1 else None
        return None

    script = first(
        at(Kind.DOCUMENT, 2, lambda: send(lab.folder, GUIDE, "Prefer the standard library.", Disk())),
        once(Kind.PLAN, plan_of("How cancellation is requested", "What cancellation costs")),
        once(Kind.DOCUMENT, failing("exit code 7")),
        once(Kind.FINAL_REVIEW, final_verdict("Topic 1: say it plainly.")),
        review,
        lambda ask: found if ask.kind is Kind.DOCUMENT else None,
    )
    backend = ScriptedBackend(script, abilities=Abilities(tools=False))
    means = {"searcher": ListSearcher([PASSAGE]), "clock": FakeClock(speed=100, start=start)}
    return lab.run(backend, depth=1, means=means, strategy="guided")


def sent(done: Finished) -> list[str]:
    return [f"{ask.kind}\n{ask.context}{ask.prompt}" for ask in done.backend.asks]


def test_every_template_renders_as_its_golden_file(lab: Lab) -> None:
    done = a_small_run_of_everything(lab)
    assert {ask.kind for ask in done.backend.asks} == set(FILES)
    for kind, name in FILES.items():
        first_ask, *_ = done.backend.asked(kind)
        golden(f"prompts/{name}.txt", first_ask.prompt)
    one, two = done.backend.asked(Kind.DOCUMENT)[:2]
    golden("prompts/phase_recovery.txt", two.prompt.removeprefix(one.prompt))
    reworked = next(ask for ask in done.backend.asked(Kind.DOCUMENT) if "Search the changelog" in ask.prompt)
    golden("prompts/research_again.txt", reworked.context + reworked.prompt)
    assert {*FILES.values(), "phase_recovery"} == set(VARIABLES) - ELSEWHERE


def test_no_prompt_holds_a_clock_a_path_or_a_chance(memory_path: Path) -> None:
    """Another folder, another time, another lock token: the same prompts, to the byte."""
    runs = []
    for name, start in (("here", 1_700_000_000.0), ("there", 1_900_000_000.0)):
        (memory_path / name).mkdir()
        runs.append(sent(a_small_run_of_everything(Lab(memory_path / name), start)))
    assert runs[0] == runs[1]
    assert str(memory_path) not in "\n".join(runs[0])


SCRIPT = """
import sys
from deeproot.cli import main
assert main(["How does asyncio cancel a task?", "--name", "seeded", "--breadth", "3", "--depth", "1",
             "--mock-mode", "--yes", "--quiet"]) == 0
main(["log", "seeded", "--format", "json"])
"""


def test_prompts_do_not_depend_on_the_hash_seed(memory_path: Path) -> None:
    logs = []
    for seed in ("0", "1"):
        folder = memory_path / seed
        folder.mkdir()
        ran = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            cwd=folder,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        rows = json.loads(ran.stdout[ran.stdout.index("[\n") :])
        logs.append({(row["turn"], row["step"]): row["prompt_hash"] for row in rows})
    assert len(logs[0]) > 30
    assert logs[0] == logs[1]
