"""The report as code puts it together: headings from the tree, numbers for citations, Sources, named gaps."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest

from deeproot import asks as a
from deeproot import events as e
from deeproot.asks import Ask, Kind
from deeproot.engine.engine import Ending
from deeproot.gates.consistency import inconsistencies
from deeproot.model import Finding, Section, Source, Tag, Topic
from deeproot.report.assemble import assemble, findings_of, source_line
from deeproot.report.closing import limitations
from deeproot.report.methodology import conduct
from deeproot.report.numbering import Numbering
from deeproot.state import State
from deeproot.testing import Script, Scripted
from gates.acme import report_on
from laboratory import (
    Finished,
    Lab,
    at,
    children_of,
    document_about,
    failing,
    final_verdict,
    first,
    golden,
    once,
    plan_of,
    topic_of,
)

MOST_TOPICS = 20  # in one prompt
LINES = [(3, 4), (5, 5), (5, 9), (22, 24), (11, 11), (20, 22), (21, 21)]


def sources(report: str) -> list[str]:
    return re.findall(r"^- (\[\d+\] .*)$", report.split("## Sources")[1], re.MULTILINE)


def cited(report: str) -> list[int]:
    return [int(number) for number in re.findall(r"\[(\d+)\]", report.split("## Sources")[0])]


def found_at(*locations: str) -> Script:
    """Every topic's findings stand at these places."""

    def script(ask: Ask) -> Scripted | None:
        return document_about(f"Fact of {topic_of(ask).id}", *locations) if ask.kind is Kind.DOCUMENT else None

    return script


def test_it_begins_with_the_summary_and_ends_with_the_sources(lab: Lab) -> None:
    """000-77, 000-79."""
    report = lab.run(breadth=1).report
    assert "## Executive Summary" in report.splitlines()[:40]
    assert re.findall(r"^## .*", report, re.MULTILINE)[-1] == "## Sources"


def test_its_headings_are_the_tree(lab: Lab) -> None:
    """000-78."""
    done = lab.run(breadth=2, depth=2, max_iterations=20)
    findings = done.report.split("## Findings\n")[1].split("\n## ")[0]
    shown = [(len(marks) - 3, title) for marks, title in re.findall(r"^(#{3,6}) (.*)$", findings, re.MULTILINE)]
    assert shown == [(growth.topic.depth, growth.topic.title) for growth in done.state.walk()]


def test_every_number_is_defined_once_and_every_source_is_cited(lab: Lab) -> None:
    """000-79, X-14: one number per source, in the order of first use; no orphan on either side."""
    done = lab.run(found_at("https://a.example/x", "https://b.example/y"), breadth=3)
    listed = [int(line[1 : line.index("]")]) for line in sources(done.report)]
    assert listed == list(range(1, len(listed) + 1))
    assert set(cited(done.report)) == set(listed)
    assert cited(done.report)[0] == 1
    places = Counter(line.split()[-1] for line in sources(done.report))
    assert set(places.values()) == {1}
    assert not re.search(r"\[F[\d.]+-\d+\]", done.report)


def test_each_citation_leads_back_to_a_finding_and_its_quote(lab: Lab) -> None:
    """X-14."""
    done = lab.run(found_at("https://a.example/x"), breadth=2)
    citations = json.loads((done.researcher.reports / "citations.json").read_text())
    known = {f.id: f for g in done.state.walk() if g.document for f in g.document.findings}
    assert citations
    for citation in citations:
        finding = known[citation["finding"]]
        assert (citation["quote"], citation["source"]) == (finding.quote, finding.source.location)
        assert citation["sentence"] in done.report


def write(summary: str, text: str, limitations: tuple[str, ...] = ()) -> Script:
    """Writers that write this."""

    def script(ask: Ask) -> Scripted | None:
        match ask.inputs:
            case a.SectionInputs(topics=topics):
                return a.SectionAnswer(tuple(Section(topic.id, text) for topic, _ in topics))
            case a.SynthesizeInputs():
                return a.SynthesizeAnswer("A title", summary, limitations)
            case _:
                return None

    return script


def test_an_invented_citation_is_sent_back_and_never_printed(lab: Lab) -> None:
    done = lab.run(first(once(Kind.SECTION, a.SectionAnswer((Section("1", "Sure [F7-7]."),)))), breadth=1)
    assert "[F7-7] is not one of the findings given" in done.backend.asked(Kind.SECTION)[1].prompt
    assert "F7-7" not in done.report
    assert "[evidence?]" not in done.report


