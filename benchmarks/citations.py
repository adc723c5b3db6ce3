"""Measure the citation checks: quotes with honest noise and with tampering, support, disagreements, and CPU time.

    python benchmarks/citations.py DATA_DIR     DATA_DIR/search/{scifact,hotpot}/corpus.jsonl, DATA_DIR/support/*.jsonl

Noise and tampering are made here, from sentences of the abstracts, with a fixed seed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from deeproot.evidence import Judgement, Stated, disagreements, find_quote, judge
from deeproot.evidence import sentences as markdown_sentences

SEED = 7
DOCUMENTS = 1500
CITATIONS, SOURCE_SIZE, STATEMENTS = 200, 20_000, 2_000
WRONG = ("refuted", "unsupported", "unrelated")
SUPPORT_TARGETS = {
    ("wice", "unsupported"): 0.93,
    ("wice", "partial"): 0.76,
    ("scifact", "unrelated"): 0.92,
    ("scifact", "refuted"): 0.75,
}
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_NUMBER = re.compile(r"\d+")
_ANTONYMS = {"increased": "decreased", "higher": "lower", "more": "less", "reduced": "raised", "positive": "negative"}
Change = Callable[[str, random.Random], str | None]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def sentences(text: str) -> list[str]:
    return [one.strip() for one in _SENTENCE.split(text) if 40 <= len(one.strip()) <= 400]


# Honest noise: what copying, typesetting and editors do to a quote.


def case(sentence: str, chance: random.Random) -> str | None:
    return chance.choice([str.upper, str.lower, str.title])(sentence)


def spaces(sentence: str, chance: random.Random) -> str | None:
    return re.sub(" ", lambda _: chance.choice([" ", "  ", "\n", "\t", "\u00a0"]), sentence)


def curly(sentence: str, chance: random.Random) -> str | None:
    turned = sentence.replace("'", "’").replace('"', "”")
    return f"“{turned}”" if chance.random() < 0.5 else turned


def dashes(sentence: str, chance: random.Random) -> str | None:
    return re.sub("[-–—−]", lambda _: chance.choice("-–‐‑−"), sentence)


def emphasis(sentence: str, chance: random.Random) -> str | None:
    words = sentence.split(" ")
    at, mark = chance.randrange(len(words)), chance.choice(["*", "**", "_", "`", "***"])
    words[at] = f"{mark}{words[at]}{mark}"
    return " ".join(words)


def wrapped(sentence: str, chance: random.Random) -> str | None:
    long = list(re.finditer(r"\b[a-z]{7,}\b", sentence))
    if not long:
        return None
    cut = (word := chance.choice(long)).start() + chance.randrange(3, len(word[0]) - 2)
    return f"{sentence[:cut]}-\n{sentence[cut:]}"


def ellipsis(sentence: str, chance: random.Random) -> str | None:
    words = sentence.split(" ")
    if len(words) < 10:
        return None
    start = chance.randrange(3, len(words) - 5)
    end = min(len(words) - 2, start + chance.randrange(1, 8))
    return " ".join([*words[:start], chance.choice(["…", "...", "[...]", "[…]"]), *words[end:]])


def full_stop(sentence: str, _: random.Random) -> str | None:
    return sentence[:-1] if sentence.endswith(".") else sentence + "."


# Tampering: what changes the meaning.


def number(sentence: str, chance: random.Random) -> str | None:
    def other(found: re.Match[str]) -> str:
        return str(int(found[0]) + chance.randrange(1, 9))

    return _at_one(r"\d+", other, sentence, chance)


def decimal_point(sentence: str, chance: random.Random) -> str | None:
    return _at_one(r"(?<=\d)[.·](?=\d)", lambda _: chance.choice(["", ",", " "]), sentence, chance)


def sign(sentence: str, chance: random.Random) -> str | None:
    return _at_one(r"(?<=\s)(?=\d)", lambda _: "-", sentence, chance)


def lost_sign(sentence: str, chance: random.Random) -> str | None:
    return _at_one(r"(?<=[\s(=])[-−](?=\d)", lambda _: "", sentence, chance)


def range_(sentence: str, chance: random.Random) -> str | None:
    return _at_one(r"(?<=\d)[-–](?=\d)", lambda _: chance.choice([" ", ", ", ""]), sentence, chance)


def percent(sentence: str, chance: random.Random) -> str | None:
    return _at_one(r"(?<=\d)\s?%", lambda _: chance.choice(["", "‰"]), sentence, chance)


def comparison(sentence: str, chance: random.Random) -> str | None:
    return _at_one("[<>≤≥=]", lambda found: chance.choice([c for c in "<>≤≥" if c != found[0]]), sentence, chance)


def negation(sentence: str, chance: random.Random) -> str | None:
    if " not " in sentence:
        return sentence.replace(" not ", " ", 1)
    return _at_one(r"\b(?:is|was|were|are|did|has|have|can)\b", lambda found: f"{found[0]} not", sentence, chance)


def antonym(sentence: str, chance: random.Random) -> str | None:
    pattern = rf"\b(?:{'|'.join(_ANTONYMS)})\b"
    return _at_one(pattern, lambda found: _ANTONYMS[found[0]], sentence, chance)


def deleted_word(sentence: str, chance: random.Random) -> str | None:
    words = sentence.split(" ")
    inner = [at for at, word in enumerate(words) if 0 < at < len(words) - 1 and re.search(r"\w", word)]
    if not inner:
        return None
    del words[chance.choice(inner)]
    return " ".join(words)


def cut_number(sentence: str, chance: random.Random) -> str | None:
    places = [found for found in re.finditer(r"\d[\d.,]*\d", sentence) if found.start() > 20]
    if not places:
        return None
    found = chance.choice(places)
    return sentence[: found.start() + chance.randrange(1, len(found[0]))]


def cut_word(sentence: str, chance: random.Random) -> str | None:
    places = list(re.finditer(r"\b[A-Za-z]{4,}\b", sentence))
    found = chance.choice(places)
    return sentence[found.start() + 2 :] if found.start() < 20 else sentence[: found.start() + 2]


def _at_one(pattern: str, change: Callable[[re.Match[str]], str], sentence: str, chance: random.Random) -> str | None:
    places = list(re.finditer(pattern, sentence))
    if not places:
        return None
    found = chance.choice(places)
    return sentence[: found.start()] + change(found) + sentence[found.end() :]


HONEST: dict[str, Change] = {
    "case": case, "spaces": spaces, "curly quotes": curly, "dashes": dashes, "emphasis": emphasis,
    "line-wrap hyphens": wrapped, "ordered ellipsis": ellipsis, "full stop": full_stop,
}  # fmt: skip
TAMPERED: dict[str, Change] = {
    "number": number, "decimal point": decimal_point, "sign added": sign, "sign lost": lost_sign, "range": range_,
    "percent": percent, "< > =": comparison, "negation": negation, "antonym": antonym, "deleted word": deleted_word,
    "cut in a number": cut_number, "cut in a word": cut_word,
}  # fmt: skip


def altered(change: Change, documents: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(quote, text) for one sentence of every document that the change applies to."""
    chance = random.Random(SEED)
    for text in documents:
        if found := sentences(text):
            quote = change(sentence := chance.choice(found), chance)
            if quote is not None and quote != sentence:
                yield quote, text


