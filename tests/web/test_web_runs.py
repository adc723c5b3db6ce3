"""Whole runs with the web: what is fetched when, what is kept, and what is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from inquiry import inquire
from loopback import FakeNetwork, Page, Site, as_json
from world import APPLES, ENGINE, PEARS, World, article, means_of

from deeproot import asks as a
from deeproot.asks import Ask, Kind
from deeproot.backends import Abilities
from deeproot.engine.outcome import Ending
from deeproot.events import LeftOut
from deeproot.model import Tag
from deeproot.search.web.opening import WebMeans
from deeproot.search.web.providers import Provider, ProviderMeans
from deeproot.search.web.providers.searxng import open_provider
from deeproot.search.web.providers.wikipedia import Wikipedia
from deeproot.testing import FakeClock, Scripted, ScriptedBackend
from laboratory import Finished, Lab

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
