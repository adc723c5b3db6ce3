"""What an agent reads with its own tools: told by its events, kept as a source, and its quotes looked up in it."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from agent_lines import Line, claude_answer, codex_answer, gemini_answer, opencode_answer
from fake_agent import FakeAgent

from deeproot.asks import (
    AnswerInputs,
    Ask,
    Brief,
    DocumentAnswer,
    DocumentInputs,
    Kind,
    ProposedFinding,
    ProposedSource,
    QueryType,
    Reply,
    Seen,
)
from deeproot.backends import BackendSettings, claude, codex, gemini, opencode, seen
from deeproot.backends.agent import may_search
from deeproot.errors import StorageError
from deeproot.knowledge.sources import SourceStore, text_hash
from deeproot.model import Document, Finding, Source, Topic
from deeproot.project.disk import Disk
from deeproot.project.journal import encode
from deeproot.search.named import NamedFiles
from deeproot.testing import Scripted, ScriptedBackend, answer_text
from laboratory import Finished, Lab, failing, first, once, rejection, topic_of

ADDRESS = "https://docs.example.org/tasks"
PAGE = "# Tasks\n\nA task is cancelled by calling cancel(),\nwhich raises CancelledError inside it.\n\nThe end."
TRUE = "A task is cancelled by calling cancel(), which raises CancelledError inside it."
FALSE = "A task is cancelled by calling kill(), which raises CancelledError inside it."
ANSWER = "the answer"
TOPIC = Topic("1", "Why", "why", depth=0)
PAGE_SOURCE = Source(ADDRESS, "", text_hash(PAGE))

# What the events of each agent tell


async def seen_by(agent: FakeAgent, opening: Callable[[BackendSettings], Any], lines: Sequence[Line]) -> list[Seen]:
    agent.say(*lines)
    ask = Ask(Kind.DOCUMENT, "Read.", DocumentInputs("Why?", TOPIC, ()))
    reply = await opening(BackendSettings("some/model", timeout=60, idle_timeout=60)).answer(ask)
    assert isinstance(reply, Reply), reply
    assert reply.text == ANSWER
    return list(reply.seen)


def opencode_call(
    tool: str, output: str, status: str = "completed", content_type: str = "text/plain", **given: object
) -> Line:
    title = f"{given.get('url')} ({content_type})"
    state = {"status": status, "input": given, "output": output, "title": title, "metadata": {"truncated": False}}
    return {"type": "tool_use", "sessionID": "s1", "part": {"type": "tool", "tool": tool, "state": state}}


@pytest.mark.anyio
async def test_a_page_that_opencode_fetched_is_seen_with_its_text(fake_agent: Callable[[str], FakeAgent]) -> None:
    lines = [opencode_call("webfetch", PAGE, url=ADDRESS, format="markdown"), *opencode_answer(ANSWER, "s1")]
    assert await seen_by(fake_agent("opencode"), opencode.open_backend, lines) == [Seen(ADDRESS, PAGE)]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ('A [task](/wiki/Task_(computing) "Task") is cancelled.', "A task is cancelled."),
        ("A name such as a\\_b, see \\[1\\].", "A name such as a_b, see [1]."),
        ("[![logo](https://a.example/l.png)](/home) Tasks run.", " Tasks run."),
        ("The list[0](x and so on.", None),
        ("Nothing to see through.", None),
    ],
)
async def test_a_page_turned_into_markdown_may_be_quoted_as_it_reads(
    markdown: str, plain: str | None, fake_agent: Callable[[str], FakeAgent]
) -> None:
    call = opencode_call("webfetch", markdown, content_type="text/html; charset=utf-8", url=ADDRESS)
    expected = [Seen(ADDRESS, text) for text in (markdown, plain) if text]
    lines = [call, *opencode_answer(ANSWER, "s1")]
    assert await seen_by(fake_agent("opencode"), opencode.open_backend, lines) == expected


@pytest.mark.anyio
async def test_a_page_that_is_no_markdown_is_taken_as_it_is(fake_agent: Callable[[str], FakeAgent]) -> None:
    call = opencode_call("webfetch", "call(table[key](value))", url=ADDRESS)
    lines = [call, *opencode_answer(ANSWER, "s1")]
    expected = [Seen(ADDRESS, "call(table[key](value))")]
    assert await seen_by(fake_agent("opencode"), opencode.open_backend, lines) == expected


def opencode_long_call(saved: Path) -> Line:
    """A page that is too long: opencode tells where the whole of it is."""
    told = f"...206890 bytes truncated...\n\nFull output saved to: {saved}"
    metadata = {"truncated": True, "outputPath": str(saved)}
    state = {"status": "completed", "input": {"url": ADDRESS}, "output": told, "metadata": metadata}
    return {"type": "tool_use", "sessionID": "s1", "part": {"type": "tool", "tool": "webfetch", "state": state}}


@pytest.mark.anyio
async def test_a_page_too_long_for_an_event_is_seen_whole(
    fake_agent: Callable[[str], FakeAgent], tmp_path: Path
) -> None:
    (tmp_path / "tool_1").write_text(PAGE * 2000)
    lines = [opencode_long_call(tmp_path / "tool_1"), *opencode_answer(ANSWER, "s1")]
    assert await seen_by(fake_agent("opencode"), opencode.open_backend, lines) == [Seen(ADDRESS, PAGE * 2000)]


@pytest.mark.anyio
async def test_a_page_too_long_for_an_event_is_not_seen_when_the_whole_is_gone(
    fake_agent: Callable[[str], FakeAgent], tmp_path: Path
) -> None:
    lines = [opencode_long_call(tmp_path / "tool_1"), *opencode_answer(ANSWER, "s1")]
    assert await seen_by(fake_agent("opencode"), opencode.open_backend, lines) == []


@pytest.mark.anyio
async def test_a_file_that_opencode_read_is_seen_by_its_name_alone(fake_agent: Callable[[str], FakeAgent]) -> None:
    lines = [opencode_call("read", "00001| text", filePath="/project/notes.md"), *opencode_answer(ANSWER, "s1")]
    assert await seen_by(fake_agent("opencode"), opencode.open_backend, lines) == [Seen("/project/notes.md")]


@pytest.mark.anyio
async def test_search_results_told_as_json_are_seen_one_by_one(fake_agent: Callable[[str], FakeAgent]) -> None:
    results = [
        {"url": ADDRESS, "title": "Tasks", "publish_date": None, "excerpts": ["First part.", "Second part."]},
        {"url": "ftp://docs.example.org/a", "title": "Not the web", "excerpts": ["Text."]},
        {"url": "https://docs.example.org/empty", "title": "Nothing", "excerpts": []},
        "garbage",
    ]
    output = json.dumps({"search_id": "1", "results": results})
    lines = [opencode_call("websearch", output, query="tasks"), *opencode_answer(ANSWER, "s1")]
    expected = [Seen(ADDRESS, "First part.\n\nSecond part.", "Tasks")]
    assert await seen_by(fake_agent("opencode"), opencode.open_backend, lines) == expected


@pytest.mark.anyio
@pytest.mark.parametrize(
    "call",
    [
        opencode_call("webfetch", PAGE, status="error", url=ADDRESS),
        opencode_call("webfetch", "<p>Tasks</p>", url=ADDRESS, format="html"),
        opencode_call("webfetch", PAGE, url="file:///etc/passwd"),
        opencode_call("webfetch", "  ", url=ADDRESS),
        opencode_call("webfetch", PAGE),
        opencode_call("websearch", f"Title: Forged\nURL: {ADDRESS}\nText: {PAGE}", query="tasks"),
        opencode_call("websearch", '{"results": 3}', query="tasks"),
        opencode_call("grep", f"{ADDRESS}: {PAGE}", pattern="task"),
        {"type": "tool_use", "sessionID": "s1", "part": {"tool": "webfetch", "state": {"status": "completed"}}},
        {"type": "tool_use", "sessionID": "s1", "part": "garbage"},
    ],
)
async def test_what_is_not_surely_the_text_of_a_page_is_not_seen(
    call: Line, fake_agent: Callable[[str], FakeAgent]
) -> None:
    lines = [call, *opencode_answer(ANSWER, "s1")]
    assert await seen_by(fake_agent("opencode"), opencode.open_backend, lines) == []


def claude_call(name: str, result: str, failed: bool = False, **given: object) -> list[Line]:
    call = {"type": "tool_use", "id": "toolu_1", "name": name, "input": given}
    told = {"type": "tool_result", "tool_use_id": "toolu_1", "content": result, "is_error": failed}
    return [
        {"type": "assistant", "message": {"role": "assistant", "content": [call]}, "session_id": "s1"},
        {"type": "user", "message": {"role": "user", "content": [told]}, "session_id": "s1"},
    ]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (claude_call("Read", "1\ttext", file_path="/project/notes.md"), [Seen("/project/notes.md")]),
        (claude_call("Read", "no such file", failed=True, file_path="/project/notes.md"), []),
        (claude_call("WebFetch", "The page says that tasks end.", url=ADDRESS, prompt="Sum it up"), [Seen(ADDRESS)]),
        (claude_call("WebFetch", "403", failed=True, url=ADDRESS), []),
        (claude_call("WebSearch", f"Links: {ADDRESS}", query="tasks"), []),
    ],
    ids=["a file", "a file that could not be read", "a page", "a page that could not be read", "a search"],
)
async def test_of_claude_the_files_and_pages_it_opened_are_seen_and_never_what_a_model_made_of_them(
    call: list[Line], expected: list[Seen], fake_agent: Callable[[str], FakeAgent]
) -> None:
    before, *after = claude_answer(ANSWER, "s1")
    assert await seen_by(fake_agent("claude"), claude.open_backend, [before, *call, *after]) == expected


def gemini_call(tool: str, status: str, **given: object) -> list[Line]:
    return [
        {"type": "tool_use", "tool_name": tool, "tool_id": "call_1", "parameters": given},
        {"type": "tool_result", "tool_id": "call_1", "status": status},
    ]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (gemini_call("read_file", "success", file_path="notes.md"), [Seen("notes.md")]),
        (gemini_call("read_file", "error", file_path="notes.md"), []),
        (gemini_call("web_fetch", "success", prompt=f"Sum up {ADDRESS}."), [Seen(ADDRESS)]),
        (
            gemini_call("web_fetch", "success", prompt=f"{ADDRESS}, ({ADDRESS}/2)"),
            [Seen(ADDRESS), Seen(f"{ADDRESS}/2")],
        ),
        (gemini_call("web_fetch", "success", url=ADDRESS), [Seen(ADDRESS)]),
        (gemini_call("web_fetch", "error", prompt=f"Sum up {ADDRESS}"), []),
    ],
    ids=["a file", "a file that could not be read", "a page", "two pages", "an address", "a page that failed"],
)
async def test_of_gemini_the_files_and_pages_it_opened_are_seen(
    call: list[Line], expected: list[Seen], fake_agent: Callable[[str], FakeAgent]
) -> None:
    before, *after = gemini_answer(ANSWER, "s1")
    assert await seen_by(fake_agent("gemini"), gemini.open_backend, [before, *call, *after]) == expected


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ({"type": "search", "query": "tasks"}, []),
        ({"type": "open_page", "url": ADDRESS}, [Seen(ADDRESS)]),
        ({"type": "find_in_page", "url": ADDRESS, "pattern": "cancel"}, [Seen(ADDRESS)]),
        ({"type": "open_page"}, []),
        ({"type": "open_page", "url": "file:///etc/passwd"}, []),
    ],
)
async def test_of_codex_the_pages_it_opened_are_seen(
    action: Line, expected: list[Seen], fake_agent: Callable[[str], FakeAgent]
) -> None:
    item: Line = {"id": "ws_1", "type": "web_search", "query": "tasks", "action": action}
    before, *after = codex_answer(ANSWER, "s1")
    lines = [before, Line(type="item.completed", item=item), *after]
    assert await seen_by(fake_agent("codex"), codex.open_backend, lines) == expected


@pytest.mark.anyio
async def test_a_key_in_what_was_read_is_blotted_out(
    fake_agent: Callable[[str], FakeAgent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-very-secret-indeed")
    text, address = "The key is sk-very-secret-indeed.", f"{ADDRESS}?k=sk-very-secret-indeed"
    lines = [opencode_call("webfetch", text, url=address), *opencode_answer(ANSWER, "s1")]
    expected = [Seen(f"{ADDRESS}?k=[key]", "The key is [key].")]
    assert await seen_by(fake_agent("opencode"), opencode.open_backend, lines) == expected


def test_what_is_seen_for_one_reply_is_bounded() -> None:
    sights = seen.Sights()
    for number in range(seen.MOST + 50):
        sights.add(Seen(f"{ADDRESS}/{number}", "x" * (seen.LONGEST + 1) if number == 0 else "y"))
    assert len(sights.all()) == seen.MOST
    assert sights.all()[0].text == "x" * seen.LONGEST + seen.CUT


def test_an_agent_may_search_for_an_answer_at_once_and_not_for_one_from_documents() -> None:
    brief = Brief(QueryType.FACTUAL, "anyone", "plain")
    at_once = AnswerInputs("Why?", brief, 100)
    written = AnswerInputs("Why?", brief, 100, topics=((TOPIC, Document("Known.", (), ())),))
    assert may_search(Ask(Kind.ANSWER, "Answer.", at_once))
    assert not may_search(Ask(Kind.ANSWER, "Answer.", written))


# What becomes of it in a run


def reply(quote: str, location: str = ADDRESS, *, read: Sequence[Seen] = (Seen(ADDRESS, PAGE),)) -> Reply:
    """An agent's document that quotes something from a place, and what it read for it."""
    finding = ProposedFinding(quote, quote, "S1")
    source = ProposedSource("S1", location, "Tasks")
    return Reply(answer_text(DocumentAnswer("About tasks.", (finding,), (source,))), "s1", seen=tuple(read))


