"""The plan: what is rendered is read back unchanged, and a person's edit is understood or refused by line."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deeproot.errors import PlanError
from deeproot.model import Status, Tag, Topic, one_line
from deeproot.project.plan import (
    AddedTopic,
    Fingerprint,
    ParsedPlan,
    PlanEdit,
    TopicChange,
    diff_plan,
    fingerprint,
    outline,
    parse_plan,
    render_plan,
)

QUESTION = "How do reefs recover?"

TREE = (
    Topic(
        "1",
        "Heat",
        "heat",
        0,
        None,
        "What heat does.",
        ("Names a threshold", "Cites two sources"),
        Status.COMPLETE,
    ),
    Topic("1.1", "Bleaching", "bleaching", 1, "1", "", ("Says how often",), Status.IN_REVIEW),
    Topic("1.2", "Adaptation", "adaptation", 1, "1", "Which corals adapt.", (), Status.IN_PROGRESS),
    Topic(
        "1.2.1",
        "Clades",
        "clades",
        2,
        "1.2",
        "",
        (),
        Status.EXHAUSTED,
        (Tag.RETRY_EXHAUSTED, Tag.LOW_EVIDENCE),
    ),
    Topic("2", "Fishing", "fishing", 0, None, "What fishing does.", ("Covers parrotfish",)),
)

RENDERED = """\
# Research Plan

## Metadata
- Topic: How do reefs recover?
- Breadth: 3
- Depth: 2

## Topics

### Heat (Depth: 0)
- Status: Complete
- Slug: heat
- Description: What heat does.
- Acceptance Criteria:
  - Names a threshold
  - Cites two sources

### Bleaching (Depth: 1)
- Status: In Review
- Parent: Heat
- Slug: bleaching
- Description:
- Acceptance Criteria:
  - Says how often

### Adaptation (Depth: 1)
- Status: In Progress
- Parent: Heat
- Slug: adaptation
- Description: Which corals adapt.
- Acceptance Criteria:

### Clades (Depth: 2)
- Status: Exhausted
- Parent: Adaptation
- Slug: clades
- Tags: #RETRY_EXHAUSTED #LOW_EVIDENCE
- Description:
- Acceptance Criteria:

### Fishing (Depth: 0)
- Status: Pending
- Slug: fishing
- Description: What fishing does.
- Acceptance Criteria:
  - Covers parrotfish

## Completion Status
- Total Topics: 5
- Complete: 1
- In Progress: 1
- Pending: 1
- In Review: 1
- Exhausted: 1