def test_a_number_the_writer_made_up_is_no_citation(lab: Lab) -> None:
    """000-79: `[99]` in a writer's prose must not look like one of ours."""
    done = lab.run(write("Summed [3].", "True [F1-1], and also [99]."), breadth=1)
    assert set(cited(done.report)) == {1}


def test_a_writer_cannot_forge_the_structure(lab: Lab) -> None:
    """000-78: headings are added by code; a writer's own become plain text."""
    done = lab.run(write("Sum.\n\n## Sources\n\n- [1] Forged", "# Big\n\nText [F1-1].\n\n## Findings"), breadth=1)
    tops = re.findall(r"^#{1,2} .*", done.report, re.MULTILINE)
    assert tops == ["# A title", "## Executive Summary", "## Findings", "## Methodology", "## Sources"]


def test_finding_ids_never_reach_the_reader(lab: Lab) -> None:
    done = lab.run(write("Sum [F1-1].", "Text [F1-1].", ("Only one source [F1-1] was read.",)), breadth=1)
    assert "F1-1" not in done.report


def test_lines_of_a_source_that_meet_are_named_as_one_range() -> None:
    found = [Finding(f"F1-{n}", "Claim.", "Quote.", Source("a.md"), lines=lines) for n, lines in enumerate(LINES)]
    assert source_line(1, Source("a.md", "Title"), found) == "[1] Title. a.md, lines 3–9, 11, 20–24"
    assert source_line(1, Source("a.md"), found[:1]) == "[1] a.md, lines 3–4"


def test_the_methodology_names_models_limits_sources_and_what_was_given_up(lab: Lab) -> None:
    """001-44: a line each, so that a reader finds what he looks for."""
    done = a_run_with_everything(lab)
    lines = done.report.split("## Methodology\n\n")[1].split("\n\n")[0].splitlines()
    assert all(line.startswith("- ") for line in lines)
    starts = (
        "3 topics (2 complete)",
        "Begun on",
        "Answered by",
        "0 sources read",
        "Limits:",
        "Abandoned",
        "Tags",
        "Gates:",
    )
    assert [line[2:].startswith(start) for line, start in zip(lines, starts, strict=True)] == [True] * len(starts)
    spent = lab.run(breadth=1, name="spent", calls=900, cost=2.5, tokens=1_000_000, models=(("write", "other"),))
    assert ", 1,000,000 tokens, $2.50, 900 calls.\n" in spent.report
    assert "; write by other.\n" in spent.report


def test_a_question_of_several_lines_is_one_heading(lab: Lab) -> None:
    untitled = once(Kind.SYNTHESIZE, a.SynthesizeAnswer("  ", "Sum."))
    done = lab.run(first(untitled), breadth=1, question="First line\n\nSecond line")
    assert done.report.startswith("# First line Second line\n")


def test_markers_in_every_spelling_become_numbers(lab: Lab) -> None:
    text = "One [F1-1]. Two [F1-1, F1-2]. Three [F1-2][F1-1]; four [F1-2 ; F1-1]."
    done = lab.run(first(found_at("https://a.example", "https://b.example"), write("S.", text)), breadth=1)
    assert "One [1]. Two [1][2]. Three [2][1]; four [2][1]." in done.report


def test_two_findings_of_one_source_in_one_sentence_are_one_number(lab: Lab) -> None:
    text = "Both say so [F1-1][F1-2]."
    done = lab.run(first(found_at("https://a.example", "https://a.example"), write("S.", text)), breadth=1)
    assert "Both say so [1]." in done.report
    assert len(sources(done.report)) == 1


def test_a_topic_that_was_not_researched_is_named_with_the_reason(lab: Lab) -> None:
    """Nothing is dropped silently."""

    def lose_two(ask: Ask) -> Scripted | None:
        return failing() if ask.kind is Kind.DOCUMENT and topic_of(ask).id == "2" else None

    done = lab.run(first(lose_two, once(Kind.PLAN, plan_of("Apples", "Pears", "Plums"))), breadth=3, max_iterations=2)
    assert re.search(r"### Pears\n\n\*Not researched: given up", done.report)
    assert re.search(r"### Plums\n\n\*Not researched: the limit", done.report)
    limits = done.report.split("## Limitations")[1].split("\n## ")[0]
    assert "Pears" in limits
    assert "Plums" in limits


def test_a_citation_that_was_not_mended_is_told_by_its_source_and_cites_nothing(lab: Lab) -> None:
    done = report_on(lab, "Revenue fell 15 % to 230 million euros in 2024.")
    limits = done.report.split("## Limitations")[1].split("\n## ")[0]
    assert "not mended after the last review: source 1, refuted: Revenue fell 15 %" in limits
    assert "[1]" not in limits


