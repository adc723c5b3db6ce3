"""Answers that code makes of quotes: what comes first, what stands in which column, how code is shown."""

from __future__ import annotations

from inquiry import OPEN, always, inquire, reading, searching

from deeproot import asks as a
from deeproot.asks import AnswerInputs, Brief, QueryType
from deeproot.backends.offline.answerer import answer
from deeproot.backends.offline.codeblock import block
from deeproot.events import ReportWritten
from deeproot.hats.ask.answer import stand_in
from deeproot.model import Document, Finding, Passage, Source, Topic
from deeproot.report.assemble import findings_of
from deeproot.report.plain import plain_section, plain_summary
from deeproot.state import Task
from laboratory import Lab

TOPIC = Topic("1", "It", "it", 0)


def written(question: str, kind: QueryType, *quotes: tuple[str, str]) -> str:
    """The answer from findings: pairs of a place and what stands there."""
    findings = tuple(
        Finding(f"F1-{number}", quote, quote, Source(place), weight=1.0)
        for number, (place, quote) in enumerate(quotes, 1)
    )
    document = Document("", findings)
    return answer(AnswerInputs(question, Brief(kind, "anybody", "plain"), 300, topics=((TOPIC, document),))).text


def shown(code: str) -> str:
    return block(code, Finding("F1-1", "", code, Source("a.py"))).split("```")[1].removeprefix("python\n")


# Code


def test_the_body_of_a_function_stays_inside_it() -> None:
    assert shown("def load(fp):\n        return read(fp)") == "def load(fp):\n    return read(fp)\n"


def test_a_signature_of_two_lines_keeps_its_body_inside() -> None:
    code = 'def load(fp,\n             mode):\n        """Load it."""'
    assert shown(code) == 'def load(fp,\n         mode):\n    """Load it."""\n'


def test_what_follows_on_the_same_level_stays_there() -> None:
    code = "def one():\n        return 1\n\n    def two():\n        return 2"
    assert shown(code) == "def one():\n    return 1\n\ndef two():\n    return 2\n"
    assert shown("first = 1\n    second = 2") == "first = 1\nsecond = 2\n"


def test_code_that_can_be_called_goes_before_the_inside_of_a_program() -> None:
    inside = 'def _header(name):\n    """Read a gzip file."""'
    usable = 'def open(name):\n    """Read a gzip file."""'
    passages = tuple(Passage(Source("gzip.py"), text, 1, 2) for text in (inside, usable))
    asked = AnswerInputs(
        "How do I read a gzip file in Python?", Brief(QueryType.CODING, "", ""), 300, passages=passages
    )
    said = answer(asked).text
    assert said.startswith("```python\ndef open(name):")
    assert "mentions Python" not in said


def test_the_order_to_write_code_is_nothing_that_files_could_mention() -> None:
    passages = (Passage(Source("parser.py"), 'def load(file):\n    """Parse a TOML file."""', 1, 2),)
    question = "Write a function that parses a TOML file"
    said = answer(AnswerInputs(question, Brief(QueryType.CODING, "", ""), 300, passages=passages)).text
    assert "mentions" not in said
    assert "Nothing was found" not in said


# Sides of a comparison

LOCK = ("threading.py", "A lock is released by any thread.")
RLOCK = ("threading.py", "An RLock is used as the underlying lock.")
BOTH = ("threading.py", "It must be a Lock or RLock object.")


def test_a_name_inside_a_longer_name_is_not_the_shorter_one() -> None:
    said = written("Compare Lock and RLock", QueryType.COMPARISON, LOCK, RLOCK, BOTH)
    (row,) = [line for line in said.splitlines() if line.startswith("| “")]
    assert row == f"| “{LOCK[1]}” [F1-1] | “{RLOCK[1]}” [F1-2] |"
    assert f"- `threading.py`: “{BOTH[1]}” [F1-3]" in said
    assert "alone" not in said


def test_a_side_nothing_speaks_of_is_named() -> None:
    said = written("Compare Lock and Semaphore", QueryType.COMPARISON, LOCK)
    assert said.endswith("Nothing that was found speaks of Semaphore alone.")


# The best first


def test_a_quote_with_all_the_question_is_about_goes_before_one_that_lacks_a_word() -> None:
    """What the folder is called need not stand in the quote."""
    register = ("asyncio/tasks.py", "Register a new task in asyncio.")
    cancel = ("asyncio/tasks.py", "Request that this task cancel itself.")
    said = written("How does asyncio cancel a task?", QueryType.FACTUAL, register, cancel)
    assert said.startswith(f"According to `tasks.py`: “{cancel[1]}”")


def test_a_figure_of_the_question_has_to_be_there() -> None:
    other = ("notes.md", "Exit code 1 means that the run failed.")
    asked = ("notes.md", "After two revisions a report that fails ends with exit code 3.")
    said = written("What does exit code 3 mean?", QueryType.FACTUAL, other, asked)
    assert said == f"According to `notes.md`: “{asked[1]}” [F1-2]"


def test_what_only_leads_to_a_list_comes_last() -> None:
    leads = ("notes.md", "The server stops:")
    states = ("notes.md", "The server stops when it is interrupted by a signal.")
    said = written("When does the server stop?", QueryType.FACTUAL, leads, states)
    assert said.startswith(f"According to `notes.md`: “{states[1]}”")


# Code in a writer's place

HELD = Finding("F1-1", "It stops on a signal.", "It stops on a signal.", Source("a.md"), found=True)
INVENTED = Finding("F1-2", "It never stops.", "It never stops.", Source("a.md"), weight=0.9, found=False)
SEEN = Finding("F1-3", "It starts at once.", "It starts at once.", Source("b.md"), found=None)


def test_code_never_quotes_what_is_not_in_the_source() -> None:
    document = Document("", (HELD, INVENTED, SEEN))
    section = plain_section(TOPIC, document).text
    assert [finding.id for finding in document.findings if f"[{finding.id}]" in section] == ["F1-1", "F1-3"]
    assert "It stops on a signal." in plain_summary([(TOPIC, document)])
    assert "Nothing was found" in plain_summary([(TOPIC, Document("", (INVENTED,)))])


def test_neither_does_the_answer_that_stands_in(lab: Lab) -> None:
    """A misquote is marked where a writer uses it; code has no need to."""
    quote = "A sentence that stands nowhere."
    misquoted = a.DocumentAnswer("Found.", (a.ProposedFinding(quote, quote, "S1"),))
    done = inquire(lab, reading(always(a.Kind.DOCUMENT, lambda _: misquoted)), means=searching())
    assert any(finding.found is False for finding in findings_of(done.state).values())
    [written_by_code] = stand_in(done.state, Task("answerer", ""), "there was no time")
    assert isinstance(written_by_code, ReportWritten)
    assert quote not in written_by_code.summary


# Nothing


def test_a_subquestion_without_evidence_does_not_count_as_answered(lab: Lab) -> None:
    def script(ask: a.Ask) -> a.AnswerAnswer | None:
        return a.AnswerAnswer("Nothing says so.", gaps=("All of it.",)) if ask.kind is a.Kind.ANSWER else None

    done = inquire(lab, script, "Who is it?")
    assert "1 subquestion (0 answered), 1 call" in done.report


def test_a_budget_that_ends_before_anything_was_found_is_named_as_the_reason(lab: Lab) -> None:
    done = inquire(lab, None, OPEN, calls=1)
    assert done.report.startswith("No answer: the budget of 1 call was reached")
    assert "before any evidence was found." in done.report
    assert "nothing that was searched" not in done.report