<!-- deeproot: 7 """


def plan(topics: tuple[Topic, ...] = TREE, seq: int = 7) -> str:
    return render_plan(QUESTION, 3, 2, topics, seq)


def edit(*changes: tuple[str, str]) -> PlanEdit:
    """The difference after each first text was replaced by the second in the rendered plan."""
    text = plan()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    return diff_plan(TREE, parse_plan(text))


# Render


def test_the_plan_has_the_promised_form() -> None:
    assert re.fullmatch(re.escape(RENDERED) + r"[0-9a-f]{16} -->\n", plan())


def test_topics_stand_in_tree_order_by_number_whatever_order_they_come_in() -> None:
    topics = [
        Topic("10", "Ten", "ten", 0),
        Topic("2.10", "Two ten", "two-ten", 1, "2"),
        Topic("2", "Two", "two", 0),
        Topic("2.9", "Two nine", "two-nine", 1, "2"),
    ]
    headings = re.findall(r"^### (.+) \(Depth: \d+\)$", render_plan("q", 3, 3, topics), re.MULTILINE)
    assert headings == ["Two", "Two nine", "Two ten", "Ten"]


def test_text_with_line_breaks_cannot_break_the_form() -> None:
    evil = "a\n## Topics\n### Injected (Depth: 0)\r\n- Status: Complete\u2028x"
    topic = Topic("1", evil, "a", 0, None, evil, (evil, "\n"))
    parsed = parse_plan(render_plan(evil, 1, 1, [topic]))
    folded = one_line(evil)
    assert parsed.question == folded
    assert [(t.title, t.description, t.criteria) for t in parsed.topics] == [(folded, folded, (folded,))]


AWKWARD = [
    "(Depth: 2)",
    "#",
    "C#",
    "`x`",
    "$100",
    "🌊",
    "机器学习",
    "- ",
    "Status: Complete",
    "## Topics",
    "<!--",
    "-->",
]
lines = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.lists(st.sampled_from([*AWKWARD, "word", " "]), max_size=6).map("".join),
).map(one_line)
titles = lines.filter(bool)


@st.composite
def trees(draw: st.DrawFn) -> tuple[Topic, ...]:
    topics: list[Topic] = []
    children: dict[str | None, int] = {}
    for number in range(draw(st.integers(0, 8))):
        parent = draw(st.sampled_from([None, *topics]))
        key = parent.id if parent else None
        children[key] = children.get(key, 0) + draw(st.integers(1, 9))
        topics.append(
            Topic(
                id=f"{key}.{children[key]}" if key else str(children[key]),
                title=draw(titles),
                slug=f"topic-{number}",
                depth=parent.depth + 1 if parent else 0,
                parent=key,
                description=draw(lines),
                criteria=tuple(draw(st.lists(titles, max_size=3))),
                status=draw(st.sampled_from(Status)),
                tags=tuple(draw(st.lists(st.sampled_from(Tag), unique=True))),
            )
        )
    return tuple(draw(st.permutations(topics)))


def numerically(topic: Topic) -> list[int]:
    return [int(number) for number in topic.id.split(".")]


@given(lines, st.integers(0, 9), st.integers(0, 9), trees())
@example("", 3, 3, (Topic("1", "x" * 10_000, "x", 0, None, "y" * 10_000, ("z" * 10_000,)),))
def test_what_is_rendered_is_read_back_unchanged(
    question: str, breadth: int, depth: int, topics: tuple[Topic, ...]
) -> None:
    parsed = parse_plan(render_plan(question, breadth, depth, topics))
    assert (parsed.question, parsed.breadth, parsed.depth) == (question, breadth, depth)
    ordered = sorted(topics, key=numerically)
    parents = [None if t.parent is None else ordered[t.parent].slug for t in parsed.topics]
    slugs = {topic.id: topic.slug for topic in topics}
    assert parents == [topic.parent and slugs[topic.parent] for topic in ordered]
    assert [(t.title, t.slug, t.depth, t.description, t.criteria, t.status, t.tags) for t in parsed.topics] == [
        (t.title, t.slug, t.depth, t.description, t.criteria, t.status, t.tags) for t in ordered
    ]


@given(lines, trees(), st.integers(0, 10**9))
def test_an_untouched_plan_is_no_edit(question: str, topics: tuple[Topic, ...], seq: int) -> None:
    text = render_plan(question, 3, 3, topics, seq)
    parsed = parse_plan(text)
    assert parsed == ParsedPlan(question, 3, 3, outline(topics))
    assert diff_plan(topics, parsed) == PlanEdit()
    assert diff_plan(parse_plan(text), parsed) == PlanEdit()
    assert fingerprint(text) == Fingerprint(seq, intact=True)


@given(trees())
def test_the_counts_are_those_of_the_topics_and_add_up(topics: tuple[Topic, ...]) -> None:
    section = render_plan("q", 3, 3, topics).rpartition("\n## Completion Status\n")[2]
    counts = {name: int(count) for name, count in re.findall(r"^- (.+): (\d+)$", section, re.MULTILINE)}
    assert counts.pop("Total Topics") == len(topics) == sum(counts.values())
    assert counts == {status.value: [t.status for t in topics].count(status) for status in Status}


# Fingerprint


def test_a_changed_letter_shows_in_the_fingerprint_but_not_in_its_number() -> None:
    assert fingerprint(plan().replace("Pending", "Complete", 1)) == Fingerprint(7, intact=False)


def test_text_below_the_fingerprint_is_an_edit_and_blank_lines_are_not() -> None:
    assert fingerprint(plan() + "### More (Depth: 0)\n") == Fingerprint(7, intact=False)
    assert fingerprint(plan() + "\n \n") == Fingerprint(7, intact=True)


def test_without_its_line_a_plan_has_no_fingerprint_and_still_parses() -> None:
    text = plan().rpartition("<!--")[0]
    assert fingerprint(text) is None
    assert not diff_plan(TREE, parse_plan(text))


def test_a_fingerprint_quoted_in_a_description_is_only_text() -> None:
    topic = Topic("1", "t", "t", 0, None, "<!-- deeproot: 99 0123456789abcdef -->")
    text = render_plan("q", 1, 1, [topic], seq=4)
    assert fingerprint(text) == Fingerprint(4, intact=True)
    assert fingerprint(text.rpartition("<!--")[0]) is None


# What a person may change


def test_every_change_to_a_known_topic_is_reported_by_its_slug() -> None:
    assert edit(
        ("### Fishing (Depth: 0)", "### Overfishing (Depth: 0)"),
        ("- Status: Pending", "- Status: Complete"),
        ("What fishing does.", "What too much of it does."),
        ("  - Covers parrotfish", "  - Covers parrotfish\n  - Covers sharks"),
    ) == PlanEdit(
        changed=(
            TopicChange(
                "fishing",
                title="Overfishing",
                description="What too much of it does.",
                criteria=("Covers parrotfish", "Covers sharks"),
                status=Status.COMPLETE,
            ),
        )
    )


def test_only_what_changed_is_reported() -> None:
    assert edit(("- Status: In Review", "- Status: Pending")) == PlanEdit(
        changed=(TopicChange("bleaching", status=Status.PENDING),)
    )


def test_an_emptied_value_is_a_change_and_a_missing_line_is_none() -> None:
    assert edit(("- Description: What heat does.", "- Description:")) == PlanEdit(
        changed=(TopicChange("heat", description=""),)
    )
    assert not edit(
        ("- Description: What heat does.\n", ""),
        ("- Status: Complete\n", ""),
        ("- Acceptance Criteria:\n  - Says how often\n", ""),
    )


def test_a_new_topic_needs_no_more_than_a_heading() -> None:
    assert edit(("### Fishing", "### Storms (Depth: 0)\n\n### Fishing")) == PlanEdit(
        added=(AddedTopic("storms", "Storms", 0),)
    )


def test_new_topics_hang_below_known_and_new_ones() -> None:
    text = """### Disease (Depth: 1)
