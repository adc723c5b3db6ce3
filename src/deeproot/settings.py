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


@dataclass(frozen=True, slots=True)
class Settings:
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


def min_iterations(breadth: int, depth: int) -> int:
    """The floor for the iteration limit: X^(Y+1) + 5."""
    return int(breadth ** (depth + 1)) + 5


def most_topics(breadth: int, depth: int) -> int:
    """How many topics a full tree has: X + X² + … + X^(Y+1). Above the floor for most shapes."""
    return int(sum(breadth ** (level + 1) for level in range(depth + 1)))