def reading(*replies: Scripted) -> ScriptedBackend:
    """An agent that answers with these documents one after the other, the last for ever."""
    left = list(replies)

    def script(ask: Ask) -> Scripted | None:
        if ask.kind is not Kind.DOCUMENT:
            return None
        return left.pop(0) if len(left) > 1 else left[0]

    return ScriptedBackend(script)


def run(lab: Lab, *replies: Scripted, **more: Any) -> Finished:
    return lab.run(reading(*replies), breadth=1, **more)


def finding_of(finished: Finished, topic: str = "1") -> Finding:
    document = finished.state.growths[topic].document
    assert document is not None
    return document.findings[0]


def kept_texts(lab: Lab) -> set[str]:
    store = SourceStore(lab.researcher.knowledge, Disk())
    folder = lab.researcher.knowledge / "sources"
    return {str(store.text(path.stem)) for path in folder.glob("*.md")}


def test_a_quote_of_a_page_the_agent_read_is_supported(lab: Lab) -> None:
    finished = run(lab, reply(TRUE))
    assert finding_of(finished).found is True
    assert finding_of(finished).source == Source(ADDRESS, "Tasks", text_hash(PAGE))
    assert finding_of(finished).lines == (3, 4)
    assert finished.verdicts == {"supported"}
    assert finished.outcome.exit_code == 0


