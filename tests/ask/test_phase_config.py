"""The phase config: values that are used, and errors that name file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from deeproot.errors import UsageError
from deeproot.project.phase_config import PhaseConfig, load_phase_config, parse_phase_config

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "phase-config.yaml"


def test_all_keys_are_read() -> None:
    text = "time_budget: 2.5\nmax_iterations: 3\nretry_limit: 2\ngates: [citation]\n"
    assert parse_phase_config(text) == PhaseConfig(2.5, False, 3, 2, ("citation",))


@pytest.mark.parametrize(
    ("text", "config"),
    [
        ("", PhaseConfig()),
        ("# nothing but a comment\n", PhaseConfig()),
        ("time_budget: unlimited\n", PhaseConfig(unlimited=True)),
        ("gates: []\n", PhaseConfig(gates=())),
        ("gates:\n", PhaseConfig(gates=())),
        ("gates: [consistency, citation, consistency]\n", PhaseConfig(gates=("consistency", "citation"))),
    ],
)
def test_what_is_left_out_is_left_to_others(text: str, config: PhaseConfig) -> None:
    assert parse_phase_config(text) == config


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("time_budget: 5\n\nmax_iteration: 3\n", "f.yaml:3: unknown key 'max_iteration'. Known: time_budget, max_iter"),
        ("max_iterations: 0\n", "f.yaml:1: max_iterations is 0; write a whole number from 1 to 1000."),
        ("a: 1\n", "f.yaml:1: unknown key 'a'."),
        ("retry_limit: 3\nretry_limit: 4\n", "f.yaml:2: retry_limit stands here a second time."),
        ("retry_limit: true\n", "f.yaml:1: retry_limit is True;"),
        ("time_budget: soon\n", "f.yaml:1: time_budget is 'soon'; write minutes above 0"),
        ("time_budget: -1\n", "f.yaml:1: time_budget is -1;"),
        ("time_budget: .inf\n", "f.yaml:1: time_budget is inf;"),
        ("gates: [style]\n", "f.yaml:1: gates is ['style']; write a list of these"),
        ("gates: citation\n", "f.yaml:1: gates is 'citation';"),
        ("- one\n- two\n", "f.yaml:1: expected keys and values"),
        ("time_budget: [1\n", "f.yaml:2: this is not YAML"),
        ("? [1, 2]\n: 3\n", "f.yaml:1: "),
        ("!!python/object/apply:os.system ['true']\n", "f.yaml:1: "),
    ],
)
def test_a_mistake_is_told_with_file_and_line(text: str, error: str) -> None:
    """001-41."""
    with pytest.raises(UsageError) as caught:
        parse_phase_config(text, "f.yaml")
    assert str(caught.value).startswith(error)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--phase-config .*none\.yaml: cannot be read"):
        load_phase_config(tmp_path / "none.yaml")


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "binary.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not UTF-8"):
        load_phase_config(path)


def test_the_example_of_the_documentation_is_valid() -> None:
    config = load_phase_config(EXAMPLE)
    assert config.max_iterations == 7
    assert config.gates == ("citation", "consistency")
