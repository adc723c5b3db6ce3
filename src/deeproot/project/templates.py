"""Prompt templates: files in `.research/templates/`, created on first run, yours to edit, checked before use."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from importlib import resources
from pathlib import Path
from string import Template

from ..errors import TemplateError
from ..settings import Settings, synthesis_reserve
from .disk import Disk

_SETTINGS = ["breadth", "depth", "max_iterations", "model", "review_model", "timeout"]
_BUDGET = ["time_budget_minutes", "synthesis_reserve_minutes"]
COMMON = frozenset(["original_topic", "iteration", *_SETTINGS, *_BUDGET])
_TOPIC = frozenset(["topic_title", "topic_description", "criteria"])

VARIABLES: Mapping[str, frozenset[str]] = {
    "initial_plan": COMMON | {"passages"},
    "queries": COMMON | _TOPIC | {"actions", "guidance"},
    "research": COMMON | _TOPIC | {"method", "passages", "actions", "guidance"},
    "subtopics": COMMON | _TOPIC | {"document", "others"},
    "review": COMMON | _TOPIC | {"document"},
    "section": COMMON | {"topics", "words", "guidance"},
    "synthesize": COMMON | {"sections", "words", "guidance"},
    "final_review": COMMON | {"topics", "report"},
    "judge": COMMON | {"claims"},
    "revise": COMMON | {"summary", "sections", "issues"},
    "picker": COMMON | {"outline", "count", "guidance"},
    "recovery": COMMON | {"hat", "topic_title", "error"},
    "phase_recovery": COMMON | {"error", "notes"},
    "scope": COMMON | {"most", "passages"},
    "decide": COMMON | {"given_up", "before", "notes"},
    "answer": COMMON | {"brief", "words", "guidance", "notes"},
    "deep_answer": COMMON | {"brief", "words", "guidance", "notes"},
    "answer_at_once": COMMON | {"brief", "words", "guidance", "method", "passages"},
}


class Templates:
    """A checked set of templates. Rendering cannot fail."""

    def __init__(self, texts: Mapping[str, str], folder: Path | None = None) -> None:
        self._templates = {name: Template(texts[name]) for name in VARIABLES}
        for name, template in self._templates.items():
            where = str(folder / f"{name}.md") if folder else f"{name}.md"
            _check(where, template, VARIABLES[name])

    def render(self, name: str, settings: Settings, iteration: int, **variables: str) -> str:
        common = {
            "original_topic": settings.question,
            "breadth": settings.breadth,
            "depth": settings.depth,
            "iteration": iteration,
            "max_iterations": settings.max_iterations,
            "model": settings.model,
            "review_model": settings.review_model,
            "timeout": settings.timeout,
            "time_budget_minutes": "unlimited" if settings.time is None else f"{settings.time:g}",
            "synthesis_reserve_minutes": f"{synthesis_reserve(settings.time or 0.0):g}",
        }
        return self._templates[name].substitute(common, **variables)


def _check(where: str, template: Template, allowed: frozenset[str]) -> None:
    for number, line in enumerate(template.template.splitlines(), 1):
        part = Template(line)
        if not part.is_valid():
            raise TemplateError(
                f"{where}:{number}: a lone $ or a broken ${{…}}. Write $$ for a dollar sign, $name for a variable."
            )
        for name in part.get_identifiers():
            if name not in allowed:
                raise TemplateError(
                    f"{where}:{number}: unknown variable ${name}. Known here: "
                    + ", ".join(f"${known}" for known in sorted(allowed))
                    + ". Write $$ for a dollar sign."
                )


def builtin() -> dict[str, str]:
    folder = resources.files("deeproot") / "prompts"
    return {name: (folder / f"{name}.md").read_text(encoding="utf-8") for name in VARIABLES}


def load_templates(folder: Path, disk: Disk) -> Templates:
    """The templates in `folder`; those that are missing, or that a power cut left without text, are written there."""
    disk.make_folder(folder, durable=True)
    texts = builtin()
    for name, text in texts.items():
        path = folder / f"{name}.md"
        if not path.exists():
            disk.create(path, text, durable=False)
        try:
            texts[name] = path.read_text(encoding="utf-8").strip("\0") or _mended(path, text, disk)
        except (OSError, UnicodeDecodeError) as error:
            raise TemplateError(f"{path}: cannot be read as UTF-8 text ({error}).") from error
    return Templates(texts, folder)


def _mended(path: Path, text: str, disk: Disk) -> str:
    disk.replace(path, text)
    return text


def fenced(label: str, text: str) -> str:
    """Outside text marked as data. The closing mark holds a hash of the text, so the text cannot close it."""
    mark = f"{label}-{sha256(text.encode()).hexdigest()[:8]}"
    return f"<{mark}>\n{text}\n</{mark}>"


def listed(items: tuple[str, ...] | list[str]) -> str:
    return "\n".join(f"- {item}" for item in items) or "(nothing)"
