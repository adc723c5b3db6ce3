"""The command line's grammar: the default verb is a question, every other verb is a word from `VERBS`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NoReturn

from .. import __version__
from ..errors import UsageError
from ..settings import DEFAULT_MODEL, DEFAULT_REVIEW_MODEL, DEFAULT_TIMEOUT
from .amounts import count, dollars, minutes

DEEPEST = 50
QUERY_TYPES = ("academic", "news", "people", "coding", "comparison", "factual")
TIERS = ("simple", "medium", "deep")
LONGEST_VERB = 12
ALIKE = 0.8


class Parser(argparse.ArgumentParser):
    """Usage errors are raised, so that there is one place that prints and one exit code (64)."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}. See: {self.prog} --help")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """What was typed, understood. UsageError when it cannot be meant."""
    verb = argv[0] if argv else ""
    if verb in VERBS:
        parser, typed = VERBS[verb](), argv[1:]
    else:
        _check_mistyped(verb)
        parser, typed = run_parser(), argv
    arguments, left = parser.parse_known_args(typed)
    if left:
        words = "" if any(word.startswith("-") for word in left) else " Several words that belong together need quotes"
        parser.error(f"unrecognized arguments: {' '.join(left)}{words and '.' + words}")
    return arguments


def _check_mistyped(word: str) -> None:
    """A mistyped command would be taken for a question of one word, and paid for."""
    if not word.isalpha() or len(word) > LONGEST_VERB:
        return
    from difflib import get_close_matches

    if near := get_close_matches(word, VERBS, 1, ALIKE):
        raise UsageError(
            f"There is no command {word!r}. Did you mean: research {near[0]}? "
            f"A question of this one word stands after two hyphens: research -- {word}"
        )


def _parser(verb: str, command: str, about: str) -> Parser:
    prog = f"research {verb}".strip()
    parser = Parser(prog=prog, description=about, allow_abbrev=False)
    parser.set_defaults(command=_load(command))
    return parser


def _load(command: str) -> Callable[[argparse.Namespace], int]:
    """The function `module:name` of this package, imported when it is called."""
    module, name = command.split(":")

    def call(arguments: argparse.Namespace) -> int:
        function: Callable[[argparse.Namespace], int] = getattr(import_module(f"deeproot.cli.{module}"), name)
        return function(arguments)

    return call


