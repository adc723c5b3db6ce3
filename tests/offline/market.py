"""A small company's files, as a search would return them, and a door to the backend."""

from __future__ import annotations

from typing import TypeVar

import anyio

from deeproot.answers import Invalid, parse_answer
from deeproot.asks import ANSWERS, Answer, Ask, Inputs, Kind, Reply
from deeproot.backends import BackendSettings
from deeproot.backends.offline import open_backend
from deeproot.model import Document, Finding, Passage, Source, Topic, slugify

QUESTION = "How can loyalty programs increase customer retention?"

LOYALTY = (
    "In the second quarter of 2024 loyalty program members came back 62% more often than other customers. "
    "This lifted customer retention to 71%. The loyalty program has 350,000 members."
)
OFFERS = "Personal offers were redeemed by 35% of the loyalty program members in 2024."
STAFF = "Employee retention was 85% in 2023. The customer service team hired 12 people."
KITCHEN = "The canteen serves soup on Mondays. A new oven was installed last week."
TABLE = "Quarter,Retention rate\nQ1 2024,0.59\nQ2 2024,0.62"


def passage(name: str, text: str, *, title: str = "", section: str = "", line: int = 1) -> Passage:
    last = line + text.count("\n")
    return Passage(Source(f"/files/{name}", title or name), text, line, last, section)


MARKET = (
    passage("loyalty-report.md", LOYALTY, title="Loyalty report", section="Loyalty report > Retention", line=5),
    passage("loyalty-report.md", OFFERS, title="Loyalty report", section="Loyalty report > Offers", line=9),
    passage("staff-report.md", STAFF, title="Staff report", line=3),
    passage("kitchen.txt", KITCHEN),
)


A = TypeVar("A", bound=Answer)


def ask(answer: type[A], kind: Kind, inputs: Inputs) -> A:
    """What the backend says, parsed as the engine parses it."""

    async def go() -> Reply:
        backend = open_backend(BackendSettings(""))
        reply = await backend.answer(Ask(kind, "the prompt is not read", inputs))
        await backend.aclose()
        return reply

    assert ANSWERS[kind] is answer
    parsed = parse_answer(answer, anyio.run(go).text)
    assert not isinstance(parsed, Invalid), parsed
    return parsed


def topic(title: str, id: str = "1") -> Topic:
    return Topic(id, title, slugify(title), id.count("."), criteria=(f"Quotes what the files say about “{title}”",))


def finding(id: str, quote: str, file: str = "a.md", weight: float = 0.5, line: int = 1) -> Finding:
    return Finding(id, quote, quote, Source(f"/files/{file}", file), (line, line), weight)


def document(*findings: Finding, gaps: tuple[str, ...] = ()) -> Document:
    return Document("What was found.", findings, gaps)