- Parent: Heat
- Status: in progress
- Description: Which diseases.
- Acceptance Criteria:
  - Names three

### Vectors (Depth: 2)

### Fishing"""
    assert edit(("### Fishing", text)).added == (
        AddedTopic("disease", "Disease", 1, "heat", "Which diseases.", ("Names three",), Status.IN_PROGRESS),
        AddedTopic("vectors", "Vectors", 2, "disease"),
    )


def test_topics_at_the_end_of_the_file_are_added_too() -> None:
    edited = parse_plan(plan() + "\n### Storms (Depth: 0)\n### Cyclones (Depth: 1)\n")
    assert diff_plan(TREE, edited).added == (
        AddedTopic("storms", "Storms", 0),
        AddedTopic("cyclones", "Cyclones", 1, "storms"),
    )


def test_a_new_topic_never_gets_the_slug_of_a_known_or_dropped_one() -> None:
    text = "### Heat! (Depth: 0)\n\n### Fishing, again (Depth: 0)\n"
    block = plan().partition("### Fishing")[2].partition("\n\n## Completion")[0]
    edited = edit(("### Fishing" + block, text))
    assert [topic.slug for topic in edited.added] == ["heat-2", "fishing-again"]
    assert edited.removed == ("fishing",)


def test_a_dropped_subtree_is_reported_topic_by_topic() -> None:
    text = plan()
    start, end = text.index("### Adaptation"), text.index("### Fishing")
    assert diff_plan(TREE, parse_plan(text[:start] + text[end:])) == PlanEdit(removed=("adaptation", "clades"))


def test_a_lost_slug_line_does_not_lose_the_topic() -> None:
    text = re.sub(r"- Slug: .*\n", "", plan()).replace("Status: Pending", "Status: Complete")
    assert diff_plan(TREE, parse_plan(text)) == PlanEdit(changed=(TopicChange("fishing", status=Status.COMPLETE),))


def test_siblings_of_one_title_are_told_apart_by_order_when_slugs_are_lost() -> None:
    twins = (Topic("1", "Same", "same", 0), Topic("2", "Same", "same-2", 0, status=Status.COMPLETE))
    text = re.sub(r"- Slug: .*\n", "", plan(twins))
    assert not diff_plan(twins, parse_plan(text))


