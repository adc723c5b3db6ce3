"""What a researcher was asked to do and within which limits. Recorded in its journal."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_MODEL = "opencode/minimax-m2.1-free"
DEFAULT_REVIEW_MODEL = "opencode/big-pickle"
DEFAULT_TIMEOUT = 1200
CONFIRM_ABOVE = 20
TOPIC_ROUNDS = 3
RETRIES = 3
REVISIONS = 2
MAX_LOOPS = 7
ATTEMPTS = 3
GATES = ("citation", "consistency")
RESERVED_SHARE = 0.3
LONGEST_RESERVE = 1.5


@dataclass(frozen=True, slots=True)
class Asking:
    """How `research ask` shall answer. None leaves the choice to the scoper."""

    deep: bool = False
    query_type: str | None = None
    tier: str | None = None
    max_loops: int = MAX_LOOPS
    gates: tuple[str, ...] = GATES


@dataclass(frozen=True, slots=True)
class Settings:
    """`models` are pairs of a hat and who answers it, beside `model` and `review_model`.

    `time` (minutes), `tokens`, `cost` (USD) and `calls` are budgets for all runs together; None is unlimited. `sites`
    are read whole; pages of the hosts in `allowed` may be read without having been named one by one.
    """

    question: str
    name: str
    breadth: int = 3
    depth: int = 3
    max_iterations: int = 86
    model: str = DEFAULT_MODEL
    review_model: str = DEFAULT_REVIEW_MODEL
    timeout: int = DEFAULT_TIMEOUT
    idle_timeout: int = 600
    concurrency: int = 4
    strategy: str = "breadth"
    words: int = 1500
    files: tuple[str, ...] = (".",)
    mock_mode: bool = False
    models: tuple[tuple[str, str], ...] = ()
    retries: int = RETRIES
    asking: Asking | None = None
    time: float | None = None
    tokens: int | None = None
    cost: float | None = None
    calls: int | None = None
    web: bool = False
    sites: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()

    @property
    def resume_command(self) -> str:
        """What people type to go on with it."""
        return f"research {'ask ' if self.asking else ''}--name {self.name} --resume"


def min_iterations(breadth: int, depth: int) -> int:
    """The floor for the iteration limit: X^(Y+1) + 5."""
    return int(breadth ** (depth + 1)) + 5


def synthesis_reserve(minutes: float) -> float:
    """How many of `minutes` are kept for writing the report: 1.5, or 30 % of a short budget."""
    return min(LONGEST_RESERVE, RESERVED_SHARE * minutes)


def most_topics(breadth: int, depth: int) -> int:
    """How many topics a full tree has: X + X² + … + X^(Y+1). Above the floor for most shapes."""
    return int(sum(breadth ** (level + 1) for level in range(depth + 1)))
