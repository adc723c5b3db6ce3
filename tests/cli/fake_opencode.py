"""A program that behaves like `opencode run`: it notes how it was called and answers every kind of ask.

A scenario names kinds of asks that sleep, fail or are answered with garbage; each applies to the first such call only
unless its name ends with `*`: {"sleep": ["document"], "fail": ["review*"]}.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

PROGRAM = r"""#!{python} -IS
import json, os, re, sys, time
home = {home!r}
prompt = sys.stdin.read()
options = dict(zip(sys.argv[2::2], sys.argv[3::2]))
kind = options.get("--title", "?").removeprefix("deeproot ")
def note(text):
    with open(os.path.join(home, "calls"), "a") as file:
        file.write(json.dumps([text, kind, options.get("--model"), os.getpid(), prompt]) + "\n")
note("start")
scenario = json.load(open(os.path.join(home, "scenario")))
def applies(what):
    kinds = scenario.get(what, [])
    if kind + "*" in kinds:
        return True
    if kind not in kinds:
        return False
    try:
        os.close(os.open(os.path.join(home, what + "." + kind), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True
if applies("sleep"):
    time.sleep(60)
if applies("fail"):
    sys.stderr.write("the model fell over\n")
    sys.exit(7)
verdicts = ("completeness", "coherence", "quality", "professionalism")
def text_of(topic):
    return "Text about it [F%s-1]." % topic if "[F%s-1]" % topic in prompt else "See the summary."
def topics():
    return re.findall(r"^Topic ([0-9.]+): ", prompt, re.M)
criteria = re.findall(r"^- (Says .*)$", prompt, re.M)
answers = {{
    "plan": {{"topics": [{{"title": t, "description": "d", "criteria": ["Says " + t]}} for t in ("Apples", "Pears")]}},
    "document": {{"summary": "Found.", "findings": [{{"claim": "A claim.", "quote": "A quote.", "source": "S1"}}],
                 "sources": [{{"id": "S1", "location": "https://example.org/a", "title": "A"}}], "gaps": []}},
    "children": {{"children": []}},
    "review": {{"criteria": [{{"criterion": c, "met": True}} for c in criteria], "gaps": [], "actions": []}},
    "section": {{"sections": [{{"topic": t, "text": text_of(t)}} for t in topics()]}},
    "synthesize": {{"title": "Report", "summary": "Sum.", "limitations": []}},
    "final_review": {{name: {{"ok": True, "issues": []}} for name in verdicts}},
    "revise": {{"summary": "New.", "sections": []}},
    "recover": {{"notes": "Again."}},
}}
text = "I am not able to." if applies("garbage") else "Here you are:\n" + json.dumps(answers[kind])
def say(kind, part):
    print(json.dumps({{"type": kind, "sessionID": "ses_1", "part": part}}), flush=True)
say("text", {{"text": text}})
tokens = {{"input": 100, "output": 10, "reasoning": 0, "cache": {{"read": 0, "write": 0}}}}
say("step_finish", {{"tokens": tokens, "cost": 0.25}})
note("end")
"""


class FakeOpencode:
    """Installed in `home/bin`; `environment` is what a command must be run with to find it."""

    def __init__(self, home: Path, **scenario: list[str]) -> None:
        self._home = home
        (home / "bin").mkdir(parents=True)
        program = home / "bin" / "opencode"
        program.write_text(PROGRAM.format(python=sys.executable, home=str(home)))
        program.chmod(0o755)
        (home / "scenario").write_text(json.dumps(scenario))

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"PATH": f"{self._home / 'bin'}{os.pathsep}{os.environ['PATH']}"}

    @property
    def calls(self) -> list[tuple[str, str, str, int, str]]:
        """(start or end, kind, model, pid, prompt) in the order they happened."""
        path = self._home / "calls"
        return [tuple(json.loads(line)) for line in path.read_text().splitlines()] if path.exists() else []

    def models(self, kind: str) -> set[str]:
        return {model for _, asked, model, _, _ in self.calls if asked == kind}

    @property
    def running(self) -> list[int]:
        """The programs that are still there."""
        return [pid for pid in {call[3] for call in self.calls} if Path(f"/proc/{pid}").exists() and not _zombie(pid)]


def _zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
