"""Measure search: quality and latency on question sets, or the speed of indexing a folder.

    python benchmarks/search.py DATA_DIR              DATA_DIR/search/<set>/{corpus,queries}.jsonl
    python benchmarks/search.py --index-speed FOLDER

Documents become Markdown files in a temporary folder and go through `FileSearch`, as a user's files do.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from deeproot.model import Passage
from deeproot.search.files import FileSearch

DEPTH = 10
# A document may answer with several passages; this many passages hold ten documents.
PASSAGES = 30
TARGETS = {
    "scifact": ("ndcg", 0.70),
    "hotpot": ("all", 0.93),
    "twowiki": ("all", 0.88),
    "musique": ("all", 0.35),
}
MOST_MILLISECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    text: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Result:
    """Means over a set: nDCG@10 and the share of questions with every gold document in ten; medians of both times."""

    queries: int
    ndcg: float
    all: float
    milliseconds: float
    cpu_milliseconds: float


def write_corpus(corpus: Path, folder: Path) -> None:
    with corpus.open(encoding="utf-8") as lines:
        for line in lines:
            document = json.loads(line)
            title = " ".join(document["title"].split())
            (folder / f"{document['id']}.md").write_text(f"# {title}\n\n{document['text']}\n", "utf-8")


def read_questions(path: Path) -> list[Question]:
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    return [Question(row["id"], row["question"], frozenset(row["gold"])) for row in rows if row["gold"]]


def documents(passages: Iterable[Passage]) -> list[str]:
    """The first documents by their best passage, each once."""
    return list(dict.fromkeys(Path(passage.source.location).stem for passage in passages))[:DEPTH]


def gain(ranked: Sequence[str], gold: frozenset[str]) -> float:
    reached = sum(1 / math.log2(place + 2) for place, name in enumerate(ranked) if name in gold)
    return reached / sum(1 / math.log2(place + 2) for place in range(min(DEPTH, len(gold))))


def measure(search: FileSearch, questions: Sequence[Question]) -> tuple[Result, dict[str, list[str]]]:
    gains, complete, wall, cpu = [], [], [], []
    runs: dict[str, list[str]] = {}
    for question in questions:
        began, began_cpu = time.perf_counter(), time.process_time()
        found = search.rank(question.text, PASSAGES)
        wall.append(1000 * (time.perf_counter() - began))
        cpu.append(1000 * (time.process_time() - began_cpu))
        ranked = documents(found)
        gains.append(gain(ranked, question.gold))
        complete.append(question.gold <= set(ranked))
        runs[question.id] = ranked
    means = statistics.mean(gains), statistics.mean(complete)
    return Result(len(questions), *means, statistics.median(wall), statistics.median(cpu)), runs


def run_set(folder: Path, runs_folder: Path | None) -> Result:
    with tempfile.TemporaryDirectory() as scratch:
        files = Path(scratch, "files")
        files.mkdir()
        write_corpus(folder / "corpus.jsonl", files)
        search = FileSearch.open([files], Path(scratch, "index"))
        result, runs = measure(search, read_questions(folder / "queries.jsonl"))
        search.close()
    if runs_folder:
        lines = (json.dumps({"id": name, "ranked": ranked}) + "\n" for name, ranked in runs.items())
        (runs_folder / f"{folder.name}.jsonl").write_text("".join(lines), "utf-8")
    return result


def print_table(rows: Iterable[tuple[str, Result]]) -> bool:
    """Print the results against their targets; whether all were met."""
    print(f"{'set':10} {'queries':>7} {'nDCG@10':>8} {'all@10':>7} {'p50 ms':>7} {'cpu ms':>7}  {'target':18} ok")
    fine = True
    for name, result in rows:
        measure_name, least = TARGETS.get(name, ("all", 0.0))
        ok = getattr(result, measure_name) >= least and result.milliseconds <= MOST_MILLISECONDS
        shown = "nDCG@10" if measure_name == "ndcg" else "all@10"
        quality = f"{result.queries:7} {result.ndcg:8.3f} {result.all:7.3f}"
        figures = f"{quality} {result.milliseconds:7.2f} {result.cpu_milliseconds:7.2f}"
        print(f"{name:10} {figures}  {shown + f' >= {least:.2f}':18} {'yes' if ok else 'NO'}", flush=True)
        fine = fine and ok
    return fine


def index_speed(folder: Path) -> None:
    """Index a folder into a new index, then again unchanged; CPU seconds, megabytes, peak memory."""
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("first", "unchanged"):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            began, began_wall = time.process_time(), time.perf_counter()
            search = FileSearch.open([folder], Path(scratch))
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            children = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            cpu, wall = time.process_time() - began + children, time.perf_counter() - began_wall
            search.close()
            megabytes = search.report.bytes / 1e6
            stored = sum(file.stat().st_size for file in Path(scratch).iterdir()) / 1e6
            print(
                f"{name}: {search.report.files} files, {search.report.passages} passages, {megabytes:.1f} MB in "
                f"{cpu:.2f} CPU-s ({wall:.2f} s): {megabytes / cpu:.1f} MB per CPU-s; index {stored:.1f} MB; "
                f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB; "
                f"skipped {len(search.report.skipped)}"
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", help="folder with search/<set>/")
    parser.add_argument("--index-speed", type=Path, metavar="FOLDER")
    parser.add_argument("--runs", type=Path, metavar="FOLDER", help="write the ranked documents here, one file per set")
    options = parser.parse_args()
    if options.index_speed:
        index_speed(options.index_speed)
        return 0
    if not options.data:
        parser.error("give DATA_DIR or --index-speed FOLDER")
    sets = sorted(path.parent for path in options.data.glob("search/*/queries.jsonl"))
    return 0 if print_table((folder.name, run_set(folder, options.runs)) for folder in sets) else 1


if __name__ == "__main__":
    sys.exit(main())