def test_the_order_of_siblings_and_the_counts_are_not_an_edit() -> None:
    text = plan()
    start, end = text.index("### Bleaching"), text.index("### Adaptation")
    fishing = text.index("### Fishing")
    shuffled = text[:start] + text[end:fishing] + text[start:end] + text[fishing:]
    assert not diff_plan(TREE, parse_plan(shuffled.replace("- Complete: 1", "- Complete: 5")))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- Status: Complete", "- status:   COMPLETE   "),
        ("- Status: In Progress", "* Status:in  progress"),
        ("- Acceptance Criteria:", "- acceptance criteria:\n"),
        ("  - Cites two sources", "\n\t* Cites  two sources  \n  -\n"),
        ("What heat does.", "What\n  heat\ndoes."),
        ("  - Cites two sources", "  - Cites\n    two sources"),
        ("### Heat (Depth: 0)", "###   Heat   (depth:0)  "),
        ("- Parent: Heat\n", ""),
        ("- Parent: Heat\n", "- Parent:\n"),
        ("## Topics", "## topics\n\n<!-- mine -->"),
        ("# Research Plan\n", ""),
        ("# Research Plan", "\ufeff# Research Plan"),
        ("#LOW_EVIDENCE", ""),
    ],
)
def test_what_a_person_or_an_editor_does_in_passing_is_no_edit(before: str, after: str) -> None:
    assert not edit((before, after))


def test_windows_line_ends_are_no_edit() -> None:
    text = plan().replace("\n", "\r\n")
    assert not diff_plan(TREE, parse_plan(text))
    assert fingerprint(text) == Fingerprint(7, intact=False)


# What is refused


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("- Status: Pending", "- Status: Done", 'Unknown status "Done". It is one of: Pending, In Progress'),
        ("- Status: Pending", "- Status: Pending | In Progress", "Unknown status"),
        ("### Clades (Depth: 2)", "### Clades (Depth: 3)", "No topic of depth 2 stands above"),
        ("### Heat (Depth: 0)", "### Heat (Depth: 1)", "No topic of depth 0 stands above"),
        ("### Fishing (Depth: 0)", "### Fishing", 'starts with "### Title (Depth: N)"'),
        ("### Fishing (Depth: 0)", "### (Depth: 0)", 'starts with "### Title (Depth: N)"'),
        ("### Fishing (Depth: 0)", "#### Fishing (Depth: 0)", "heading of level 4"),
        (
            "- Parent: Adaptation",
            "- Parent: Bleaching",
            'Parent is "Bleaching", but the topic above it is "Adap',
        ),
        ("- Slug: fishing", "- Parent: Heat", "a topic of depth 0 has no parent"),
        ("- Slug: fishing", "- Slug: heat", "already on line 12"),
        ("- Slug: fishing", "- Slug: fisheries", "No topic has the slug fisheries"),
        ("- Tags: #RETRY_EXHAUSTED", "- Tags: #DONE", "Unknown tag"),
        ("- Slug: fishing", "- Priority: high", "Not one of the lines Status, Parent"),
        ("  - Covers parrotfish", "- Covers parrotfish", "indented by two spaces"),
        ("  - Covers parrotfish", "Just a thought.", "Not one of the lines"),
        ("- Slug: fishing", "- Status: Complete", "Status stands here twice, also on line"),
        ("## Topics", "## Notes", 'Unknown section "Notes"'),
        ("- Breadth: 3", "- Breadth: three", "Breadth must be a whole number"),
        ("# Research Plan", "Dear reader,", "belongs to no topic"),
    ],
)
def test_what_would_have_to_be_guessed_is_refused_by_file_and_line(before: str, after: str, message: str) -> None:
    text = plan().replace(before, after, 1)
    number = next(
        n for n, (old, new) in enumerate(zip(plan().split("\n"), text.split("\n"), strict=False), 1) if old != new
    )
    with pytest.raises(PlanError) as caught:
        parse_and_diff(text)
    assert message in str(caught.value)
    # An unknown slug is reported where its topic starts, everything else on the line itself.
    line = number - 2 if "fisheries" in after else number
    assert str(caught.value).startswith(f"here/research_plan.md:{line}: ")
    assert caught.value.line == line


def parse_and_diff(text: str) -> PlanEdit:
    return diff_plan(TREE, parse_plan(text, "here/research_plan.md"))


