"""Debian's Chromium without a window, and a loopback site that remembers who asked it for what."""

from __future__ import annotations

import http.server
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

_ALONE = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
    "--enable-logging=stderr",
)


@dataclass(frozen=True, slots=True)
class Visit:
    """What is left of a page after it was opened: its elements, and what it wrote on the console."""

    dom: str
    console: tuple[str, ...]


def visit(address: str, *options: str) -> Visit:
    """Opens the page in a browser of its own, and gives it three seconds of its time."""
    done = _run(address, "--dump-dom", "--virtual-time-budget=3000", *options)
    console = tuple(line for line in done.stderr.splitlines() if ":CONSOLE" in line)
    return Visit(done.stdout, console)


def _run(address: str, *options: str) -> subprocess.CompletedProcess[str]:
    """On a busy machine a browser may hang before it has opened anything; then another is started, once."""
    try:
        return _browse(address, *options)
    except subprocess.TimeoutExpired:
        return _browse(address, *options)


def _browse(address: str, *options: str) -> subprocess.CompletedProcess[str]:
    assert CHROMIUM
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [CHROMIUM, *_ALONE, f"--user-data-dir={profile}", *options, address]
        return subprocess.run(command, capture_output=True, text=True, timeout=50, check=True)


def print_page(address: str, paper: Path) -> None:
    """The page as a PDF."""
    _run(address, f"--print-to-pdf={paper}", "--no-pdf-header-footer")


def screenshot(address: str, picture: Path, width: int, height: int, *options: str) -> None:
    """The page as a PNG. Where PICTURES names a folder, a copy is left there."""
    whole = "--run-all-compositor-stages-before-draw"  # else a picture may miss a part that was not painted yet
    _run(address, whole, f"--window-size={width},{height}", f"--screenshot={picture}", *options)
    if folder := os.environ.get("PICTURES"):
        shutil.copy(picture, Path(folder) / picture.name)


@dataclass(slots=True)
class Site:
    """Pages by path, and every path that was asked for."""

    host: str
    pages: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def put(self, path: str, html: str) -> str:
        """Its address."""
        self.pages[path] = html
        return self.host + path


@contextmanager
def loopback() -> Iterator[Site]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            page = site.pages.get(self.path.partition("?")[0])
            self.send_response(404 if page is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write((page or "").encode())

        def log_message(self, format: str, *args: object) -> None:
            """Silent: `asked` is the log."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site = Site(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
