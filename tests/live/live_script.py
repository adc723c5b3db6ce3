"""What the scripted model answers: every ask of a whole run, and every kind of trouble.

An ask is recognised by the form its prompt shows, as a model would. `Trouble: WORD` in a prompt (a question's words
are in every prompt of its run) asks for trouble instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from live_server import Act, Call, Hang, Refuse, Request, Say

NOTES = {
    "Apples": "Apples keep their seeds in a core of five chambers.",
    "Apple seeds": "Apple seeds hold a little amygdalin.",
    "Apple skins": "Apple skins hold most of the fibre.",
}
CHILDREN = {"Apples": ("Apple seeds", "Apple skins")}
SPOILED = "Apple seeds"
GARBAGE = 'Certainly! {"summary": "half an obj'
AGAIN = "Your last answer could not be used"
VERDICTS = ("completeness", "coherence", "quality", "professionalism")


def write_notes(folder: Path) -> Path:
    """The file in which everything that is quoted stands."""
    path = folder / "notes.md"
    path.write_text("# Notes\n\n" + "\n\n".join(NOTES.values()) + "\n", encoding="utf-8")
    return path


def play(request: Request) -> Act:
    """The script."""
    trouble = re.findall(r"Trouble: ([a-z0-9]+)", "\n".join(request.said("user")))
    if trouble:
        return TROUBLES[trouble[-1]](request)
    prompt = _latest_ask(request)
    topic = _topic(prompt)
    if prompt is request.said("user")[-1] and topic == SPOILED and '"findings"' in prompt:
        return Say(GARBAGE)
    if '"findings"' in prompt and "read" in request.tools and request.last.role != "tool":
        return Call("read", {"filePath": str(Path("notes.md"))})
    return Say(answer_to(prompt))


def _latest_ask(request: Request) -> str:
    """The last message that shows a form; one that only says what was wrong with an answer does not."""
    asks = [text for text in request.said("user") if "in this form:" in text or "<output>" in text]
    return asks[-1] if asks else ""


def answer_to(prompt: str) -> str:
    if "<output>" in prompt:
        leaves = re.findall(r"\(([a-z0-9/-]+)\).*\[unexpanded\]|\[unexpanded\].*\(([a-z0-9/-]+)\)", prompt)
        return "<output>\n" + "\n".join(a or b for a, b in reversed(leaves)) + "\n</output>"
    form = re.search(r'in this form:\n\{"(\w+)"', prompt)
    return json.dumps(ANSWERS[form[1]](prompt)) if form else "Hello."


def _topic(prompt: str) -> str:
    found = re.search(r"^The topic: (.+)$", prompt, re.MULTILINE)
    return found[1].strip() if found else ""


def _proposal(title: str) -> dict[str, object]:
    return {"title": title, "description": f"All about {title}.", "criteria": [f"Says a fact about {title}"]}


def _plan(_: str) -> dict[str, object]:
    return {"topics": [_proposal("Apples")]}


def _children(prompt: str) -> dict[str, object]:
    return {"children": [_proposal(title) for title in CHILDREN.get(_topic(prompt), ())]}


def _document(prompt: str) -> dict[str, object]:
    sentence = NOTES[_topic(prompt)]
    finding = {"claim": sentence, "quote": sentence, "source": "S1", "weight": 0.9}
    source = {"id": "S1", "location": "notes.md", "title": "Notes"}
    return {"summary": sentence, "findings": [finding], "sources": [source], "gaps": []}


def _review(prompt: str) -> dict[str, object]:
    criteria = re.findall(r"^- (Says a fact about .+)$", prompt, re.MULTILINE)
    return {"criteria": [{"criterion": each, "met": True, "reason": "It does."} for each in criteria]}


def _sections(prompt: str) -> dict[str, object]:
    """Each topic's text is its one finding, word for word: the gates look every citation up."""
    found = re.findall(r"^Topic ([0-9.]+): .*\n\[(F[0-9.]+-1)\] (.+)\.$", prompt, re.MULTILINE)
    return {"sections": [{"topic": id, "text": f"{claim} [{finding}]."} for id, finding, claim in found]}


def _synthesis(_: str) -> dict[str, object]:
    summary = f"{NOTES['Apples'].removesuffix('.')} [F1-1]."
    return {"title": "Apples", "summary": summary, "limitations": ["One fruit only."]}


def _judged(prompt: str) -> dict[str, object]:
    numbers = map(int, re.findall(r"^(\d+)\. <sentence-", prompt, re.MULTILINE))
    return {"verdicts": [{"n": n, "verdict": "supported", "reason": "It says so."} for n in numbers]}


ANSWERS: dict[str, Callable[[str], dict[str, object]]] = {
    "topics": _plan,
    "children": _children,
    "summary": lambda prompt: _document(prompt) if '"findings"' in prompt else {"summary": None, "sections": []},
    "criteria": _review,
    "sections": _sections,
    "verdicts": _judged,
    "title": _synthesis,
    "completeness": lambda _: {name: {"ok": True, "issues": []} for name in VERDICTS},
    "notes": lambda _: {"notes": "Repeat the step as it was."},
}


# Trouble


def _use(tools: dict[str, dict[str, object]]) -> Callable[[Request], Act]:
    """Ask for the first of these tools that is offered, or else for the first, and then say nothing."""

    def act(request: Request) -> Act:
        if request.last.role == "tool":
            return Say("")
        offered = [tool for tool in tools if tool in request.tools]
        chosen = (offered or list(tools))[0]
        return Call(chosen, tools[chosen])

    return act


def written_by_tools(folder: Path) -> Path:
    return folder / "written-by-a-tool"


def secret_outside(folder: Path) -> Path:
    return folder.parent / "secret.txt"


def _shell(request: Request) -> Act:
    command = "echo done > written-by-a-tool"
    return _use(
        {
            "bash": {"command": command, "description": "write"},
            "exec_command": {"cmd": command},
            "shell": {"command": ["bash", "-c", command]},
            "shell_command": {"command": command},
        }
    )(request)


def _outside(request: Request) -> Act:
    path = str(Path("../secret.txt"))
    return _use({"read": {"filePath": path}, "view_image": {"path": path}})(request)


TROUBLES: dict[str, Callable[[Request], Act]] = {
    "401": lambda _: Refuse(401),
    "429": lambda _: Refuse(429),
    "500": lambda _: Refuse(500),
    "hang": lambda _: Hang(),
    "empty": lambda _: Say(""),
    "garbage": lambda _: Say(GARBAGE),
    "half": lambda _: Say("A long answer that is never finished. " * 20, half=True),
    "shell": _shell,
    "outside": _outside,
}