def test_a_quote_that_is_not_on_the_page_goes_back_once_with_the_nearest_place(lab: Lab) -> None:
    finished = run(lab, reply(FALSE), reply(TRUE, read=()))
    again = finished.backend.asked(Kind.DOCUMENT)[1]
    assert "the quote does not stand in S1" in again.prompt
    assert "calling cancel()" in again.prompt
    assert finding_of(finished).found is True


def test_a_quote_that_is_never_on_the_page_is_marked_and_the_gate_fails(lab: Lab) -> None:
    finished = run(lab, reply(FALSE))
    assert len(finished.backend.asked(Kind.DOCUMENT)) == 2
    assert finding_of(finished).found is False
    assert "[evidence?]" in finished.report
    assert finished.verdicts == {"unsupported"}
    assert finished.outcome.exit_code == 3


def test_a_page_the_agent_names_and_never_read_stays_unverifiable(lab: Lab) -> None:
    finished = run(lab, reply(FALSE, "https://docs.example.org/other"))
    assert len(finished.backend.asked(Kind.DOCUMENT)) == 1
    assert finding_of(finished).found is None
    assert finished.verdicts == {"unverifiable"}


@pytest.mark.parametrize(
    "named",
    [
        "https://docs.example.org/tasks/",
        "https://docs.example.org/tasks#cancelling",
        "HTTPS://Docs.Example.ORG/tasks",
        "https://docs.example.org:443/tasks",
    ],
)
def test_an_address_is_known_again_however_it_is_written(lab: Lab, named: str) -> None:
    assert finding_of(run(lab, reply(TRUE, named))).found is True


