"""What is counted as sent before: the longest beginning shared with anything sent, in whole blocks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deeproot.asks import Ask, Kind, PlanInputs, Reply
from deeproot.engine.prefixes import BLOCK, MOST_CHARACTERS, Prefixes

PARTS = st.sampled_from(("a" * BLOCK, "b" * BLOCK, "é" * (BLOCK - 1), "z", "\ud800"))
PROMPTS = st.lists(st.lists(PARTS, max_size=6).map("".join), max_size=12)


def sending(prompt: str, context: str = "", session: str | None = None) -> Ask:
    return Ask(Kind.PLAN, prompt, PlanInputs("?", 1, ()), context=context, session=session)


def shared(one: str, other: str) -> int:
    longest = max(n for n in range(min(len(one), len(other)) + 1) if one[:n] == other[:n])
    return longest - longest % BLOCK


@given(PROMPTS)
def test_it_is_what_comparing_with_everything_sent_before_would_find(prompts: list[str]) -> None:
    prefixes = Prefixes()
    for number, prompt in enumerate(prompts):
        sent = prefixes.count(sending(prompt))
        assert sent.characters == len(prompt)
        assert sent.repeated == max((shared(prompt, earlier) for earlier in prompts[:number]), default=0)


def test_the_context_is_sent_before_the_prompt() -> None:
    prefixes = Prefixes()
    prefixes.count(sending("x" * BLOCK, context="y" * BLOCK))
    assert prefixes.count(sending("z" * BLOCK, context="y" * BLOCK)) == (2 * BLOCK, BLOCK)


def test_a_session_repeats_all_that_was_said_in_it() -> None:
    prefixes = Prefixes()
    prefixes.remember(prefixes.count(sending("question")), Reply("answer", session="s"))
    assert prefixes.count(sending("more", session="s")) == (len("questionanswermore"), len("questionanswer"))


def test_what_was_not_sent_again_for_long_is_forgotten_and_what_was_is_not() -> None:
    prefixes = Prefixes()
    often, once = "o" * BLOCK, "n" * BLOCK
    prefixes.count(sending(once))
    for number in range(3):
        prefixes.count(sending(often))
        prefixes.count(sending(str(number) * MOST_CHARACTERS))
    assert prefixes.count(sending(often)).repeated == BLOCK
    assert prefixes.count(sending(once)).repeated == 0
