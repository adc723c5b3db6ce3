"""Slugs: names for folders made from any title, safe, short, and no two the same."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deeproot.model import SLUG_LENGTH, slugify, unique_slug

SAFE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("OAuth2 Flow", "oauth2-flow"),
        ("  Spaces   and\ttabs ", "spaces-and-tabs"),
        ("C++ & C#: what's new?", "c-c-what-s-new"),
        ("Épée à Zürich", "epee-a-zurich"),
        ("a -- b --- c", "a-b-c"),
        ("trailing hyphen -", "trailing-hyphen"),
        ("../../etc/passwd", "etc-passwd"),
        ("node.json", "node-json"),
        ("日本語", "node"),
        ("", "node"),
        ("-", "node"),
        ("x" * 300, "x" * 60),
        ("y" * 59 + " and more", "y" * 59),
    ],
)
def test_a_slug_is_lowercase_words_joined_by_hyphens(title: str, slug: str) -> None:
    """004-23: spaces, specials, unicode, empty, very long, trailing hyphen."""
    assert slugify(title) == slug


@given(st.text(max_size=200), st.integers(0, 40))
def test_whatever_the_title_a_name_is_safe_and_free(title: str, before: int) -> None:
    taken: set[str] = set()
    for _ in range(before + 1):
        slug = unique_slug(title, taken)
        assert slug not in taken
        assert SAFE.fullmatch(slug)
        assert len(slug) <= SLUG_LENGTH
        taken.add(slug)


@given(st.sets(st.integers(2, 50)))
def test_a_free_name_is_found_between_names_that_were_given_back(numbers: set[int]) -> None:
    taken = {"same", *(f"same-{number}" for number in numbers)}
    assert unique_slug("Same", taken) not in taken


def test_equal_titles_are_numbered_one_after_the_other() -> None:
    taken: dict[str, None] = {}
    for _ in range(5):
        taken[unique_slug("Same title", taken)] = None
    assert list(taken) == ["same-title", "same-title-2", "same-title-3", "same-title-4", "same-title-5"]


class Counted(set[str]):
    """A set that counts how often it is looked into."""

    looks = 0

    def __contains__(self, name: object) -> bool:
        self.looks += 1
        return super().__contains__(name)

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("nobody needs to walk through all names")


def test_thousands_of_equal_titles_do_not_make_the_next_one_slow() -> None:
    taken = Counted()
    for _ in range(4_000):
        taken.add(unique_slug("Same", taken))
    assert len(taken) == 4_000
    assert taken.looks / 4_000 < 30
