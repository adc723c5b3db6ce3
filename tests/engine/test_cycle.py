"""The cycle of seed 000: plan, research and review every topic, write, review and revise the report."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from deeproot import asks as a
from deeproot.asks import Ask, Kind
from deeproot.backends import Abilities
from deeproot.engine.engine import Ending
from deeproot.model import Passage, Section, Source, Status, Tag
from deeproot.testing import ListSearcher, Script, Scripted, ScriptedBackend
from laboratory import (
    QUESTION,
    Lab,
    at,
    children_of,
    document_about,
    final_verdict,
    first,
    once,
    plan_of,
    rejection,
    statuses,
    topic_of,
)


def test_an_accepted_tree_is_researched_to_its_depth_and_ends_complete(lab: Lab) -> None:
    """000-51, 000-65, 000-71, 000-74: six topics, no turn beyond them, and the final cycle."""
    done = lab.run(breadth=2, depth=1)
    assert done.outcome.ending is Ending.COMPLETE
    assert set(statuses(done.state).values()) == {Status.COMPLETE}
    assert len(done.state.growths) == done.state.iteration == len(done.backend.asked(Kind.DOCUMENT)) == 6
    assert done.state.iteration < done.state.settings.max_iterations
    assert done.state.history[-2:] == ["CONSISTENCY_GATE", "FINAL_REVIEW"]
    assert "REVISE" not in done.state.history


def test_the_history_is_the_sequence_of_what_was_done(lab: Lab) -> None:
    """000-31, 000-55, 000-73: at concurrency 1 one research turn, then its review, and nothing overlaps."""
    done = lab.run(breadth=2, depth=0)
    assert done.state_json["phase_history"] == [
        "PLAN",
        "RESEARCH_1",
        "REVIEW_1",
        "RESEARCH_2",
        "REVIEW_2",
        "SECTION",
        "SECTION",
        "SYNTHESIZE",
        "CITATION_GATE",
        "CONSISTENCY_GATE",
        "FINAL_REVIEW",
    ]
    assert done.backend.most_running == 1
    assert [ask.kind for ask in done.backend.asks] == [
        Kind.PLAN,
        Kind.DOCUMENT,
        Kind.REVIEW,
        Kind.DOCUMENT,
        Kind.REVIEW,
        Kind.SECTION,
        Kind.SECTION,
        Kind.SYNTHESIZE,
        Kind.FINAL_REVIEW,
    ]


@pytest.mark.parametrize("concurrency", [1, 4])
def test_shallow_topics_are_researched_before_deeper_ones(lab: Lab, concurrency: int) -> None:
    """000-52, 000-53. With four at a time a deeper topic may start only when no shallower one is waiting."""
    done = lab.run(breadth=2, depth=2, concurrency=concurrency, max_iterations=20)
    depths = [topic_of(ask).depth for ask in done.backend.asked(Kind.DOCUMENT)]
    assert depths == sorted(depths)
    assert len(depths) == 14


def test_a_plan_keeps_no_more_topics_than_the_breadth_and_names_the_rest(lab: Lab) -> None:
    """000-47."""
    done = lab.run({Kind.PLAN: [plan_of(*"ABCDEFG")]}, breadth=3)
    assert [growth.topic.title for growth in done.state.walk()] == ["A", "B", "C"]
    assert done.of_kind("plan.made")[0].dropped == ("D", "E", "F", "G")


def test_a_topic_proposed_twice_is_planned_once_and_nothing_kept_is_called_dropped(lab: Lab) -> None:
    done = lab.run({Kind.PLAN: [plan_of("A", "a", "B", "C")]}, breadth=3)
    assert [growth.topic.title for growth in done.state.walk()] == ["A", "B", "C"]
    assert "C" not in done.of_kind("plan.made")[0].dropped


def test_subtopics_beyond_the_breadth_are_listed_as_dropped(lab: Lab) -> None:
    """000-58."""
    nine = children_of(*(f"Part {n}" for n in range(9)))
    done = lab.run(first(once(Kind.CHILDREN, nine)), breadth=2, depth=1)
    assert len(done.state.growths["1"].children) == 2
    researched = next(event for event in done.of_kind("topic.researched") if event.topic == "1")
    assert researched.dropped == tuple(f"Part {n}" for n in range(2, 9))


def test_a_topic_without_subtopics_is_complete_all_the_same(lab: Lab) -> None:
    """000-59: subtopics are never forced."""
    done = lab.run(lambda ask: children_of() if ask.kind is Kind.CHILDREN else None, breadth=2, depth=3)
    assert len(done.state.growths) == 2
    assert len(done.backend.asked(Kind.CHILDREN)) == 2
    assert done.outcome.ending is Ending.COMPLETE


def test_no_subtopics_are_asked_for_at_the_deepest_level(lab: Lab) -> None:
    """000-60, 000-03: depth 0 is one level."""
    done = lab.run(depth=0)
    assert not done.backend.asked(Kind.CHILDREN)
    assert {growth.topic.depth for growth in done.state.walk()} == {0}


def test_a_rejected_topic_goes_back_with_the_reviewers_words(lab: Lab) -> None:
    """000-54, 000-68, 000-70."""

    def reject_first(ask: Ask) -> a.ReviewAnswer | None:
        if ask.kind is Kind.REVIEW and len(seen) == 0:
            seen.append(statuses(lab.researcher.past().state)["1"])
            return rejection(topic_of(ask), "Search for the missing number 4711")
        return None

    seen: list[Status] = []
    done = lab.run(reject_first, breadth=1)
    again = done.backend.asked(Kind.DOCUMENT)[1]
    assert "Search for the missing number 4711" in again.prompt
    assert isinstance(again.inputs, a.DocumentInputs)
    assert again.inputs.actions == ("Search for the missing number 4711",)
    assert seen == [Status.IN_REVIEW]
    assert done.state_json["iteration"] == 2
    assert statuses(done.state) == {"1": Status.COMPLETE}
    assert any("A gap was seen" in text for text in done.archived("review.rejected.md"))
    assert any("Search for the missing number 4711" in text for text in done.archived("review.rejected.md"))
    assert any("1 Mock aspect 1" in text for text in done.archived("review.accepted.md"))


def test_endless_rejection_is_bounded_and_the_topic_is_tagged(lab: Lab) -> None:
    """000-72: after three rounds the topic closes; the run still ends with a report that names it."""
    done = lab.run(
        lambda ask: rejection(topic_of(ask)) if ask.kind is Kind.REVIEW and topic_of(ask).id == "1" else None
    )
    assert [topic_of(ask).id for ask in done.backend.asked(Kind.DOCUMENT)].count("1") == 3
    assert done.state.topic("1").status is Status.EXHAUSTED
    assert done.state.topic("1").tags == (Tag.RETRY_EXHAUSTED,)
    assert done.state.topic("2").status is Status.COMPLETE
    assert done.outcome.exit_code == 2
    assert "#RETRY_EXHAUSTED" in done.report


def test_a_rejection_without_anything_to_do_about_it_is_no_rejection(lab: Lab) -> None:
    """A criterion that no search could meet must not send the researcher round in circles."""

    def shrug(ask: Ask) -> a.ReviewAnswer | None:
        if ask.kind is not Kind.REVIEW:
            return None
        unmet = tuple(a.CriterionVerdict(criterion, False) for criterion in topic_of(ask).criteria)
        return a.ReviewAnswer(unmet, ("It cannot be known",))

    done = lab.run(shrug, breadth=1)
    assert statuses(done.state) == {"1": Status.COMPLETE}
    assert done.state.iteration == 1


def test_the_review_is_given_the_document_it_judges(lab: Lab) -> None:
    """000-67."""
    done = lab.run({Kind.DOCUMENT: [document_about("Marker sentence 815")]}, breadth=1)
    assert "Marker sentence 815 is claim 1." in done.backend.asked(Kind.REVIEW)[0].prompt


def test_every_finding_of_every_topic_reaches_the_writers(lab: Lab) -> None:
    """000-76: each topic's marker sentence is in the prompt of a writer."""

    def marked(ask: Ask) -> a.DocumentAnswer | None:
        return document_about(f"Marker-{topic_of(ask).id}-end") if ask.kind is Kind.DOCUMENT else None

    done = lab.run(marked, breadth=2, depth=1)
    written = "\n".join(ask.prompt for ask in done.backend.asked(Kind.SECTION))
    assert all(f"Marker-{id}-end is claim 1." in written for id in done.state.growths)


