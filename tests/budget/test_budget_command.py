"""What people type: amounts, what a resume changes, the estimate before a run."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import pytest

from commandline import Command
from deeproot.backends import Abilities, BackendSettings, open_backend
from deeproot.cli import amounts
from deeproot.engine.estimate import Priced, estimate
from deeproot.model import Usage
from deeproot.researcher import Researcher
from deeproot.settings import Settings, min_iterations
from deeproot.testing import ModelServer

SMALL = ("--mock-mode", "--name", "a", "--breadth", "2", "--depth", "1")


def settings() -> Settings:
    return Researcher(Path(), "a").past().state.settings


# Amounts


@pytest.mark.parametrize(
    ("typed", "amount"),
    [("40", 40), ("200k", 200_000), ("200K", 200_000), ("1.5M", 1_500_000), ("1.5m", 1_500_000), ("0.5k", 500)],
)
def test_counts_may_be_thousands_and_millions(typed: str, amount: int) -> None:
    assert amounts.count(typed) == amount


@pytest.mark.parametrize(("typed", "amount"), [("2.50", 2.5), ("$2.50", 2.5), ("3", 3)])
def test_money_may_have_its_sign(typed: str, amount: float) -> None:
    assert amounts.dollars(typed) == amount


@pytest.mark.parametrize("word", ["unlimited", "Unlimited", " UNLIMITED "])
@pytest.mark.parametrize("read", [amounts.minutes, amounts.dollars, amounts.count])
def test_each_may_be_unlimited(read: Callable[[str], float], word: str) -> None:
    """001-12."""
    assert read(word) == amounts.UNLIMITED
    assert amounts.typed(read(word), 5.0) is None


@pytest.mark.parametrize("typed", ["0", "-1", "", "five", "1e9", "nan", "inf", "5 minutes", "1,5", "9" * 20])
@pytest.mark.parametrize("read", [amounts.minutes, amounts.dollars, amounts.count])
def test_anything_else_is_refused(read: Callable[[str], float], typed: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="unlimited"):
        read(typed)


@pytest.mark.parametrize("typed", ["1.5", "0.0001k"])
def test_a_count_is_whole(typed: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="whole"):
        amounts.count(typed)


@pytest.mark.parametrize("option", ["--time", "--tokens", "--cost", "--calls"])
def test_a_wrong_amount_is_a_usage_error_that_names_the_option(research: Command, option: str) -> None:
    ended = research("Why?", option, "lots")
    assert ended.code == 64
    assert option in ended.err
    assert "'lots'" in ended.err
    assert not Path(".research").exists()


# Runs


def test_the_options_reach_the_researcher_and_its_journal(research: Command) -> None:
    ended = research("Why?", *SMALL, "--time", "5", "--tokens", "1.5M", "--cost", "2.50", "--calls", "100")
    assert ended.code == 0
    held = settings()
    assert (held.time, held.tokens, held.cost, held.calls) == (5.0, 1_500_000, 2.5, 100)


def test_a_resume_keeps_a_budget_replaces_it_or_takes_it_away(research: Command) -> None:
    """001-16, 001-17."""
    assert research("Why?", *SMALL, "--calls", "9", "--time", "5").code == 2
    kept = research("--name", "a", "--resume")
    assert (kept.code, settings().calls) == (2, 9)
    assert research("--name", "a", "--resume", "--calls", "12").code == 2
    assert (settings().calls, settings().time) == (12, 5.0)
    assert research("--name", "a", "--resume", "--calls", "unlimited", "--time", "unlimited").code == 0
    assert (settings().calls, settings().time) == (None, None)


def test_the_limit_is_named_on_screen(research: Command) -> None:
    """001-15."""
    ended = research("Why?", *SMALL, "--calls", "9")
    assert ended.code == 2
    assert "Why: the budget of 9 calls was reached" in ended.out
    assert "Limit: the budget of 9 calls was reached" in ended.err


def test_a_default_of_the_project_gives_way_to_what_is_typed(research: Command) -> None:
    """001-16."""
    Path(".research").mkdir()
    Path(".research/project.toml").write_text("[run]\ntime = 7.0\ncalls = 50\n")
    research("Why?", *SMALL, "--time", "unlimited")
    assert (settings().time, settings().calls) == (None, 50)


# The estimate


def test_a_dry_run_says_what_a_run_may_take_and_leaves_no_trace(research: Command) -> None:
    ended = research("Why?", *SMALL, "--dry-run", "--time", "5", "--cost", "2.50", "--tokens", "200k", "--calls", "25")
    assert ended.code == 0
    assert "19 typically, 25 at most" in ended.out
    assert "9 iterations, 5 minutes (3.5 research, 1.5 writing), $2.50, 200,000 tokens, 25 calls" in ended.out
    assert "Nothing was asked" in ended.out
    assert list(Path().iterdir()) == []


def test_a_dry_run_needs_no_confirmation(research: Command) -> None:
    assert research("Why?", "--mock-mode", "--dry-run").code == 0


def test_a_dry_run_of_a_resume_tells_what_is_used_and_changes_nothing(research: Command) -> None:
    research("Why?", *SMALL, "--calls", "9")
    before = Path(".research/a/journal.jsonl").read_bytes()
    ended = research("--name", "a", "--resume", "--calls", "20", "--dry-run")
    assert (ended.code, "Used so far  9 calls" in ended.out) == (0, True)
    assert Path(".research/a/journal.jsonl").read_bytes() == before


def test_what_costs_nothing_is_said_to_cost_nothing_and_what_is_unknown_to_be_unknown(
    research: Command, fake_agent: Callable[[str], object]
) -> None:
    assert "Money        none" in research("Why?", "--dry-run", "--model", "offline").out
    fake_agent("claude")
    said = research("Why?", "--dry-run", "--model", "claude").out
    assert "Tokens       unknown" in said
    assert "Money        unknown" in said


@pytest.mark.parametrize(
    ("model", "price"),
    [("openai:gpt-4o-mini", 0.021), ("openai:a-model-nobody-lists", None)],
)
def test_a_model_over_http_tells_its_price(model: str, price: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")
    backend = open_backend(model, BackendSettings(""))
    assert isinstance(backend, Priced)
    told = backend.price(Usage(100_000, 10_000))
    assert told == (None if price is None else pytest.approx(price))


def test_a_dry_run_prices_a_model_on_the_list(research: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")
    said = research("Why?", "--dry-run", "--model", "openai:gpt-4o-mini").out
    assert "Money        about $0." in said
    assert "less than $0.01" in research("ask", "Who is it?", "--dry-run", "--model", "openai:gpt-4o-mini").out


def test_nothing_is_sent_to_a_model_by_a_dry_run(research: Command) -> None:
    with ModelServer() as server:
        ended = research("Why?", "--dry-run", "--model", f"openai:scripted@{server.address}")
        assert "Tokens       about" in ended.out
        assert "Money        none" in ended.out
        assert server.requests == []


def test_the_estimate_of_calls_is_what_a_run_without_trouble_makes(research: Command) -> None:
    for breadth, depth in ((1, 0), (2, 1), (3, 1), (2, 2)):
        shape = ("--breadth", str(breadth), "--depth", str(depth))
        shaped = Settings("Why?", "a", breadth=breadth, depth=depth, max_iterations=min_iterations(breadth, depth))
        wanted = estimate(shaped, Abilities(tools=True)).typical
        name = f"of-{breadth}-{depth}"
        research("Why?", "--mock-mode", "--yes", "--name", name, *shape)
        assert Researcher(Path(), name).past().state.calls == wanted


def test_an_estimate_stays_within_the_limits_it_is_given() -> None:
    bounded = estimate(Settings("Why?", "a", breadth=3, depth=3, max_iterations=5, calls=30), Abilities())
    assert bounded.typical <= bounded.most <= 30
    free = estimate(Settings("Why?", "a", breadth=3, depth=3, max_iterations=5), Abilities())
    assert free.typical < estimate(Settings("Why?", "a", breadth=3, depth=3), Abilities()).typical