def test_code_refuses_a_report_without_text_for_a_topic(lab: Lab) -> None:
    """000-81: whatever the reviewer says, the script knows which topics have no text."""
    state = lab.run(breadth=2).state
    assert _grave(state) == []
    del state.draft.sections["2"]
    (problem,) = _grave(state)
    assert "Topic 2" in problem
    state.draft.summary = "Sure [F8-8]."
    assert "[F8-8] cites no finding." in _grave(state)


def _grave(state: State) -> list[str]:
    return [issue.detail for issue in inconsistencies(state, assemble(state)) if issue.grave]


@pytest.mark.parametrize("fence", ["```", "~~~~", "```python"])
def test_a_code_fence_left_open_does_not_swallow_the_rest_of_the_report(lab: Lab, fence: str) -> None:
    def script(ask: Ask) -> Scripted | None:
        if isinstance(ask.inputs, a.SectionInputs):
            return a.SectionAnswer(
                tuple(Section(t.id, f"See [F{t.id}-1]:\n\n{fence}\nx = 1") for t, _ in ask.inputs.topics)
            )
        return None

    body = lab.run(script, breadth=2).report
    inside = False
    for line in body.splitlines():
        if line.startswith(fence[:3]):
            inside = not inside
        assert not (inside and line.startswith("## ")), line
    assert not inside


def test_a_writer_that_leaves_out_a_topic_is_asked_again(lab: Lab) -> None:
    done = lab.run(first(once(Kind.SECTION, a.SectionAnswer((Section("9", "Something else."),)))), breadth=1)
    assert "topic 1 has no text" in done.backend.asked(Kind.SECTION)[1].prompt
    assert "Something else." not in done.report


# Large trees


def wide(count: int) -> Script:
    """One branch of `count` topics below the first, all with findings of their own."""

    def script(ask: Ask) -> Scripted | None:
        if ask.kind is Kind.CHILDREN:
            topic = topic_of(ask)
            return children_of(*(f"Part {topic.id}-{n}" for n in range(count))) if topic.depth == 0 else children_of()
        if ask.kind is Kind.DOCUMENT:
            id = topic_of(ask).id
            return document_about(f"Marker {id} end", f"https://example.org/{id}")
        return None

    return first(script, once(Kind.PLAN, plan_of("Only branch")))


def test_a_large_branch_is_written_in_parts_and_no_source_is_lost(lab: Lab) -> None:
    """X-13: more than twenty topics in a branch make several prompts; the report still has everything."""
    count = MOST_TOPICS + 5
    done = lab.run(wide(count), breadth=count, depth=1, max_iterations=99, concurrency=4, words=9000)
    asks = done.backend.asked(Kind.SECTION)
    assert len(asks) > 1
    assert all(len(ask.inputs.topics) <= MOST_TOPICS for ask in asks if isinstance(ask.inputs, a.SectionInputs))
    assert len(sources(done.report)) == count + 1
    assert all(f"Marker {id} end is claim 1." in done.report for id in done.state.growths)
    assert done.outcome.ending is Ending.COMPLETE


def test_a_small_branch_is_one_prompt(lab: Lab) -> None:
    done = lab.run(breadth=3, depth=1, max_iterations=20)
    assert len(done.backend.asked(Kind.SECTION)) == 3


def test_findings_that_differ_in_one_word_are_different_findings(lab: Lab) -> None:
    """000-76: what is alike in form is not the same in substance."""

    def animals(ask: Ask) -> Scripted | None:
        if ask.kind is not Kind.DOCUMENT:
            return None
        said = f"{topic_of(ask).title} are mammals that live in Europe."
        return a.DocumentAnswer("S.", (a.ProposedFinding(said, said, "S1"),), (a.ProposedSource("S1", "zoo.md"),))

    done = lab.run(first(animals, once(Kind.PLAN, plan_of("Cats", "Dogs"))))
    assert "Cats are mammals" in done.report
    assert "Dogs are mammals" in done.report


# The folder of a small run, word for word


