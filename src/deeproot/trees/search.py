"""One call of tree search: settings from the config, the researcher behind it, the numbers at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .. import events as e
from ..engine.cycle import Cycle
from ..engine.engine import Ending, Outcome
from ..engine.phases import missing
from ..errors import DeeprootError
from ..model import Status, Topic
from ..outline import node_status
from ..project.treefiles import TreeFiles
from ..researcher import Means, Researcher
from ..settings import Settings
from ..state import State
from .answers import document_file
from .config import TreeSearchConfig, TreeSearchResult
from .hats import MOST_CHILDREN, hats_of
from .progress import Teller

NAME = "tree"
UNLIMITED = 10**9


async def tree_search(
    config: TreeSearchConfig, means: Means | None = None, progress: Callable[[str], None] = lambda _: None
) -> TreeSearchResult:
    """Grow the tree, or go on growing it: the same call continues where another stopped, and tries failed nodes again.

    Raises DeeprootError when the root got no children; a node that fails is counted and stops no other.
    """
    means = means or Means()
    files = TreeFiles(config.root_dir, document_file, alone=True)
    researcher = Researcher(config.root_dir, NAME, cycle=Cycle(hats_of(config), _advance, _begin), tree=files)
    skipped = _finished(researcher.past().state, files)
    for topic in skipped:
        progress(f"Skipped (cached): {topic.title}")
    teller = Teller(progress, means.watch)
    outcome = await _run(researcher, _settings(config), replace(means, watch=teller))
    if outcome.ending is Ending.FAILED:
        raise DeeprootError(outcome.reason)
    result = _result(teller.state, len(skipped))
    counts = f"{result.expanded} expanded, {result.leaves} leaves, {result.skipped} skipped"
    progress(f"Tree search {'complete' if teller.state.finished else 'stopped'}: {counts}")
    return result


async def _run(researcher: Researcher, settings: Settings, means: Means) -> Outcome:
    if researcher.exists:
        return await researcher.resume(lambda _: settings, means)
    means.disk.make_folder(researcher.project)
    return await researcher.start(settings, means)


def _settings(config: TreeSearchConfig) -> Settings:
    return Settings(
        question=config.root_prompt,
        name=NAME,
        breadth=MOST_CHILDREN,
        depth=config.max_depth - 1,
        max_iterations=UNLIMITED,
        model=config.model,
        review_model=config.model,
        timeout=config.timeout,
        concurrency=config.concurrency,
        strategy="guided",
    )


def _finished(state: State, files: TreeFiles) -> list[Topic]:
    """The nodes that this call has nothing to do for."""
    again = {*files.deleted(state), *_failed(state)}
    return [growth.topic for growth in state.walk() if growth.document and growth.topic.id not in again]


def _failed(state: State) -> list[str]:
    return [growth.topic.id for growth in state.walk() if growth.topic.status is Status.EXHAUSTED]


def _result(state: State, skipped: int) -> TreeSearchResult:
    statuses = [node_status(growth) for growth in state.walk()]
    return TreeSearchResult(statuses.count("expanded"), statuses.count("leaf"), skipped, statuses.count("failed"))


def _begin(state: State) -> list[e.Event]:
    """What was given up in an earlier call gets new tries in this one."""
    return [e.TopicReopened(id, by="it had failed") for id in _failed(state)]


def _advance(state: State) -> list[e.Event]:
    """A tree has no report: it is done when no topic is open."""
    return [] if state.finished or missing(state) else [e.TreeSettled(report=False)]
