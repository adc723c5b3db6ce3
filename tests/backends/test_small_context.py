"""A backend that reads little is sent little: the best passages, fair shares of the rest, never more than it reads."""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deeproot import asks as a
from deeproot.asks import Ask, DocumentInputs, Kind, PlanInputs, Reply
from deeproot.backends import Abilities, BackendSettings, http
from deeproot.backends.local.gguf import context_length
from deeproot.hats.passages import best_first, fingerprint, fitting, passages_text
from deeproot.hats.room import CUT, cut, fair_shares
from deeproot.model import Passage, Section, Source
from deeproot.testing import ListSearcher, ModelServer, Scripted, ScriptedBackend, answer_text
from laboratory import Finished, Lab, final_verdict, first, once, topic_of

SMALL = 8_000
LIBRARY = [
    Passage(Source(f"notes/{n}.md"), f"Cancel note {n}. " + "It raises an error. " * 30, 1, 1) for n in range(40)
]
LONG_TEXT = "Nothing else was found about it.\n" * 200


def passage(text: str, number: int = 1) -> Passage:
    return Passage(Source(f"{number}.md"), text, 1, 1 + text.count("\n"))


# Whole runs


def wordy(ask: Ask) -> Scripted | None:
    match ask.inputs:
        case DocumentInputs(passages=passages):
            found = [a.ProposedFinding(p.text[:15], p.text, f"S{n}") for n, p in enumerate(passages, 1)]
            return a.DocumentAnswer("Much was found.", tuple(found))
        case a.SectionInputs(topics=topics):
            return a.SectionAnswer(tuple(Section(topic.id, LONG_TEXT) for topic, _ in topics))
        case _:
            return None


def a_wordy_run(lab: Lab, characters: int, **abilities: bool) -> Finished:
    able = Abilities(characters=characters, **abilities)
    script = first(once(Kind.FINAL_REVIEW, final_verdict("Topic 1: say it plainly.")), wordy)
    backend = ScriptedBackend(script, abilities=able)
    return lab.run(backend, depth=1, means={"searcher": ListSearcher(LIBRARY)})


def test_no_prompt_of_a_run_is_longer_than_the_backend_reads(lab: Lab) -> None:
    done = a_wordy_run(lab, SMALL)
    assert {Kind.PLAN, Kind.DOCUMENT, Kind.SECTION, Kind.SYNTHESIZE, Kind.FINAL_REVIEW, Kind.REVISE} <= {
        ask.kind for ask in done.backend.asks
    }
    longest = {ask.kind: len(ask.context + ask.prompt) for ask in done.backend.asks}
    assert max(longest.values()) <= SMALL, longest
    assert done.report


def test_a_backend_that_reads_much_is_given_everything(lab: Lab) -> None:
    small, large = a_wordy_run(lab, SMALL), a_wordy_run(Lab(lab.project / "large"), 300_000)
    counts = [len(done.backend.asked(Kind.DOCUMENT)[0].inputs.passages) for done in (small, large)]  # type: ignore[union-attr]
    assert counts[0] < counts[1] == 30


def test_a_section_that_was_cut_for_the_reviser_keeps_its_end(lab: Lab) -> None:
    def shorten(ask: Ask) -> Scripted | None:
        if isinstance(ask.inputs, a.ReviseInputs):
            return a.ReviseAnswer("A new summary.", tuple(Section(s.topic, "Shorter.") for s in ask.inputs.sections))
        return None

    script = first(once(Kind.FINAL_REVIEW, final_verdict("Topic 1: say it plainly.")), shorten, wordy)
    backend = ScriptedBackend(script, abilities=Abilities(characters=SMALL))
    done = lab.run(backend, means={"searcher": ListSearcher(LIBRARY)})
    assert CUT in done.backend.asked(Kind.REVISE)[0].prompt
    assert "A new summary." in done.report
    assert "Shorter." not in done.report


# What a session has been told


def test_a_passage_is_not_told_twice_in_one_session_and_the_context_still_has_it(lab: Lab) -> None:
    numbers = iter(range(1000))

    def talking(ask: Ask) -> Scripted | None:
        if ask.kind is not Kind.DOCUMENT:
            return None
        answer = a.DocumentAnswer("Found.", (a.ProposedFinding("It does.", "Cancel note", "S1"),))
        return Reply(answer_text(answer), f"session-{next(numbers)}")

    backend = ScriptedBackend(talking, abilities=Abilities(sessions=True, fork=True, passages=3))
    done = lab.run(backend, breadth=1, depth=1, means={"searcher": ListSearcher(LIBRARY[:3])})
    parent, child = done.backend.asked(Kind.DOCUMENT)
    for known in LIBRARY[:3]:
        assert known.text in parent.prompt
        assert known.text not in child.prompt
        assert known.text in child.context, "for a backend that has forgotten the session"
    assert "[S3] notes/" in child.prompt
    assert child.session == "session-0"


