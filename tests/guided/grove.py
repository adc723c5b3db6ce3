"""Trees for tests: scripts that answer from a drawing of the tree, sessions that can be looked into, and runs of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio

from deeproot.asks import Ask, Failure, Kind, PickInputs, Reply
from deeproot.backends import Abilities, Backend, BackendSettings
from deeproot.project import journal
from deeproot.project.journal import Entry
from deeproot.researcher import Means
from deeproot.testing import FakeClock, Script, Scripted, ScriptedBackend, answer_text
from deeproot.trees import TreeSearchConfig, TreeSearchResult, tree_search
from laboratory import children_of, first, plan_of, topic_of

Shape = Mapping[str, Sequence[str]]
TWO_BY_TWO: Shape = {"": ["A", "B"], "A": ["A1", "A2"], "B": ["B1", "B2"]}
FORKING = Abilities(tools=True, sessions=True, fork=True)
TALKING = Abilities(tools=True, sessions=True)


def drawn(shape: Shape) -> Script:
    """Answers with the children that the drawing gives a title; "" is the root. Other asks are not its affair."""

    def script(ask: Ask) -> Scripted | None:
        match ask.kind:
            case Kind.PLAN:
                return plan_of(*shape[""])
            case Kind.CHILDREN:
                return children_of(*shape.get(topic_of(ask).title, ()))
            case _:
                return None

    return script


def layered(*breadths: int) -> Shape:
    """The drawing of a regular tree: so many topics at the first level, so many below each of them, and so on."""
    shape: dict[str, list[str]] = {}
    level = [""]
    for breadth in breadths:
        for title in level:
            shape[title] = [f"{title}{'.' if title else 'T'}{number}" for number in range(1, breadth + 1)]
        level = [child for title in level for child in shape[title]]
    return shape


def picking(*answers: str | Callable[[PickInputs], str]) -> Script:
    """Answers the picks in turn; the last answer is given again and again."""
    given: list[Ask] = []

    def script(ask: Ask) -> Scripted | None:
        if ask.kind is not Kind.PICK:
            return None
        given.append(ask)
        said = answers[min(len(given), len(answers)) - 1]
        assert isinstance(ask.inputs, PickInputs)
        return said if isinstance(said, str) else said(ask.inputs)

    return script


def preferring(*slugs: str) -> Callable[[PickInputs], str]:
    """A picker with an opinion: these leaves in this order, then the rest as they come."""

    def rank(inputs: PickInputs) -> str:
        order = {slug: place for place, slug in enumerate(slugs)}
        ranked = sorted(inputs.leaves, key=lambda path: order.get(path.rpartition("/")[2], len(order)))
        return "<output>\n" + "\n".join(ranked[: inputs.count]) + "\n</output>"

    return rank


def researched(backend: ScriptedBackend) -> list[str]:
    """The titles in the order their documents were asked for."""
    return [topic_of(ask).title for ask in backend.asked(Kind.DOCUMENT)]


class Sessions:
    """A script that keeps a transcript per session: continuing one adds to it, forking one copies it."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.transcripts: dict[str, list[str]] = {}
        self.replies: list[tuple[Ask, str]] = []

    def __call__(self, ask: Ask) -> Scripted | None:
        said = self._script(ask)
        session = ask.session if ask.session and not ask.fork else f"session-{len(self.transcripts) + 1}"
        known = self.transcripts[ask.session] if ask.session else [ask.context] if ask.context else []
        self.transcripts[session] = [*known, ask.prompt]
        self.replies.append((ask, session))
        if said is None or isinstance(said, Reply):
            return said
        return Reply(said if isinstance(said, str) else answer_text(said), session=session)  # type: ignore[arg-type]

    def of(self, title: str, kind: Kind = Kind.DOCUMENT) -> tuple[Ask, str]:
        """The first ask of a kind about a topic, and the session it was answered in."""
        return next(
            (ask, session) for ask, session in self.replies if ask.kind is kind and topic_of(ask).title == title
        )


def written(ask: Ask) -> Scripted | None:
    """A short document about any topic, as text."""
    return f"# {topic_of(ask).title}\n\nAll there is to say.\n" if ask.kind is Kind.DOCUMENT else None


class Patient(ScriptedBackend):
    """Holds an ask back until `may_answer` says it may be answered. `arrived` are all asks, answered or not.

    `most_topics` counts how many were under way at once, the picker's apart.
    """

    def __init__(self, script: Script, may_answer: Callable[[Ask], bool] = lambda _: True, **options: Any) -> None:
        super().__init__(script, **options)
        self._may_answer = may_answer
        self.arrived: list[Ask] = []
        self._topics = self.most_topics = 0

    async def answer(self, ask: Ask) -> Reply | Failure:
        self.arrived.append(ask)
        self._topics += ask.kind is not Kind.PICK
        self.most_topics = max(self.most_topics, self._topics)
        while not self._may_answer(ask):  # noqa: ASYNC110 - what it waits for has no event
            await anyio.sleep(0.001)
        reply = await super().answer(ask)
        self._topics -= ask.kind is not Kind.PICK
        return reply


@dataclass
class Wood:
    """A folder in which trees of documents are searched."""

    root: Path
    said: list[str] = field(default_factory=list)

    def config(self, **chosen: Any) -> TreeSearchConfig:
        values: dict[str, Any] = {
            "root_prompt": "List the parts.",
            "document_prompt": lambda node: f"Document {node.title}.",
            "children_prompt": lambda node: f"Name the parts of {node.title}.",
            "model": "scripted",
        }
        return TreeSearchConfig(root_dir=self.root, **(values | chosen))

    def search(self, backend: ScriptedBackend | Script, means: Means | None = None, **chosen: Any) -> TreeSearchResult:
        """One call of `tree_search` against a backend; what it says is kept in `said`."""
        answering = backend if isinstance(backend, ScriptedBackend) else ScriptedBackend(backend)

        def opened(_name: str, _settings: BackendSettings) -> Backend:
            return answering

        used = replace(means or Means(clock=FakeClock()), open_backend=opened)
        self.said = []
        return anyio.run(tree_search, self.config(**chosen), used, self.said.append)

    @property
    def entries(self) -> list[Entry]:
        return journal.load(self.root / ".research" / "tree" / "journal.jsonl").entries

    def events(self, kind: str) -> list[Any]:
        return [event for entry in self.entries if entry.batch for event in entry.batch.events if event.kind == kind]

    def json(self, *path: str) -> Any:
        return json.loads(self.text(*path))

    def text(self, *path: str) -> str:
        return self.root.joinpath(*path).read_text(encoding="utf-8")

    def nodes(self) -> dict[str, str]:
        """The status of every node on disk, by its path."""
        return statuses_below(self.root)


def statuses_below(folder: Path) -> dict[str, str]:
    found = {path.parent.relative_to(folder).as_posix(): path for path in folder.rglob("node.json")}
    return {path: json.loads(file.read_text(encoding="utf-8"))["status"] for path, file in sorted(found.items())}


def a_tree(shape: Shape, *before: Script) -> Script:
    """A script for a tree of documents: what `before` says, else texts for documents and the drawing for children."""
    return first(*before, written, drawn(shape))