def a_run_with_everything(lab: Lab) -> Finished:
    reviews: list[str] = []

    def review(ask: Ask) -> Scripted | None:
        if ask.kind is not Kind.REVIEW or topic_of(ask).id != "1" or reviews:
            return None
        reviews.append("1")
        unmet = tuple(a.CriterionVerdict(criterion, False, "no number given") for criterion in topic_of(ask).criteria)
        return a.ReviewAnswer(unmet, ("The weight is missing",), ("Search for the weight of an apple",))

    def document(ask: Ask) -> Scripted | None:
        if ask.kind is not Kind.DOCUMENT:
            return None
        title = topic_of(ask).title
        return failing("exit code 7") if title == "Plums" else document_about(title, gaps=(f"Price of {title}",))

    script = first(
        once(Kind.PLAN, plan_of("Apples", "Plums")),
        document,
        review,
        lambda ask: children_of("Peel") if ask.kind is Kind.CHILDREN else None,
        once(Kind.FINAL_REVIEW, final_verdict("Apples: say how heavy they are.")),
    )
    return lab.run(script, depth=1, question="What is fruit?")


VIEWS = ["research_plan.md", "progress.md", "progress/apples.md", "progress/peel.md", "recovery.notes.md"]


def test_the_views_of_a_small_run_are_their_golden_files(lab: Lab) -> None:
    """000-34 to 000-44, 000-112: a change in any view is seen here first."""
    done = a_run_with_everything(lab)
    assert done.outcome.exit_code == 2
    for name in VIEWS:
        golden(f"views/{name}", done.text(name).split("\n<!-- deeproot:")[0])
    golden("views/review.rejected.md", done.archived("review.rejected.md")[0])
    golden("views/review.accepted.md", done.archived("review.accepted.md")[0])
    golden("views/report.md", re.sub(r"(?<=Begun on )[\d-]+", "2026-03-02", done.report))
    state = done.state_json
    golden("views/state.json", json.dumps(state | {"lock_token": "…", "start_time": 0.0}, indent=2, ensure_ascii=False))


def test_the_report_is_the_same_bytes_from_the_journal_alone(lab: Lab) -> None:
    done = a_run_with_everything(lab)
    assert assemble(done.state).text == done.report


def test_the_report_is_there_while_it_is_reviewed(lab: Lab) -> None:
    """000-84: the file changes with the revision."""
    seen: list[str] = []
    look = at(Kind.REVISE, 1, lambda: seen.append(lab.researcher.report.read_text()))
    script = first(
        look,
        once(Kind.FINAL_REVIEW, final_verdict("Shorter")),
        once(Kind.REVISE, a.ReviseAnswer(None, (Section("1", "Short [F1-1]."),))),
    )
    done = lab.run(script, breadth=1)
    assert "Short [1]." not in seen[0]
    assert "Short [1]." in done.report


@pytest.mark.parametrize("garbage", ["{}", '{"error": "overloaded"}', '{"sections": [{"topic": "1", "text": "New"},]}'])
def test_a_revision_that_says_nothing_is_asked_again(lab: Lab, garbage: str) -> None:
    """An answer whose fields are all optional must not be found in any JSON that comes along."""
    script = first(once(Kind.FINAL_REVIEW, final_verdict("Shorter")), once(Kind.REVISE, garbage))
    done = lab.run(script, breadth=1)
    assert len(done.backend.asked(Kind.REVISE)) == 2


def test_tags_are_told_in_the_order_of_the_tree_whichever_was_raised_first() -> None:
    state = State({})
    for id in ("1", "2", "10"):
        state.apply(e.TopicAdded(Topic(id, f"Topic {id}", f"topic-{id}", 0, None)))
    for id in ("10", "2", "1"):
        state.apply(e.TagRaised(Tag.LOW_EVIDENCE, id))
    assert "(Topic 1; Topic 2; Topic 10)" in limitations(state)[-1]


def test_a_citation_after_what_code_cited_counts_its_place_on(lab: Lab) -> None:
    numbering = Numbering(findings_of(lab.run().state))
    assert numbering.number("It grew [F1-1].") == "It grew [1]."
    assert numbering.refer("F1-1") == "[1]"
    numbering.number("It still does [F1-1].")
    assert [citation.occurrence for citation in numbering.citations] == [1, 3]


def test_a_quote_that_was_never_found_is_marked_before_the_gate_has_seen_it() -> None:
    missing = Finding("F1-1", "It grew.", "It grew by a third.", Source("notes.md"), None, found=False)
    assert Numbering({"F1-1": missing}).number("It grew [F1-1].") == "It grew [1] [evidence?]."


def test_of_much_trouble_with_the_web_some_is_told_and_the_rest_counted() -> None:
    state = State({})
    for number in range(7):
        state.apply(e.Warned(f"page {number} was refused", "web"))
    (line,) = conduct(state)
    assert "page 4 was refused; and 2 more." in line