def test_without_sessions_every_passage_is_told_again(lab: Lab) -> None:
    done = lab.run(
        ScriptedBackend(abilities=Abilities(passages=3)), breadth=1, depth=1, means={"searcher": ListSearcher(LIBRARY)}
    )
    child = next(ask for ask in done.backend.asked(Kind.DOCUMENT) if topic_of(ask).depth == 1)
    assert child.prompt.count("Cancel note") == 3
    assert "Cancel note" not in child.context


def test_a_changed_text_at_the_same_place_is_told_again() -> None:
    old, new = passage("as it was"), passage("as it is")
    assert fingerprint(old) != fingerprint(new)
    assert "as it is" in passages_text([new], told={fingerprint(old)})


# The pieces


def test_the_best_of_every_search_come_first() -> None:
    one, two, three, four = (passage(f"text {n}", n) for n in range(1, 5))
    assert best_first([(one, two), (three, one, four)]) == (one, three, two, four)


@given(st.lists(st.text(max_size=900), max_size=12), st.integers(0, 5_000))
def test_passages_that_fit_are_the_first_ones_and_fit(texts: list[str], room: int) -> None:
    passages = [passage(text, number) for number, text in enumerate(texts)]
    kept = fitting(passages, room)
    assert len(passages_text(kept)) <= max(room, 0) + 60
    assert [p.source for p in kept] == [p.source for p in passages[: len(kept)]]
    assert all(whole.text.startswith(part.text) for whole, part in zip(passages, kept, strict=False))
    assert kept[:-1] == tuple(passages[: max(0, len(kept) - 1)]), "only the last may be shorter"


@given(st.lists(st.text(max_size=400), max_size=8), st.integers(0, 3_000))
def test_fair_shares_fit_and_cut_the_longest_only(texts: list[str], room: int) -> None:
    shown = fair_shares(texts, room)
    assert len(shown) == len(texts)
    uncut = [len(text) for text, part in zip(texts, shown, strict=True) if text == part]
    whole = [len(text) for text, part in zip(texts, shown, strict=True) if text != part]
    assert not whole or not uncut or max(uncut) <= max(whole)
    if room >= 40 * len(texts):
        assert len("\n\n".join(shown)) <= room


def test_a_cut_text_says_so() -> None:
    assert cut("one\ntwo\nthree\n" + "four " * 20, 40) == f"one\ntwo\nthree\n{CUT}"
    assert cut("short", 40) == "short"


# What each backend says it reads


def a_model_file(path: Path, *entries: bytes) -> Path:
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(entries))
    return path


def entry(key: str, kind: int, value: bytes) -> bytes:
    return struct.pack("<Q", len(key)) + key.encode() + struct.pack("<I", kind) + value


NAME = entry("general.name", 8, struct.pack("<Q", 3) + b"abc")
WORDS = entry("tokenizer.ggml.tokens", 9, struct.pack("<IQ", 8, 2) + (struct.pack("<Q", 1) + b"x") * 2)
SCORES = entry("tokenizer.ggml.scores", 9, struct.pack("<IQ", 6, 2) + bytes(8))
LENGTH = entry("llama.context_length", 4, struct.pack("<I", 8192))


def test_a_model_file_says_how_much_it_reads(tmp_path: Path) -> None:
    assert context_length(a_model_file(tmp_path / "a", NAME, WORDS, SCORES, LENGTH)) == 8192
    assert context_length(a_model_file(tmp_path / "b", NAME)) is None


@given(st.binary(max_size=200))
def test_a_damaged_model_file_says_nothing(tail: bytes) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"GGUF" + tail)
        file.flush()
        found = context_length(Path(file.name))
    assert found is None or found >= 0


@pytest.mark.parametrize(("said", "tokens"), [("", 4096), ("32768", 32768), ("many", 4096)])
def test_ollama_is_sent_what_its_server_was_told_to_read(
    said: str, tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(http.CONTEXT_VARIABLE, said)

    async def go() -> int:
        with ModelServer() as server:
            backend = http.open_ollama(BackendSettings(f"scripted@{server.address}"))
            await backend.aclose()
            return backend.abilities.characters

    assert anyio.run(go) == 3 * (tokens - 1024)


def test_a_session_longer_than_the_model_reads_is_replaced_by_its_context(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(http.CONTEXT_VARIABLE, "2048")

    async def go() -> None:
        with ModelServer(lambda _request: "Said.") as server:
            backend = http.open_ollama(BackendSettings(f"scripted@{server.address}", 20, 10))
            first_reply = await backend.answer(Ask(Kind.PLAN, "x" * 2000, PlanInputs("Why?", 2)))
            assert isinstance(first_reply, Reply)
            more = Ask(Kind.PLAN, "y" * 2000, PlanInputs("Why?", 2), "In short. ", first_reply.session, fork=True)
            second = await backend.answer(more)
            await backend.aclose()
            assert isinstance(second, Reply)
            assert second.fork == "emulated"
            assert [text for _role, text in server.requests[1].messages[1:]] == ["In short. " + "y" * 2000]

    anyio.run(go)