def test_a_topic_cannot_be_moved_to_another_parent() -> None:
    text = plan()
    start, end = text.index("### Bleaching"), text.index("### Adaptation")
    block = text[start:end].replace("Parent: Heat", "Parent: Fishing")
    moved = text[:start] + text[end:].replace("\n## Completion", f"\n{block}\n## Completion")
    with pytest.raises(PlanError, match="cannot be moved: bleaching belongs under heat"):
        parse_and_diff(moved)


def test_a_copied_block_is_told_to_drop_its_slug() -> None:
    text = plan()
    start, end = text.index("### Fishing"), text.index("## Completion")
    with pytest.raises(PlanError, match="A new topic needs no Slug line"):
        parse_and_diff(text[:end] + text[start:end] + text[end:])


def test_a_new_topic_cannot_be_deeper_than_the_plan() -> None:
    with pytest.raises(PlanError, match=r"depth 3 is deeper than this plan goes \(2\)"):
        edit(("### Fishing", "### Genes (Depth: 3)\n\n### Fishing"))


@pytest.mark.parametrize("cut", ["## Metadata", "- Topic", "- Depth", "## Topics", "### Clades", "## Completion"])
def test_a_file_that_was_cut_off_is_refused_rather_than_read_as_a_removal(cut: str) -> None:
    with pytest.raises(PlanError, match="Was the file cut off"):
        parse_and_diff(plan().partition(cut)[0])


@pytest.mark.parametrize("line", ["- Topic: How do reefs recover?\n", "- Breadth: 3\n", "- Depth: 2\n"])
def test_a_plan_without_its_metadata_is_refused(line: str) -> None:
    with pytest.raises(PlanError, match=r"research_plan.md:3: The section Metadata has no line"):
        parse_and_diff(plan().replace(line, "", 1))


@pytest.mark.parametrize("line", ["- Topic: How do reefs recover?", "- Breadth: 3", "- Depth: 2"])
def test_question_breadth_and_depth_cannot_be_changed_in_the_plan(line: str) -> None:
    base = parse_plan(plan())
    edited = parse_plan(plan().replace(line, line.partition(":")[0] + ": 9"))
    with pytest.raises(PlanError, match="cannot be changed in the plan"):
        diff_plan(base, edited)


@given(trees(), trees())
def test_applying_a_difference_leads_from_one_plan_to_the_other(
    before: tuple[Topic, ...], after: tuple[Topic, ...]
) -> None:
    """Topics keep their place when both trees have the slug in it; others are dropped or new."""
    places = {topic.slug: place(topic, before) for topic in before}
    kept = {topic.slug for topic in after if places.get(topic.slug) == place(topic, after)}
    text = render_plan("q", 3, 99, after)
    for topic in after:
        if topic.slug not in kept:
            text = text.replace(f"- Slug: {topic.slug}\n", "")
    difference = diff_plan(before, parse_plan(text))
    status = {topic.slug: topic.status for topic in before if topic.slug not in difference.removed}
    status |= {change.slug: change.status for change in difference.changed if change.status}
    status |= {topic.slug: topic.status for topic in difference.added}
    assert sorted(status.values()) == sorted(topic.status for topic in after)


def place(topic: Topic, topics: tuple[Topic, ...]) -> tuple[str, ...]:
    """The slugs from the root down to the topic."""
    by_id = {other.id: other for other in topics}
    return (*(place(by_id[topic.parent], topics) if topic.parent else ()), topic.slug)


def test_a_paragraph_between_the_lines_is_refused_rather_than_lost() -> None:
    with pytest.raises(PlanError, match=r'Not one of the lines .*: "And a thought."'):
        edit(("What heat does.", "What heat does.\n\nAnd a thought."))


def test_a_retitled_parent_needs_its_children_to_follow() -> None:
    with pytest.raises(PlanError, match='Parent is "Adaptation", but the topic above it is "Evolution"'):
        edit(("### Adaptation", "### Evolution"))
    assert edit(("### Adaptation", "### Evolution"), ("Parent: Adaptation", "Parent: Evolution")) == PlanEdit(
        changed=(TopicChange("adaptation", title="Evolution"),)
    )


def test_topics_without_a_title_are_still_readable() -> None:
    nameless = (replace(TREE[4], id="1", title=" "),)
    assert not diff_plan(nameless, parse_plan(plan(nameless)))
