"""`command:`: any program as a backend."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from deeproot.asks import Ask, Failure, Kind, PlanInputs, Reason, Reply
from deeproot.backends import BackendSettings
from deeproot.backends.command import open_backend
from deeproot.engine.engine import Ending
from deeproot.errors import BackendError, UsageError
from deeproot.researcher import Means, Researcher
from deeproot.settings import Settings
from deeproot.testing import FakeClock, ListSearcher
from laboratory import Lab

ASK = Ask(Kind.PLAN, "Plan this; $(touch here)", PlanInputs("Why?", 2), context="Known: ä. ")

Script = Callable[[str], str]


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Makes a program out of Python lines; returns what to write after `command:`."""

    def make(lines: str) -> str:
        path = tmp_path / "a program.py"
        path.write_text(lines, encoding="utf-8")
        return shlex.join([sys.executable, str(path)])

    return make


def answer(command: str, timeout: float = 20, idle: float = 20) -> Reply | Failure:
    return anyio.run(open_backend(BackendSettings(command, timeout, idle)).answer, ASK)


def failure(command: str, timeout: float = 20, idle: float = 20) -> Failure:
    result = answer(command, timeout, idle)
    assert isinstance(result, Failure), result
    return result


def test_the_prompt_comes_on_standard_input_and_the_answer_from_standard_output(script: Script) -> None:
    command = script("import sys; sys.stdout.buffer.write(b'<' + sys.stdin.buffer.read() + b'>\\n')")
    reply = answer(command)
    assert isinstance(reply, Reply)
    assert reply.text == "<Known: ä. Plan this; $(touch here)>"
    assert reply.session is None
    assert reply.model == f"command:{command}"


def test_arguments_are_handed_on_word_by_word_and_no_shell_is_run(script: Script) -> None:
    command = script("import sys; print(sys.argv[1:])") + " --flag 'two words' '$HOME' ';' ls"
    reply = answer(command)
    assert isinstance(reply, Reply)
    assert reply.text == "['--flag', 'two words', '$HOME', ';', 'ls']"


def test_a_program_that_fails_is_quoted(script: Script) -> None:
    failed = failure(script("import sys; print('half'); sys.exit('the model is not loaded')"))
    assert failed.reason is Reason.FAILED
    assert "exited with 1: the model is not loaded" in failed.message


def test_a_program_that_prints_nothing_gave_no_answer(script: Script) -> None:
    failed = failure(script("import sys; print('loading', file=sys.stderr)"))
    assert failed.reason is Reason.EMPTY
    assert "loading" in failed.message


def test_a_silent_program_is_ended_and_one_that_takes_too_long_too(script: Script) -> None:
    silent = failure(script("import time; time.sleep(60)"), idle=0.5)
    endless = failure(script("import time\nwhile True: print('.', flush=True); time.sleep(0.05)"), timeout=0.7)
    assert (silent.reason, endless.reason) == (Reason.TIMED_OUT, Reason.TIMED_OUT)
    assert "printed nothing for 0.5 s" in silent.message
    assert "timed out after 0.7 s" in endless.message


def test_a_program_that_is_not_there_is_known_before_anything_is_spent() -> None:
    with pytest.raises(BackendError, match="`no-such-program`"):
        open_backend(BackendSettings("no-such-program --flag"))


@pytest.mark.parametrize("command", ["", "  ", "'unbalanced"])
def test_a_command_line_that_cannot_be_meant_is_a_usage_error(command: str) -> None:
    with pytest.raises(UsageError, match="command:"):
        open_backend(BackendSettings(command))


def test_a_program_that_vanishes_while_we_run_is_unavailable(tmp_path: Path) -> None:
    program = tmp_path / "fleeting"
    program.write_text("#!/bin/sh\necho hello\n", encoding="utf-8")
    program.chmod(0o755)
    backend = open_backend(BackendSettings(str(program)))
    program.unlink()
    result = anyio.run(backend.answer, ASK)
    assert isinstance(result, Failure)
    assert result.reason is Reason.UNAVAILABLE


def test_a_whole_run_is_answered_by_a_program(lab: Lab, script: Script) -> None:
    """Told apart by what they ask for, as a small script would."""
    command = script(
        "import json, re, sys\n"
        "prompt = sys.stdin.read()\n"
        "forms = {'queries': {'queries': ['tide']}, 'summary': {'summary': 'None.', 'gaps': ['All.']},\n"
        "    'topics': {'topics': [{'title': 'Tide'}]},\n"
        "    'sections': {'sections': [{'topic': '1', 'text': 'Tides rise.'}]},\n"
        "    'criteria': {'criteria': [{'criterion': 'c', 'met': True}]},\n"
        "    'title': {'title': 'Report', 'summary': 'None.'},\n"
        "    'completeness': {k: {'ok': True} for k in ('completeness', 'coherence', 'quality', 'professionalism')}}\n"
        "print(json.dumps(forms[re.search(r'in this form:\\n{\"(\\w+)', prompt)[1]]))\n"
    )

    async def go() -> Ending:
        name = f"command:{command}"
        settings = Settings("Why?", "lab", breadth=1, depth=0, model=name, review_model=name)
        means = Means(
            open_backend=lambda _name, options: open_backend(BackendSettings(command, 20, 20, options.scratch)),
            searcher=ListSearcher([]),
            clock=FakeClock(),
        )
        return (await Researcher(lab.project, "lab").start(settings, means)).ending

    assert anyio.run(go) is Ending.COMPLETE
    assert lab.researcher.report.exists()
