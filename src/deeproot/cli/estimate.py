"""What a run may take, said before anything is spent: all of it by `--dry-run`, a line before one that costs money."""

from __future__ import annotations

from pathlib import Path
from tempfile import gettempdir

import anyio

from ..backends import Backend, BackendSettings, open_backend, split_name
from ..engine.estimate import Estimate, Priced, estimate
from ..hats.ask.scope import most_subquestions, told_simple
from ..model import Usage
from ..settings import Settings, most_topics, synthesis_reserve
from ..state import State
from .money import costs_money, may_cost


def print_estimate(settings: Settings, before: State) -> None:
    """`--dry-run`."""
    answered, reviewed = _opened(settings)
    expected = estimate(settings, answered.abilities)
    reviews = "" if settings.review_model == settings.model else f", reviews by {settings.review_model}"
    calls = "1" if expected.most == 1 else f"{expected.typical:,} typically, {expected.most:,} at most"
    print(f"Answered by  {settings.model}{reviews}")
    print(_size(settings))
    print(f"Calls        {calls} (answers that cannot be used are asked again, on top of that)")
    print(f"Tokens       {_tokens(expected, settings)}")
    print(f"Money        {_money(expected, settings, answered, reviewed)}")
    print(f"Limits       {_limits(settings)}")
    if before.seq:
        print(f"Used so far  {_used(before)}")
    print("Nothing was asked, and nothing was written.")


def _size(settings: Settings) -> str:
    if not settings.asking:
        return f"Topics       {most_topics(settings.breadth, settings.depth):,} at most"
    if told_simple(settings):
        return "Question     simple: it is searched for and answered at once"
    first = most_subquestions(settings)
    return f"Question     {first} subquestions at first, {first + settings.asking.max_loops - 1} at most"


def one_line_estimate(settings: Settings) -> str:
    answered, reviewed = _opened(settings)
    expected = estimate(settings, answered.abilities)
    calls = "1 call" if expected.most == 1 else f"{expected.typical:,} calls ({expected.most:,} at most)"
    return (
        f"Estimate: {calls}; "
        f"tokens: {_tokens(expected, settings)}; money: {_money(expected, settings, answered, reviewed)}."
    )


def _opened(settings: Settings) -> tuple[Backend, Backend]:
    """The two backends, for what they say of themselves; they are asked nothing and let go at once."""
    options = BackendSettings("", settings.timeout, settings.idle_timeout, Path(gettempdir()) / "deeproot-dry-run")
    opened = tuple(open_backend(name, options) for name in (settings.model, settings.review_model))
    for backend in opened:
        anyio.run(backend.aclose)
    return opened[0], opened[1]


def _tokens(expected: Estimate, settings: Settings) -> str:
    if not {split_name(name)[0] for name in (settings.model, settings.review_model)} - {"offline", "mock"}:
        return "none"
    if expected.research is None or expected.reviews is None:
        return "unknown (the agent reads by itself)"
    both = expected.research + expected.reviews
    return f"about {_rough(both.tokens_in):,} in and {_rough(both.tokens_out):,} out typically"


def _money(expected: Estimate, settings: Settings, answered: Backend, reviewed: Backend) -> str:
    if not costs_money(settings):
        return "none"
    prices = [_price(answered, expected.research), _price(reviewed, expected.reviews)]
    known = [price for price in prices if price is not None]
    if len(known) < len(prices):
        return "unknown (no price is known here; a free model costs nothing)"
    return f"about ${sum(known):.2f} typically" if sum(known) >= 0.01 else "less than $0.01 typically"


def _price(backend: Backend, usage: Usage | None) -> float | None:
    if not may_cost(backend.name):
        return 0.0
    return backend.price(usage) if usage and isinstance(backend, Priced) else None


def _used(before: State) -> str:
    money = f", ${before.used('cost'):.4f}" if before.usage.cost is not None else ""
    minutes = before.used("time") / 60
    return f"{before.used('calls'):,.0f} calls, {before.used('tokens'):,.0f} tokens{money}, {minutes:.1f} minutes"


def _limits(settings: Settings) -> str:
    rounds = f"{settings.asking.max_loops} rounds" if settings.asking else f"{settings.max_iterations:,} iterations"
    said = [rounds]
    if settings.time is not None:
        writing = synthesis_reserve(settings.time)
        said.append(f"{settings.time:g} minutes ({settings.time - writing:g} research, {writing:g} writing)")
    said += [f"${settings.cost:.2f}"] if settings.cost is not None else []
    said += [f"{settings.tokens:,} tokens"] if settings.tokens is not None else []
    said += [f"{settings.calls:,} calls"] if settings.calls is not None else []
    return ", ".join([*said, f"{settings.timeout:,} seconds a call", f"{settings.retries} retries a turn"])


def _rough(tokens: int) -> int:
    """Two digits are more than anybody knows."""
    return round(tokens, 2 - len(str(tokens)))