@pytest.mark.parametrize(
    "named",
    ["https://docs.example.org/Tasks", "http://docs.example.org/tasks", "https://docs.example.org/tasks?page=2"],
)
def test_another_address_is_another_page(lab: Lab, named: str) -> None:
    assert finding_of(run(lab, reply(TRUE, named))).found is None


def test_a_quote_may_stand_in_any_of_the_texts_seen_under_an_address(lab: Lab) -> None:
    longer = Seen(ADDRESS, "Something quite different about tasks. " * 20)
    finished = run(lab, reply(TRUE, read=(longer, Seen(ADDRESS, PAGE))))
    assert finding_of(finished).source.sha256 == text_hash(PAGE)
    assert kept_texts(lab) == {longer.text, PAGE}


def test_a_quote_that_stands_in_none_of_them_is_held_against_the_longest(lab: Lab) -> None:
    finished = run(lab, reply(FALSE, read=(Seen(ADDRESS, "Tasks, in short."), Seen(ADDRESS, PAGE))))
    assert finding_of(finished).source.sha256 == text_hash(PAGE)


def test_a_page_of_which_only_the_address_is_told_is_left_alone_without_the_web(lab: Lab) -> None:
    finished = run(lab, reply(TRUE, read=(Seen(ADDRESS),)))
    assert [entry.step.name for entry in finished.entries if entry.step and "page" in entry.step.name] == []
    assert finished.verdicts == {"unverifiable"}


