"""Every command and every option is documented, and told by --help."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import get_args

import pytest

from deeproot.cli.parser import VERBS, run_parser
from deeproot.events import Event
from deeproot.project.templates import COMMON, VARIABLES

DOCS = Path(__file__).parents[1] / "docs"
COMMANDS = DOCS / "commands.md"
PARSERS = {"": run_parser, **VERBS}


def options(parser: argparse.ArgumentParser) -> list[str]:
    return [option for action in parser._actions for option in action.option_strings if option not in ("-h", "--help")]


@pytest.mark.parametrize("verb", PARSERS)
def test_every_option_stands_in_the_command_reference(verb: str) -> None:
    text = COMMANDS.read_text(encoding="utf-8")
    missing = [option for option in options(PARSERS[verb]()) if not re.search(rf"`[^`\n]*{re.escape(option)}\b", text)]
    assert not missing


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_stands_in_the_command_reference_and_in_the_help(verb: str) -> None:
    assert f"research {verb}" in COMMANDS.read_text(encoding="utf-8")
    assert f"research {verb}" in run_parser().format_help()


@pytest.mark.parametrize("verb", PARSERS)
def test_the_help_tells_what_every_option_does(verb: str) -> None:
    parser = PARSERS[verb]()
    silent = [action.option_strings[0] for action in parser._actions if action.option_strings and not action.help]
    assert not silent
    assert all(option in parser.format_help() for option in options(parser))


def test_the_reference_names_no_option_that_does_not_exist() -> None:
    known = {option for parser in PARSERS.values() for option in options(parser())} | {"--help"}
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", COMMANDS.read_text(encoding="utf-8")))
    assert named - known == set()


def test_every_template_and_its_variables_are_documented() -> None:
    formats = (DOCS / "formats.md").read_text(encoding="utf-8")
    for name, variables in VARIABLES.items():
        rows = [line for line in formats.splitlines() if line.startswith("| ") and f"`{name}.md`" in line]
        assert rows, f"{name}.md is not in docs/formats.md"
        for variable in variables - COMMON:
            assert any(f"`${variable}`" in row for row in rows), f"${variable} of {name}.md is not documented"


def test_every_event_is_documented() -> None:
    formats = (DOCS / "formats.md").read_text(encoding="utf-8")
    for event in get_args(Event):
        kind = event.__dataclass_fields__["kind"].default
        assert f"`{kind}`" in formats, f"{kind} is not in docs/formats.md"
