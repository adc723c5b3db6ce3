"""Run by `apart`: a line about a response and its body on standard input, its reading as JSON on standard output."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from ..readers.child import limit
from .reading import read_response
from .response import Response

if __name__ == "__main__":
    url, content_type, seconds = json.loads(sys.stdin.buffer.readline())
    limit(seconds)
    outcome = read_response(Response(url, content_type, sys.stdin.buffer.read()))
    sys.stdout.write(json.dumps(asdict(outcome)))
