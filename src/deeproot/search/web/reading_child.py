"""Run by `apart`: a line about a response and its body on standard input, its reading as JSON on standard output."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from .reading import read_response
from .response import Response

MEMORY = 1024**3


def limit(seconds: int) -> None:
    try:
        import resource
    except ImportError:  # Windows: the parent's time limit is all there is.
        return
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    url, content_type, seconds = json.loads(sys.stdin.buffer.readline())
    limit(seconds)
    outcome = read_response(Response(url, content_type, sys.stdin.buffer.read()))
    sys.stdout.write(json.dumps(asdict(outcome)))
