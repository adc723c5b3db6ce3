"""The state of a researcher: a fold over its events, and nothing else.

It is built in three layers: the tree of topics, what is to be done about them, and the fold that changes both.
"""

from .draft import Draft
from .frontier import REPORT_HATS, Frontier, Task, Trouble
from .state import State
from .tree import Growth, Tree

__all__ = ["REPORT_HATS", "Draft", "Frontier", "Growth", "State", "Task", "Tree", "Trouble"]