def run_parser() -> Parser:
    parser = _parser(
        "", "run:run", "Deep research that keeps its roots: from a question to a report with checked sources."
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "Other commands (each has --help):\n" + "\n".join(
        f"  research {verb:<10} {VERBS[verb]().description}" for verb in VERBS
    )
    parser.add_argument(
        "question", nargs="?", help="what to find out; without it, the text of PROMPT.md in this folder"
    )
    parser.add_argument("--version", action="version", version=f"deeproot {__version__}")

    _add_research(parser)
    _add_models(parser)
    _add_budget(parser)
    _add_session(parser)
    return parser


def _add_research(parser: Parser) -> None:
    tree = parser.add_argument_group("the research")
    tree.add_argument("--name", help="names .research/NAME and reports/NAME (default: made from the question)")
    tree.add_argument(
        "--breadth", type=_positive, metavar="X", help="subtopics per topic, searches per topic (default: 3)"
    )
    tree.add_argument("--depth", type=_level, metavar="Y", help="levels below the first (default: 3; 0 is one level)")
    tree.add_argument(
        "--max-iterations",
        type=_positive,
        metavar="N",
        help="limit of research turns (default and minimum: X^(Y+1)+5)",
    )
    tree.add_argument("--allow-low-limit", action="store_true", help="accept a --max-iterations below the minimum")
    tree.add_argument(
        "--strategy",
        choices=("breadth", "guided"),
        help="level by level, or the most valuable leaf next (default: breadth)",
    )
    tree.add_argument(
        "--max-depth", type=_levels, metavar="L", help="the same as --depth, counted in levels (L = Y + 1)"
    )
    tree.add_argument("--files", nargs="+", metavar="PATH", help="files and folders to search (default: this folder)")
    tree.add_argument("--words", type=_positive, metavar="N", help="length of the report's body (default: 1500)")
    tree.add_argument("--prompt-file", metavar="FILE", help="read the question from FILE (default: PROMPT.md)")
    _add_web(parser)


def _add_web(parser: Parser) -> None:
    web = parser.add_argument_group("the web (for backends that do not search by themselves)")
    web.add_argument("--web", action=argparse.BooleanOptionalAction, help="search the web too (default: no)")
    web.add_argument("--site", action="append", metavar="URL", help="read this site: up to 20 pages, 3 links deep")
    web.add_argument(
        "--allow", action="append", metavar="HOST", help="pages of HOST may be read, also in a private network"
    )


def _add_models(parser: Parser) -> None:
    model = parser.add_argument_group("who answers")
    model.add_argument(
        "--model",
        metavar="MODEL",
        help=f"for research (default: {DEFAULT_MODEL} if opencode is installed, else offline)",
    )
    model.add_argument(
        "--review-model",
        metavar="MODEL",
        help=f"for reviews (default: {DEFAULT_REVIEW_MODEL}, or the same as --model when that is given)",
    )
    model.add_argument("--mock-mode", action="store_true", help="placeholder answers, no calls: to try things out")
    model.add_argument("--timeout", type=_positive, metavar="S", help=f"seconds per call (default: {DEFAULT_TIMEOUT})")
    model.add_argument(
        "--idle-timeout",
        type=_positive,
        metavar="S",
        help="seconds without output before an agent is ended (default: 600)",
    )
    model.add_argument(
        "--concurrency",
        type=_positive,
        metavar="N",
        help="topics at a time (default: 4; 1 is the strict sequence)",
    )


def _add_budget(parser: Parser) -> None:
    budget = parser.add_argument_group("the budget (each may be 'unlimited', the default; a resume may change it)")
    budget.add_argument(
        "--time",
        type=minutes,
        metavar="MINUTES",
        help="for everything; the last 1.5 (of less than 5: 30 %%) are for writing",
    )
    budget.add_argument("--tokens", type=count, metavar="N", help="in and out together, such as 200k or 1.5M")
    budget.add_argument(
        "--cost", type=dollars, metavar="USD", help="money, where the backend tells what an answer costs"
    )
    budget.add_argument("--calls", type=count, metavar="N", help="questions put to models")
    budget.add_argument(
        "--dry-run", action="store_true", help="print what the run may take, ask nothing, write nothing"
    )


def _add_session(parser: Parser) -> None:
    session = parser.add_argument_group("the session")
    session.add_argument("--resume", action="store_true", help="go on with --name where it stopped")
    session.add_argument(
        "--force-resume", action="store_true", help="the same, and take over the lock of another process"
    )
    session.add_argument(
        "--reorganize-archive",
        action="store_true",
        help="sort the archive of --name into a folder per session, and exit",
    )
    session.add_argument(
        "--approve", action="store_true", help="show the report before the end: approve, give feedback, or quit"
    )
    session.add_argument("-y", "--yes", action="store_true", help="do not ask before more than 20 iterations")
    session.add_argument("-q", "--quiet", action="store_true", help="print only the path of the report")
    session.add_argument("--json", action="store_true", help="print every event as a line of JSON")


def _ask() -> Parser:
    parser = _parser("ask", "ask:ask", "answer a question: briefly with citations, or with --deep in a long report")
    parser.add_argument("question", nargs="?", help="what to find out; without it, the text of PROMPT.md")
    asked = parser.add_argument_group("the question")
    asked.add_argument("--name", help="names .research/NAME and reports/NAME (default: made from the question)")
    asked.add_argument("--type", choices=QUERY_TYPES, help="what kind of question it is (default: told by its words)")
    asked.add_argument("--tier", choices=TIERS, help="how much work it is worth (default: told by its words)")
    asked.add_argument("--deep", action="store_true", help="a long report: title, sections, conclusion")
    asked.add_argument("--max-loops", type=_positive, metavar="N", help="rounds of research at most (default: 7)")
    asked.add_argument("--breadth", type=_positive, metavar="X", help="subquestions at first (default: 4)")
    asked.add_argument("--files", nargs="+", metavar="PATH", help="files and folders to search (default: this folder)")
    asked.add_argument("--words", type=_positive, metavar="N", help="length of the answer (default: 300; deep: 1500)")
    asked.add_argument("--prompt-file", metavar="FILE", help="read the question from FILE (default: PROMPT.md)")
    asked.add_argument("--phase-config", metavar="FILE", help="YAML: time_budget, max_iterations, retry_limit, gates")
    _add_web(parser)
    _add_models(parser)
    _add_budget(parser)
    session = parser.add_argument_group("the session")
    session.add_argument("--resume", action="store_true", help="go on with --name where it stopped")
    session.add_argument("--force-resume", action="store_true", help="the same, and take the lock from another process")
    session.add_argument("-q", "--quiet", action="store_true", help="print only the answer")
    session.add_argument("--json", action="store_true", help="print the answer and all about it as one JSON object")
    parser.set_defaults(strategy=None, approve=False)
    return parser


def _add_name(parser: Parser, optional: bool = False) -> None:
    parser.add_argument("name", nargs="?" if optional else None, help="of a researcher; `research status` lists them")


def _add_format(parser: Parser, *more: str) -> None:
    forms = ("text", "json", *more)
    parser.add_argument("--format", choices=forms, default="text", help="how it is printed (default: text)")
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="short for --format json")