def spliced(documents: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The first half of one sentence and the second half of another, with and without an ellipsis, in both orders."""
    chance = random.Random(SEED)
    for text in documents:
        found = sentences(text)
        if len(found) >= 3:
            one, other = chance.sample(found, 2)
            first, second = one.split(" "), other.split(" ")
            joint = chance.choice([" ", " ... ", " … "])
            yield " ".join(first[: len(first) // 2]) + joint + " ".join(second[len(second) // 2 :]), text


def foreign(documents: Sequence[str]) -> Iterator[tuple[str, str]]:
    chance = random.Random(SEED)
    for text, other in pairwise(documents):
        if found := sentences(other):
            yield chance.choice(found), text


def passing(cases: Iterator[tuple[str, str]]) -> tuple[int, int]:
    results = [find_quote(quote, text) is not None for quote, text in cases]
    return sum(results), len(results)


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    won = sum((p > n) + (p == n) / 2 for p in positive for n in negative)
    return won / (len(positive) * len(negative))


def separation(judged: Sequence[tuple[str, Judgement]], label: str) -> float:
    """How often a supported claim scores above one with this label."""
    return auroc(*([one.score for other, one in judged if other == wanted] for wanted in ("supported", label)))


@dataclass(frozen=True, slots=True)
class Row:
    what: str
    figure: float
    target: str
    ok: bool | None = None
    note: str = ""

    def __str__(self) -> str:
        verdict = {True: "ok", False: "MISSED", None: ""}[self.ok]
        return f"{self.what:<58}{self.figure:>9.4f}  {self.target:<9}{verdict:<8}{self.note}"


def quote_rows(data: Path) -> Iterator[Row]:
    documents = [row["text"] for row in islice(rows(data / "search/scifact/corpus.jsonl"), DOCUMENTS)]
    honest = {kind: passing(altered(change, documents)) for kind, change in HONEST.items()}
    tampered = {kind: passing(altered(change, documents)) for kind, change in TAMPERED.items()}
    tampered |= {"splice": passing(spliced(documents)), "other document": passing(foreign(documents))}
    for name, results, good in (("honest", honest, True), ("tampered", tampered, False)):
        for kind, (passed, tried) in results.items():
            yield Row(f"quotes, {name}: {kind}", passed / max(1, tried), "", note=f"of {tried}")
        share = sum(passed for passed, _ in results.values()) / sum(tried for _, tried in results.values())
        target = "≥ 0.995" if good else "≤ 0.001"
        yield Row(f"quotes, {name}: all", share, target, share >= 0.995 if good else share <= 0.001)


def half(id: str) -> int:
    """0 or 1 by the hash of an id, so that neighbours in a file do not share a half by their place."""
    return hashlib.sha1(id.encode()).digest()[0] & 1


def separation_rows(name: str, judged: Sequence[tuple[str, Judgement]], halves: Sequence[int]) -> Iterator[Row]:
    for label in sorted({label for label, _ in judged} - {"supported"}):
        figure, target = separation(judged, label), SUPPORT_TARGETS[name, label]
        parts = [[one for one, half in zip(judged, halves, strict=True) if half == wanted] for wanted in (0, 1)]
        note = "halves {:.3f} {:.3f}".format(*(separation(part, label) for part in parts))
        yield Row(f"support, {name}: AUROC against {label}", figure, f"≥ {target}", figure >= target, note)


def verdict_rows(name: str, judged: Sequence[tuple[str, Judgement]]) -> Iterator[Row]:
    for label in sorted({label for label, _ in judged}):
        group = [one for other, one in judged if other == label]
        counts = {
            "called supported": sum(one.verdict == "supported" for one in group),
            "firmly refused": sum(one.firm and one.verdict != "supported" for one in group),
            "firmly unsupported or refuted": sum(one.firm and one.verdict.failed for one in group),
        }
        for what, count in counts.items():
            yield Row(f"support, {name}: {label} {what}", count / len(group), "", note=f"{count} of {len(group)}")


def support_rows(data: Path) -> Iterator[Row]:
    wrong = called = 0
    for name in ("wice", "scifact"):
        cases = rows(data / f"support/{name}.jsonl")
        judged = [(one["label"], judge(one["claim"], one["evidence"])) for one in cases]
        yield from separation_rows(name, judged, [half(one["id"]) for one in cases])
        yield from verdict_rows(name, judged)
        wrong += sum(label in WRONG for label, _ in judged)
        called += sum(label in WRONG and one.verdict == "supported" for label, one in judged)
    yield Row("support: wrong claims called supported", called / wrong, "≤ 0.05", called / wrong <= 0.05)


def time_row(data: Path) -> Row:
    """Half of the quotes exact and half with noise; every quote found, every claim judged against its source."""
    texts = iter(row["text"] for row in rows(data / "search/scifact/corpus.jsonl"))
    sources = []
    for _ in range(CITATIONS):
        source = ""
        while len(source) < SOURCE_SIZE:
            source += next(texts) + "\n"
        sources.append(source)
    chance = random.Random(SEED)
    quotes = [chance.choice(sentences(source)) for source in sources]
    quotes[::2] = [spaces(quote, chance) or quote for quote in quotes[::2]]
    claims = [one["claim"] for one in rows(data / "support/wice.jsonl")][:CITATIONS]
    started = time.process_time()
    for quote, claim, source in zip(quotes, claims, sources, strict=True):
        find_quote(quote, source)
        judge(claim, source)
    spent = time.process_time() - started
    return Row(f"CPU seconds, {CITATIONS} citations over {CITATIONS} sources", spent, "≤ 1", spent <= 1)


def disagreement_rows(data: Path) -> Iterator[Row]:
    """Sentences of paragraphs about different things: whatever is found there is, but for a few, a false alarm."""
    texts = [(row["id"], row["text"]) for row in rows(data / "search/hotpot/corpus.jsonl")]
    statements = [Stated(span.of(text), str(id)) for id, text in texts for span in markdown_sentences(text)]
    started = time.process_time()
    disagreements(statements[:STATEMENTS])
    spent = time.process_time() - started
    alarms = len(disagreements(statements))
    yield Row(f"disagreements: alarms in {len(statements)} statements", alarms, "")
    yield Row(f"CPU seconds, disagreements of {STATEMENTS} statements", spent, "≤ 1", spent <= 1)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the citation checks.")
    parser.add_argument("data", type=Path, metavar="DATA_DIR")
    data = parser.parse_args().data
    table = [time_row(data), *disagreement_rows(data), *quote_rows(data), *support_rows(data)]
    print("\n".join(map(str, table)))
    return 0 if all(row.ok is not False for row in table) else 1


if __name__ == "__main__":
    raise SystemExit(main())