def test_the_journal_holds_which_sources_were_read_and_none_of_their_text(lab: Lab) -> None:
    finished = run(lab, reply("The end.", read=(Seen(ADDRESS, PAGE), Seen("mailto:nobody", PAGE))))
    entry = next(entry for entry in finished.entries if entry.step and entry.step.name == "document")
    assert entry.step is not None
    assert entry.step.sources == (PAGE_SOURCE,)
    assert b"which raises CancelledError" not in encode(entry)
    assert ADDRESS in finished.state.read


def test_text_that_cannot_be_written_as_utf_8_is_kept_all_the_same(lab: Lab) -> None:
    finished = run(lab, reply(TRUE, read=(Seen(ADDRESS, PAGE + "\ud800"),)))
    assert finished.verdicts == {"supported"}


def test_a_file_is_read_by_us_and_not_taken_from_the_tool(lab: Lab) -> None:
    (lab.project / "notes.md").write_text(PAGE)
    path = str(lab.project / "notes.md")
    finished = run(lab, reply(FALSE, "notes.md", read=(Seen(path, FALSE),)), files=(".",))
    assert finding_of(finished).found is False
    assert kept_texts(lab) == {PAGE}


def test_a_file_that_is_only_named_is_kept_as_it_was_when_its_quote_was_looked_up(lab: Lab) -> None:
    (lab.project / "notes.md").write_text(PAGE)
    finished = run(lab, reply(TRUE, "notes.md", read=()), files=(".",))
    assert finished.verdicts == {"supported"}
    assert kept_texts(lab) == {PAGE}


def test_a_file_outside_the_files_of_the_project_is_not_kept(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "diary.md").write_text(TRUE)
    path = str(tmp_path / "diary.md")
    finished = run(lab, reply(TRUE, path, read=(Seen(path, TRUE),)), files=(".",))
    assert finding_of(finished).found is None
    assert kept_texts(lab) == set()


def test_a_file_is_quoted_as_it_was_when_the_agent_read_it(lab: Lab) -> None:
    path = lab.project / "notes.md"
    path.write_text(PAGE)
    searcher = Overwriting([lab.project], path)
    finished = run(lab, reply(TRUE, str(path), read=(Seen(str(path)),)), means={"searcher": searcher})
    assert path.read_text() != PAGE
    assert finding_of(finished).source.sha256 == text_hash(PAGE)


