"""A researcher: a named, permanent line of research in a project folder. The public door of deeproot.

    researcher = Researcher(Path(), "cancel")
    outcome = await researcher.start(Settings(question="How does asyncio cancel a task?", name="cancel"))

It can be started once, resumed any number of times, and read at any moment, also while it runs elsewhere.
"""

from .home import RESERVED, ROOT, Past, clean_name
from .means import Approval, Means
from .researcher import Change, Researcher

__all__ = ["RESERVED", "ROOT", "Approval", "Change", "Means", "Past", "Researcher", "clean_name"]