def test_a_rejected_report_is_revised_by_its_critique_and_reviewed_again(lab: Lab) -> None:
    """000-82 to 000-85: REVISE reads the critique, changes the report, does no research."""
    script = first(
        once(Kind.FINAL_REVIEW, final_verdict("Say it in plain words 1234")),
        once(Kind.REVISE, a.ReviseAnswer("A plainer summary [F1-1].")),
    )
    done = lab.run(script, breadth=1)
    after = [ask.kind for ask in done.backend.asks]
    assert after[after.index(Kind.FINAL_REVIEW) :] == [Kind.FINAL_REVIEW, Kind.REVISE, Kind.FINAL_REVIEW]
    assert "Say it in plain words 1234" in done.backend.asked(Kind.REVISE)[0].prompt
    assert "A plainer summary [1]." in done.report
    assert done.outcome.exit_code == 0


@pytest.mark.parametrize(
    ("rejections", "revisions", "ending", "code"),
    [(0, 0, Ending.COMPLETE, 0), (2, 2, Ending.COMPLETE, 0), (3, 2, Ending.CAUTION, 3)],
)
def test_a_report_is_revised_at_most_twice(
    lab: Lab, rejections: int, revisions: int, ending: Ending, code: int
) -> None:
    """000-86: then it is let go with CAUTION, and kept."""
    done = lab.run({Kind.FINAL_REVIEW: [final_verdict("Too long")] * rejections}, breadth=1)
    assert done.state.history.count("REVISE") == revisions
    assert (done.outcome.ending, done.outcome.exit_code) == (ending, code)
    assert done.researcher.report.exists()


