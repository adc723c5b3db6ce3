"""`python research.py …` from a checkout: the same command as `research`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "src"))

from deeproot.cli import main

if __name__ == "__main__":
    sys.exit(main())
