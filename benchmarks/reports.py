"""How good the embedded default is: its reports on the evaluation tasks, scored, against the targets.

    python benchmarks/reports.py DATA_DIR [--words 1500] [--words 500] [--tasks TEXT]

DATA_DIR holds `reports/<task>/{question.json,files/}` and `score.py`. Every task is one run of the command, in a
folder of its own, with the question alone. Body words are those of the executive summary and the findings.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
MEASURES = ("insight_recall", "citation_precision", "source_recall", "quotes_valid")
TARGETS: Mapping[int, tuple[float, ...]] = {1500: (0.85, 0.75, 0.93, 1.0), 500: (0.65, 0.86, 0.85, 1.0)}
BODY = re.compile(r"^## Executive Summary$(.*?)^## (?:Limitations|Methodology)$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Run:
    """What one task took: the words of the body, and seconds."""

    body: int
    seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    met = True
    for words in options.words or sorted(TARGETS, reverse=True):
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder, "results")
            runs = [_run(task, words, Path(folder), results) for task in _tasks(options.data, options.tasks)]
            met &= _print(words, _score(options.data, options.tasks, results, Path(folder)), runs)
    return 0 if met else 1


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Score the reports of the offline backend.")
    parser.add_argument("data", type=Path, help="the folder with reports/ and score.py")
    parser.add_argument("--words", type=int, action="append", help="length of the reports (repeatable)")
    parser.add_argument("--tasks", default="", help="only tasks whose name holds this text")
    return parser.parse_args(arguments)


def _tasks(data: Path, wanted: str) -> list[Path]:
    return sorted(task for task in (data / "reports").iterdir() if wanted in task.name)


def _run(task: Path, words: int, folder: Path, results: Path) -> Run:
    """One run of the product; its report and citations are copied to where the scorer looks, warned of or not."""
    question = json.loads((task / "question.json").read_text(encoding="utf-8"))["question"]
    work = folder / task.name
    work.mkdir()
    command = [sys.executable, "-m", "deeproot", question, "--files", str(task / "files"), "--name", "x"]
    command += ["--words", str(words), "--breadth", "3", "--depth", "1", "--model", "offline", "--quiet"]
    began = time.perf_counter()
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    ended = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - began
    if ended.returncode:
        print(f"  {task.name}: exit {ended.returncode}: {ended.stderr.strip()[-300:]}", file=sys.stderr)
    if not (work / "reports" / "x" / "report.md").exists():
        return Run(0, seconds)
    kept = results / task.name
    kept.mkdir(parents=True)
    for name in ("report.md", "citations.json"):
        shutil.copy(work / "reports" / "x" / name, kept / name)
    body = BODY.search((kept / "report.md").read_text(encoding="utf-8"))
    return Run(len(body[1].split()) if body else 0, seconds)


def _score(data: Path, wanted: str, results: Path, folder: Path) -> dict[str, float]:
    """The means, by the scorer that came with the data. It takes every task of a folder, so that is what it gets."""
    tasks = folder / "tasks"
    tasks.mkdir()
    for task in _tasks(data, wanted):
        (tasks / task.name).symlink_to(task.resolve())
    command = [sys.executable, str(data / "score.py"), "reports", str(tasks), str(results)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    means: dict[str, float] = json.loads(answer)
    return means


def _print(words: int, means: Mapping[str, float], runs: Sequence[Run]) -> bool:
    targets = TARGETS.get(words, (0.0,) * len(MEASURES))
    print(f"\n{len(runs)} reports of at most {words} words")
    for measure, target in zip(MEASURES, targets, strict=True):
        verdict = "ok" if means[measure] >= target else "MISSED"
        print(f"  {measure:20} {means[measure]:.3f}   target {target:.2f}   {verdict}")
    longest = max(run.body for run in runs)
    print(f"  body words           mean {sum(run.body for run in runs) / len(runs):.0f}, most {longest}")
    print(f"  seconds              mean {sum(run.seconds for run in runs) / len(runs):.1f}", flush=True)
    return longest <= words and all(means[m] >= t for m, t in zip(MEASURES, targets, strict=True))


if __name__ == "__main__":
    sys.exit(main())
