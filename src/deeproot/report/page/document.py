"""One file that holds the whole report: no script, no request, and a policy that allows neither."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib import resources

from .body import render_body
from .cards import evidence, source_list
from .markup import Markup, joined, seen, tag
from .navigation import navigation
from .parts import Page
from .references import by_place, reference
from .summary import gate_summary, legend, opening


def render_page(page: Page) -> str:
    """The report as one self-contained HTML file. Pure: the same page gives the same bytes."""
    places = by_place(page.citations)
    listed = {source.n for source in page.sources}
    body = render_body(
        page.body,
        page.outline,
        drop_sources=bool(page.sources),
        refer=lambda key: reference(key, places, listed),
    )
    main = tag(
        "main",
        opening(page),
        gate_summary(page.gate, places) if page.gate else Markup(),
        legend(page),
        tag("article", body.html, id="report", dir="auto"),
        source_list(page.sources, places, body.placed),
        evidence(places, body.placed),
    )
    skip = tag("a", "Skip to the report", class_="skip", href="#report")
    menu = tag("a", "Contents", class_="menu", href="#contents")
    parts = [skip, navigation(page, body), main, menu]
    html = tag("html", _head(page.title or page.question), tag("body", *parts), lang="en")
    return seen(f"<!doctype html>\n{html}\n")


def _head(title: str) -> Markup:
    style = _style()
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", http_equiv="x-dns-prefetch-control", content="off"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        joined([Markup(f"<style>{style}</style>")]),
    )


@cache
def _style() -> str:
    return (resources.files(__package__) / "page.css").read_text(encoding="utf-8")