def _status() -> Parser:
    parser = _parser("status", "inspect:status", "how far a researcher is; without a name, all of them")
    _add_name(parser, optional=True)
    _add_format(parser)
    return parser


def _show() -> Parser:
    parser = _parser("show", "inspect:show", "one topic: its ids, status, document and reviews")
    _add_name(parser)
    parser.add_argument("topic", help="its id (2.1), slug or title")
    _add_format(parser)
    return parser


def _tree() -> Parser:
    parser = _parser("tree", "inspect:tree", "the tree of topics with their statuses")
    _add_name(parser)
    _add_format(parser, "mermaid", "dot")
    return parser


def _verify() -> Parser:
    parser = _parser("verify", "verify:verify", "check the quotes and sources of a finished report again, offline")
    _add_name(parser)
    _add_format(parser)
    return parser


def _tags() -> Parser:
    parser = _parser("tags", "tags:tags", "the tags code raised in a researcher; without a name, what each means")
    _add_name(parser, optional=True)
    _add_format(parser)
    return parser


def _log() -> Parser:
    parser = _parser("log", "inspect:log", "every call of a researcher: phase, topic, model, tokens, seconds, cost")
    _add_name(parser)
    _add_format(parser)
    return parser


def _guide() -> Parser:
    parser = _parser("guide", "steer:guide", "give a running researcher a hint; its next turns see it")
    _add_name(parser)
    parser.add_argument("text", help="the hint, in quotes")
    return parser


def _stop() -> Parser:
    parser = _parser("stop", "steer:stop", "end a running researcher at the next boundary; --resume goes on")
    _add_name(parser)
    return parser


def _models() -> Parser:
    parser = _parser("models", "models:models", "who can answer on this machine now, and what the others need")
    _add_format(parser)
    return parser


def _doctor() -> Parser:
    parser = _parser("doctor", "models:doctor", "ask a model one small question, and look at the folder's health")
    parser.add_argument("model", nargs="?", help="as for --model (default: the one a run would choose)")
    _add_format(parser)
    return parser


def _plan_size() -> Parser:
    parser = _parser("plan-size", "inspect:plan_size", "how many topics a tree can have, and the minimum of iterations")
    parser.add_argument("--breadth", type=_positive, default=3, metavar="X", help="default: 3")
    parser.add_argument("--depth", type=_level, default=3, metavar="Y", help="default: 3")
    return parser


VERBS: dict[str, Callable[[], Parser]] = {
    "ask": _ask,
    "status": _status,
    "tree": _tree,
    "show": _show,
    "verify": _verify,
    "tags": _tags,
    "log": _log,
    "guide": _guide,
    "stop": _stop,
    "plan-size": _plan_size,
    "models": _models,
    "doctor": _doctor,
}


def _positive(text: str) -> int:
    return _whole(text, 1)


def _level(text: str) -> int:
    return _whole(text, 0, DEEPEST)


def _levels(text: str) -> int:
    return _whole(text, 1, DEEPEST + 1)


def _whole(text: str, least: int, most: int = 10**9) -> int:
    if not text.isdecimal() or len(text) > 10 or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} to {most:,}")
    return int(text)
