"""robots.txt, as the standard has it."""

from __future__ import annotations

import pytest

from deeproot.search.web.robots import parse_robots

EXAMPLE = """
# a comment
User-agent: other
Disallow: /

User-Agent: *
Disallow: /everybody

User-agent: deeproot/1.0
User-agent: another
Disallow: /private/   # with a comment
Allow: /private/open
Disallow: /*.pdf$
Disallow: /a*b*c
Disallow:
Crawl-delay: 2.5
nonsense
Sitemap: https://example.org/sitemap-1.xml
"""


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", True),
        ("/everybody", True),
        ("/private/", False),
        ("/private/x", False),
        ("/private", True),
        ("/private/open/door", True),
        ("/%70rivate/x", False),
        ("/book.pdf", False),
        ("/book.pdf?page=2", True),
        ("/a-b-c", False),
        ("/a-c-b", True),
    ],
)
def test_the_longest_rule_of_our_own_group_decides(path: str, allowed: bool) -> None:
    assert parse_robots(EXAMPLE).allows(path) is allowed


def test_the_group_for_everybody_holds_where_we_have_none() -> None:
    robots = parse_robots("User-agent: *\nDisallow: /x\n\nUser-agent: other\nDisallow: /")
    assert robots.allows("/y")
    assert not robots.allows("/x")


def test_delay_and_sitemaps_are_told() -> None:
    robots = parse_robots(EXAMPLE)
    assert robots.delay == 2.5
    assert robots.sitemaps == ("https://example.org/sitemap-1.xml",)


def test_an_empty_file_permits_everything() -> None:
    assert parse_robots("").allows("/anything")


@pytest.mark.parametrize("delay", ["-1", "1e9", "99999999", "soon", "nan"])
def test_a_delay_that_makes_no_sense_is_passed_over(delay: str) -> None:
    assert parse_robots(f"User-agent: *\nCrawl-delay: {delay}").delay <= 30


def test_a_rule_made_of_stars_is_matched_without_trying_every_way() -> None:
    robots = parse_robots("User-agent: *\nDisallow: /" + "a*" * 2000 + "$")
    assert robots.allows("/" + "a" * 1500 + "b")
