"""What a server answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Head:
    """Status and headers; a header that is given twice counts once, the first."""

    status: int
    headers: dict[str, str]

    def get(self, name: str) -> str:
        return self.headers.get(name, "")

    @property
    def good(self) -> bool:
        return 200 <= self.status < 300

    @property
    def content_type(self) -> str:
        """Without parameters, in lower case."""
        return bare_type(self.get("content-type"))


@dataclass(frozen=True, slots=True)
class Response:
    """A good answer. `url` is where it came from in the end."""

    url: str
    content_type: str
    body: bytes


def bare_type(content_type: str) -> str:
    """`Text/HTML; charset=utf-8` → `text/html`."""
    return content_type.partition(";")[0].strip().lower()
