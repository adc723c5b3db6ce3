"""Run by `html`: markup in UTF-8 on standard input, its reading as JSON on standard output."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from .child import limit
from .html import reading_of

if __name__ == "__main__":
    limit(int(sys.argv[1]))
    sys.stdout.write(json.dumps(asdict(reading_of(sys.stdin.buffer.read().decode("utf-8", "replace")))))
