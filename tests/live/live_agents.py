"""The real agent command lines: installed by npm into a cache folder, and at home in a folder of ours."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from deeproot.model import one_line

PACKAGES = {"opencode": "opencode-linux-x64@1.18.33", "codex": "@openai/codex@0.166.0"}
PROGRAMS = ("node_modules/opencode-linux-x64/bin", "node_modules/.bin")
MODELS = {"opencode": "opencode/scripted/model", "codex": "codex/model"}
MARK = "DEEPROOT_LIVE"
INSTALL_SECONDS = 300


def install(cache: Path) -> str:
    """Install what is missing into `cache`. Why that cannot be done, or nothing."""
    if all((cache / "installed" / package.replace("/", "-")).exists() for package in PACKAGES.values()):
        return ""
    if not shutil.which("npm"):
        return "npm is not installed"
    command = ["npm", "install", "--prefix", str(cache), "--no-audit", "--no-fund", "--fetch-retries", "1"]
    command += PACKAGES.values()
    cache.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"npm install took more than {INSTALL_SECONDS} s"
    if done.returncode:
        return f"npm install failed: {one_line(done.stderr, 200)}"
    (cache / "installed").mkdir(exist_ok=True)
    for package in PACKAGES.values():
        (cache / "installed" / package.replace("/", "-")).touch()
    return ""


def at_home(home: Path, cache: Path, url: str) -> dict[str, str]:
    """The environment in which the agents know only the model at `url`, and keep their files in `home`."""
    ours = {
        "HOME": str(home),
        "PATH": os.pathsep.join([*(str(cache / place) for place in PROGRAMS), os.environ["PATH"]]),
        "CODEX_HOME": str(home / ".codex"),
        "SCRIPTED_KEY": "not-a-secret",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        MARK: str(home),
    }
    ours |= {f"XDG_{kind}_HOME": str(home / f".{kind.lower()}") for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    _configure_opencode(home / ".config" / "opencode", url)
    _configure_codex(home / ".codex", url)
    foreign = ("OPENCODE", "CODEX", "OPENAI", "XDG_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return {**kept, **ours}


def _configure_opencode(folder: Path, url: str) -> None:
    model = {"name": "Scripted", "limit": {"context": 200_000, "output": 8_192}}
    options = {"baseURL": url, "apiKey": "not-a-secret"}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"model": model}}
    folder.mkdir(parents=True)
    (folder / "opencode.json").write_text(json.dumps({"provider": {"scripted": provider}}), encoding="utf-8")
    # Without these it would begin to install a package for plugins in every call, and never be done.
    (folder / "node_modules").mkdir()
    lock = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}
    (folder / "package-lock.json").write_text(json.dumps(lock), encoding="utf-8")


def _configure_codex(folder: Path, url: str) -> None:
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(
        f"""\
model_provider = "scripted"

[model_providers.scripted]
name = "Scripted"
base_url = "{url}"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
""",
        encoding="utf-8",
    )


def running(environment: Mapping[str, str]) -> list[int]:
    """The agents that live in this home now, however they were started."""
    mark = f"{MARK}={environment[MARK]}".encode()
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal() and _is_agent(entry, mark)]


def _is_agent(entry: Path, mark: bytes) -> bool:
    with suppress(OSError):
        program = (entry / "cmdline").read_bytes().split(b"\0")
        names = {word.rpartition(b"/")[2] for word in program[:2]}
        return bool(names & {b"opencode", b"codex"}) and mark in (entry / "environ").read_bytes().split(b"\0")
    return False


def kill_agents(environment: Mapping[str, str]) -> int:
    """kill -9 for every agent in this home; how many there were."""
    found = running(environment)
    for pid in found:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(found)
