"""`research tags`: what code flagged in a researcher, or what the tags mean."""

from __future__ import annotations

import argparse
import json

from ..report.closing import MEANINGS
from ..state import State
from .inspect import existing


def tags(arguments: argparse.Namespace) -> int:
    rows = _raised(existing(arguments.name).past().state) if arguments.name else _vocabulary()
    if arguments.format == "json":
        print(json.dumps(rows, indent=1, ensure_ascii=False))
    elif not rows:
        print("No tag was raised.")
    for row in rows if arguments.format == "text" else ():
        print("  ".join(filter(None, (f"{row['tag']:<22}", row.get("topic", ""), row["note"]))))
    return 0


def _vocabulary() -> list[dict[str, str]]:
    return [{"tag": tag, "note": meaning} for tag, meaning in MEANINGS.items()]


def _raised(state: State) -> list[dict[str, str]]:
    """Every tag in the order it was raised, with its topic and the reason."""
    rows = [
        {"tag": event.tag.value, "topic": state.title(event.topic), "note": event.note or MEANINGS[event.tag]}
        for event in state.raised
    ]
    listed = {(row["tag"], row["topic"]) for row in rows}
    for growth in state.walk():
        topic = growth.topic
        rows += [
            {"tag": tag.value, "topic": topic.title, "note": MEANINGS[tag]}
            for tag in topic.tags
            if (tag.value, topic.title) not in listed
        ]
    return rows
