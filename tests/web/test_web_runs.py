"""Whole runs with the web: what is fetched when, what is kept, and what is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

import pytest
from inquiry import inquire
from loopback import FakeNetwork, Page, Site, as_json
from world import APPLES, ENGINE, PEARS, World, article, means_of

from deeproot import asks as a
from deeproot.asks import Ask, Kind, Reply, Seen
from deeproot.backends import Abilities
from deeproot.engine.outcome import Ending
from deeproot.events import LeftOut
from deeproot.model import Tag
from deeproot.search.web.opening import WebMeans
from deeproot.search.web.providers import Provider, ProviderMeans
from deeproot.search.web.providers.searxng import open_provider
from deeproot.search.web.providers.wikipedia import Wikipedia
from deeproot.testing import FakeClock, Scripted, ScriptedBackend
from laboratory import Finished, Lab, topic_of

PLACES = [f"http://apples{number}.example/keep" for number in range(7)]
READING = Abilities()


def quoting(ask: Ask) -> Scripted | None:
    """One finding from the first passage; everything else as the mock backend has it."""
    if not isinstance(ask.inputs, a.DocumentInputs) or not ask.inputs.passages:
        return None
    quote = ask.inputs.passages[0].text.split(". ")[0]
    return a.DocumentAnswer("They keep.", (a.ProposedFinding(quote, quote, "S1"),))


def run(lab: Lab, reach: WebMeans, backend: ScriptedBackend, **settings: object) -> Finished:
    chosen = {"web": True, "breadth": 1, "question": "How long do apples keep?", **settings}
    return lab.run(backend, means={"web": reach, "clock": FakeClock(speed=10_000)}, **chosen)


def test_a_finding_cites_the_page_and_its_text_is_kept_for_verification(lab: Lab) -> None:
    world = World({PLACES[0]: APPLES}, PLACES[:1])
    with world.served() as network:
        done = run(lab, means_of(network), ScriptedBackend(quoting, abilities=READING))
    (finding,) = done.state.growths["1"].document.findings  # type: ignore[union-attr]
    assert finding.source.location == PLACES[0]
    assert finding.found
    kept = lab.project / ".research" / "knowledge" / "sources" / f"{finding.source.sha256}.md"
    assert finding.quote in kept.read_text(encoding="utf-8")
    assert PLACES[0] in done.report


def test_every_page_that_was_read_is_a_kept_source_with_the_type_its_server_gave(lab: Lab) -> None:
    """Two pages are read, one is cited, and their addresses say nothing of their kinds."""
    notes = Page("Apples keep. " * 20, content_type="text/markdown; charset=utf-8")
    world = World({PLACES[0]: APPLES, PLACES[1]: notes}, PLACES[:2])
    with world.served() as network:
        run(lab, means_of(network), ScriptedBackend(quoting, abilities=READING))
    kept = [path.read_text(encoding="utf-8") for path in lab.researcher.knowledge.glob("sources/*.md")]
    heads = sorted(text.partition("\n---\n")[0].splitlines()[1::2] for text in kept)
    assert heads == [
        [f'location: "{PLACES[0]}"', 'content_type: "text/html"'],
        [f'location: "{PLACES[1]}"', 'content_type: "text/markdown"'],
    ]


def browsing(
    quote: str, opened: str, named: str = "", before: Callable[[Ask], None] = lambda _: None
) -> ScriptedBackend:
    """An agent that opened one page by itself, tells nothing of its text, and quotes a page."""
    answer = a.DocumentAnswer(
        "They keep.", (a.ProposedFinding(quote, quote, "S1"),), (a.ProposedSource("S1", named or opened, "Apples"),)
    )
    told = Reply(json.dumps(asdict(answer)), session="s1", seen=(Seen(opened),))

    def script(ask: Ask) -> Scripted | None:
        before(ask)
        return told if ask.kind is Kind.DOCUMENT else None

    return ScriptedBackend(script, abilities=Abilities(tools=True, sessions=True))


KEEP = "Apples keep for six months in a cool cellar"


def test_a_page_that_an_agent_opened_is_read_as_well_so_that_its_quote_is_checked(lab: Lab) -> None:
    with World({PLACES[0]: APPLES}).served() as network:
        done = run(lab, means_of(network), browsing(KEEP, PLACES[0]))
    (finding,) = done.state.growths["1"].document.findings  # type: ignore[union-attr]
    assert finding.found is True
    assert KEEP in (lab.researcher.knowledge / "sources" / f"{finding.source.sha256}.md").read_text()
    assert done.verdicts == {"supported"}


def test_a_quote_that_is_not_on_the_page_an_agent_opened_goes_back_to_it(lab: Lab) -> None:
    with World({PLACES[0]: APPLES}).served() as network:
        done = run(lab, means_of(network), browsing("Apples keep for six years", PLACES[0]))
    again = done.backend.asked(Kind.DOCUMENT)[1]
    assert "Nearest there: Apples Apples keep for six / Apples keep for six months" in again.prompt
    assert done.verdicts == {"unsupported"}


@pytest.mark.parametrize(
    ("settings", "opened", "named"),
    [
        ({"web": False}, PLACES[0], PLACES[0]),
        ({}, "http://pears.example/", PLACES[0]),
        ({}, "http://127.0.0.1/keep", "http://127.0.0.1/keep"),
    ],
    ids=["without --web", "a page it names and never opened", "a private address"],
)
def test_of_an_agents_pages_nothing_else_is_read(
    lab: Lab, settings: dict[str, object], opened: str, named: str
) -> None:
    world = World({PLACES[0]: APPLES, "http://127.0.0.1/keep": APPLES})
    with world.served() as network:
        done = run(lab, means_of(network), browsing(KEEP, opened, named), **settings)
    assert named not in world.fetched
    assert done.verdicts == {"unverifiable"}


def test_a_page_that_an_agent_opened_is_not_fetched_again_by_a_resumed_run(lab: Lab) -> None:
    """The first run is copied in the middle of the turn: after the document, before its subtopics."""
    world, images = World({PLACES[0]: APPLES}), list[Lab]()

    def photograph(ask: Ask) -> None:
        if ask.kind is Kind.CHILDREN and not images:
            images.append(lab.crash_image())

    with world.served() as network:
        run(lab, means_of(network), browsing(KEEP, PLACES[0], before=photograph), depth=1)
        means = {"web": means_of(network), "clock": FakeClock(speed=10_000)}
        done = images[0].resume(browsing(KEEP, PLACES[0]), means=means)
    assert done.verdicts == {"supported"}
    assert {topic_of(ask).id for ask in done.backend.asked(Kind.DOCUMENT)} == {"1.1"}
    assert world.fetched == [PLACES[0]]


def test_a_second_researcher_of_the_project_fetches_nothing_again(lab: Lab) -> None:
    world = World(dict.fromkeys(PLACES[:2], APPLES), PLACES[:2])
    with world.served() as network:
        for name in ("lab", "second"):
            run(lab, means_of(network), ScriptedBackend(quoting, abilities=READING), name=name)
    assert sorted(world.fetched) == PLACES[:2]


def test_the_page_a_loop_decision_names_is_fetched_in_the_next_round(lab: Lab) -> None:
    """The seventh result was not read at first: only six are."""
    last = article("The seventh", "Apples of the seventh sort keep for a whole year in sand. " * 5)
    world = World({**dict.fromkeys(PLACES[:6], APPLES), PLACES[6]: last}, PLACES)
    decided: list[Ask] = []

    def script(ask: Ask) -> Scripted | None:
        if ask.kind is not Kind.DECIDE:
            return quoting(ask)
        decided.append(ask)
        first = len(decided) == 1
        assert PLACES[6] not in world.fetched or not first
        return a.DecideAnswer("Look.", ("the seventh",), first, "sand", PLACES[6] if first else None)

    with world.served() as network:
        inquire(
            lab,
            ScriptedBackend(script, abilities=READING),
            means={"web": means_of(network), "clock": FakeClock(speed=10_000)},
            web=True,
            breadth=1,
            tier="medium",
            question="How long do apples keep?",
        )
    assert len(decided) >= 2
    assert world.fetched.count(PLACES[6]) == 1


def test_a_rate_limit_is_answered_by_the_second_provider_and_stored_as_an_event(lab: Lab) -> None:
    def script(asked: object) -> Page | str | None:
        url = getattr(asked, "url", "")
        if ENGINE in url:
            return Page("slow down", 429, headers={"Retry-After": "3600"})
        if "/w/rest.php" in url:
            return as_json({"pages": [{"key": "Apple", "title": "Apple", "excerpt": ""}]})
        return APPLES if url == "http://wiki.example/wiki/Apple" else None

    def two(means: ProviderMeans, _: Sequence[str]) -> tuple[Provider, ...]:
        first = open_provider(means)
        assert first is not None
        return first, Wikipedia(means, "http://wiki.example")

    with Site(script) as site:
        web = replace(means_of(FakeNetwork(site)), open_providers=two)
        done = run(lab, web, ScriptedBackend(quoting, abilities=READING))
    assert {event.tag for event in done.of_kind("tag.raised")} >= {Tag.RATE_LIMITED}
    assert "wiki.example/wiki/Apple" in done.report
    assert "#RATE_LIMITED" in done.report


def test_a_resumed_run_neither_searches_nor_fetches_what_it_has(lab: Lab) -> None:
    world = World({PLACES[0]: APPLES, PLACES[1]: PEARS}, PLACES[:2])
    with world.served() as network:
        means = {"web": means_of(network), "clock": FakeClock(speed=10_000)}
        first = run(lab, means_of(network), ScriptedBackend(quoting, abilities=READING))
        asked = len(world.asked)
        again = lab.resume(ScriptedBackend(quoting, abilities=READING), means=means)
    assert len(world.asked) == asked
    assert again.report == first.report


def test_how_far_a_site_was_read_is_an_event_and_a_part_of_the_report(lab: Lab) -> None:
    site = "http://docs.example/"
    home = APPLES.replace("</body>", "<p>More on <a href=/pears>pears</a> and <a href=/gone>figs</a>.</p></body>")
    world = World({site: home, f"{site}pears": PEARS})
    with world.served() as network:
        means = {"web": means_of(network), "clock": FakeClock(speed=10_000)}
        done = run(lab, means_of(network), ScriptedBackend(quoting, abilities=READING), web=False, sites=(site,))
        again = lab.resume(ScriptedBackend(quoting, abilities=READING), means=means)
    (event,) = again.of_kind("site.read")
    assert (event.found, event.read, event.left_out) == (3, 2, (LeftOut("failed", 1),))
    assert f"## Coverage\n\n- {site}: 2 of 3 pages read; not read: failed (1)\n" in done.report
    assert world.fetched.count(site) == 1


def test_a_web_that_fails_in_the_middle_is_told_and_files_still_work(lab: Lab) -> None:
    (lab.project / "notes.md").write_text("# Apples\n\nApples keep for six months in a cellar.\n", encoding="utf-8")
    world = World({}, engine=Page("no", 500))
    with world.served() as network:
        done = run(lab, means_of(network), ScriptedBackend(quoting, abilities=READING))
    assert done.outcome.ending is Ending.COMPLETE
    (told,) = [event.message for event in done.of_kind("warned")]
    assert "searxng: cannot be reached or is in trouble" in told
    kinds = [event.kind for event in done.events]
    assert kinds.index("warned") < kinds.index("topic.researched"), "at once, not at the end"
    assert "searxng: cannot be reached or is in trouble" in done.report.split("Not had of the web: ")[1]
    assert "notes.md" in done.report
