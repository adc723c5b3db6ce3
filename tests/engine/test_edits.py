"""People edit files while it runs: the plan, the completion marker, guidance and stop from another terminal."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from deeproot import asks as a
from deeproot.asks import Ask, Kind
from deeproot.engine.engine import Ending
from deeproot.model import Status
from deeproot.project.disk import Disk
from deeproot.project.requests import GUIDE, STOP, send
from deeproot.researcher import Approval
from deeproot.testing import Script, Scripted
from laboratory import GATES, Lab, PausingBackend, at, failing, first, once, plan_of, statuses, strictly, topic_of

NEW_TOPIC = """### {title} (Depth: {depth})
- Status: Pending
- Description: Written in by hand.
- Acceptance Criteria:
  - It is looked at

"""


def edit(lab: Lab, change: Callable[[str], str]) -> Callable[[], None]:
    """Change the plan as a person with an editor would."""

    def act() -> None:
        path = lab.folder / "research_plan.md"
        before = path.read_text(encoding="utf-8")
        after = change(before)
        assert after != before, "the edit must change something"
        path.write_text(after, encoding="utf-8")

    return act


def block(plan: str, title: str) -> str:
    """The text of one topic in the plan."""
    found = re.search(rf"### {re.escape(title)} \(Depth: \d+\)\n.*?\n\n", plan, re.DOTALL)
    assert found, f"{title} is in the plan"
    return found[0]


def add(*titles: str) -> Callable[[str], str]:
    texts = "".join(NEW_TOPIC.format(title=title, depth=0) for title in titles)
    return lambda plan: plan.replace("## Completion Status", texts + "## Completion Status")


def remove(title: str) -> Callable[[str], str]:
    return lambda plan: plan.replace(block(plan, title), "")


def set_status(title: str, status: str) -> Callable[[str], str]:
    def change(plan: str) -> str:
        old = block(plan, title)
        return plan.replace(old, re.sub(r"- Status: .*", f"- Status: {status}", old))

    return change


def planned(*scripts: Script) -> Script:
    return first(*scripts, once(Kind.PLAN, plan_of("Apples", "Pears")))


def test_a_topic_written_into_the_plan_is_researched(lab: Lab) -> None:
    done = lab.run(planned(at(Kind.DOCUMENT, 1, edit(lab, add("Cherries")))))
    titles = [topic_of(ask).title for ask in done.backend.asked(Kind.DOCUMENT)]
    assert titles == ["Apples", "Pears", "Cherries"]
    assert done.state.topic("3").criteria == ("It is looked at",)
    assert "### Cherries" in done.report
    assert done.outcome.ending is Ending.COMPLETE


def test_two_topics_written_in_at_once_are_two_topics(lab: Lab) -> None:
    done = lab.run(planned(at(Kind.DOCUMENT, 1, edit(lab, add("Cherries", "Plums")))))
    assert [growth.topic.title for growth in done.state.walk()] == ["Apples", "Pears", "Cherries", "Plums"]
    assert len(done.backend.asked(Kind.DOCUMENT)) == 4


def test_a_new_topic_may_come_with_its_own_subtopic(lab: Lab) -> None:
    branch = NEW_TOPIC.format(title="Cherries", depth=0) + NEW_TOPIC.format(title="Sour cherries", depth=1)
    change = edit(lab, lambda plan: plan.replace("## Completion Status", branch + "## Completion Status"))
    script = planned(
        at(Kind.DOCUMENT, 1, change), lambda ask: '{"children": []}' if ask.kind is Kind.CHILDREN else None
    )
    done = lab.run(script, depth=1)
    assert done.state.topic("3.1").title == "Sour cherries"
    assert done.state.topic("3.1").parent == "3"
    assert len(done.backend.asked(Kind.DOCUMENT)) == 4


def test_a_topic_taken_out_of_the_plan_is_not_researched_and_not_in_the_report(lab: Lab) -> None:
    done = lab.run(planned(at(Kind.DOCUMENT, 1, edit(lab, remove("Pears")))))
    assert [topic_of(ask).title for ask in done.backend.asked(Kind.DOCUMENT)] == ["Apples"]
    assert "Pears" not in done.report
    assert done.outcome.ending is Ending.COMPLETE


def test_a_topic_taken_out_while_it_is_researched_leaves_nothing_behind(lab: Lab) -> None:
    done = lab.run(planned(at(Kind.DOCUMENT, 2, edit(lab, remove("Pears")))))
    assert statuses(done.state) == {"1": Status.COMPLETE}
    assert done.outcome.ending is Ending.COMPLETE
    assert not (lab.folder / "progress").exists()


def test_a_topic_marked_complete_by_hand_is_left_alone(lab: Lab) -> None:
    done = lab.run(planned(at(Kind.DOCUMENT, 1, edit(lab, set_status("Pears", "Complete")))))
    assert [topic_of(ask).title for ask in done.backend.asked(Kind.DOCUMENT)] == ["Apples"]
    assert statuses(done.state) == {"1": Status.COMPLETE, "2": Status.COMPLETE}


def test_a_complete_topic_set_back_to_pending_is_researched_again(lab: Lab) -> None:
    done = lab.run(planned(at(Kind.DOCUMENT, 2, edit(lab, set_status("Apples", "Pending")))))
    assert [topic_of(ask).title for ask in done.backend.asked(Kind.DOCUMENT)] == ["Apples", "Pears", "Apples"]
    assert set(statuses(done.state).values()) == {Status.COMPLETE}


def test_changed_words_reach_the_next_prompt(lab: Lab) -> None:
    change = edit(lab, lambda plan: plan.replace("Says what Pears is", "Names the sweetest pear 4242"))
    done = lab.run(planned(at(Kind.DOCUMENT, 1, change)))
    assert "Names the sweetest pear 4242" in done.backend.asked(Kind.DOCUMENT)[1].prompt


@pytest.mark.parametrize(
    ("change", "line", "says"),
    [
        (set_status("Pears", "Nearly"), "- Status: Nearly", "Nearly"),
        (lambda plan: plan.replace("### Pears (Depth: 0)", "### Pears"), "### Pears", "Depth"),
        (lambda plan: plan.replace("- Slug: pears", "- Slug: plums"), "### Pears (Depth: 0)", "plums"),
        (lambda plan: plan[: plan.index("## Completion Status")], None, "cut off"),
    ],
)
def test_a_plan_that_does_not_parse_changes_nothing_and_is_reported_with_its_line(
    lab: Lab, change: Callable[[str], str], line: str | None, says: str
) -> None:
    """000-36."""
    plans: list[str] = []
    act = edit(lab, change)
    script = planned(
        at(Kind.DOCUMENT, 1, act),
        at(Kind.REVIEW, 2, lambda: plans.append((lab.folder / "research_plan.md").read_text())),
    )
    done = lab.run(script)
    (warning,) = [text for text in done.state.warnings if "plan" in text]
    number = plans[0].splitlines().index(line) + 1 if line else len(plans[0].split("\n"))
    assert f"research_plan.md:{number}:" in warning
    assert says in warning
    assert [growth.topic.title for growth in done.state.walk()] == ["Apples", "Pears"]
    assert set(statuses(done.state).values()) == {Status.COMPLETE}
    assert any(text == plans[0] for text in done.archived("research_plan.md")), "the person's text is not lost"


def test_an_edit_based_on_an_older_plan_undoes_nothing(lab: Lab) -> None:
    """A person edits an hour-old copy: what the engine did meanwhile stays."""
    old: list[str] = []
    keep = at(Kind.DOCUMENT, 1, lambda: old.append((lab.folder / "research_plan.md").read_text()))

    def save() -> None:
        (lab.folder / "research_plan.md").write_text(add("Cherries")(old[0]), encoding="utf-8")

    done = lab.run(planned(keep, at(Kind.DOCUMENT, 2, save)))
    assert [topic_of(ask).title for ask in done.backend.asked(Kind.DOCUMENT)] == ["Apples", "Pears", "Cherries"]


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("kind", [Kind.SECTION, Kind.SYNTHESIZE, Kind.FINAL_REVIEW])
def test_a_topic_added_while_the_report_is_written_goes_into_the_report(lab: Lab, kind: Kind, concurrency: int) -> None:
    """The tree opens again; the report is made anew, once, and reviewed once it is whole."""

    written: list[Kind] = []

    async def write_in() -> None:
        written.append(kind)
        while not (lab.folder / "research_plan.md").exists():  # noqa: ASYNC110 - a person waits for a file like this
            await anyio.sleep(0.01)
        strictly(edit(lab, add("Cherries")))

    backend = PausingBackend(lambda ask: ask.kind is kind and not written, write_in, planned())
    done = lab.run(backend, concurrency=concurrency)
    assert done.outcome.ending is Ending.COMPLETE
    assert "### Cherries" in done.report
    assert "3" in done.state.draft.sections
    assert "REVISE" not in done.state.history
    assert done.state.history[-7:] == [*["SECTION"] * 3, "SYNTHESIZE", *GATES, "FINAL_REVIEW"]


def test_completed_md_does_not_stand_while_topics_are_open(lab: Lab) -> None:
    """Nothing false is called done: a tree that opens again takes its marker back."""
    seen: list[bool] = []
    done = lab.run(
        planned(
            at(Kind.SYNTHESIZE, 1, edit(lab, add("Cherries"))),
            at(Kind.DOCUMENT, 3, lambda: seen.append((lab.folder / "completed.md").exists())),
        )
    )
    assert seen == [False]
    assert done.outcome.ending is Ending.COMPLETE


# The completion marker


def put(lab: Lab, name: str, text: str) -> Callable[[], None]:
    def act() -> None:
        (lab.folder / name).write_text(text)

    return act


@pytest.mark.parametrize("name", ["completed.md", "complete.md"])
def test_a_request_to_complete_is_refused_while_a_topic_is_open(lab: Lab, name: str) -> None:
    """000-26, 000-63, X-03: either name is read; the refusal lists what is missing; the loop goes on."""
    done = lab.run(planned(at(Kind.DOCUMENT, 1, put(lab, name, "<promise>COMPLETE</promise>\n"))))
    (refused,) = done.of_kind("completion.refused")
    assert any("Pears" in text for text in refused.missing)
    assert len(done.backend.asked(Kind.DOCUMENT)) == 2
    assert done.outcome.ending is Ending.COMPLETE
    assert not (lab.folder / name).exists()


@pytest.mark.parametrize("text", ["done", "", "<promise>COMPLETE</promise> and more", "<promise>complete</promise>"])
def test_a_marker_with_other_content_is_ignored_with_a_warning(lab: Lab, text: str) -> None:
    """000-63."""
    done = lab.run(planned(at(Kind.DOCUMENT, 1, put(lab, "completed.md", text))))
    assert any("<promise>COMPLETE</promise>" in warning for warning in done.state.warnings)
    assert len(done.backend.asked(Kind.DOCUMENT)) == 2


def test_we_write_completed_md_with_the_promise_and_nothing_else(lab: Lab) -> None:
    """000-26, 000-64."""
    seen: list[str] = []
    lab.run(at(Kind.SYNTHESIZE, 1, lambda: seen.append((lab.folder / "completed.md").read_text())))
    assert seen == ["<promise>COMPLETE</promise>"]
    assert not (lab.folder / "complete.md").exists()


def test_a_counter_edited_in_the_files_changes_nothing(lab: Lab) -> None:
    """000-62: iterations are counted by the engine."""

    def tamper() -> None:
        path = lab.folder / "state.json"
        path.write_text(path.read_text().replace('"iteration": 1', '"iteration": 99'))

    done = lab.run(at(Kind.REVIEW, 1, tamper))
    assert done.state_json["iteration"] == len(done.backend.asked(Kind.DOCUMENT)) == 2


# From another terminal


def test_guidance_is_in_the_prompts_that_follow(lab: Lab) -> None:
    """X-08."""
    done = lab.run(at(Kind.DOCUMENT, 1, lambda: send(lab.folder, GUIDE, "Only look at EU law 99", Disk())))
    one, two = done.backend.asked(Kind.DOCUMENT)
    assert "Only look at EU law 99" not in one.prompt
    assert "Only look at EU law 99" in two.prompt
    assert "Only look at EU law 99" in done.backend.asked(Kind.SECTION)[0].prompt
    assert not list((lab.folder / "inbox").iterdir())


def test_guidance_sent_while_nobody_runs_is_not_lost(lab: Lab) -> None:
    stop = at(Kind.DOCUMENT, 1, lambda: send(lab.folder, STOP, "", Disk()))
    lab.run(stop)
    send(lab.folder, GUIDE, "Mind the gap 17", Disk())
    again = lab.resume()
    assert "Mind the gap 17" in again.backend.asked(Kind.DOCUMENT)[0].prompt


def test_stop_ends_the_run_at_the_next_boundary_and_resume_goes_on(lab: Lab) -> None:
    """X-10."""
    done = lab.run(at(Kind.DOCUMENT, 1, lambda: send(lab.folder, STOP, "", Disk())))
    assert (done.outcome.ending, done.outcome.exit_code) == (Ending.STOPPED, 130)
    assert [ask.kind for ask in done.backend.asks] == [Kind.PLAN, Kind.DOCUMENT]
    assert statuses(done.state)["1"] is Status.IN_REVIEW, "the running turn was finished"
    again = lab.resume()
    assert again.outcome.ending is Ending.COMPLETE
    assert [ask.kind for ask in again.backend.asks][:2] == [Kind.REVIEW, Kind.DOCUMENT]


def test_a_plan_without_topics_is_the_end_and_says_so(lab: Lab) -> None:
    gone = edit(lab, lambda plan: remove("Pears")(remove("Apples")(plan)))
    done = lab.run(planned(at(Kind.DOCUMENT, 1, gone)))
    assert done.outcome.ending is not Ending.STOPPED, "nobody asked it to stop"
    assert done.outcome.exit_code in (1, 2)
    assert "topic" in done.outcome.reason


def test_a_topic_taken_out_while_it_is_being_recovered_leaves_the_others_alone(lab: Lab) -> None:
    def fail(ask: Ask) -> Scripted | None:
        apples = ask.kind is Kind.DOCUMENT and topic_of(ask).title == "Apples"
        return failing() if apples or ask.kind is Kind.RECOVER else None

    done = lab.run(planned(at(Kind.RECOVER, 1, edit(lab, remove("Apples"))), fail))
    assert statuses(done.state) == {"2": Status.COMPLETE}
    assert done.outcome.ending is Ending.COMPLETE


def test_a_topic_that_was_given_up_gets_another_chance_when_it_is_set_to_pending(lab: Lab) -> None:
    failures = [failing()] * 4

    def fail(ask: Ask) -> Scripted | None:
        return failures.pop() if failures and ask.kind is Kind.DOCUMENT and topic_of(ask).title == "Apples" else None

    lab.run(planned(fail))
    assert statuses(lab.researcher.past().state)["1"] is Status.EXHAUSTED
    edit(lab, set_status("Apples", "Pending"))()
    again = lab.resume()
    assert [topic_of(ask).title for ask in again.backend.asked(Kind.DOCUMENT)] == ["Apples"]
    assert again.state.topic("1").tags == ()
    assert again.outcome.ending is Ending.COMPLETE


@pytest.mark.parametrize(("before", "after"), [("breadth", "guided"), ("guided", "breadth")])
def test_a_resume_may_choose_another_strategy_and_repeats_nothing(lab: Lab, before: str, after: str) -> None:
    """X-04."""
    one = lab.run(
        at(Kind.DOCUMENT, 3, lambda: send(lab.folder, STOP, "", Disk())), depth=1, strategy=before, max_iterations=9
    )
    two = lab.resume(strategy=after)
    asked = [topic_of(ask).id for done in (one, two) for ask in done.backend.asked(Kind.DOCUMENT)]
    assert sorted(asked) == ["1", "1.1", "1.2", "2", "2.1", "2.2"]
    assert two.outcome.ending is Ending.COMPLETE


def test_guidance_that_comes_after_the_writing_sends_the_report_to_the_reviser(lab: Lab) -> None:
    """X-08: a run does not complete before what a person said was heard."""
    late = at(Kind.FINAL_REVIEW, 1, lambda: send(lab.folder, GUIDE, "Mention the year 1969", Disk()))
    done = lab.run(late, breadth=1)
    assert done.state.history[-5:] == ["FINAL_REVIEW", "REVISE", *GATES, "FINAL_REVIEW"]
    assert "Mention the year 1969" in done.backend.asked(Kind.REVISE)[0].prompt
    assert done.outcome.ending is Ending.COMPLETE


class Person:
    """Says these things to the finished report, one after the other."""

    def __init__(self, lab: Lab, *says: Approval) -> None:
        self.lab, self.says, self.read = lab, list(says), list[str]()

    async def __call__(self, report: Path) -> Approval:
        self.read.append(report.read_text(encoding="utf-8"))  # noqa: ASYNC240 - a person may block
        return self.says.pop(0)


def test_a_person_approves_the_report_before_it_is_final(lab: Lab) -> None:
    """X-09: feedback is worked in and shown again; nothing is cleaned up before the approval."""
    person = Person(lab, Approval(False, "Name the author 77"), Approval(True))
    done = lab.run({Kind.REVISE: [a.ReviseAnswer("By the author [F1-1].")]}, breadth=1, means={"approve": person})
    assert "Name the author 77" in done.backend.asked(Kind.REVISE)[0].prompt
    assert "By the author" not in person.read[0]
    assert "By the author [1]." in person.read[1]
    assert done.outcome.ending is Ending.COMPLETE
    assert not (lab.folder / "research_plan.md").exists()


def test_a_report_that_was_not_approved_waits_for_the_next_time(lab: Lab) -> None:
    """X-09."""
    done = lab.run(breadth=1, means={"approve": Person(lab, Approval(False))})
    assert (done.outcome.ending, done.outcome.exit_code) == (Ending.STOPPED, 130)
    assert (lab.folder / "research_plan.md").exists()
    again = lab.resume(means={"approve": Person(lab, Approval(True))})
    assert not again.backend.asks
    assert again.outcome.ending is Ending.COMPLETE
