"""The local backend as far as it goes without the heavy package: names, files, sessions and shapes.

What needs a model is in `tests/live/live_local.py`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deeproot.asks import (
    AnswerInputs,
    Ask,
    Brief,
    ChildrenInputs,
    Claimed,
    DecideInputs,
    DocumentInputs,
    FinalReviewInputs,
    Inputs,
    JudgeInputs,
    Kind,
    PickInputs,
    PlanInputs,
    QueriesInputs,
    QueryType,
    RecoverInputs,
    ReviewInputs,
    ReviseInputs,
    ScopeInputs,
    SectionInputs,
    SynthesizeInputs,
)
from deeproot.backends import BackendSettings
from deeproot.backends.local import open_backend
from deeproot.backends.local.llama import threads
from deeproot.backends.local.sessions import Message, Sessions
from deeproot.backends.local.shape import answer_shape
from deeproot.errors import BackendError
from deeproot.model import Document, Finding, Passage, Section, Source, Topic

TOPIC = Topic("1", "Apples", "apples", 0, criteria=("Says a fact", "Names the seeds"))
DOCUMENT = Document("Seeds.", (Finding("F1.2-3", "They have seeds", "seeds", Source("a.md")),))
PASSAGE = Passage(Source("a.md"), "Apples keep their seeds in a core.", 1, 1)
BRIEF = Brief(QueryType.FACTUAL, "anybody", "plain")
INPUTS: dict[Kind, Inputs] = {
    Kind.PLAN: PlanInputs("Why?", 2),
    Kind.QUERIES: QueriesInputs("Why?", TOPIC, 2),
    Kind.DOCUMENT: DocumentInputs("Why?", TOPIC, (PASSAGE, PASSAGE)),
    Kind.CHILDREN: ChildrenInputs("Why?", TOPIC, DOCUMENT, 2),
    Kind.REVIEW: ReviewInputs("Why?", TOPIC, DOCUMENT),
    Kind.SECTION: SectionInputs("Why?", ((TOPIC, DOCUMENT),), 100),
    Kind.SYNTHESIZE: SynthesizeInputs("Why?", ((TOPIC, DOCUMENT),), (), 100),
    Kind.FINAL_REVIEW: FinalReviewInputs("Why?", (TOPIC,), "A report."),
    Kind.REVISE: ReviseInputs("Why?", "Sum [F1.2-3].", (Section("1", "Text."),), ("Too short",)),
    Kind.RECOVER: RecoverInputs("writer", None, "It failed."),
    Kind.PICK: PickInputs("Why?", "outline", ("a", "a/b"), 2),
    Kind.JUDGE: JudgeInputs((Claimed("They have seeds.", "seeds"),)),
    Kind.SCOPE: ScopeInputs("Why?", 3),
    Kind.DECIDE: DecideInputs("Why?", ((TOPIC, DOCUMENT),)),
    Kind.ANSWER: AnswerInputs("Why?", BRIEF, 100, topics=((TOPIC, DOCUMENT),)),
}


def refusal(model: str) -> str:
    with pytest.raises(BackendError) as raised:
        open_backend(BackendSettings(model))
    assert "\n" not in str(raised.value)
    return str(raised.value)


def shape(kind: Kind) -> dict[str, Any]:
    return answer_shape(Ask(kind, "Do it.", INPUTS[kind]))


# Opening


def test_a_name_without_a_file_says_how_to_name_one() -> None:
    assert "local:/path/model.gguf" in refusal("")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert str(tmp_path / "model.gguf") in refusal(str(tmp_path / "model.gguf"))


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    assert str(tmp_path) in refusal(str(tmp_path))


@pytest.mark.parametrize("content", [b"", b"GGU", b"PK\x03\x04 something else"])
def test_a_file_of_another_format_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    assert "GGUF" in refusal(str(path))


def test_a_missing_package_is_one_sentence_that_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF and more")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    assert "pip install 'deeproot[local]'" in refusal(str(path))


def test_importing_the_backend_loads_nothing_heavy() -> None:
    script = "import sys, deeproot.backends.local; sys.exit('xllamacpp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_at_least_one_thread_computes() -> None:
    assert threads() >= 1


# Sessions


def test_a_session_is_read_as_it_was_written_also_by_the_next_process(tmp_path: Path) -> None:
    messages = [Message("user", "Grüße 🌱?\n"), Message("assistant", '{"notes": "x"}')]
    session = Sessions(tmp_path / "new").write(messages)
    assert Sessions(tmp_path / "new").read(session) == messages


def test_going_on_with_a_session_leaves_it_as_it_was(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    parent = sessions.write([Message("user", "one")])
    child = sessions.write([*sessions.read(parent), Message("assistant", "two")])
    assert child != parent
    assert sessions.read(parent) == [Message("user", "one")]


@pytest.mark.parametrize("session", [None, "", "0" * 32, "../../etc/passwd", "ses_1"])
def test_an_unknown_session_has_no_messages(tmp_path: Path, session: str | None) -> None:
    assert Sessions(tmp_path).read(session) == []


def test_a_damaged_session_has_no_messages(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    session = sessions.write([Message("user", "one")])
    (tmp_path / f"{session}.json").write_text('[["user"')
    assert sessions.read(session) == []


# Shapes


@pytest.mark.parametrize("kind", list(Kind))
def test_every_shape_has_an_end(kind: Kind) -> None:
    def walk(part: object) -> None:
        if isinstance(part, list):
            for item in part:
                walk(item)
        if not isinstance(part, dict):
            return
        match part.get("type"):
            case "string":
                assert "maxLength" in part or re.search(r"\{1,\d+\}\$$", part["pattern"])
            case "array":
                assert "maxItems" in part
            case "object":
                assert part["additionalProperties"] is False
        for value in part.values():
            walk(value)

    walk(shape(kind))


def test_a_finding_can_cite_only_the_passages_given() -> None:
    found = shape(Kind.DOCUMENT)
    assert found["$defs"]["ProposedFinding"]["properties"]["source"] == {"enum": ["S1", "S2"]}


def test_without_passages_a_document_names_its_own_sources() -> None:
    found = answer_shape(Ask(Kind.DOCUMENT, "Do it.", DocumentInputs("Why?", TOPIC)))
    assert "sources" in found["properties"]


def test_a_judge_judges_every_claim_and_cannot_leave_one_open() -> None:
    found = shape(Kind.JUDGE)
    assert (found["properties"]["verdicts"]["minItems"], found["properties"]["verdicts"]["maxItems"]) == (1, 1)
    judged = found["$defs"]["Judged"]["properties"]
    assert judged["n"] == {"enum": [1]}
    assert judged["verdict"] == {"enum": ["supported", "partial", "unsupported", "refuted"]}


def test_an_answer_cites_the_findings_given_or_those_it_makes_from_passages() -> None:
    given = shape(Kind.ANSWER)["properties"]
    assert "F1\\.2-3" in given["text"]["pattern"]
    assert not {"findings", "sources"} & given.keys()
    made = answer_shape(Ask(Kind.ANSWER, "Do it.", AnswerInputs("Why?", BRIEF, 100, passages=(PASSAGE,))))
    assert made["$defs"]["ProposedFinding"]["properties"]["source"] == {"enum": ["S1"]}
    assert "F1-1" in made["properties"]["text"]["pattern"]


def test_a_pick_names_leaves_of_the_tree() -> None:
    assert shape(Kind.PICK)["properties"]["paths"]["items"] == {"enum": ["a", "a/b"]}


def test_a_review_judges_each_criterion() -> None:
    found = shape(Kind.REVIEW)
    assert found["properties"]["criteria"]["minItems"] == 2
    assert found["$defs"]["CriterionVerdict"]["properties"]["criterion"] == {"enum": list(TOPIC.criteria)}


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ('They have seeds [F1.2-3].\n\nSo it is "said".', True),
        ("They have seeds [F9-9].", False),
        ("They have seeds [F1x2-3].", False),
        ("They have seeds [F1.2-3", False),
        ("", False),
        ("a" * 801, False),
    ],
)
def test_a_report_cites_only_the_findings_given_and_keeps_its_length(text: str, fits: bool) -> None:
    pattern = shape(Kind.SECTION)["$defs"]["Section"]["properties"]["text"]["pattern"]
    assert bool(re.search(pattern, text)) is fits


def test_a_revision_keeps_to_what_was_cited() -> None:
    pattern = shape(Kind.REVISE)["properties"]["summary"]["pattern"]
    assert re.search(pattern, "New [F1.2-3].")
    assert not re.search(pattern, "New [F2-1].")


def test_a_narrowed_shape_is_the_narrowed_asks_alone() -> None:
    shape(Kind.DOCUMENT)
    free = answer_shape(Ask(Kind.DOCUMENT, "Do it.", DocumentInputs("Why?", TOPIC)))
    assert "enum" not in free["$defs"]["ProposedFinding"]["properties"]["source"]
