"""The consistency gate: what a report leaves out, repeats or makes up is found by code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deeproot.asks import Kind
from deeproot.checks import Issue
from deeproot.events import TagRaised
from deeproot.gates.consistency import inconsistencies
from deeproot.model import Tag
from deeproot.report.assemble import Report, assemble
from deeproot.state import State
from gates.acme import gates
from laboratory import Lab, failing, topic_of


@pytest.fixture
def state(lab: Lab) -> State:
    return lab.run(breadth=2).state


def issues(state: State, report: Report | None = None) -> list[Issue]:
    return inconsistencies(state, report or assemble(state))


def test_a_sound_report_has_none(state: State) -> None:
    assert issues(state) == []


@pytest.mark.parametrize("tag", list(Tag))
def test_every_tag_that_is_raised_stands_under_limitations(state: State, tag: Tag) -> None:
    state.apply(TagRaised(tag, "1", "as it happens"))
    report = assemble(state)
    assert tag in report.text.split("## Limitations")[1].split("\n## ")[0]
    assert issues(state, report) == []
    silenced = replace(report, text=report.text.replace(tag, "a tag"))
    (found,) = issues(state, silenced)
    assert found.grave
    assert tag in found.detail
    within_a_word = replace(report, text=report.text.replace(tag, f"{tag}s"))
    assert any(found.grave for found in issues(state, within_a_word))


def test_a_topic_whose_heading_is_gone_is_missed(state: State) -> None:
    report = assemble(state)
    title = state.topic("2").title
    found = issues(state, replace(report, text=report.text.replace(f"### {title}", "### Something else")))
    assert any(issue.grave and "Topic 2" in issue.detail for issue in found)
    assert any("no topic of the tree" in issue.detail for issue in found)


def test_headings_in_another_order_are_noticed(state: State) -> None:
    report = assemble(state)
    one, two = (f"### {state.topic(id).title}\n" for id in ("1", "2"))
    swapped = report.text.replace(one, "@").replace(two, one).replace("@", two)
    (found,) = issues(state, replace(report, text=swapped))
    assert "order of the tree" in found.detail


def test_a_marker_of_no_finding_is_grave_wherever_it_came_from(state: State) -> None:
    """Writers are asked again for it; a revision could still bring one in."""
    state.draft.summary += " Roots are deep [F9-9]."
    (found,) = issues(state)
    assert found.grave
    assert found.detail == "[F9-9] cites no finding."


def test_a_sentence_that_stands_twice_is_named_once(state: State) -> None:
    report = assemble(state)
    title = f"### {state.topic('2').title}\n"
    line = "Apples are ripe in the north in early September."
    text = report.text.replace(title, f"{title}\n{line} {line} {line}\n")
    (found,) = issues(state, replace(report, text=text))
    assert line in found.detail
    assert not found.grave


def test_pointing_elsewhere_twice_is_no_repetition(state: State) -> None:
    report = assemble(state)
    pointer = "Nothing was found beyond what stands under the other topics."
    text = report.text.replace(
        f"### {state.topic('2').title}\n", f"### {state.topic('2').title}\n\n{pointer} {pointer}\n"
    )
    assert issues(state, replace(report, text=text)) == []


def test_what_code_says_of_topics_that_were_given_up_is_no_fact_and_no_repetition(lab: Lab) -> None:
    done = lab.run(lambda ask: failing() if ask.kind is Kind.DOCUMENT else None, breadth=2)
    assert done.report.count("*Not researched: given up after repeated failures (#RETRY_EXHAUSTED).*") == 2
    assert not [
        issue for issue in gates(done)["issues"] if issue["rule"] == "repetition" or "given up" in issue["detail"]
    ]


def test_a_topic_that_was_given_up_costs_its_share_of_the_score(lab: Lab) -> None:
    done = lab.run(lambda ask: failing() if ask.kind is Kind.DOCUMENT and topic_of(ask).id == "2" else None, breadth=2)
    (coverage,) = (part for part in gates(done)["parts"] if part["name"] == "coverage")
    assert (coverage["points"], coverage["most"]) == (10, 20)


def test_a_tag_nobody_knows_is_flagged(state: State) -> None:
    state.draft.summary = "All is well #MADE_UP here."
    (found,) = issues(state)
    assert "#MADE_UP" in found.detail
