"""`.research/project.toml`: what a project's runs start with, and a model of its own for a hat."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deeproot.cli import main
from deeproot.researcher import Researcher
from deeproot.settings import Settings


@pytest.fixture
def project(memory_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(memory_path)
    (memory_path / ".research").mkdir()
    (memory_path / "notes.md").write_text("Apples ripen in September.\n")
    return memory_path


def write(project: Path, text: str) -> None:
    (project / ".research" / "project.toml").write_text(text)


def settings(project: Path, *options: str) -> Settings:
    assert main(["When do apples ripen?", "--name", "fruit", "--quiet", *options]) == 0
    return Researcher(project, "fruit").past().state.settings


def test_what_was_not_typed_comes_from_the_file(project: Path) -> None:
    write(project, '[run]\nmodel = "offline"\nbreadth = 2\ndepth = 0\nconcurrency = 7\nfiles = ["notes.md"]\n')
    found = settings(project, "--concurrency", "2")
    assert (found.model, found.breadth, found.depth) == ("offline", 2, 0)
    assert found.files == ("notes.md",)
    assert found.concurrency == 2, "what is typed wins"


def test_a_hat_may_have_a_model_of_its_own(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(project, '[run]\nmodel = "offline"\ndepth = 0\n\n[models]\nreviewer = "mock"\n')
    settings(project)
    capsys.readouterr()
    assert main(["log", "fruit", "--format", "json"]) == 0
    calls = json.loads(capsys.readouterr().out)
    models = {call["hat"]: call["model"] for call in calls if call["model"]}
    assert models["reviewer"] == "mock"
    assert models["researcher"] == "offline"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[run]\n\nconcurency = 3\n", "project.toml:3: run.concurency: unknown key"),
        ("[run]\nbreadth = 0\n", "project.toml:2: run.breadth"),
        ('[run]\nwords = "many"\n', "project.toml:2: run.words"),
        ("[run\n", "project.toml: not TOML"),
        ('[models]\ncritic = "mock"\n', "models.critic: no such hat. Known:"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_nothing_is_begun(
    project: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    write(project, text)
    assert main(["When do apples ripen?", "--name", "fruit", "--model", "offline"]) == 64
    assert said in capsys.readouterr().err
    assert not Researcher(project, "fruit").exists
