"""What people type. This module imports next to nothing: `research --help` must be instant."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ..errors import DeeprootError
from .parser import parse

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code. Errors are one message on stderr."""
    try:
        arguments = parse(sys.argv[1:] if argv is None else argv)
        return int(arguments.command(arguments))
    except DeeprootError as error:
        print(f"research: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