def test_the_four_verdicts_of_the_final_review_are_stored_apart(lab: Lab) -> None:
    """000-80."""
    done = lab.run(breadth=1)
    (accepted,) = done.of_kind("report.accepted")
    names = ("completeness", "coherence", "quality", "professionalism")
    assert all(getattr(accepted.verdicts, name).ok for name in names)


def test_a_verdict_that_is_not_ok_and_names_no_issue_is_asked_again(lab: Lab) -> None:
    empty = a.Opinion(False)
    fine = a.Opinion(True)
    done = lab.run({Kind.FINAL_REVIEW: [a.FinalReviewAnswer(empty, fine, fine, fine)]}, breadth=1)
    assert len(done.backend.asked(Kind.FINAL_REVIEW)) == 2
    assert "REVISE" not in done.state.history


def test_code_checks_completeness_whatever_the_reviewer_says(lab: Lab) -> None:
    """000-81: a section that a revision empties of its citations' findings is noticed by the gate."""
    script = first(
        once(Kind.FINAL_REVIEW, final_verdict("Shorten topic 1")),
        once(Kind.REVISE, a.ReviseAnswer(None, (Section("1", "Nothing is cited here [F9-9]."),))),
    )
    done = lab.run(script, breadth=1)
    assert len(done.backend.asked(Kind.REVISE)) == 2, "an invented citation is asked again"
    assert "[evidence?]" not in done.report


def test_the_question_comes_first_and_the_changing_part_last(lab: Lab) -> None:
    """Shared text first, so that a provider's prompt cache can serve the prefix."""
    done = lab.run(breadth=2, depth=1)
    prompts = [ask.prompt for ask in done.backend.asked(Kind.DOCUMENT)]
    shared = prompts[0][: prompts[0].index("The topic:")]
    assert QUESTION in shared
    assert len(shared) > 500
    assert all(prompt.startswith(shared) for prompt in prompts)


def test_a_child_is_told_what_its_parents_found(lab: Lab) -> None:
    """A backend without forks gets the parent's document as context, before the prompt."""
    done = lab.run({Kind.DOCUMENT: [document_about("Root fact 77")]}, breadth=1, depth=1)
    parent, child = done.backend.asked(Kind.DOCUMENT)
    assert parent.context == ""
    assert "Root fact 77 is claim 1." in child.context
    assert {step.reply.fork for step in done.steps if step.reply and step.turn.startswith("researcher:1.1")} == {
        "emulated"
    }


