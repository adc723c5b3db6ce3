"""The prompts of `research ask`: golden renderings, the same bytes in every folder.

`GOLDEN=write pytest tests/ask/test_ask_prompts.py` writes the golden files anew; read the difference aloud.
"""

from __future__ import annotations

from pathlib import Path

from inquiry import PASSAGE, PORT, SIMPLE, always, decision, inquire, reading, scoped, searching

from deeproot import asks as a
from deeproot.asks import Ask, Kind
from deeproot.testing import FakeClock
from laboratory import Finished, Lab, first, golden, once, topic_of

FOUND = a.DocumentAnswer("The port is told.", (a.ProposedFinding(PORT, PORT, "S1", 0.9),), (), ("The host.",))
ANSWER = a.AnswerAnswer(f"{PORT} [F1-1]", findings=(a.ProposedFinding(PORT, PORT, "S1", 1.0),))
LONG = a.AnswerAnswer(
    f"{PORT} [F1-1]",
    "The port",
    tuple(a.AnswerPart(title, f"{PORT} [F1-1]") for title in ("One", "Two", "Three", "Four", "Conclusion")),
)


def given_up(ask: Ask) -> a.DocumentAnswer | None:
    lost = ask.kind is Kind.DOCUMENT and topic_of(ask).title == "Who may change it?"
    return a.DocumentAnswer("Nothing.", gaps=("Nobody says.",)) if lost else None


def a_small_run(lab: Lab, deep: bool = False, start: float = 1_700_000_000.0) -> Finished:
    """Two subquestions, one of them given up, and a second round."""
    script = first(
        given_up,
        once(Kind.SCOPE, scoped("Which port is it?", "Who may change it?")),
        once(Kind.DECIDE, decision("the host", topic="Which host is it?")),
        always(Kind.DOCUMENT, FOUND),
        always(Kind.ANSWER, LONG if deep else ANSWER),
    )
    means = searching(PASSAGE) | {"clock": FakeClock(speed=100, start=start)}
    return inquire(lab, reading(script), "How is the port set?", deep=deep, means=means, concurrency=1)


def test_every_template_renders_as_its_golden_file(lab: Lab) -> None:
    done = a_small_run(lab)
    golden("prompts/scope.txt", done.backend.asked(Kind.SCOPE)[0].prompt)
    golden("prompts/decide.txt", done.backend.asked(Kind.DECIDE)[1].prompt)
    golden("prompts/answer.txt", done.backend.asked(Kind.ANSWER)[0].prompt)


def test_the_long_answer_has_its_own_template(lab: Lab) -> None:
    golden("prompts/deep_answer.txt", a_small_run(lab, deep=True).backend.asked(Kind.ANSWER)[0].prompt)


def test_a_simple_question_has_its_own_template(lab: Lab) -> None:
    done = inquire(lab, reading({Kind.ANSWER: [ANSWER]}), SIMPLE, means=searching())
    golden("prompts/answer_at_once.txt", done.backend.asked(Kind.ANSWER)[0].prompt)


def test_no_prompt_holds_a_clock_a_path_or_a_chance(memory_path: Path) -> None:
    runs = []
    for name, start in (("here", 1_700_000_000.0), ("there", 1_900_000_000.0)):
        (memory_path / name).mkdir()
        done = a_small_run(Lab(memory_path / name), start=start)
        runs.append([f"{ask.kind}\n{ask.context}{ask.prompt}" for ask in done.backend.asks])
    assert runs[0] == runs[1]
    assert str(memory_path) not in "\n".join(runs[0])
