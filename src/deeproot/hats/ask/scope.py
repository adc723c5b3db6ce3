"""The scoper: what kind of question it is, how much work it is worth, and which subquestions answer it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from ...asks import Ask, Kind, ProposedTopic, QueryType, ScopeAnswer, ScopeInputs, SearchStrategy, SubQuestion, Tier
from ...backends.offline import scoper
from ...events import Event, QuestionScoped, TopicAdded
from ...model import Passage, Topic, one_line
from ...settings import Asking, Settings
from ..passages import fitting, passages_text
from ..plan import new_topics
from ..room import room_beside
from ..turn import StepFailed, Turn

DEEP_SUBQUESTIONS = 5


async def scope(turn: Turn) -> list[Event]:
    """A simple question is told by code and costs nothing; otherwise the backend scopes it, or code in its place."""
    asking = turn.settings.asking or Asking()
    if told_simple(turn.settings):
        return _scoped(turn, asking, _at_once(turn.settings.question), 1, "code")
    most = most_subquestions(turn.settings)
    inputs = await _inputs(turn, most, _told(turn.settings) is Tier.DEEP)
    try:
        answer, by = await _ask(turn, inputs), turn.settings.model
    except StepFailed as failure:
        answer, by = scoper.scope(inputs), f"code, because {one_line(failure.error, 200)}"
    return _scoped(turn, asking, answer, most, by)


def told_simple(settings: Settings) -> bool:
    """Whether the question will be answered by one call, as far as a person and the words of the question tell."""
    return _told(settings) is Tier.SIMPLE and not (settings.asking or Asking()).deep


def most_subquestions(settings: Settings) -> int:
    """How many a question that is not simple may be split into at first."""
    return max(DEEP_SUBQUESTIONS, settings.breadth) if _told(settings) is Tier.DEEP else settings.breadth


def _told(settings: Settings) -> Tier:
    return _tier(settings.asking or Asking(), scoper.tier(settings.question))


def _tier(asking: Asking, otherwise: Tier) -> Tier:
    """What a person says goes first."""
    return Tier(asking.tier) if asking.tier else Tier.DEEP if asking.deep else otherwise


def _at_once(question: str) -> ScopeAnswer:
    return ScopeAnswer(scoper.query_type(question), Tier.SIMPLE, (SubQuestion(question),))


async def _inputs(turn: Turn, most: int, deep: bool) -> ScopeInputs:
    """What a first search found helps to scope; a search that fails keeps nobody from it."""
    question = turn.settings.question
    found: tuple[Passage, ...] = ()
    if not turn.abilities.tools:
        with suppress(StepFailed):
            found = await turn.search("search", question, turn.abilities.passages)
    passages = fitting(found, room_beside(turn, turn.render("scope", most="", passages="")))
    return ScopeInputs(question, most, passages, deep)


async def _ask(turn: Turn, inputs: ScopeInputs) -> ScopeAnswer:
    prompt = turn.render("scope", most=str(inputs.most), passages=passages_text(inputs.passages))
    return (await turn.ask("scope", ScopeAnswer, Ask(Kind.SCOPE, prompt, inputs), check=_check, tries=2)).answer


def _check(answer: ScopeAnswer) -> Sequence[str]:
    some = any(one_line(asked.text) for asked in answer.subquestions)
    return [] if some else ["subquestions: at least one subquestion with a text is needed"]


def _scoped(turn: Turn, asking: Asking, answer: ScopeAnswer, most: int, by: str) -> list[Event]:
    topics = new_topics(turn.state, "", map(_proposal, answer.subquestions), most)
    scoped = QuestionScoped(
        QueryType(asking.query_type) if asking.query_type else answer.query_type,
        _tier(asking, answer.tier),
        asking.deep,
        tuple(_numbered(topics, answer.subquestions)),
        by,
    )
    return [scoped, *map(TopicAdded, topics)]


def _proposal(asked: SubQuestion) -> ProposedTopic:
    return ProposedTopic(asked.text, "", (f"Answers, with evidence: {one_line(asked.text, 200)}",))


def _numbered(topics: Iterable[Topic], asked: Sequence[SubQuestion]) -> list[SubQuestion]:
    """The subquestions that became topics, with the ids they have there."""
    strategies = {one_line(each.text, 200).casefold(): each.strategy for each in reversed(asked)}
    return [
        SubQuestion(topic.title, strategies.get(topic.title.casefold(), SearchStrategy.DIRECT), topic.id)
        for topic in topics
    ]