def test_in_review_is_what_a_topic_is_between_research_and_review(lab: Lab) -> None:
    """000-61, 000-55, 000-25, 000-69: one topic at a time changes; markers of earlier reviews are gone."""
    seen: list[tuple[str, bool]] = []

    def look() -> None:
        markers = [name for name in ("review.accepted.md", "review.rejected.md") if (lab.folder / name).exists()]
        plan = (lab.folder / "research_plan.md").read_text()
        seen.append((plan.split("## Completion Status")[1], bool(markers)))

    lab.run(at(Kind.REVIEW, 2, look), breadth=3)
    counts, markers = seen[0]
    assert "- In Review: 1\n" in counts
    assert "- Complete: 1\n" in counts
    assert "- Pending: 1\n" in counts
    assert not markers, "the marker of the first review was cleared before the second"


def test_searches_are_made_from_queries_when_the_backend_has_no_tools(lab: Lab) -> None:
    """000-56, 000-57: at most X distinct queries, and a finding that cites file and lines."""
    text = "Cancelling a task\nraises CancelledError inside it."
    passage = Passage(Source("notes/tasks.md", "Tasks", "ab" * 32), text, 10, 11)
    quoted = a.DocumentAnswer("S.", (a.ProposedFinding("It raises.", "raises CancelledError inside it.", "S1"),))
    script: dict[Kind, list[Scripted]] = {
        Kind.QUERIES: [a.QueriesAnswer(("cancel task", "cancel  task", "raise error", "third", "fourth"))],
        Kind.DOCUMENT: [quoted],
    }
    searcher = ListSearcher([passage])
    backend = ScriptedBackend(script, abilities=Abilities(tools=False))
    done = lab.run(backend, breadth=1, means={"searcher": searcher})
    assert searcher.queries == [QUESTION, "cancel task"]
    assert done.state.growths["1"].queries == ("cancel task",)
    (finding,) = done.state.growths["1"].document.findings  # type: ignore[union-attr]
    assert (finding.source, finding.lines) == (passage.source, (11, 11))
    assert "notes/tasks.md, line 11" in done.report
    cited = json.loads((done.researcher.reports / "citations.json").read_text())
    assert {citation["locator"] for citation in cited} == {"11-11"}


class Sessions(ScriptedBackend):
    """Answers in sessions: a new one for each ask that continues none."""

    def __init__(self, script: Script | None = None) -> None:
        super().__init__(script, abilities=Abilities(tools=True, sessions=True, fork=True))

    async def answer(self, ask: Ask) -> a.Reply | a.Failure:
        reply = await super().answer(ask)
        session = ask.session if ask.session and not ask.fork else f"s{len(self.asks)}"
        return replace(reply, session=session) if isinstance(reply, a.Reply) else reply


def test_a_child_forks_its_parents_session_and_rework_continues_its_own(lab: Lab) -> None:
    rejected: list[Ask] = []

    def review(ask: Ask) -> Scripted | None:
        if ask.kind is Kind.REVIEW and topic_of(ask).id == "1" and not rejected:
            rejected.append(ask)
            return rejection(topic_of(ask))
        return None

    done = lab.run(Sessions(review), breadth=1, depth=1)
    document, children = done.backend.asked(Kind.DOCUMENT)[0], done.backend.asked(Kind.CHILDREN)[0]
    again, child = done.backend.asked(Kind.DOCUMENT)[1:]
    assert (document.session, document.fork) == (None, False)
    own = f"s{done.backend.asks.index(document) + 1}"
    assert (children.session, children.fork) == (own, False)
    assert (again.session, again.fork) == (own, False)
    assert (child.session, child.fork) == (own, True)


def test_in_a_session_a_bad_answer_is_corrected_without_repeating_everything(lab: Lab) -> None:
    done = lab.run(Sessions(once(Kind.DOCUMENT, "not JSON")), breadth=1)
    one, two = done.backend.asked(Kind.DOCUMENT)
    assert "could not be used" in two.prompt
    assert one.prompt not in two.prompt
    assert two.session == f"s{done.backend.asks.index(one) + 1}"
    assert not two.fork