class Overwriting(NamedFiles):
    """Files of which one is written anew as soon as it was read once."""

    def __init__(self, roots: Sequence[Path], path: Path) -> None:
        super().__init__(roots)
        self._path_to_change = path

    def source_text(self, location: str) -> str | None:
        text = super().source_text(location)
        self._path_to_change.write_text("Nothing is left.")
        return text


@pytest.mark.parametrize("name", ["a" * 5000, "no\0name", "", "../" * 50 + "etc/passwd", "//"])
def test_a_name_that_no_file_can_have_is_no_source(lab: Lab, name: str) -> None:
    finished = run(lab, reply(TRUE, name, read=(Seen(name, TRUE), Seen(ADDRESS, PAGE))), files=(".",))
    assert finding_of(finished).found is None
    assert kept_texts(lab) == {PAGE}


def test_an_answer_is_not_used_before_what_was_read_for_it_is_stored(lab: Lab) -> None:
    with pytest.raises(StorageError):
        run(lab, reply(TRUE), means={"disk": NoSources()})
    resumed = lab.resume(reading(reply(TRUE)))
    assert len(resumed.backend.asked(Kind.DOCUMENT)) == 1
    assert resumed.verdicts == {"supported"}


class NoSources(Disk):
    """A disk that has no room for sources."""

    def point(self, name: str, path: Path) -> None:  # noqa: ARG002
        if path.parent.name == "sources":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


def test_a_rework_may_quote_what_was_read_the_first_time(lab: Lab) -> None:
    rejected: list[Ask] = []

    def script(ask: Ask) -> Scripted | None:
        if ask.kind is Kind.DOCUMENT:
            return reply(TRUE, read=() if rejected else (Seen(ADDRESS, PAGE),))
        if ask.kind is Kind.REVIEW and not rejected:
            rejected.append(ask)
            return rejection(topic_of(ask))
        return None

    finished = lab.run(script, breadth=1)
    assert len(finished.backend.asked(Kind.DOCUMENT)) == 2
    assert finding_of(finished).found is True


def test_a_subtopic_may_quote_what_was_read_for_the_topic_above(lab: Lab) -> None:
    def script(ask: Ask) -> Scripted | None:
        if ask.kind is not Kind.DOCUMENT:
            return None
        return reply(TRUE, read=() if topic_of(ask).parent else (Seen(ADDRESS, PAGE),))

    finished = lab.run(script, breadth=1, depth=1)
    assert finding_of(finished, "1.1").found is True


def test_a_sibling_may_not_quote_what_it_never_read(lab: Lab) -> None:
    def script(ask: Ask) -> Scripted | None:
        if ask.kind is not Kind.DOCUMENT:
            return None
        return reply(TRUE, read=(Seen(ADDRESS, PAGE),) if topic_of(ask).id == "1" else ())

    finished = lab.run(script, breadth=2)
    assert finding_of(finished, "1").found is True
    assert finding_of(finished, "2").found is None


def test_after_a_crash_the_sources_of_a_recorded_reply_are_still_known(lab: Lab) -> None:
    images: list[Lab] = []

    def crash(ask: Ask) -> None:
        if ask.kind is Kind.CHILDREN and not images:
            images.append(lab.crash_image())

    def read_once(ask: Ask) -> Scripted | None:
        return reply(FALSE) if ask.kind is Kind.DOCUMENT and ask.session is None else None

    def corrected(ask: Ask) -> Scripted | None:
        return reply(TRUE, read=()) if ask.kind is Kind.DOCUMENT else None

    lab.run(first(crash, read_once, corrected), breadth=1, depth=1)
    resumed = images[0].resume(once(Kind.DOCUMENT, failing()), force=True)
    about_the_first = [ask for ask in resumed.backend.asked(Kind.DOCUMENT) if topic_of(ask).id == "1"]
    assert about_the_first == []
    assert finding_of(resumed, "1").found is True
    assert finding_of(resumed, "1").source.sha256 == text_hash(PAGE)
